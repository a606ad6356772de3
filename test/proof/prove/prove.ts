import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { checks, verify } from '../../../src/contract/index.ts'
import { runSuite, checkOptions } from '../../../src/contract/runner.ts'
import { defaultKey, deviations, startMock } from '../../../src/mock/index.ts'
import { brokenServers } from '../broken/catalogue.ts'
import { verifyMock } from '../../support/verify-in-process.ts'
import { conformingVariants } from '../../support/variants/catalogue.ts'
import { readOften, readPeer } from './figures.ts'
import { toProofPage } from './proof-page.ts'
import { knownSeenBy, type SeenBy, toSeenByTable } from './seen-by.ts'
import { falselyVerified, isByChance, parts } from './selections.ts'
import { forAll, proveDeviation, proveVariant } from './targets.ts'

test('every deviation is reported, and no conforming variant', async () => {
  const mock = await startMock({ pets: 130 })
  const report = await verify({ baseUrl: mock.url, apiKey: defaultKey })
  await mock.close()
  const broken = await forAll(deviations, proveDeviation)
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

  const foreign = await forAll(brokenServers, seenAtBroken)
  writeTable([knownSeenBy, ...broken.map(({ seenBy = new Map() }) => seenBy), ...foreign])
})

const survey = checks.filter(({ stage }) => stage === 'survey').map(({ id }) => id)

/** Adds checks to the table whose requests only trigger a violation that another check sees; run again afterwards. */
test('no partial run verifies a requirement that the deviation violates', async () => {
  const causes: SeenBy[] = []
  const wrong = await forAll(
    deviations.filter(({ id }) => !isByChance(id)),
    async ({ id, pets = 130 }) => {
      const options = { pets, deviations: [id] }
      const whole = await verifyMock(options)
      const found = await forAll(parts, async (part) => {
        const falsely = falselyVerified(whole, await verifyMock(options, part))
        // A part that finds too little lacks the survey of the catalog.
        const cause = new Set('skip' in part ? part.skip : survey)
        causes.push(new Map(falsely.map((clause) => [clause, cause])))
        return falsely.map((clause) => `${id} ${JSON.stringify(part)}: ${clause}`)
      })
      return found.flat()
    },
  )
  if (wrong.flat().length > 0) writeTable([knownSeenBy, ...causes])
  expect(wrong.flat()).toEqual([])
})

const writeTable = (runs: readonly SeenBy[]): void =>
  writeFileSync(new URL('../../../src/contract/seen-by.ts', import.meta.url), toSeenByTable(runs))

async function seenAtBroken({ start }: (typeof brokenServers)[number]): Promise<SeenBy> {
  const { url, key, close } = await start()
  try {
    const patience = { settleMs: 600, timeoutMs: 1_500, retryBudgetMs: 3_000 }
    const { options, selection } = checkOptions({ baseUrl: url, apiKey: key, ...patience })
    return (await runSuite(options, selection)).seenBy
  } finally {
    await close()
  }
}
