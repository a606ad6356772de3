import { createChance, draw } from './chance.ts'
import { createIds, listFirstPets } from './first-pets.ts'
import type { Json } from './exact-json.ts'
import { petStatuses, type PetStatus } from './new-pet.ts'
import type { Settings } from './settings.ts'

export interface StoredPet {
  id: bigint
  name: string
  categoryId: bigint
  status?: PetStatus
  extras: Map<string, Json>
  /** Time of its creation, in milliseconds of the clock of the table. */
  bornAt: number
  /** Its status before the last change. */
  before?: { until: number; status: PetStatus | undefined }
  /** Pets of the client are never removed by the administrator, and change only by orders. */
  madeByClient: boolean
}

export interface PetTable {
  /** Returns a page and the number of matching pets. */
  page(
    limit: number,
    statuses: readonly PetStatus[] | undefined,
  ): { pets: StoredPet[]; matching: number }
  find(id: bigint): StoredPet | undefined
  add(pet: Pick<StoredPet, 'name' | 'categoryId' | 'status' | 'extras'>): StoredPet
  hasName(name: string): boolean
  hasCategory(categoryId: bigint): boolean
  /** Whether the pause after the last creation is not over. */
  isBusy(): boolean
}

/** @param now clock in milliseconds; changes by others are applied at the next access to the catalog. */
export function createPetTable(settings: Settings, now: () => number): PetTable {
  const chance = createChance(settings.seed)
  const nextId = createIds(settings.ids, chance)
  const openedAt = now()
  const pets: StoredPet[] = listFirstPets(settings).map((pet) => ({
    ...pet,
    id: nextId(),
    extras: new Map(),
    bornAt: Number.NEGATIVE_INFINITY,
    madeByClient: false,
  }))
  const byId = new Map(pets.map((pet) => [pet.id, pet]))
  const categories = new Set([1n, 2n, 3n, 4n, 5n, ...pets.map((pet) => pet.categoryId)])
  const done = { gone: 0, swept: 0, written: 0, removed: 0, changed: 0, renamed: 0, ordered: 0 }
  const freed: bigint[] = []
  let createdAt = Number.NEGATIVE_INFINITY
  let reads = 0
  let accesses = 0

  function insert(pet: StoredPet): StoredPet {
    pets.push(pet)
    byId.set(pet.id, pet)
    return pet
  }

  /** Applies the changes that other clients and the administrator have made since the last access. */
  function catchUp(): void {
    const due = (everyMs: number): number =>
      everyMs === 0 ? 0 : Math.floor((now() - openedAt) / everyMs)
    for (; done.written < due(settings.writerEveryMs); done.written++) {
      const status = petStatuses[done.written % 3] as PetStatus
      const bornAt = openedAt + (done.written + 1) * settings.writerEveryMs
      const isAlike = settings.writersAlike
      insert({
        id: nextId(),
        name: isAlike ? 'Rex' : `Stray ${done.written + 1}`,
        categoryId: isAlike ? 1n : 2n,
        status,
        extras: new Map(),
        bornAt,
        madeByClient: false,
      })
    }
    for (; done.removed < due(settings.removalEveryMs); done.removed++) {
      const place = pets.findIndex((pet) => !pet.madeByClient)
      if (place !== -1) for (const gone of pets.splice(place, 1)) byId.delete(gone.id)
    }
    for (; done.swept < due(settings.sweepEveryMs); done.swept++) {
      const sweptAt = openedAt + (done.swept + 1) * settings.sweepEveryMs
      for (const pet of pets.filter((one) => one.madeByClient && one.bornAt < sweptAt)) {
        byId.delete(pet.id)
        pets.splice(pets.indexOf(pet), 1)
      }
    }
    accesses += 1
    if (accesses === settings.sweepAtAccess)
      for (const pet of pets.filter((one) => one.madeByClient && one.name.startsWith('Petkit'))) {
        byId.delete(pet.id)
        pets.splice(pets.indexOf(pet), 1)
      }
    const old = pets.filter((pet) => !pet.madeByClient)
    const own = pets.filter((pet) => pet.madeByClient)
    const { statusAfterMs, soldAfterMs, removed } = settings
    if (removed && now() >= openedAt + removed.afterMs && own.length > 0 && done.gone++ === 0)
      for (const pet of [
        ...(removed.which === 'all' ? old.splice(0) : []),
        ...own.splice(removed.which === 'newest' ? -1 : 0),
      ])
        if (byId.delete(pet.id)) {
          pets.splice(pets.indexOf(pet), 1)
          if (removed.idsReused !== false) freed.push(pet.id)
        }
    for (const pet of statusAfterMs === 0 ? [] : own)
      if (now() >= pet.bornAt + statusAfterMs) pet.status ??= 'available'
    for (const pet of soldAfterMs === 0 ? [] : own)
      if (now() >= pet.bornAt + soldAfterMs && pet.status === 'available') pet.status = 'sold'
    for (; done.changed < due(settings.changeEveryMs) && old.length > 0; done.changed++)
      move(old, done.changed, openedAt + (done.changed + 1) * settings.changeEveryMs)
    for (; done.ordered < due(settings.orderEveryMs) && own.length > 0; done.ordered++)
      move(own, done.ordered, now())
    for (; done.renamed < due(settings.renameEveryMs) && old.length > 0; done.renamed++) {
      const pet = old[done.renamed % old.length] as StoredPet
      pet.name = `Renamed ${done.renamed}`
    }
  }

  function move(some: readonly StoredPet[], nth: number, at: number): void {
    const pet = some[nth % some.length] as StoredPet
    pet.before = { until: at, status: pet.status }
    pet.status = petStatuses[(petStatuses.indexOf(pet.status ?? 'sold') + 1) % 3] as PetStatus
  }

  /** Returns whether a pet is visible to this read. If only one of two replicas lags, the replicas take turns. */
  function createVisibility(
    read: 'lists' | 'fetches',
    isFiltered = false,
  ): (pet: StoredPet) => boolean {
    const { lag } = settings
    reads++
    if (
      lag === null ||
      !(read === 'lists' && isFiltered ? lag.lists : lag[read] === true) ||
      (lag.replicas === 'every-other' && reads % 2 === 0)
    )
      return () => true
    const newest = lag.inSteps ? now() - ((now() - openedAt + lag.ms / 2) % lag.ms) : now() - lag.ms
    return (pet) => pet.bornAt <= newest
  }

  /** Returns a pet as lists show it: with changes that may be late. */
  function asListed(pet: StoredPet): StoredPet {
    const { before } = pet
    if (before === undefined || before.until + settings.changesListedAfterMs <= now()) return pet
    const { status: _, ...others } = pet
    return { ...others, ...(before.status !== undefined && { status: before.status }) }
  }

  function inOrder(matching: StoredPet[], limit: number): StoredPet[] {
    const ordered: Record<Settings['order'], () => StoredPet[]> = {
      oldest: () => matching,
      newest: () => matching.toReversed(),
      random: () => draw(matching, limit, chance),
      name: () => matching.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)),
      status: () => matching.toSorted((a, b) => rank(a) - rank(b)),
      'id-descending': () => matching.toSorted((a, b) => (a.id > b.id ? -1 : 1)),
    }
    return ordered[settings.order]().slice(0, limit)
  }

  return {
    page(limit, statuses) {
      catchUp()
      const isVisible = createVisibility('lists', statuses !== undefined)
      const wanted = (pet: StoredPet): boolean =>
        statuses === undefined || (pet.status !== undefined && statuses.includes(pet.status))
      const matching = pets.map(asListed).filter((pet) => wanted(pet) && isVisible(pet))
      return { pets: inOrder(matching, limit), matching: matching.length }
    },
    find(id) {
      catchUp()
      const isVisible = createVisibility('fetches')
      const pet = byId.get(id)
      return pet !== undefined && isVisible(pet) ? pet : undefined
    },
    add(pet) {
      catchUp()
      createdAt = now()
      return insert({ ...pet, id: freed.pop() ?? nextId(), bornAt: createdAt, madeByClient: true })
    },
    hasName: (name) => pets.some((pet) => pet.name === name),
    isBusy() {
      const isBusy = now() < createdAt + settings.creationPauseMs
      if (!isBusy && settings.pausesRequests) createdAt = now()
      return isBusy
    },
    hasCategory: (categoryId) => categories.has(categoryId),
  }
}

const rank = ({ status }: StoredPet): number =>
  status === undefined ? petStatuses.length : petStatuses.indexOf(status)
