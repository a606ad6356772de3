/** A sandbox is a deterministic state machine whose whole state is one plain value. */
import fc from 'fast-check'
import { expect, test } from 'vitest'

import { UsageError } from '../../../src/errors.ts'
import { type JsonValue, parseJson, printJson } from '../../../src/json.ts'
import type { MockRequest } from '../../../src/mock/service/message.ts'
import { defects, type Rule, varyProfile } from '../../../src/mock/index.ts'
import { SandboxMachine, type SandboxState } from '../../../src/mock/sandbox/machine.ts'
import { createApply, isRead } from '../../../src/mock/shared/replica.ts'
import { readSettings } from '../../../src/mock/sandbox/settings.ts'
import { runs, sample } from '../../support/level.ts'

/** A request, or a change by its name. */
type Entry =
  | { request: MockRequest }
  | { name: string; change: (machine: SandboxMachine) => unknown; request?: undefined }

const ids = defects.map(({ id }) => id)
const start = Date.UTC(2026, 10, 20)

/** Copies a plain value through JSON text. */
const copied = <Value>(value: Value): Value => parseJson(printJson(value as JsonValue)) as Value

const query = fc.constantFrom(
  '',
  '?limit=3',
  '?limit=100',
  '?status=sold',
  '?limit=0',
  '?limit=2&status=available',
)
const petId = fc.oneof(
  fc.integer({ min: 1, max: 16 }).map(String),
  fc.constantFrom('9007199254740993', 'x', '2147483661'),
)
const newPet = fc.record(
  {
    name: fc.constantFrom('Rex', '', ' Tom ', 'Zoë'),
    categoryId: fc.constantFrom<JsonValue>(1, 77, 2n ** 60n, 'x'),
    status: fc.constantFrom('sold', 'gone'),
    tag: fc.constantFrom<JsonValue>(1, { big: 2n ** 60n }),
  },
  { requiredKeys: ['name', 'categoryId'] },
)
const credential = fc.constantFrom(
  ...(['accepted', 'accepted', 'accepted', 'accepted', 'cut', 'unknown', 'absent'] as const).map(
    (token) => ({ scheme: 'Bearer', token }) as const,
  ),
  { scheme: 'absent', token: 'absent' } as const,
  { scheme: 'bearer-in-other-letters', token: 'accepted' } as const,
)
const request = fc
  .record({
    sent: fc.oneof(
      {
        weight: 3,
        arbitrary: query.map((text) => ({ method: 'GET', target: `/v1/pets${text}`, body: '' })),
      },
      {
        weight: 2,
        arbitrary: petId.map((id) => ({ method: 'GET', target: `/v1/pets/${id}`, body: '' })),
      },
      {
        weight: 3,
        arbitrary: newPet.map((pet) => ({
          method: 'POST',
          target: '/v1/pets',
          body: printJson(pet),
        })),
      },
      fc
        .constantFrom('HEAD', 'OPTIONS', 'DELETE')
        .map((method) => ({ method, target: '/v1/pets', body: '' })),
    ),
    prefer: fc.constantFrom(undefined, undefined, undefined, 'code=503', 'fault=reset', 'delay=1'),
    credential,
    connection: fc.integer({ min: 1, max: 3 }),
    address: fc.constantFrom('10.0.0.1', '10.0.0.2'),
  })
  .map(({ sent, prefer, ...rest }): Entry => {
    const headers = { 'content-type': 'application/json', ...(prefer !== undefined && { prefer }) }
    return { request: { ...sent, headers, ...rest } }
  })

const changing = (name: string, change: (machine: SandboxMachine) => unknown): Entry => ({
  name,
  change,
})

