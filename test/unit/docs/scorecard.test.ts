/** docs/reference/scorecard.md is generated: `npm run docs` runs this test and writes the page. */
import { expect, test } from 'vitest'
import { issueKinds, referenceOf } from '../../../src/mock/scorecard/issues.ts'
import type { Scorecard } from '../../../src/mock/scorecard/scorecard.gen.ts'
import { createMock, defaultKey } from '../../../src/mock/index.ts'
import { toScorecardPage } from './scorecard-page.ts'

test('scorecard.md is up to date', async () => {
  const example = await exampleOf('/v1/pets?limit=500')
  const page = toScorecardPage({ issueKinds, referenceOf, example })
  await expect(page).toMatchFileSnapshot('../../../docs/reference/scorecard.md')
})

/** The scorecard of a mock after one request. */
async function exampleOf(target: string): Promise<Scorecard> {
  const mock = createMock()
  await mock.handle({
    method: 'GET',
    target,
    headers: { authorization: `Bearer ${defaultKey}` },
    body: '',
  })
  const [card] = await mock.scorecards()
  return {
    ...(card as Scorecard),
    firstAt: '2026-11-20T12:00:00.000Z',
    lastAt: '2026-11-20T12:00:00.000Z',
  }
}
