/** A rule that no request has used says which request came nearest, and what differs in it. */
import { expect, test } from 'vitest'
import { defaultKey, type Rule, type RuleInForce } from '../../../src/mock/index.ts'
import { addedAfter, Rules } from '../../../src/mock/rules/rules.ts'
import { startControlled } from './control.ts'

const reply = { status: 503 }
const headers = { authorization: `Bearer ${defaultKey}`, 'content-type': 'application/json' }

async function nearestOf(
  rule: Rule,
  sent: { method?: string; target: string; headers?: Record<string, string>; body?: string }[],
) {
  const { mock, call } = await startControlled()
  const [added] = mock.use(rule)
  for (const { method = 'GET', target, headers: others = {}, body = '' } of sent)
    await mock.handle({ method, target, headers: { ...headers, ...others }, body })
  const { json } = await call('GET', `/rules/${added?.id}`)
  const { json: all } = await call('GET', '/rules')
  expect(all.rules).toEqual([json])
  return json.nearest
}

test('the nearest of several requests is the one with the fewest differences', async () => {
  const rule = {
    when: { operation: 'listPets', query: { limit: '3', status: 'sold' } },
    reply,
  } as const
  const nearest = await nearestOf(rule, [
    { target: '/v1/pets/3' },
    { target: '/v1/pets?limit=3&status=pending' },
    { target: '/v1/pets?limit=2' },
  ])
  expect(nearest).toEqual({
    number: 2,
    method: 'GET',
    target: '/v1/pets?limit=3&status=pending',
    differences: [{ part: 'query', name: 'status', wanted: 'sold', sent: 'pending' }],
    message:
      'The nearest request is 2, GET /v1/pets?limit=3&status=pending: query status is "pending", not "sold".',
  })
})

const big = '{"name":"Rex","categoryId":9007199254740993,"owner":{"name":"Ada"}}'

test.each<[string, Rule['when'], Parameters<typeof nearestOf>[1][0], string]>([
  [
    'another operation',
    { operation: 'getPet' },
    { target: '/v1/pets' },
    'it calls listPets, not getPet',
  ],
  ['no operation', {}, { target: '/v1/dogs' }, 'it calls no operation'],
  [
    'no operation, with the parameter',
    { operation: 'listPets', query: { limit: '3' } },
    { target: '/v1/dogs?limit=3' },
    'it calls no operation, not listPets',
  ],
  ['another pet', { petId: '7' }, { target: '/v1/pets/8' }, 'petId is "8", not "7"'],
  [
    'a missing parameter',
    { query: { limit: '3' } },
    { target: '/v1/pets' },
    'query limit is missing, not "3"',
  ],
  [
    'no match',
    { query: { limit: { regex: '^[12]$' } } },
    { target: '/v1/pets?limit=3' },
    'query limit is "3", not a match of the regular expression "^[12]$"',
  ],
  [
    'no part',
    { headers: { 'X-Trace': { contains: 'b' } } },
    { target: '/v1/pets', headers: { 'x-trace': 'a' } },
    'header x-trace is "a", not a text with "b"',
  ],
  [
    'a value',
    { query: { limit: { absent: true } } },
    { target: '/v1/pets?limit=3' },
    'query limit is "3", not absent',
  ],
  [
    'another integer',
    { body: { categoryId: 9007199254740992n } },
    { method: 'POST', target: '/v1/pets', body: big },
    'body categoryId is 9007199254740993, not 9007199254740992',
  ],
  [
    'a deep field',
    { body: { '/owner/name': 'Bo', name: 'Rex' } },
    { method: 'POST', target: '/v1/pets', body: big },
    'body /owner/name is "Ada", not "Bo"',
  ],
  [
    'an invalid key',
    { operation: 'listPets' },
    { target: '/v1/pets', headers: { authorization: 'Bearer wrong' } },
    'its key is missing or invalid, and rules apply to valid keys',
  ],
])('%s', async (_, when, sent, reason) => {
  const rule = (when === undefined ? { reply } : { when, reply }) as Rule
  const { message } = await nearestOf(rule, [sent])
  expect(message).toContain(`: ${reason}.`)
})

