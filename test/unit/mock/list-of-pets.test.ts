/** A model of the catalog: lists show exactly the effect of all creations, imports, changes and deletions. */
import fc from 'fast-check'
import { expect, test } from 'vitest'

import { type JsonValue, printJson } from '../../../src/json.ts'
import { createMock, type Mock } from '../../../src/mock/index.ts'
import type { ExactPet, Int64 } from '../../../src/spec/types.ts'
import { sendTo, create } from './ask.ts'
import { runs } from '../../support/level.ts'

interface Model {
  readonly pets: readonly ExactPet[]
  readonly nextId: number
  /** Ids that are skipped: they were in use before their turn. */
  readonly used: ReadonlySet<Int64>
}

/** The highest id from which numbering continues. */
const high = 2 ** 52
const idOf = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: -1, max: 12 }) },
  fc.constantFrom<Int64>(
    2n ** 63n - 1n,
    -(2n ** 63n),
    9007199254740993n,
    high,
    high + 1,
    high + 2,
    high + 3,
  ),
)
const status = fc.constantFrom('available' as const, 'pending' as const, 'sold' as const)
const pet: fc.Arbitrary<ExactPet> = fc.record(
  {
    id: idOf,
    name: fc.constantFrom('Rex', 'Tom', 'Tweety'),
    categoryId: fc.constantFrom<Int64>(1, 77, 2n ** 60n),
    status,
    tag: fc.constantFrom<JsonValue>(1, { big: 2n ** 60n }),
  },
  { requiredKeys: ['id', 'name', 'categoryId'] },
)
const pets = fc.uniqueArray(pet, { selector: ({ id }) => String(id), maxLength: 8 })
const visibility = fc.constantFrom('immediate' as const, 'delayed' as const)
const drawn = fc.record({ id: idOf, pet, pets, slot: fc.nat(2), status, visibility })
type Drawn = typeof drawn extends fc.Arbitrary<infer Value> ? Value : never

/** The initial state of a catalog of these pets. */
function modelOf(pets: readonly ExactPet[]): Model {
  const followed = pets
    .map(({ id }) => id)
    .filter((id) => typeof id === 'number' && id <= high) as number[]
  return { pets, nextId: Math.max(0, ...followed) + 1, used: new Set(pets.map(({ id }) => id)) }
}
const isThere = ({ pets }: Model, wanted: Int64): boolean => pets.some(({ id }) => id === wanted)
/** Adds a pet with the next id that was never used. */
function adding(model: Model, pet: Omit<ExactPet, 'id'>): Model {
  let id = model.nextId
  while (model.used.has(id)) id += 1
  return { ...model, pets: [...model.pets, { id, ...pet }], nextId: id + 1 }
}
const using = (model: Model, id: Int64): Model => ({ ...model, used: new Set([...model.used, id]) })

const five = modelOf(createMock({ pets: 5 }).catalog.export())

/** Each step does the same to a mock and to the model. */
const steps: Record<
  string,
  (mock: Mock, model: Model, drawn: Drawn, saved: Model[]) => Promise<Model> | Model
