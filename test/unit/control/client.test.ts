/** The client of the control API: typed by the OpenAPI document, with exact integers and the errors of the API. */
import { describe, expect, expectTypeOf, test } from 'vitest'
import { type ControlClient, ControlError, createControl } from '../../../src/control.ts'
import { routes } from '../../../src/mock/control/app.ts'
import { sandboxKey } from '../../../src/mock/index.ts'
import { sendTo, startControlled } from './control.ts'

async function start(options = {}) {
  const { mock } = await startControlled(options)
  return { mock, control: createControl({ baseUrl: mock.url, token: mock.controlToken }) }
}

test('has a function for each operation', () => {
  const control = createControl({ baseUrl: 'http://127.0.0.1:1' })
  const ids = routes.map(({ id }) => id)
  expect(Object.keys(control).toSorted()).toEqual(
    [...ids.filter((id) => !id.endsWith('InSandbox')), 'sandbox'].toSorted(),
  )
})

test('accepts parameters and bodies, and returns exact values', async () => {
  const { mock, control } = await start()
  const [pet] = await control.addPets({ body: { name: 'Rex', categoryId: 9_007_199_254_740_993n } })
  expect(pet).toEqual({ id: 6, name: 'Rex', categoryId: 9_007_199_254_740_993n })
  expect((await control.changePet({ id: 6, body: { status: 'sold' } })).status).toBe('sold')
  expect((await control.exportPets({ order: 'newest-first', limit: 1 }))[0]?.id).toBe(6)
  expect(await control.deletePet({ id: 6 })).toBeUndefined()
  await control.addRules({ body: { when: { operation: 'listPets' }, reply: { status: 503 } } })
  expect((await control.changeRule({ id: 'rule-1', body: { enabled: false } })).active).toBe(false)
  expect((await control.setClock({ body: { now: '2030-12-06' } })).frozen).toBe(true)
  expect(mock.rules()).toHaveLength(1)
  expect(await control.readScorecards({ reporter: 'text' })).toEqual(expect.any(String))
})

test('works on sandboxes, with any name that the API accepts', async () => {
  const { mock, control } = await start()
  const { key } = await control.makeSandbox({ body: { name: 'team-a' } })
  expect(key).toBe(sandboxKey('team-a'))
  const sandbox = control.sandbox('team-a')
  await sandbox.deletePets()
  expect([await sandbox.exportPets(), mock.catalog.size]).toEqual([[], 5])
  await sendTo(mock.port, 'GET', '/v1/pets', { headers: { authorization: `Bearer ${key}` } })
  const { entries } = await sandbox.listJournal({ limit: 10, bodies: false })
  expect(entries[0]?.source.requirement).toBe('list.success')
  expect((await sandbox.saveSnapshot({ name: 'before.1' })).pets).toBe(0)
  await sandbox.reset({ body: { journal: 'keep' } })
  expect((await sandbox.listJournal()).entries).toHaveLength(1)
  await sandbox.reset()
  expect((await sandbox.listJournal()).entries).toEqual([])
  await expect(control.sandbox('../team-a').reset()).rejects.toThrow(ControlError)
  expect(() => control.sandbox('..')).toThrow('Nothing in the control API can have the name ".."')
  await expect(control.saveSnapshot({ name: '.' })).rejects.toThrow(
    'Nothing in the control API can have the name "."',
  )
})

test('streams', async () => {
  const { control } = await start()
  const reader = (await control.streamEvents({ after: 0 })).getReader()
  const { value } = await reader.read()
  expect(new TextDecoder().decode(value)).toMatch(/^event: hello/)
  await reader.cancel()
})

test.each<[string, (control: ControlClient) => Promise<unknown>, number, RegExp]>([
  [
    'all mistakes',
    (control) => control.changeSettings({ body: { explain: 'yes', overrides: 1 } as never }),
    400,
    /explain.*\n.*overrides|overrides.*\n.*explain/,
  ],
  ['a missing rule', (control) => control.removeRule({ id: 'rule-9' }), 404, /No rule has the id/],
  ['an id that is a path', (control) => control.removeRule({ id: '../pets' }), 404, /./],
])('rejects with %s', async (_what, call, status, message) => {
  const { control } = await start()
  const error = await call(control).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(ControlError)
  expect(error).toMatchObject({
    name: 'ControlError',
    status,
    message: expect.stringMatching(message),
  })
})

test('sends its token', async () => {
  const { mock, control } = await start({ controlToken: 'a-token-of-the-control-api' })
  expect((await control.readClock()).frozen).toBe(false)
  await expect(createControl({ baseUrl: mock.url }).readClock()).rejects.toMatchObject({
    status: 401,
  })
})

describe('types', () => {
  const control = createControl({ baseUrl: 'http://127.0.0.1:1' })
  test('cover parameters, bodies and results', () => {
    expectTypeOf(control.addPets).parameter(0).toExtend<{ body: object }>()
    expectTypeOf<Awaited<ReturnType<typeof control.readClock>>['frozen']>().toEqualTypeOf<boolean>()
    expectTypeOf<Awaited<ReturnType<typeof control.exportPets>>[number]['id']>().toEqualTypeOf<
      number | bigint
    >()
    expectTypeOf(control.exportPets)
      .parameter(0)
      .toExtend<{ order?: 'oldest-first' | 'newest-first' | undefined } | undefined>()
    expectTypeOf(control.sandbox('a')).not.toHaveProperty('makeSandbox')
    // @ts-expect-error a rule needs a body
    void (() => control.addRules())
    // @ts-expect-error there is no such status
    void (() => control.changePet({ id: 1, body: { status: 'gone' } }))
  })
})
