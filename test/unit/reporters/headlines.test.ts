/** The order of findings and their headlines. test/proof/closed-loop covers those of the deliberate defects. */
import { expect, test } from 'vitest'
import { splitGroups } from '../../../src/contract/reporters/groups.ts'
import { headline } from '../../../src/contract/report/words.ts'
import type { RequirementId } from '../../../src/spec/requirements.ts'
import type { MockReply } from '../../../src/mock/service/message.ts'
import { plain } from '../../proof/closed-loop/headlines.ts'
import { error, isAuthorized, json, target, type Override } from '../contract/target.ts'
import { violating } from './reports.ts'

/** The probable causes with their consequences. */
const leading = (findings: Parameters<typeof violating>[0]) =>
  splitGroups(violating(findings)).fresh.map((group) => [
    group.requirement,
    group.consequences.map((one) => one.requirement),
  ])

test('a lost pet comes first, and the reused id is a consequence', () => {
  const reused = { requirement: 'pet.id.unique', actual: '131', pointer: '/id' } as const
  const lost = { requirement: 'create.stored', kind: 'missing' } as const
  expect(leading([reused, lost])).toEqual([['create.stored', ['pet.id.unique']]])
  expect(leading([reused, { requirement: 'create.stored', actual: 'name "b"' }])).toEqual([
    ['pet.id.unique', ['create.stored']],
  ])
  expect(
    leading([lost, { requirement: 'list.page-full' }, { ...lost, requirement: 'get.success' }]),
  ).toHaveLength(3)
})

/** Changes the responses with this status of a conforming service, or all without a status. */
function on(status: number | undefined, change: (body: string) => Partial<MockReply>): Override {
  return async (request, mock) => {
    const reply = await mock.handle(request)
    return reply.status === (status ?? reply.status) ? { ...reply, ...change(reply.body) } : reply
  }
}

let lastId = 1_000_000
const newId = (): number => (lastId += 1)
const createsWith = (request: Parameters<Override>[0], body: RegExp): boolean =>
  request.method === 'POST' && isAuthorized(request) && body.test(request.body ?? '')