const rule = fc.constantFrom<Rule>(
  { reply: { status: 503 }, times: 2, skip: 1 },
  { delayMs: { from: 1, to: 1_000 } },
  { delayMs: { median: 20, p99: 300 }, when: { operation: 'listPets' } },
  { rateLimit: { requests: 2, windowMs: 500 } },
  { fault: 'truncated-body', when: { operation: 'getPet' }, times: 3 },
  { reply: { status: 500 }, during: { afterMs: 100, forMs: 400 } },
  { sequence: [{ reply: { status: 503 } }, { delayMs: { from: 1, to: 9 } }, {}], times: 5 },
  { reply: { status: 409 }, when: { body: { name: { regex: '^[A-R]' }, id: { absent: true } } } },
)
const profile = fc.integer({ min: 0, max: 1_000 }).map(varyProfile)
const some = fc.subarray([...ids], { maxLength: 3 })
const snapshot = fc.constantFrom('one', 'two')
const control = fc.oneof(
  rule.map((one) => changing('use', (machine) => machine.use([one]))),
  fc
    .constantFrom(undefined, 'rule-1', 'rule-2')
    .map((id) => changing('remove rules', ({ rules }) => rules.remove(id))),
  fc
    .constantFrom('2030-12-06', '2026-01-01')
    .map((at) => changing('set the clock', ({ clock }) => clock.set(at))),
  fc
    .constantFrom(60, 300, 1e9)
    .map((ms) => changing('advance the clock', ({ clock }) => clock.advance(ms))),
  fc
    .record({ profile, defects: some, explain: fc.boolean() })
    .map((patch) => changing('configure', (machine) => machine.configure(patch))),
  fc.constantFrom(
    changing('reset the clock', ({ clock }) => clock.reset()),
    changing('show pets', ({ store }) => store.showWaiting()),
    changing('reset', (machine) => machine.reset()),
    changing('clear pets', ({ store }) => store.clear()),
    changing('assign an id', ({ store }) => store.assignId()),
    changing('reserve an id', ({ store }) => store.reserve(14)),
    changing('change a pet', (machine) => machine.changePet(2, { status: 'sold' })),
    changing('delete a pet', (machine) => machine.deletePet(3)),
    changing('import pets', (machine) =>
      machine.importPets([{ id: 2n ** 60n, name: 'Big', categoryId: 1, more: [1] }]),
    ),
    changing('insert a pet', ({ store }) =>
      store.insert({ id: 15, name: 'Own', categoryId: 1, status: 'sold' }),
    ),
    changing('update a pet', ({ store }) =>
      store.update(1, { id: 40, name: 'Moved', categoryId: 2, status: 'pending' }),
    ),
  ),
  snapshot.map((name) => changing('save a snapshot', (machine) => machine.saveSnapshot(name))),
  snapshot.map((name) =>
    changing('restore a snapshot', (machine) => machine.restoreSnapshot(name)),
  ),
  snapshot.map((name) => changing('delete a snapshot', (machine) => machine.deleteSnapshot(name))),
)
const steps = fc.array(
  fc.record({
    entry: fc.oneof({ weight: 5, arbitrary: request }, { weight: 1, arbitrary: control }),
    /** Time since the previous entry. */
    ms: fc.constantFrom(0, 1, 40, 120, 400),
  }),
  { maxLength: 40 },
)
const options = fc.record({
  seed: fc.integer(),
  profile,
  defects: some,
  rules: fc.array(rule, { maxLength: 2 }),
  explain: fc.boolean(),
  now: fc.constantFrom(undefined, '2030-12-04T23:59:59.900Z'),
})

type Options = typeof options extends fc.Arbitrary<infer Value> ? Value : never
const plain = {
  seed: 1,
  profile: varyProfile(0),
  defects: [],
  rules: [],
  explain: false,
  now: undefined,
}

function machineOf({ now, ...rest }: Options): SandboxMachine {
  const settings = readSettings({ ...rest, pets: 12, ...(now !== undefined && { now }) }, defects)
  return new SandboxMachine({ settings, loaded: { defects }, capacity: 2 ** 20 }, start)
}

/** The result of an entry, or its error as a string. */
function outcomeOf(machine: SandboxMachine, entry: Entry, at: number): unknown {
  try {
    machine.clock.at = at
    return entry.request ? machine.respond(copied(entry.request)) : entry.change(machine)
  } catch (error) {
    return String(error)
  }
}

