/** What an autosave has saved is the state of the mock, whatever changes while it saves, in whatever order saves end or fail. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Random } from '../../../src/mock/pets/seed.ts'
import { createInnerMock } from '../../../src/mock/sandbox/mock.ts'
import { createAutosave, type KeptSandbox } from '../../../src/mock/sandbox/autosave.ts'
import { readSettings } from '../../../src/mock/sandbox/settings.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** A mock with an autosave whose target takes a time for each save, or fails. */
function createAutosaved(
  takes: (sandbox: KeptSandbox) => { ms: number; fails?: boolean } = () => ({ ms: 0 }),
) {
  const inner = createInnerMock(readSettings({ pets: 3 }, []), {
    loaded: { defects: [] },
    isAutosaved: true,
  })
  const saved = new Map<string | null, KeptSandbox>()
  const calls: [name: string | null, at: number][] = []
  const busy = new Set<string | null>()
  let most = 0
  const from = performance.now()
  const autosave = createAutosave(
    inner,
    {
      async save(sandbox) {
        const { name } = sandbox
        expect(busy.has(name)).toBe(false)
        busy.add(name)
        most = Math.max(most, busy.size)
        calls.push([name, performance.now() - from])
        const { ms, fails } = takes(sandbox)
        if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms))
        busy.delete(name)
        if (fails) throw new Error('full')
        if (sandbox.state === undefined) saved.delete(name)
        else saved.set(name, sandbox)
      },
    },
    false,
  )
  return { inner, saved, calls, autosave, mostAtOnce: () => most }
}

const ids = [1, 2, 3, 4]
const names = ['a', 'b']
const below = (random: Random, end: number): number => Math.floor(random.next() * end)

/** One change of any kind to any sandbox. */
function changeAny({ mock }: ReturnType<typeof createAutosaved>['inner'], random: Random): void {
  const pick = <One>(from: readonly One[]): One => from[below(random, from.length)] as One
  const name = pick([undefined, ...names])
  if (name !== undefined && below(random, 10) === 0) return void mock.sandboxes.delete(name)
  const sandbox = name === undefined ? mock : mock.sandboxes.get(name)
  const id = pick(ids)
  const pet = { id, name: `${below(random, 1_000)}`, categoryId: 1 }
  const has = (one: number): boolean => sandbox.catalog.export().some((other) => other.id === one)
  const changes: (() => unknown)[] = [
    () => sandbox.catalog.add([{ name: 'New', categoryId: 2 }]),
    () => sandbox.catalog.delete(id),
    () => has(id) || sandbox.catalog.add([pet]),
    () => sandbox.catalog.change(id, { name: pet.name }),
    () => sandbox.use({ reply: { status: 503 } }),
    () => sandbox.configure({ explain: below(random, 2) === 0 }),
    () => sandbox.clock.advance(1_000),
    () => sandbox.snapshots.save('one'),
    () => sandbox.snapshots.restore('one'),
    () => sandbox.reset({ seed: below(random, 3) }),
    () => sandbox.catalog.add([{ name: 'First', categoryId: 2 }], 0),
  ]
  pick(changes)()
}

test.each(Array.from({ length: 60 }, (_, seed) => seed))('seed %i', async (seed) => {
  const random = new Random(seed)
  const takes = () => ({ ms: below(random, 3) * 150, fails: below(random, 8) === 0 })
  let mayFail = true
  const { inner, saved, autosave } = createAutosaved(() => (mayFail ? takes() : { ms: 10 }))
  for (let step = 0; step < 60; step += 1) {
    changeAny(inner, random)
    await vi.advanceTimersByTimeAsync(below(random, 4) * 60)
  }
  mayFail = false
  const [ended] = await Promise.allSettled([autosave.end(), vi.advanceTimersByTimeAsync(10_000)])
  expect(ended.status).toBe('fulfilled')
  expect(autosave.saves.ageMs()).toBe(0)
  const expected = inner.all().map(({ name = null, machine, startedAt }) => {
    return [name, { name, state: machine.save(), startedAt }] as const
  })
  expect(Object.fromEntries(saved)).toEqual(Object.fromEntries(expected))
})

