/**
 * The size of src in characters of code, without blanks and comments, so that nobody is paid for a wide line.
 * docs/project/decisions.md says what each increase of the budget is for.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const src = join(import.meta.dirname, '../../../src')

/** Without the console, and without what the build writes. */
const budget = 1_250_000

const strings = /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)/.source
const blanksAndComments = new RegExp(`${strings}|/\\*[\\s\\S]*?\\*/|(?<![:\\\\])//.*|\\s+`, 'g')

function codeCharacters(text: string): number {
  return text.replace(blanksAndComments, (_, string: string | undefined) => string ?? '').length
}

test('counts code alone', () => {
  expect(codeCharacters("/* a */ const a = 'b // c' // d\n")).toBe("consta='b // c'".length)
})

test(`src has at most ${budget / 1000} kB of code`, () => {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
    (path) => /\.tsx?$/.test(path) && !/\.gen\.ts$|^console\b/.test(path),
  )
  const total = files.reduce(
    (sum, path) => sum + codeCharacters(readFileSync(join(src, path), 'utf8')),
    0,
  )
  expect(total).toBeLessThanOrEqual(budget)
})
