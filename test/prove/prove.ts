import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { verify } from '../../src/contract/index.ts'
import { defaultKey, deviations, startMock } from '../../src/mock/index.ts'
import { lawfulTwins } from '../twins/catalogue.ts'
import { toProofPage } from './proof-page.ts'
import { forAll, proveDeviation, proveTwin } from './targets.ts'

test('every deviation is caught, and no lawful twin is accused', async () => {
  const mock = await startMock({ pets: 130 })
  const report = await verify({ baseUrl: mock.url, apiKey: defaultKey })
  await mock.close()
  const broken = await forAll(deviations, proveDeviation)
  const lawful = await forAll(lawfulTwins, proveTwin)
  const page = toProofPage(broken, lawful, { id: 'mock', report, right: report.verdict === 'conforms' })
  writeFileSync(new URL('../../docs/proof.md', import.meta.url), page)
  process.stdout.write(page)
  expect([...broken, ...lawful].filter(({ right }) => !right).map(({ id }) => id)).toEqual([])
})