test('a change is saved 200 ms later, with all others of its sandbox, and one during a save after that', async () => {
  const { inner, calls, autosave } = createAutosaved(() => ({ ms: 70 }))
  await vi.advanceTimersByTimeAsync(200)
  expect(calls).toEqual([[null, 0]])
  await vi.advanceTimersByTimeAsync(10)
  for (const _ of '123') inner.mock.catalog.add([{ name: 'Rex', categoryId: 1 }])
  inner.mock.sandboxes.get('a')
  await vi.advanceTimersByTimeAsync(200)
  expect(calls.slice(1)).toEqual([
    [null, 400],
    ['a', 400],
  ])
  // What is being saved is not saved.
  expect(autosave.saves.ageMs()).toBeGreaterThanOrEqual(200)
  inner.mock.catalog.add([{ name: 'Rex', categoryId: 1 }])
  await vi.advanceTimersByTimeAsync(50)
  expect(autosave.saves.ageMs()).toBeGreaterThanOrEqual(50)
  await vi.advanceTimersByTimeAsync(1_000)
  // Reading the age has found it, so that it is saved when the save before ends.
  expect(calls.slice(3)).toEqual([[null, 470]])
  expect([autosave.saves.ageMs(), autosave.isHealthy()]).toEqual([0, true])
  await autosave.end()
})

test('many sandboxes are saved at once, and one that fails or takes long does not keep the others from it', async () => {
  const { inner, saved, autosave, mostAtOnce } = createAutosaved(({ name }) => ({
    ms: name === 'team-0' ? 60_000 : 10,
    fails: name === 'team-1',
  }))
  for (let nth = 0; nth < 2_000; nth += 1) inner.mock.sandboxes.get(`team-${nth}`)
  await vi.advanceTimersByTimeAsync(500)
  // Until a failure ends, those that have begun.
  expect(saved.size).toBeGreaterThan(100)
  await vi.advanceTimersByTimeAsync(30_000)
  expect(saved.size).toBe(1_999)
  expect(mostAtOnce()).toBeLessThanOrEqual(128)
  expect(autosave.isHealthy()).toBe(false)
  expect(autosave.saves.ageMs()).toBeGreaterThanOrEqual(30_000)
  const [ended] = await Promise.allSettled([autosave.end(), vi.advanceTimersByTimeAsync(60_000)])
  expect(ended).toMatchObject({ status: 'rejected', reason: { message: 'full' } })
})

test('the state that a mock was started with is saved already', async () => {
  const { inner, saved, autosave } = createAutosaved()
  await autosave.end()
  expect([...saved.keys()]).toEqual([null])
  saved.clear()
  const again = createAutosave(
    inner,
    { save: async (sandbox) => void saved.set(sandbox.name, sandbox) },
    true,
  )
  await vi.advanceTimersByTimeAsync(1_000)
  expect(saved.size).toBe(0)
  inner.mock.catalog.add([{ id: 9, name: 'Rex', categoryId: 3 }])
  await again.end()
  expect(saved.get(null)?.state?.pets.pets).toHaveLength(4)
})

test('at the end, what fails keeps nothing else from being saved, and is the error', async () => {
  let isEnd = false
  const { inner, saved, autosave } = createAutosaved(({ name }) => ({
    ms: name === 'first' ? 1 : 5,
    fails: isEnd && name === 'first',
  }))
  const many = Array.from({ length: 200 }, (_, n) => `team-${n}`)
  isEnd = true
  for (const name of ['first', ...many]) inner.mock.sandboxes.get(name)
  const ended = autosave.end().catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(await ended).toMatchObject({ message: 'full' })
  expect(many.filter((name) => !saved.has(name))).toEqual([])
})
