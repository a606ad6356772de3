import { expect, test } from 'vitest'
import { replay, verify } from '../../src/contract/index.ts'
import { createDispatcher } from '../../src/mock/adapters/undici.ts'
import { createMock, defaultKey, deviations } from '../../src/mock/index.ts'
import { forAll } from '../prove/targets.ts'

const baseUrl = 'http://localhost:1/v1'

/** Some of each table. One of them shows by chance, and may be gone when it is looked at again. */
const some = deviations.filter(({ id }, index) => index % 12 === 0 && id !== 'auth.one-in-ten-refused')

test('what is still broken is never called fixed', { timeout: 60_000 }, async () => {
  const wrong = await forAll(some, async ({ id, pets }) => {
    const mock = createMock({ pets: pets ?? 130, deviations: [id] })
    const dispatcher = createDispatcher(mock, { baseUrl, passthrough: false })
    const input = { apiKey: defaultKey, settleMs: 300, timeoutMs: 1_500, maxWrites: 100, dispatcher }
    const report = await verify({ ...input, baseUrl })
    expect(report.findings, id).not.toEqual([])
    const { results } = await replay(report, { ...input, times: 1 })
    return results.filter(({ outcome }) => outcome === 'fixed').map(({ finding }) => `${id}: ${finding.message}`)
  })
  expect(wrong.flat()).toEqual([])
})
