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

test('an entry that leaves while the journal is counted counts once', async () => {
  const { createInnerMock } = await import('../../../src/mock/sandbox/mock.ts')
  const { readSettings } = await import('../../../src/mock/sandbox/settings.ts')
  const { loadScorecards } = await import('../../../src/mock/sandbox/sandbox.ts')
  const settings = readSettings({ journal: 100 }, [])
  const { findOrCreate, respond } = createInnerMock(settings, { loaded: { defects: [] } })
  const request = { method: 'GET', target: '/v1/pets/7', headers: {}, body: '' }
  for (let sent = 0; sent < 100; sent += 1) respond(request)
  const work = findOrCreate(null).scorecardSlices(await loadScorecards())
  for (let counted = 0; counted < 10; counted += 1) work.next()
  for (let sent = 0; sent < 50; sent += 1) respond(request)
  let step = work.next()
  while (!step.done) step = work.next()
  expect(step.value).toMatchObject([{ requests: 100, journal: { received: 150, counted: 100 } }])
})
