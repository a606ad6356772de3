/** No false alarms: conforming clients have no violation or warning with any conforming deployment. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { varyProfile } from '../../../src/mock/index.ts'
import { createClient } from './client.ts'
import { runs } from '../../support/level.ts'

const status = fc.constantFrom('available', 'pending', 'sold')
const int64 = fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n)
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })

type Step =
  | { operation: 'list'; limit: number | undefined; status: string | undefined; swapped: boolean }
  | { operation: 'create'; body: string }
  | { operation: 'get'; id: bigint }

const list: fc.Arbitrary<Step> = fc.record({
  operation: fc.constant('list' as const),
  limit: optional(fc.integer({ min: 1, max: 100 })),
  status: optional(status),
  swapped: fc.boolean(),
})
const create: fc.Arbitrary<Step> = fc
  .record({
    name: fc
      .string({ unit: 'grapheme', maxLength: 60 })
      .map((text) => text.replaceAll(/["\\\p{C}]/gu, '').trim() || 'Rex'),
    categoryId: int64,
    status: optional(status),
    spaced: fc.boolean(),
  })
  .map(({ name, categoryId, status, spaced }) => {
    const space = spaced ? ' ' : ''
    const fields = [`"name":${space}${JSON.stringify(name)}`, `"categoryId":${space}${categoryId}`]
    if (status !== undefined) fields.unshift(`"status":"${status}"`)
    return { operation: 'create' as const, body: `{${fields.join(`,${space}`)}}` }
  })
const get: fc.Arbitrary<Step> = fc.record({
  operation: fc.constant('get' as const),
  id: fc.oneof(fc.bigInt(1n, 60n), int64),
})

describe('conforming requests', () => {
  // Fixed seed: random limits of 20, 40, 60 in a row would be reported as paging.
  test('in any order, to any conforming deployment, have neither a violation nor a warning', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer(),
        fc.array(fc.oneof(list, create, get), { maxLength: 30 }),
        async (seed, steps) => {
          const client = createClient({ pets: 50, profile: varyProfile(seed) })
          for (const step of steps) {
            if (step.operation === 'create') await client.create(step.body)
            else if (step.operation === 'get') await client.send('GET', `/v1/pets/${step.id}`)
            else {
              const parameters = [
                ...(step.limit === undefined ? [] : [`limit=${step.limit}`]),
                ...(step.status === undefined ? [] : [`status=${step.status}`]),
              ]
              if (step.swapped) parameters.reverse()
              await client.send(
                'GET',
                `/v1/pets${parameters.length === 0 ? '' : `?${parameters.join('&')}`}`,
              )
            }
          }
          const { issues, score, requests } = await client.card()
          expect(issues.filter(({ severity }) => severity !== 'notice')).toEqual([])
          expect(requests).toBe(steps.length)
          expect(score).toBe(steps.length === 0 ? null : 100)
        },
      ),
      { numRuns: runs(100), seed: 20_261_120 },
    )
  })
})

describe('typical clients', () => {
  test('a page that lists, filters, creates, gets one, and handles an error has 100', async () => {
    const { mock, send, create, card } = createClient()
    const preflight = { origin: 'http://page.test', 'access-control-request-method': 'GET' }
    await send('OPTIONS', '/v1/pets', { key: undefined, headers: preflight })
    await send('GET', '/favicon.ico', { key: undefined })
    await send('GET', '/v1/pets')
    await send('GET', '/v1/pets?status=available')
    await send('GET', '/v1/pets/7')
    await create({ name: 'Rex', categoryId: 3 })
    await send('GET', '/v1/pets')
    await send('GET', '/v1/pets/99999')
    mock.use({ reply: { status: 503 }, times: 1 })
    await send('GET', '/v1/pets')
    await send('GET', '/v1/pets')
    await send('GET', '/v1/pets', { headers: { prefer: 'code=401' } })
    await send('GET', '/v1/pets?limit=10')
    await send('GET', '/v1/pets?limit=25')
    await send('GET', '/v1/pets?limit=50')
    await send('GET', '/v1/pets?limit=100')
    const { score, issues, requests } = await card()
    expect({ score, requests }).toEqual({ score: 100, requests: 13 })
    expect(issues.map(({ id }) => id)).toEqual(['deprecated.used', 'order.new-pet-in-page'])
  })

  test('a client that waits according to Retry-After has 100', async () => {
    const { mock, send, card } = createClient()
    mock.use({ rateLimit: { requests: 2, windowMs: 60_000 } })
    for (let count = 0; count < 9; count += 1) {
      const { status, headers } = await send('GET', '/v1/pets')
      if (status === 429) mock.clock.advance(Number(headers['retry-after']) * 1000)
    }
    const [list] = (await card()).coverage.operations
    expect(list?.responses['429']).toBeGreaterThan(1)
    expect(await card()).toMatchObject({ score: 100, issues: [] })
  })

  test('tests that reset the mock between them have 100 and no issue', async () => {
    const { mock, send, create, card } = createClient()
    for (let count = 0; count < 5; count += 1) {
      await create({ name: 'Rex', categoryId: 1 })
      mock.reset({ journal: 'keep' })
      await send('GET', '/v1/pets')
      mock.reset({ journal: 'keep' })
    }
    expect(await card()).toMatchObject({ score: 100, issues: [] })
  })
})
