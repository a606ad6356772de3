/** Changes after a copy that was made while the mock went on result in the state of the mock. */
import { expect, test } from 'vitest'
import {
  changeLines,
  headOf,
  lineOf,
  read,
  sandboxLines,
  withSum,
} from '../../../src/cli/mock/state-format.ts'
import { startMock } from '../../../src/mock/start.ts'
import { createInnerMock } from '../../../src/mock/sandbox/mock.ts'
import { Random } from '../../../src/mock/pets/seed.ts'
import {
  createKeeper,
  type MockState,
  type SandboxChange,
  type StateCopy,
  type StateLog,
} from '../../../src/mock/sandbox/saved-state.ts'
import { readSettings } from '../../../src/mock/sandbox/settings.ts'

const options = { pets: 3 }
const ids = [1, 2, 3, 4]
const names = ['a', 'b']

function createKept() {
  const inner = createInnerMock(readSettings(options, []), {
    table: { defects: [] },
    isKept: true,
  })
  const copies: StateCopy[] = []
  const changes: SandboxChange[] = []
  let wantsCopy = false
  const log = {
    async keep(found: readonly SandboxChange[], copyAll: () => StateCopy) {
      changes.push(...found)
      if (wantsCopy) copies.push(copyAll())
      wantsCopy = false
    },
    isBusy: () => true,
    pauseMs: () => 1e9,
  }
  const keeper = createKeeper(inner, log, false)
  return {
    inner,
    changes,
    /** Keeps what has changed, and begins a copy if asked to. */
    async keep(begins = false): Promise<StateCopy | undefined> {
      wantsCopy = begins
      await keeper.end()
      return copies.pop()
    },
  }
}

/** Reads what a file with a copy and changes holds. */
function restored(copy: readonly string[], changes: readonly SandboxChange[]) {
  const lines = [...withSum(copy), ...withSum(changeLines(changes))].join('')
  return read(Buffer.from(lines), 'file', headOf(options)).state
}

const below = (random: Random, end: number): number => Math.floor(random.next() * end)

/** One change of any kind to any sandbox. */
function changeAny({ mock }: ReturnType<typeof createKept>['inner'], random: Random): void {
  const pick = <One>(from: readonly One[]): One => from[below(random, from.length)] as One
  const name = pick([undefined, ...names])
  if (name !== undefined && below(random, 30) === 0) return void mock.sandboxes.delete(name)
  const sandbox = name === undefined ? mock : mock.sandboxes.get(name)
  const id = pick(ids)
  const pet = { id, name: `${below(random, 1_000)}`, categoryId: 1 }
  const has = (one: number): boolean => sandbox.catalog.export().some((other) => other.id === one)
  const ofPets: (() => unknown)[] = [
    () => sandbox.catalog.add([{ name: 'New', categoryId: 2 }]),
    () => sandbox.catalog.delete(id),
    () => has(id) || sandbox.catalog.add([pet]),
    () => sandbox.catalog.change(id, { name: pet.name }),
  ]
  const others: (() => unknown)[] = [
    () => sandbox.use({ reply: { status: 503 } }),
    () => sandbox.configure({ explain: below(random, 2) === 0 }),
    () => sandbox.clock.advance(1_000),
    // These keep all pets.
    () => sandbox.snapshots.save('one'),
    () => sandbox.snapshots.restore('one'),
    () => sandbox.reset({ seed: below(random, 3) }),
    () => sandbox.catalog.add([{ name: 'First', categoryId: 2 }], 0),
  ]
  pick(below(random, 20) === 0 ? others : ofPets)()
}

test.each(Array.from({ length: 60 }, (_, seed) => seed))('seed %i', async (seed) => {
  const kept = createKept()
  const random = new Random(seed)
  const { inner, changes, keep } = kept
  const changeSome = () => {
    for (let left = below(random, 30); left > 0; left -= 1) changeAny(inner, random)
  }
  changeSome()
  await keep()
  const copy = await keep(true)
  const lines = [lineOf(headOf(options))]
  changes.length = 0
  for (const { name, state } of copy?.sandboxes ?? []) {
    lines.push(...sandboxLines(name, state))
    changeSome()
    if (below(random, 2) === 0) await keep()
    changeSome()
  }
  for (let round = 0; round < 3; round += 1) {
    changeSome()
    await keep()
  }
  const expected = inner
    .all()
    .map(({ sandbox, machine }) => ({ name: sandbox.name ?? null, state: machine.save() }))
  const found = restored(
    lines,
    changes.filter((one) => one.copy !== copy?.number),
  )
  const byName = (states: typeof expected) =>
    Object.fromEntries(states.map(({ name, state }) => [name ?? '', state]))
  expect(byName([...found.sandboxes])).toEqual(JSON.parse(JSON.stringify(byName(expected))))
})

test('a new mock keeps its state at once, a restored one after a change', async () => {
  const start = async (state?: MockState) => {
    const kept: SandboxChange[] = []
    const log: StateLog = {
      keep: async (changes) => void kept.push(...changes),
      isBusy: () => false,
      pauseMs: () => 1_000,
    }
    const mock = await startMock({ pets: 1, ...(state && { state }) }, [], log)
    return { mock, kept }
  }
  const { mock: fresh, kept: first } = await start()
  await fresh.close()
  expect(first).toMatchObject([{ name: null, state: { pets: { nextId: 2 } } }])
  const sandboxes = first as MockState['sandboxes'][number][]
  const { mock: restored, kept: later } = await start({ sandboxes })
  restored.catalog.add([{ id: 9, name: 'Rex', categoryId: 3 }])
  await restored.close()
  expect(later).toMatchObject([{ name: null, pets: [{ after: { id: 9 } }] }])
})