/** headlines.txt lists the probable causes in a report, their consequences, and the headline of the first one. */
const servers: Record<string, Override> = {
  'an array crashes it': ({ body }) =>
    body.startsWith('[') ? { ...json(500, ''), headers: {} } : undefined,
  'it needs no key': (request) => (isAuthorized(request) ? undefined : json(200, { status: 401 })),
  'it stops after 100 requests': ({ index }) => (index < 100 ? undefined : error(500)),
  'a client without preference gets 406': ({ headers }) =>
    headers['accept'] === '*/*' ? error(406) : undefined,
  'its framework validates': on(400, () => json(422, { detail: [] })),
  'a missing pet is 200 with an Error': on(404, () =>
    json(200, { code: 'none', message: '', status: 404 }),
  ),
  'a new pet has no status': on(201, (body) => ({ body: body.replace(/,"status":"\w+"/, '') })),
  'a category is null': on(200, (body) => ({
    body: body.replace(/("id":5,.*?categoryId":)\d+/, '$1null'),
  })),
  'a category is rounded': on(undefined, (body) => ({
    body: body.replace(/\d{16,}(?=,)/g, (n) => `${BigInt(+n)}`),
  })),
  'other letters cost the end': on(undefined, (body) => ({
    body: /[^\0-~]/.test(body) ? body.slice(0, -1) : body,
  })),
  'an invalid category is dropped': (request) =>
    createsWith(request, /"categoryId":[^\d-]/)
      ? json(201, { id: newId(), name: 'Rex' })
      : undefined,
  'a category beyond int64 is stored': (request) =>
    createsWith(request, /"categoryId":(?:9223372036854775808|-9223372036854775809)/)
      ? { ...json(201, ''), body: `{"id":${newId()},"name":"Rex","categoryId":1e19}` }
      : undefined,
  'Errors stand in an array': on(404, (body) => ({ body: `{"errors":[${body}]}` })),
}

test('the headlines of broken servers', async () => {
  const lines = Object.entries(servers).map(async ([what, override]) => {
    const groups = splitGroups(await target({}, override).run()).fresh
    const shown = groups.map(({ requirement, consequences }) =>
      [requirement, ...consequences.map((one) => one.requirement)].join(' '),
    )
    return [
      what,
      ...shown,
      groups[0] && plain(headline(groups[0].cases[0])).replace(/Petkit \w+/, 'NAME'),
    ].join('\n  ')
  })
  await expect(`${(await Promise.all(lines)).join('\n')}\n`).toMatchFileSnapshot('headlines.txt')
})

/** A finding about the status of a creation. */
const withStatus = (status: number, sent?: string, shown = '') => ({
  kind: 'status' as const,
  exchanges: [
    {
      request: { method: 'POST', url: '', headers: {}, ...(sent !== undefined && { body: sent }) },
      response: { status, headers: {}, body: shown },
      curl: '',
    },
  ],
})

test('an accepted invalid value is the cause of a wrong field, and a failure that of its error page', () => {
  const accepted = { requirement: 'create.invalid-values', ...withStatus(201) } as const
  const findings = leading([
    {
      requirement: 'http.media-type',
      actual: 'Content-Type: text/html',
      alsoBreaks: ['error.body'],
    },
    accepted,
    { requirement: 'pet.name', actual: '7', pointer: '/name' },
    { requirement: 'auth.invalid-key', ...withStatus(200), alsoBreaks: ['get.401'] },
  ])
  expect(findings).toEqual([
    ['http.media-type', ['error.body']],
    ['auth.invalid-key', ['get.401']],
    [accepted.requirement, ['pet.name']],
  ])
  const { exchanges } = withStatus(500)
  const [first] = leading([
    { requirement: 'error.body', exchanges },
    { ...accepted, exchanges },
  ])
  expect(first).toEqual([accepted.requirement, ['error.body']])
})

test('an accepted invalid creation is the cause of what its response lacks, whatever it is', () => {
  const creation = (requirement: RequirementId, body: string, pointer = '', shown = '{}') => ({
    requirement,
    pointer,
    ...(pointer === '' && { kind: 'status' as const }),
    exchanges: withStatus(201, body, shown).exchanges,
  })
  const word = '{"name":"Rex","categoryId":"dogs"}'
  const large = '{"name":"Rex","categoryId":9223372036854775808}'
  const invalid = creation('create.invalid-values', word)
  const lacking = creation('pet.fields', word, '/categoryId')
  const beyond = creation('pet.category-id', large, '/categoryId', '{"categoryId":9.2e18}')
  expect(leading([lacking, beyond, invalid])).toEqual([
    ['create.invalid-values', ['pet.fields', 'pet.category-id']],
  ])
  const empty = creation('create.required-fields', '{}')
  const lackingAll = creation('pet.fields', '{}', '/name')
  expect(leading([lackingAll, empty, invalid])).toEqual([
    ['create.required-fields', ['pet.fields']],
    ['create.invalid-values', []],
  ])
  // A valid creation shows the fault itself, and a rejected one explains nothing.
  const ofValid = creation('pet.fields', '{"name":"Rex","categoryId":1}', '/status')
  expect(leading([ofValid, invalid])).toHaveLength(2)
  expect(leading([lacking, { ...invalid, ...withStatus(500, word) }])).toHaveLength(2)
})

test('a headline has no control characters, and one or two lines', () => {
  const hostile = headline({
    ...violating().findings[0]!,
    message: `\u001b[31m${'x'.repeat(5_000)}`,
    expected: '',
    requirement: 'create.exact',
  })
  expect(hostile.length).toBeLessThan(300)
  expect(hostile).not.toContain('\u001b')
})
