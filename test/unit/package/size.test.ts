/** docs/project/size.md says what users download, and it is not too much. `npm run size` writes the page anew. */
import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { measure, type Sizes } from '../../../scripts/size.ts'

const page = readFileSync(new URL('../../../docs/project/size.md', import.meta.url), 'utf8')

let sizes: Sizes
beforeAll(async () => {
  sizes = await measure()
}, 60_000)
const installed = (): number => sizes.installed.reduce((sum, { bytes }) => sum + bytes, 0)

test('an import takes at most 93 kB of a page, 35.4 kB with gzip, and leaves it nothing but msw to bring', () => {
  expect(sizes.imports.map(({ entry, external }) => [entry, external])).toEqual([
    ['petstore-kit/msw', ['msw']],
    ['petstore-kit/fetch', []],
  ])
  for (const { minified, gzip } of sizes.imports) {
    expect(minified).toBeLessThanOrEqual(93_000)
    expect(gzip).toBeLessThanOrEqual(35_400)
  }
})

test('an installation takes at most 13.5 MB', () => {
  expect(installed()).toBeLessThanOrEqual(13_500_000)
})

/** Whether the page holds a number of bytes to within 5 %, and what was rounded away. */
function isOff(is: number, pattern: string): boolean {
  const [, number, unit] = new RegExp(pattern.replace('SIZE', String.raw`([\d.]+) (kB|MB)`)).exec(page) ?? []
  const said = Number(number) * (unit === 'MB' ? 1_000_000 : 1_000)
  return !(Math.abs(is - said) <= 0.05 * said + (unit === 'MB' ? 5_000 : 50))
}

test('the page has the sizes as they are, to within 5 %', () => {
  const said: [is: number, pattern: string][] = [
    ...sizes.imports.flatMap(({ entry, minified, gzip }): [number, string][] => [
      [minified, String.raw`\| \`${entry}\` \| SIZE`],
      [gzip, String.raw`\| \`${entry}\` \| [^|]+ \| SIZE`],
    ]),
    [sizes.tarball.packed, 'downloads SIZE'],
    [installed(), 'puts SIZE on disk'],
    ...sizes.installed.map(({ name, bytes }): [number, string] => [bytes, String.raw`\| ${name} \| [\d.]+ \| SIZE`]),
  ]
  expect(
    said.filter(([is, pattern]) => isOff(is, pattern)),
    'npm run size writes the page anew',
  ).toEqual([])
})
