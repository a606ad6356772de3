/** An option that is undefined counts as left out, in types and in effect: a caller may pass a variable that has no value. */
import { describe, expect, expectTypeOf, test } from 'vitest'
import type { createControl, ControlOperations } from '../../../src/control.ts'
import {
  type BaselineTerms,
  compare,
  compareReports,
  type CompareTerms,
  type Report,
  toBaseline,
  toText,
  type VerifyInput,
} from '../../../src/contract/index.ts'
import { compareBy } from '../../../src/contract/suite/compare.ts'
import { createFetch, type FetchOptions } from '../../../src/mock/adapters/fetch.ts'
import { createHandlers, type HandlersOptions } from '../../../src/mock/adapters/msw.ts'
import { createDispatcher, type DispatcherOptions } from '../../../src/mock/adapters/undici.ts'
import {
  createMock,
  defaultKey,
  type JournalFilter,
  type MockOptions,
  type PetPatch,
  type Rule,
  type RuleCondition,
  type RulePatch,
  type RuleReply,
  type RuleStep,
  type SettingsPatch,
  type StartOptions,
  startMock,
} from '../../../src/mock/index.ts'
import {
  buildPet,
  buildPets,
  type FixtureOptions,
  type PetFields,
} from '../../../src/mock/pets/fixtures.ts'
import { dispatcherOf } from '../../support/verify-in-process.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'
import { violating } from '../reporters/reports.ts'

/** The properties that may be left out, with undefined for each. */
type Absent<Options> = {
  [Name in keyof Options as object extends Pick<Options, Name> ? Name : never]-?: undefined
}
type Takes<Options> = Absent<Options> extends Partial<Options> ? true : keyof Options

test('each optional property of what a caller writes also has the type undefined', () => {
  expectTypeOf<Takes<{ yes?: 1 | undefined; no?: 1 }>>().toEqualTypeOf<'yes' | 'no'>()
  expectTypeOf<Takes<MockOptions>>().toEqualTypeOf<true>()
  expectTypeOf<Takes<StartOptions>>().toEqualTypeOf<true>()
  expectTypeOf<Takes<NonNullable<StartOptions['shared']>>>().toEqualTypeOf<true>()
  expectTypeOf<Takes<NonNullable<MockOptions['profile']>>>().toEqualTypeOf<true>()
  expectTypeOf<Takes<SettingsPatch>>().toEqualTypeOf<true>()
  expectTypeOf<Takes<FetchOptions>>().toEqualTypeOf<true>()
  expectTypeOf<Takes<HandlersOptions>>().toEqualTypeOf<true>()
  expectTypeOf<Takes<DispatcherOptions>>().toEqualTypeOf<true>()
  expectTypeOf<Takes<JournalFilter>>().toEqualTypeOf<true>()
  expectTypeOf<Takes<Rule>>().toEqualTypeOf<true>()
  expectTypeOf<Takes<NonNullable<Rule['during']>>>().toEqualTypeOf<true>()
  expectTypeOf<Takes<RuleCondition>>().toEqualTypeOf<true>()
  expectTypeOf<Takes<RuleReply>>().toEqualTypeOf<true>()
  expectTypeOf<Takes<RuleStep>>().toEqualTypeOf<true>()
  expectTypeOf<Takes<RulePatch>>().toEqualTypeOf<true>()
  expectTypeOf<Takes<PetPatch>>().toEqualTypeOf<true>()
  expectTypeOf<Takes<PetFields>>().toEqualTypeOf<true>()
  expectTypeOf<Takes<FixtureOptions>>().toEqualTypeOf<true>()
  expectTypeOf<Takes<Parameters<typeof createControl>[0]>>().toEqualTypeOf<true>()
  type Inputs = {
    [Id in keyof ControlOperations]: Takes<NonNullable<ControlOperations[Id]['parameters'][0]>>
  }
  expectTypeOf<Inputs[keyof Inputs]>().toEqualTypeOf<true>()
  expectTypeOf<Takes<VerifyInput>>().toEqualTypeOf<true>()
  expectTypeOf<Takes<CompareTerms>>().toEqualTypeOf<true>()
  expectTypeOf<Takes<BaselineTerms>>().toEqualTypeOf<true>()
  expectTypeOf<Takes<Parameters<typeof toBaseline>[1]>>().toEqualTypeOf<true>()
  expectTypeOf<Takes<NonNullable<Parameters<typeof toText>[1]>>>().toEqualTypeOf<true>()
})

const options: Absent<MockOptions> = {
  seed: undefined,
  pets: undefined,
  ids: undefined,
  data: undefined,
  generate: undefined,
  keys: undefined,
  basePath: undefined,
  corsOrigins: undefined,
  profile: undefined,
  defects: undefined,
  rules: undefined,
  sandboxes: undefined,
  overrides: undefined,
  explain: undefined,
  journal: undefined,
  onNotice: undefined,
  onRequest: undefined,
  Collection: undefined,
  now: undefined,
}
const starting: Absent<StartOptions> = {
  ...options,
  port: undefined,
  host: undefined,
  tls: undefined,
  control: undefined,
  console: undefined,
  controlToken: undefined,
  controlHosts: undefined,
  onControl: undefined,
  save: undefined,
  state: undefined,
  keepState: undefined,
  readyNeedsState: undefined,
  shared: undefined,
  suite: undefined,
}
const list = (limit: number) => ({
  method: 'GET',
  target: `/v1/pets?limit=${limit}`,
  headers: { authorization: `Bearer ${defaultKey}` },
  body: '',
})

