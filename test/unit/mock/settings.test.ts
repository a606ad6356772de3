import { expect, test } from 'vitest'

import { UsageError } from '../../../src/errors.ts'
import { createControl } from '../../../src/control.ts'
import { createFetch } from '../../../src/mock/adapters/fetch.ts'
import { createHandlers } from '../../../src/mock/adapters/msw.ts'
import { createMock, startMock, varyProfile } from '../../../src/mock/index.ts'

const use = { reply: { status: 503 } }
const noOptions = 'Options must be an object, not'

test.each<[call: () => unknown, message: string]>([
  [() => createMock(null as never), `${noOptions} null.`],
  [() => startMock(null as never), `${noOptions} null.`],
  [
    () => startMock({ controlHosts: [null] as never }),
    'controlHosts must be a list of names, but was a list.',
  ],
  [() => createControl(null as never), `${noOptions} null.`],
  [
    () => createControl({ baseUrl: '127.0.0.1' }),
    'baseUrl must be the URL of a mock, but was "127.0.0.1".',
  ],
  [() => createHandlers([] as never), `${noOptions} a list.`],
  [
    () => createHandlers(Promise.resolve() as never, { baseUrl: '*/v1' }),
    `${noOptions} a promise: await it.`,
  ],
  [() => createHandlers({}, null as never), `${noOptions} null.`],
  [() => createFetch({}, null as never), `${noOptions} null.`],
  [() => createFetch({}, { baseUrl: 5n } as never), 'baseUrl must be a URL, but was 5.'],
  [
    () => createMock({ Collection: true as never }).pets,
    'Collection must be a function, but was true.',
  ],
  [
    () => createMock({ onRequest: 'stdout' as never }),
    'onRequest must be a function, but was "stdout".',
  ],
  [() => createMock({ now: (() => 5) as never }).clock.now(), 'now returns no Date.'],
  [() => createMock({ rules: [use] }).changeRule('rule-1', null as never), `${noOptions} null.`],
  [
    () => createMock().changeRule('rule-1', { position: 5n } as never),
    'position must be an integer, but was 5.',
  ],
  [
    () => createMock().changeRule('rule-1', { enabled: 'no' } as never),
    'enabled must be true or false, but was "no".',
  ],
  [
    () => createMock().clock.set('2030-12-06', { frozen: 1 } as never),
    'frozen must be true or false, but was 1.',
  ],
  [() => createMock().pets.create(null as never), 'name is required. categoryId is required.'],
  [
    () => createMock().journal.waitFor({}, { timeoutMs: '5' } as never),
    'timeoutMs must be a number, but was "5".',
  ],
  [() => createMock().reset({ jurnal: 'keep' } as object), '; did you mean journal?'],
  [() => createMock().changeRule('rule-1', { enable: false } as object), '; did you mean enabled?'],
  [
    () => createMock().clock.set('2030-12-06', { frozn: false } as object),
    '; did you mean frozen?',
  ],
  [() => createMock().journal.waitFor({}, { timeout: 5 } as object), '; did you mean timeoutMs?'],
  [() => varyProfile(Symbol('5') as never), 'The seed must be an integer, but was Symbol(5).'],
])('%s is rejected', async (call, message) => {
  const error: unknown = await (async () => call())().catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(UsageError)
  expect((error as Error).message).toContain(message)
})

test('all mistakes are reported together', async () => {
  const options = {
    seed: 1.5,
    pets: -1,
    ids: 'huge',
    keys: [],
    basePath: 'v1/',
    defects: ['list.x'],
    now: 'soon',
    color: 'red',
    prfile: {},
  }
  const expected = [
    'Unknown option "color". The options are seed, pets, ids, data, generate, keys, basePath, corsOrigins, profile, defects, rules, sandboxes, overrides, explain, journal, onNotice, onRequest, Collection, now.',
    'Unknown option "prfile"; did you mean profile?',
    'seed must be an integer, but was 1.5.',
    'pets must be an integer from 0 to 100000, but was -1.',
    'ids must be one of small, large, but was "huge".',
    'keys must be a list of API keys: at least one, each of printable ASCII without spaces.',
    'basePath must be a path such as /v1, without dot segments and a slash at its end, but was "v1/".',
    'now must be a Date, a date such as 2030-12-05, or a function, but was "soon".',
    'defects: there is no defect "list.x"',
  ].join('\n')
  expect(() => createMock(options as never)).toThrow(UsageError)
  expect(() => createMock(options as never)).toThrow(expected)
  await expect(startMock({ port: 70_000, host: '' })).rejects.toThrow(
    'port must be an integer from 0 to 65535, but was 70000.\nhost must be an address or a name, but was "".',
  )
})

test('options of a wrong type are mistakes', () => {
  const options = { profile: null, defects: 'list.limit-ignored', keys: 'key', now: null }
  expect(() => createMock(options as never)).toThrow(
    [
      'keys must be a list of API keys: at least one, each of printable ASCII without spaces.',
      'now must be a Date, a date such as 2030-12-05, or a function, but was null.',
      'profile must be an object, but was null.',
      'defects must be a list, but was "list.limit-ignored".',
    ].join('\n'),
  )
})

test('settings show the effective options', () => {
  const twice = ['list.limit-ignored', 'list.limit-ignored'] as const
  const { settings } = createMock({ seed: 7, keys: ['a-key'], defects: twice })
  expect(settings).toMatchObject({
    seed: 7,
    pets: 100,
    keys: ['a-key'],
    basePath: '/v1',
    defects: ['list.limit-ignored'],
  })
  expect(Object.isFrozen(settings)).toBe(true)
})

test('handle works when detached from its mock', async () => {
  const { handle } = createMock()
  expect((await handle({ method: 'GET', target: '/', headers: {}, body: '' })).status).toBe(404)
})