function check(chosen: Options, done: readonly { entry: Entry; ms: number }[], what = ''): void {
  const [one, other, silent] = [machineOf(chosen), machineOf(chosen), machineOf(chosen)]
  const apply = createApply(silent)
  let at = start
  for (const { entry, ms } of done) {
    at += ms
    if (entry.request) apply(copied(entry.request), at)
    else outcomeOf(silent, entry, at)
    const before = copied(one.save())
    const versions = Object.values(one.versions)
    const name = entry.request ? 'respond' : entry.name
    const outcome = outcomeOf(one, entry, at)
    // The same entries give the same state and the same bytes anywhere.
    expect(outcomeOf(other, entry, at)).toEqual(outcome)
    // A machine restored from the saved state continues exactly like the original.
    const restored = machineOf(chosen)
    restored.restore(before)
    expect(outcomeOf(restored, entry, at), `${what} ${name}`).toEqual(outcome)
    const states = [one, other, restored, silent].map((machine) =>
      printJson(machine.save() as unknown as JsonValue),
    )
    expect(states[1]).toBe(states[0])
    // The versions change whenever the state does.
    const isSame = printJson(before) === states[0]
    if (!isSame) expect(Object.values(one.versions), `${what} ${name}`).not.toEqual(versions)
    expect(states[2]).toBe(states[0])
    // A mock that does not respond to the request has the same state.
    expect(states[3], `${what} ${name}`).toBe(states[0])
  }
}

test('the same entries give the same state and bytes in two machines, and after each save and restore', () => {
  fc.assert(
    fc.property(options, steps, (chosen, done) => check(chosen, done)),
    { numRuns: runs(40) },
  )
})

test('each defect keeps its memory in the state', () => {
  const requests = fc.array(fc.record({ entry: request, ms: fc.constantFrom(1, 40) }), {
    minLength: 12,
    maxLength: 16,
  })
  for (const id of sample(ids, { usual: 8, slow: 1, all: 1 })) {
    for (const done of fc.sample(requests, 1)) check({ ...plain, defects: [id] }, done, id)
  }
})

test('a saved state includes the random number generator', () => {
  const machine = machineOf({ ...plain, profile: { ...varyProfile(1), 'list.order': 'shuffled' } })
  const credential = { scheme: 'Bearer', token: 'accepted' } as const
  const list: Entry = {
    request: { method: 'GET', target: '/v1/pets', headers: {}, body: '', credential },
  }
  const before: SandboxState = copied(machine.save())
  const first = outcomeOf(machine, list, start)
  expect(outcomeOf(machine, list, start)).not.toEqual(first)
  machine.restore({ ...before, random: before.random + 1 })
  expect(outcomeOf(machine, list, start)).not.toEqual(first)
  machine.restore(before)
  expect(outcomeOf(machine, list, start)).toEqual(first)
})

test('a rule that is a function cannot be saved', () => {
  const options = {
    settings: readSettings({ pets: 0 }, []),
    loaded: { defects },
    capacity: 2 ** 20,
  }
  const machine = new SandboxMachine(options, start)
  machine.use([{ delayMs: 1 }, () => undefined])
  expect(() => machine.save()).toThrow(
    new UsageError('rule-2 is a function, which cannot be saved. Remove it first.'),
  )
  machine.rules.remove('rule-2')
  expect(machine.save().rules.rules).toHaveLength(1)
})

test('a request classified as a read does not change the state', () => {
  let reads = 0
  fc.assert(
    fc.property(options, fc.boolean(), steps, (all, isPlain, done) => {
      const machine = machineOf(isPlain ? { ...all, defects: [], rules: [] } : all)
      let at = start
      for (const { entry, ms } of done) {
        at += ms
        const isClassifiedAsRead = entry.request !== undefined && isRead(machine, entry.request)
        const before = printJson(machine.save())
        outcomeOf(machine, entry, at)
        if (!isClassifiedAsRead) continue
        reads += 1
        expect(printJson(machine.save())).toBe(before)
      }
    }),
    { numRuns: runs(1_000) },
  )
  expect(reads).toBeGreaterThan(20)
})

test('a sandbox that starts over equals a new one', () => {
  fc.assert(
    fc.property(options, steps, (chosen, done) => {
      const machine = machineOf(chosen)
      for (const [index, { entry }] of done.entries()) outcomeOf(machine, entry, start + index * 40)
      machine.startOver(start + 5_000)
      const fresh = machineOf(chosen)
      fresh.startOver(start + 5_000)
      const states = [machine, fresh].map((one) => printJson(one.save()))
      expect(states[0]).toBe(states[1])
    }),
    { numRuns: runs(40) },
  )
})
