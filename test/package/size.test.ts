/** docs/size.md tells what users download, and it is not too much. `npm run size` writes the page anew. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { measure, type Sizes } from '../../scripts/size/measure.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const page = readFileSync(join(root, 'docs/size.md'), 'utf8')

let sizes: Sizes
beforeAll(async () => {
  sizes = await measure(root)
}, 60_000)

const bundleOf = (entry: string) => {
  const face = sizes.faces.find((one) => one.entry === entry)
  if (face === undefined) throw new Error(`${entry} was not measured.`)
  return face
}
const installed = (): number => sizes.installed.reduce((sum, { bytes }) => sum + bytes, 0)

describe('the aims', () => {
  test('petstore-kit/msw takes at most 60 kB of a page', () => {
    expect(bundleOf('petstore-kit/msw').bundle.gzip).toBeLessThanOrEqual(60_000)
    expect(bundleOf('petstore-kit/msw').bundle.imports).toEqual(['msw'])
  })

  test('petstore-kit/fetch takes at most 60 kB, and imports nothing', () => {
    expect(bundleOf('petstore-kit/fetch').bundle.gzip).toBeLessThanOrEqual(60_000)
    expect(bundleOf('petstore-kit/fetch').bundle.imports).toEqual([])
  })

  test('an installation takes at most 25 MB', () => {
    expect(installed()).toBeLessThanOrEqual(25_000_000)
  })
})

/** A number in the page, in bytes, and how far it may be off: 5 %, and what was rounded away. */
function told(pattern: RegExp): { bytes: number; tolerance: number } {
  const [, number, unit] = pattern.exec(page) ?? []
  if (number === undefined) throw new Error(`docs/size.md does not tell ${String(pattern)}.`)
  const bytes = Number(number) * (unit === 'MB' ? 1_000_000 : 1_000)
  return { bytes, tolerance: 0.05 * bytes + (unit === 'MB' ? 5_000 : 50) }
}

test('the page tells the sizes as they are, to within 5 %', () => {
  const number = String.raw`([\d.]+) (kB|MB)`
  const rows = sizes.faces.flatMap(({ entry, bundle, withoutWords }) => {
    const cell = String.raw` +\| `
    const row = String.raw`\| \`${entry}\`${cell}`
    const skip = String.raw`[\d.]+ kB${cell}`
    return [
      { what: `${entry}, minified`, is: bundle.minified, said: told(new RegExp(row + number)) },
      { what: `${entry}, gzip`, is: bundle.gzip, said: told(new RegExp(row + skip + number)) },
      { what: `${entry}, no words`, is: withoutWords.gzip, said: told(new RegExp(row + skip + skip + number)) },
    ]
  })
  const others = [
    { what: 'the tarball', is: sizes.tarball.packed, said: told(new RegExp(`downloads ${number}`)) },
    { what: 'on disk', is: installed(), said: told(new RegExp(`puts ${number} on disk`)) },
    ...sizes.installed.map(({ name, bytes }) => ({
      what: name,
      is: bytes,
      said: told(new RegExp(String.raw`\| ${name} +\| [\d.]+ +\| ${number}`)),
    })),
  ]
  const wrong = [...rows, ...others].filter(({ is, said }) => Math.abs(is - said.bytes) > said.tolerance)
  expect(wrong, 'npm run size writes the page anew').toEqual([])
})
