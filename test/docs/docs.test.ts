/** The pages of docs/ that are generated from tables. `npm run docs` runs these tests and writes the pages. */
import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { choices } from '../../src/spec/choices.ts'
import { clauses } from '../../src/spec/clauses.ts'
import { withReality } from './readme.ts'
import { toChoicesPage, toClausesPage, toDeviationsPage, type DeviationEntry } from './pages.ts'

const docs = (name: string) => `../../docs/${name}`
const deviationsTable = new URL('../../src/mock/deviations.ts', import.meta.url)

test('clauses.md is up to date', async () => {
  await expect(toClausesPage(clauses)).toMatchFileSnapshot(docs('clauses.md'))
})

test('choices.md is up to date', async () => {
  await expect(toChoicesPage(choices)).toMatchFileSnapshot(docs('choices.md'))
})

test.skipIf(!existsSync(deviationsTable))('deviations.md is up to date', async () => {
  const { deviations } = (await import(deviationsTable.href)) as { deviations: readonly DeviationEntry[] }
  await expect(toDeviationsPage(deviations)).toMatchFileSnapshot(docs('deviations.md'))
})

test('README.md shows the options, the numbers and the output as they are', async () => {
  const readme = new URL('../../README.md', import.meta.url)
  await expect(await withReality(readFileSync(readme, 'utf8'))).toMatchFileSnapshot(readme.pathname)
})
