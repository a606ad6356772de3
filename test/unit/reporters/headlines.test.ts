/** Which finding leads, and its headline. test/proof/closed-loop compares those of the deliberate defects. */
import { expect, test } from 'vitest'
import { splitGroups } from '../../../src/contract/reporters/groups.ts'
import { headline } from '../../../src/contract/reporters/headline.ts'
import { isAuthorized, json, target, type Override } from '../contract/target.ts'
import { violating } from './reports.ts'

test('a lost pet leads, and the id that the next pet gets again follows', () => {
  const reused = { clause: 'pet.id.unique', actual: '131', pointer: '/id' } as const
  const lost = { clause: 'create.stored', actual: 'status 404', alsoBreaks: ['get.by-id'] } as const
  const changed = { clause: 'create.stored', actual: 'name "b" instead of "a"' } as const
  const leading = (...findings: NonNullable<Parameters<typeof violating>[0]>[number][]) =>
    splitGroups(violating(findings)).fresh.map((group) => [group.clause, group.consequences.map((one) => one.clause)])
  expect(leading(reused, { ...lost, alsoBreaks: ['get.by-id'] })).toEqual([
    ['create.stored', ['pet.id.unique', 'get.by-id']],
  ])
  expect(leading(reused, changed)).toEqual([['pet.id.unique', ['create.stored']]])
})

test.each<[what: string, override: Override, clause: string, sentence: string]>([
  [
    'the page of a server error follows what fails',
    ({ body }) => (body.startsWith('[') ? { ...json(500, ''), headers: { 'content-type': 'text/html' } } : undefined),
    'create.body-required',
    'POST /pets with an array is rejected with 500 instead of 400',
  ],
  [
    'what a success shows without a valid key is of no matter',
    (request) => (isAuthorized(request) ? undefined : json(200, { code: 'x', message: '', status: 401 })),
    'list.401',
    'GET /pets with no Authorization header responded 200 instead of 401',
  ],
])('%s', async (_, override, clause, sentence) => {
  const only = ['refuse.no-object', 'access.*']
  const [first] = splitGroups(await target({}, override).run({ only })).fresh
  expect([first?.clause, first && headline(first.cases[0])]).toEqual([clause, sentence])
})

test('what is accepted leads to the wrong field that it leaves, and what fails to its page', () => {
  const page = { clause: 'http.media-type', actual: 'Content-Type: text/html' } as const
  const accepted = { clause: 'create.invalid-values', actual: 'status 201' } as const
  const left = { clause: 'pet.name', actual: '7', pointer: '/name' } as const
  const letIn = { clause: 'auth.invalid-key', actual: 'status 200' } as const
  const findings = [
    { ...page, alsoBreaks: ['error.body' as const] },
    accepted,
    left,
    { ...letIn, alsoBreaks: ['get.401' as const] },
  ]
  const groups = splitGroups(violating(findings)).fresh
  expect(groups.map((group) => [group.clause, group.consequences.map((one) => one.clause)])).toEqual([
    ['http.media-type', ['error.body']],
    ['auth.invalid-key', ['get.401']],
    ['create.invalid-values', ['pet.name']],
  ])
  const response = { status: 500, headers: {}, body: '' }
  const exchanges = [{ request: { method: 'POST', url: '', headers: {} }, response, curl: '' }]
  const itsPage = { clause: 'error.body' as const, alsoBreaks: ['error.code' as const], exchanges }
  const failing = violating([itsPage, { ...accepted, actual: 'status 500' }])
  expect(splitGroups(failing).fresh[0]?.clause).toBe(accepted.clause)
})

test('a headline has no control characters, and one or two lines', () => {
  const hostile = headline({
    ...violating().findings[0]!,
    message: `\u001b[31m${'x'.repeat(5_000)}`,
    expected: '',
    clause: 'create.exact',
  })
  expect(hostile.length).toBeLessThan(300)
  expect(hostile).not.toContain('\u001b')
})
