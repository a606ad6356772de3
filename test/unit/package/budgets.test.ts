/** The size of src. docs/project/size.md shows it for each folder. */
import { expect, test } from 'vitest'
import { codeCharacters, measureCode, mostCode } from '../../../scripts/size.ts'

test('counts code alone', () => {
  expect(codeCharacters("/* a */ const a = 'b // c' // d\n")).toBe("consta='b // c'".length)
})

test(`src has at most ${mostCode / 1000} kB of code`, () => {
  const total = measureCode().reduce((sum, { characters }) => sum + characters, 0)
  expect(total).toBeGreaterThan(500_000)
  const advice =
    'Take out of src what your change makes unnecessary, and run `npm run size`. `mostCode` in scripts/size.ts is only lowered.'
  expect(total, advice).toBeLessThanOrEqual(mostCode)
})