test('a request that meets the condition says what kept the rule from it', async () => {
  const { mock, call } = await startControlled()
  const send = () => mock.handle({ method: 'GET', target: '/v1/pets', headers, body: '' })
  const message = async (id: string) => (await call('GET', `/rules/${id}`)).json.nearest?.message
  mock.use({ reply, skip: 1 })
  expect(await message('rule-1')).toBeUndefined()
  await send()
  expect(await message('rule-1')).toContain('the rule skips 1 first')
  mock.removeRules()
  mock.use({ reply })
  mock.changeRule('rule-2', { enabled: false })
  await send()
  expect(await message('rule-2')).toContain('the rule is off')
  mock.changeRule('rule-2', { enabled: true })
  expect(await message('rule-2')).toContain('the rule was off')
  mock.use({ reply: { status: 500 } })
  await send()
  expect(await message('rule-2')).toContain('rule-3 made the response')
  mock.removeRules('rule-3')
  expect(await message('rule-2')).toContain('a removed rule made the response')
  expect((await call('GET', '/rules/rule-9')).status).toBe(404)
})

test('only requests since the rule was added count', async () => {
  const { mock, call } = await startControlled({ rules: [{ when: { petId: '7' }, reply }] })
  const send = (target: string) => mock.handle({ method: 'GET', target, headers, body: '' })
  const nearest = async () =>
    (await call('GET', '/rules')).json.rules.map((rule: RuleInForce) => rule.nearest?.number)
  await send('/v1/pets')
  mock.use({ when: { operation: 'createPet' }, reply })
  expect(await nearest()).toEqual([1, undefined])
  await send('/v1/pets/8')
  expect(await nearest()).toEqual([2, 2])
  mock.reset({ journal: 'keep' })
  expect(await nearest()).toEqual([undefined])
  await send('/v1/pets')
  expect(await nearest()).toEqual([3])
})

test('after a restart, requests have the first numbers again', async () => {
  const rule = { id: 'rule-1', rule: { when: { petId: '7' }, reply }, addedAt: 0, after: 9 }
  const rules = new Rules([], { elapsed: () => 0 }, 1)
  const state = { number: 1, rules: [{ ...rule, disabled: false, fitting: 0, used: 0, random: 1 }] }
  const afterRestore = (latest: number) => {
    rules.restore(state, latest)
    return rules.list().map((one) => addedAfter.get(one))
  }
  expect([afterRestore(0), afterRestore(Infinity)]).toEqual([[0], [9]])
})

test('a rule of an earlier version, whose state has no such number, is saved and compared with all requests', () => {
  const one = { id: 'rule-1', rule: { when: { petId: '7' }, reply }, addedAt: 0 }
  const rules = new Rules([], { elapsed: () => 0 }, 1)
  rules.restore(
    { number: 1, rules: [{ ...one, disabled: false, fitting: 0, used: 0, random: 1 }] },
    Infinity,
  )
  expect(rules.save(() => {}).rules.map(({ after }) => after)).toEqual([0])
  expect(rules.list().map((shown) => addedAfter.get(shown))).toEqual([0])
})

test('a credential in a condition is not compared, and none is shown', async () => {
  const { mock, call } = await startControlled()
  mock.use({ when: { headers: { authorization: 'Bearer other' }, query: { q: 'x' } }, reply })
  await mock.handle({ method: 'GET', target: `/v1/pets?q=${defaultKey}`, headers, body: '' })
  const { text, json } = await call('GET', '/rules')
  expect(json.rules[0].nearest.differences).toHaveLength(1)
  expect(text).not.toContain(defaultKey)
})

test('many rules with regular expressions and long requests take a bounded time', async () => {
  const { mock, call } = await startControlled()
  const regex = '(a|b|c|d|e)*x{40}'
  for (let index = 0; index < 40; index += 1)
    mock.use({ when: { query: { [`q${index}`]: { regex } } }, reply })
  const query = Array.from({ length: 40 }, (_, index) => `q${index}=${'abcde'.repeat(80)}`).join(
    '&',
  )
  for (let index = 0; index < 100; index += 1)
    await mock.handle({ method: 'HEAD', target: `/v1/dogs?${query}`, headers, body: '' })
  // An engine that backtracks would not end.
  const { json } = await call('GET', '/rules')
  expect(json.rules).toHaveLength(40)
})