> = {
  async create(mock, model, { status, visibility }) {
    mock.configure({ profile: { 'create.visibility': visibility } })
    const after = adding(model, { name: 'Rex', categoryId: 1, status })
    expect((await create(mock, { name: 'Rex', categoryId: 1, status })).json).toEqual(
      after.pets.at(-1),
    )
    return after
  },
  async insert(mock, model, { pet }) {
    const { id, name, categoryId } = pet
    const inserting = mock.pets.create({ id, name, categoryId })
    if (isThere(model, id)) {
      await expect(inserting).rejects.toThrow(`id ${id} already`)
      return model
    }
    await inserting
    return using({ ...model, pets: [...model.pets, { id, name, categoryId }] }, id)
  },
  async 'give another id'(mock, model, { id, pet }) {
    const moving = mock.pets.update((query) => query.where({ id }), {
      data: (one) => void (one.id = pet.id),
    })
    if (isThere(model, id) && pet.id !== id) await expect(moving).rejects.toThrow('keeps its id')
    else await moving
    return model
  },
  change(mock, model, { id, pet: { name, status } }) {
    const changed = mock.catalog.change(id, { name, status: status ?? null })
    expect(changed !== undefined).toBe(isThere(model, id))
    const changing = model.pets.map((one) => (one.id === id ? { ...one, name } : one))
    for (const one of changing.filter((one) => one.id === id)) {
      if (status === undefined) delete one.status
      else one.status = status
    }
    return { ...model, pets: changing }
  },
  delete(mock, model, { id }) {
    expect(mock.catalog.delete(id)).toBe(isThere(model, id))
    return { ...model, pets: model.pets.filter((one) => one.id !== id) }
  },
  async 'create several'(mock, model) {
    const rex = { name: 'Rex', categoryId: 1 }
    await mock.pets.createMany(2, () => rex)
    return adding(adding(model, rex), rex)
  },
  async 'change several'(mock, model, { id, status }) {
    await mock.pets.updateMany((query) => query.where({ id: (one) => one >= id }), {
      data: (one) => void (one.status = status),
    })
    return { ...model, pets: model.pets.map((one) => (one.id >= id ? { ...one, status } : one)) }
  },
  async 'delete several'(mock, model, { id }) {
    await mock.pets.settled()
    mock.pets.deleteMany((query) => query.where({ id: (one) => one > id }))
    return { ...model, pets: model.pets.filter((one) => one.id <= id) }
  },
  async 'delete a record'(mock, model) {
    await mock.pets.settled()
    const [record] = mock.pets.all()
    if (record !== undefined) mock.pets.delete(record)
    return { ...model, pets: model.pets.slice(1) }
  },
  clear(mock, model) {
    mock.pets.clear()
    return { ...model, pets: [] }
  },
  import(mock, _, { pets }) {
    mock.catalog.import(pets)
    return modelOf(pets)
  },
  reset(mock) {
    mock.reset()
    return five
  },
  save(mock, model, { slot }, saved) {
    mock.snapshots.save(`s${slot}`)
    return (saved[slot] = model)
  },
  restore(mock, model, { slot }, saved) {
    expect(mock.snapshots.restore(`s${slot}`)).toBe(saved[slot] !== undefined)
    return saved[slot] ?? model
  },
}

const text = ({ id, name, categoryId, ...rest }: ExactPet): string =>
  printJson({ id, name, categoryId, ...('status' in rest && { status: rest.status }), ...rest })

test('the mock matches the model after any sequence of steps', async () => {
  const often = ['create', 'create', 'create', 'insert', 'insert', 'give another id', 'import']
  const step = fc.tuple(fc.constantFrom(...Object.keys(steps), ...often), drawn)
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 15, size: 'max' }), async (plan) => {
      const mock = createMock({ pets: 5 })
      const saved: Model[] = []
      let model = five
      for (const [name, drawn] of plan) {
        model = (await steps[name]?.(mock, model, drawn, saved)) ?? model
        await mock.pets.settled()
        expect(mock.pets.all().map((one) => ({ ...one }))).toEqual(model.pets)
        expect([mock.catalog.size, mock.pets.count()]).toEqual([
          model.pets.length,
          model.pets.length,
        ])
        for (const status of ['sold', undefined]) {
          const matching = model.pets
            .filter((one) => status === undefined || one.status === status)
            .toReversed()
          const path = `/v1/pets?limit=100${status === undefined ? '' : `&status=${status}`}`
          expect((await sendTo(mock, 'GET', path)).body).toBe(`[${matching.map(text).join()}]`)
        }
      }
      expect(mock.catalog.export()).toEqual(model.pets)
      for (const one of model.pets)
        expect((await sendTo(mock, 'GET', `/v1/pets/${one.id}`)).body).toBe(text(one))
      for (const id of [...model.used, -1, 0].filter((one) => !isThere(model, one)))
        expect((await sendTo(mock, 'GET', `/v1/pets/${id}`)).status).toBe(404)
      const orders = {
        'oldest-first': model.pets,
        'newest-first': model.pets.toReversed(),
        'by-name': model.pets.toSorted(
          (one, two) => Number(one.name > two.name) - Number(one.name < two.name),
        ),
        shuffled: model.pets,
      }
      for (const [order, ordered] of Object.entries(orders)) {
        mock.configure({ profile: { 'list.order': order as keyof typeof orders } })
        for (const status of ['available', 'pending', 'sold', undefined]) {
          const expected = ordered
            .filter((one) => status === undefined || one.status === status)
            .map(text)
          const filter = status === undefined ? '' : `&status=${status}`
          const list = async (limit: number): Promise<string> =>
            (await sendTo(mock, 'GET', `/v1/pets?limit=${limit}${filter}`)).body
          if (order === 'shuffled') {
            expect([...(await list(100))].toSorted()).toEqual(
              [...`[${expected.join()}]`].toSorted(),
            )
          } else
            for (const limit of [1, 3, 100])
              expect(await list(limit)).toBe(`[${expected.slice(0, limit).join()}]`)
        }
      }
    }),
    { numRuns: runs(500) },
  )
})
