import type { PetStatus } from '../spec/types.ts'
import { compareCodePoints } from './code-points.ts'
import type { Store } from './store.ts'

/** The texts of the first pets, at most `limit`, with the status, if any. */
export type FirstPets = (limit: number, status: PetStatus | undefined) => string[]

/** The lawful orders of a list. The choices table says what each of them is. */
export function createOrder(name: string, store: Store, random: () => number): FirstPets {
  if (name === 'newest-first') return newestFirst(store)
  if (name === 'by-name') return byName(store)
  if (name === 'shuffled') return shuffled(store, random)
  return oldestFirst(store)
}

/** Remembers how far each status was looked for, so that a store of a million pets is not scanned twice. */
function oldestFirst(store: Store): FirstPets {
  const scans = new Map<PetStatus | undefined, { epoch: number; next: number; found: number[] }>()
  return (limit, status) => {
    let scan = scans.get(status)
    if (scan === undefined || scan.epoch !== store.epoch) {
      scan = { epoch: store.epoch, next: 0, found: [] }
      scans.set(status, scan)
    }
    while (scan.found.length < limit && scan.next < store.length) {
      if (store.matches(scan.next, status)) scan.found.push(scan.next)
      scan.next += 1
    }
    return texts(store, scan.found.slice(0, limit))
  }
}

function newestFirst(store: Store): FirstPets {
  return (limit, status) => {
    const found: number[] = []
    for (let position = store.length - 1; position >= 0 && found.length < limit; position -= 1) {
      if (store.matches(position, status)) found.push(position)
    }
    return texts(store, found)
  }
}

function byName(store: Store): FirstPets {
  let sorted: number[] = []
  let sortedFor = ''
  return (limit, status) => {
    if (sortedFor !== versionOf(store)) {
      sorted = positionsByName(store)
      sortedFor = versionOf(store)
    }
    const found: number[] = []
    for (const position of sorted) {
      if (found.length === limit) break
      if (store.matches(position, status)) found.push(position)
    }
    return texts(store, found)
  }
}

/** A sort keeps equal names in the order of creation. */
function positionsByName(store: Store): number[] {
  const named: { position: number; name: string }[] = []
  for (let position = 0; position < store.length; position += 1) {
    const text = store.at(position)?.text
    if (text !== undefined) named.push({ position, name: store.parse(text).name })
  }
  return named.sort((left, right) => compareCodePoints(left.name, right.name)).map(({ position }) => position)
}

function shuffled(store: Store, random: () => number): FirstPets {
  const matching = new Map<PetStatus | undefined, { version: string; positions: number[] }>()
  return (limit, status) => {
    let known = matching.get(status)
    if (known?.version !== versionOf(store)) {
      known = { version: versionOf(store), positions: positionsWith(store, status) }
      matching.set(status, known)
    }
    // The list stays as the last draw left it: a shuffle is as good from any start.
    const { positions } = known
    const count = Math.min(limit, positions.length)
    for (let place = 0; place < count; place += 1) {
      const other = place + Math.floor(random() * (positions.length - place))
      const position = positions[place] as number
      positions[place] = positions[other] as number
      positions[other] = position
    }
    return texts(store, positions.slice(0, count))
  }
}

function positionsWith(store: Store, status: PetStatus | undefined): number[] {
  const positions: number[] = []
  for (let position = 0; position < store.length; position += 1) {
    if (store.matches(position, status)) positions.push(position)
  }
  return positions
}

function versionOf(store: Store): string {
  return `${store.epoch}/${store.length}`
}

function texts(store: Store, positions: readonly number[]): string[] {
  return positions.map((position) => store.at(position)?.text ?? '')
}
