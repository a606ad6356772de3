/** Behavior that resembles a violation, but is another one or none. In process and in virtual time. */
import { expect, test } from 'vitest'
import { key } from '../../support/store.ts'
import { error, json, target } from './target.ts'
import { verdictOf } from '../../support/verdicts.ts'

test('a constant id is not mistaken for an id set by the client', async () => {
  const { run } = target({}, async ({ method, ...request }, mock) => {
    if (method !== 'POST') return undefined
    const reply = await mock.handle({ ...request, method })
    return reply.status === 201 ? json(201, { ...JSON.parse(reply.body), id: 77 }) : reply
  })
  const requirements = (await run()).findings.map(({ requirement }) => requirement)
  expect(requirements).toContain('pet.id.unique')
  expect(requirements).not.toContain('create.id-assigned')
})

test('a quota used up before the run is the reason of an inconclusive verdict', async () => {
  const { run } = target({}, ({ method, headers }) =>
    method === 'POST' && headers['authorization'] === `Bearer ${key}` ? error(409) : undefined,
  )
  const report = await run()
  expect(report.findings).toEqual([])
  expect(verdictOf(report, 'create.success')).toBe('not-verified')
  expect(JSON.stringify(report.requirements)).toContain('such as its quota')
})

test.each([
  ['age', '40'],
  ['cache-control', 'public, s-maxage=40'],
])(
  'cached lists, recognized by their header %s, do not show that a new pet is missing',
  async (name, value) => {
    const lists = new Map<string, string>()
    const { run } = target({}, async (request, mock) => {
      const isList = request.method === 'GET' && /^\/v1\/pets(\?|$)/.test(request.target)
      if (!isList || request.headers['authorization'] !== `Bearer ${key}`) return undefined
      const reply = await mock.handle(request)
      if (reply.status !== 200) return reply
      const body = lists.get(request.target) ?? reply.body
      lists.set(request.target, body)
      return { ...reply, headers: { ...reply.headers, [name]: value }, body }
    })
    const report = await run()
    expect(report.findings).toEqual([])
    expect(verdictOf(report, 'create.listed')).toBe('not-verified')
    expect(JSON.stringify(report.requirements)).toContain('from a cache and up to 40 s old')
  },
)