describe('undefined has the effect of a left-out option', () => {
  test('of a mock, with a server and without', async () => {
    const { now: _, ...usual } = createMock().settings
    const profile = { 'list.order': undefined, 'create.name.empty': undefined }
    for (const more of [options, { ...options, profile }])
      expect(createMock(more).settings).toMatchObject(usual)
    const mock = await startMock(starting)
    expect(mock.settings).toMatchObject(usual)
    expect([mock.controlUrl, mock.consoleUrl, mock.controlToken]).toEqual([
      expect.stringContaining('http://127.0.0.1:'),
      expect.stringContaining('/console/'),
      undefined,
    ])
    await mock.close()
  })

  test('of settings, rules, the clock, a reset and the journal', async () => {
    const mock = createMock({ seed: 7, profile: { 'list.order': 'by-name' }, explain: true })
    const { settings } = mock
    mock.configure({
      profile: { 'list.order': undefined },
      defects: undefined,
      overrides: undefined,
      explain: undefined,
    })
    expect(mock.settings).toEqual(settings)
    const absent: Absent<Rule> = {
      when: undefined,
      reply: undefined,
      delayMs: undefined,
      fault: undefined,
      sequence: undefined,
      rateLimit: undefined,
      skip: undefined,
      times: undefined,
      during: undefined,
    }
    const when: Absent<RuleCondition> = {
      operation: undefined,
      query: undefined,
      petId: undefined,
      headers: undefined,
      body: undefined,
    }
    const [rule] = mock.use({
      ...absent,
      when,
      reply: {
        status: 503,
        code: undefined,
        message: undefined,
        headers: undefined,
        body: undefined,
      },
    })
    const [plain] = mock.use({ when: {}, reply: { status: 503 } })
    expect({ ...rule, id: '' }).toEqual({ ...plain, id: '' })
    expect(mock.changeRule(rule?.id ?? '', { enabled: undefined, position: undefined })).toEqual(
      rule,
    )
    await mock.handle(list(1))
    const filter: Absent<JournalFilter> = {
      operation: undefined,
      status: undefined,
      method: undefined,
      when: undefined,
      after: undefined,
      before: undefined,
      limit: undefined,
    }
    expect(mock.journal.list(filter)).toHaveLength(1)
    expect((await mock.journal.waitFor(filter, { timeoutMs: undefined })).number).toBe(1)
    mock.clock.set('2030-12-06', { frozen: undefined })
    expect(mock.clock.frozen).toBe(true)
    mock.reset({ journal: undefined, seed: undefined })
    expect([mock.settings.seed, mock.journal.list()]).toEqual([7, []])
    const before = mock.catalog.export()
    expect(
      mock.catalog.change(1, { name: undefined, categoryId: undefined, status: undefined }),
    ).toEqual(before.find(({ id }) => id === 1))
  })

  test('of adapters, which take the base path of their URL', () => {
    const baseUrl = 'https://api.example.com/v7'
    for (const create of [createFetch, createHandlers, createDispatcher])
      expect(create({ basePath: undefined }, { baseUrl }).mock.settings.basePath).toBe('/v7')
    for (const { mock } of [
      createFetch({}, { baseUrl: undefined, passthrough: undefined }),
      createHandlers({}, { baseUrl: undefined }),
      createDispatcher({}, { baseUrl: undefined, passthrough: undefined }),
    ])
      expect(mock.settings.basePath).toBe('/v1')
  })

  test('of fixtures, whose status alone can be left out by it', () => {
    const absent = { id: undefined, name: undefined, categoryId: undefined }
    expect(buildPet(absent, { n: undefined, seed: undefined })).toEqual(buildPet())
    expect(buildPet({ ...absent, status: undefined })).not.toHaveProperty('status')
    expect(buildPets(2, { name: undefined })).toEqual(buildPets(2))
  })

  test('of reports and comparisons: without write permission, nothing is written', async () => {
    const report = violating()
    const [entry] = toBaseline(report, {
      reason: 'x',
      ticket: undefined,
      expires: undefined,
    }).failures
    expect(entry).toEqual(toBaseline(report, { reason: 'x' }).failures[0])
    expect(toText(report, { width: undefined, verbose: undefined })).toBe(toText(report))
    const same = compareReports(report, report)
    expect(compareReports(report, report, { names: undefined, again: undefined })).toEqual(same)
    expect(await compare(report, report, { names: undefined })).toEqual(same)
    const clock = new VirtualClock()
    const mock = createMock({ now: () => new Date(clock.now()) })
    const dispatcher = dispatcherOf(mock.handle, clock)
    const side = { baseUrl: 'http://localhost:1/v1', apiKey: defaultKey, dispatcher }
    const { before, after } = await compareBy(
      clock,
      { ...side, readOnly: undefined },
      { ...side, readOnly: undefined },
      undefined,
    )
    const writes = ({ counts }: { counts: Report['counts'] }): number => counts.writes
    expect([writes(before), writes(after)]).toEqual([0, 0])
  })
})
