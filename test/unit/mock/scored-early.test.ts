/** Scorecards are loaded before entries leave a journal, so that they count those, too. */
import { expect, test } from 'vitest'

test('half of a full journal is enough, however small it is', async () => {
  const { createMock } = await import('../../../src/mock/index.ts')
  const mock = createMock({ journal: 100 })
  const request = { method: 'GET', target: '/v1/pets/7', headers: {}, body: '' }
  for (let sent = 0; sent < 51; sent += 1) await mock.handle(request)
  await import('../../../src/mock/scorecard/scorecard.ts')
  await new Promise((resolve) => setImmediate(resolve))
  for (let sent = 0; sent < 100; sent += 1) await mock.handle(request)
  expect(mock.journal.range).toMatchObject({ first: 52, last: 151 })
  const [card] = await mock.scorecards()
  expect(card?.requests).toBe(151)
})
