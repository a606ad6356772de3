import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { verify } from '../../../src/contract/index.ts'
import { defaultKey, defects, startMock } from '../../../src/mock/index.ts'
import { conformingVariants } from '../../support/variants/catalog.ts'
import { readOften, readPeer } from './figures.ts'
import { toProofPage } from './proof-page.ts'
import { forAll, proveDefect, proveVariant } from './targets.ts'

test('every defect is reported, and no conforming variant', async () => {
  const mock = await startMock({ pets: 130 })
  const report = await verify({ baseUrl: mock.url, apiKey: defaultKey })
  await mock.close()
  const broken = await forAll(defects, proveDefect)
  const conforming = await forAll(conformingVariants, proveVariant)
  const figures = { often: readOften(), peer: readPeer() }
  const page = toProofPage(
    broken,
    conforming,
    { id: 'mock', report, right: report.verdict === 'conforms' },
    figures,
  )
  writeFileSync(new URL('../../../docs/explanation/proof.md', import.meta.url), page)
  process.stdout.write(page)
  expect([...broken, ...conforming].filter(({ right }) => !right).map(({ id }) => id)).toEqual([])
})
