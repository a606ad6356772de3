/** Checks of recorded traffic, applied to the requests and responses of a run of the suite. */
import { describe, expect, test } from 'vitest'
import {
  createMock,
  defaultKey,
  defects,
  varyProfile,
  type MockOptions,
} from '../../../src/mock/index.ts'
import { type Report, verify } from '../../../src/contract/index.ts'
import { judging, judgingOver } from '../../support/judge-traffic.ts'
import { drawn, sample } from '../../support/level.ts'
import { carryOutAt, dispatcherOf } from '../../support/verify-in-process.ts'
import { conformingVariants } from '../../support/variants/catalog.ts'
import { violationsIn } from '../../support/verify-variant.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const baseUrl = 'http://localhost:1/v1'

/** Runs the suite against a mock, and checks the traffic. */
async function passAt(options: MockOptions): Promise<Report> {
  const clock = new VirtualClock()
  const mock = createMock({ now: () => new Date(clock.now()), ...options })
  const { dispatcher, judge } = judging(baseUrl, dispatcherOf(mock.handle, clock))
  await carryOutAt(clock, { baseUrl, apiKey: defaultKey, dispatcher, runId: 'Bcdfgh' })
  const report = judge.report()
  expect(report.notes.join(' ')).not.toContain('defect of petstore-kit')
  return report
}

test.concurrent.each(drawn({ usual: 1, slow: 6, all: 60 }))(
  'a conforming mock with random options violates nothing: seed %i',
  async (seed) => {
    const profile = varyProfile(seed)
    const report = await passAt({ pets: 40, profile })
    expect(violationsIn(report)).toEqual([])
    expect(report.verdict).toBe('conforms')
    // Options observed from single exchanges are correct.
    const shown = Object.entries(report.profile).filter(([, option]) => option !== 'unknown')
    expect(profile).toMatchObject(Object.fromEntries(shown))
    expect(shown.length).toBeGreaterThanOrEqual(25)
  },
)

/** Variants with another date are excluded: the proxy cannot know it. */
const today = conformingVariants.filter(({ verifyOptions }) => verifyOptions?.now === undefined)

test.concurrent.each(sample(today, { usual: 96, slow: 12, all: 1 }))(
  'the conforming variant $id violates nothing',
  async ({ start, options, verifyOptions }) => {
    const clock = new VirtualClock()
    const variant = await start(
      options === undefined
        ? undefined
        : { now: () => clock.now(), sleep: (ms) => clock.sleep(ms) },
    )
    const { url, key: apiKey } = variant
    const input = {
      baseUrl: url,
      apiKey,
      settleMs: 1_500,
      categoryId: verifyOptions?.categoryId,
      now: verifyOptions?.now,
    }
    const over = variant.dispatcher === undefined ? judgingOver(url) : undefined
    const { dispatcher, judge } = over ?? judging(url, variant.dispatcher as never)
    try {
      await (over === undefined
        ? carryOutAt(clock, { ...input, dispatcher })
        : verify({ ...input, dispatcher }))
      expect(violationsIn(judge.report())).toEqual([])
    } finally {
      await over?.close()
      await variant.close()
    }
  },
)

/** Defects not visible in single exchanges, only by their context or by knowledge of the key. */
const unseen = new Set(
  (
    'auth.empty-header auth.key-in-query auth.key-in-form create.same-name-forgotten create.same-name-overwrites ' +
    'auth.any-token auth.any-scheme auth.bare-key ' +
    'auth.lengthened-key auth.cut-key auth.key-ignores-case auth.invalid-is-403 ' +
    'auth.missing-is-403 auth.login-redirect auth.401-stores auth.one-in-ten-rejected auth.create-rejected ' +
    'list.default-10 list.limit-minus-one list.capped-at-50 list.default-as-maximum list.limit-before-filter ' +
    'list.maximum-as-10 list.fifty-as-five list.sometimes-empty filter.pages-of-10 list.redirect list.hides-sold list.default-available ' +
    'list.filter-remembered filter.echoes-status filter.writes-status filter.pending-empty filter.skips-every-other list.lacks-one ' +
    'create.redirects create.sold-rejected create.status-required create.charset-rejected create.spaces-rejected ' +
    'create.order-rejected create.escapes-rejected create.not-stored create.returns-other-id create.forgets-previous ' +
    'create.one-same-id create.sells-category create.expires create.replica-lacks-pet create.large-id-lost create.parallel-lost create.never-listed ' +
    'create.never-filtered create.lists-cached create.client-id-overwrites create.client-id-adopted get.changes-status get.removes ' +
    'get.list-recategorizes get.missing-is-made reject.absent-hangs reject.stored-anyway get.missing-is-403 get.status-missing ' +
    'list.renumbered get.redirects get.sometimes-404 get.greatest-id-missing get.removed-early http.shorter-than-declared '
  ).split(' '),
)

test('an unspecified method may change a pet', async () => {
  const bodies = ['Rex', 'Max', 'Max'].map((name) => `{"id":1,"name":"${name}","categoryId":1}`)
  const headers = { authorization: 'Bearer key', 'content-type': 'application/json' }
  const respond = (statusCode: number) => ({
    statusCode,
    headers,
    body: [Buffer.from(bodies.shift() ?? '')],
  })
  const request = async ({ method }: { method: string }) => respond(method === 'POST' ? 201 : 200)
  const { dispatcher, judge } = judging(baseUrl, { request } as never)
  for (const sent of [
    { method: 'POST', path: '/v1/pets', body: bodies[0] },
    ...['PUT', 'GET'].map(toFirst),
  ])
    await dispatcher.request({ headers, ...sent } as never)
  expect(violationsIn(judge.report())).toEqual([])
})

const toFirst = (method: string): object => ({ method, path: '/v1/pets/1' })

describe('a deliberate defect', () => {
  const visible = defects.filter(({ id }) => !unseen.has(id))
  const seen = sample(visible, { usual: 100, slow: 6, all: 1 })
  test.concurrent.each(seen)('$id is found', async ({ id, pets = 130 }) => {
    const { verdict, findings } = await passAt({ pets, defects: [id] })
    expect([verdict, findings.length > 0]).toEqual(['violates', true])
  })

  test('is found in three of four cases', () => {
    expect(unseen.size / defects.length).toBeLessThan(0.26)
  })
})
