import { fileURLToPath } from 'node:url'

import { expect, test, vi } from 'vitest'

import { describeFailure } from '../../scripts/fuzz/failure-text.ts'
import { fuzz, type FuzzOptions } from '../../scripts/fuzz/fuzz.ts'
import { main } from '../../scripts/fuzz/main.ts'

const fixture = (name: string): string => fileURLToPath(new URL(`fixtures/${name}.mjs`, import.meta.url))

/** What a run found, for a reader. */
async function failuresOf(options: Omit<FuzzOptions, 'seed'>): Promise<string[]> {
  const { failures } = await fuzz({ seed: 'test', rounds: 1, ...options })
  return failures.map((failure) => describeFailure(failure, 'test'))
}

test('a mock survives each case, and answers as it should', { timeout: 120_000 }, async () => {
  const report = await fuzz({ seed: 'test', rounds: 1 })
  expect(report.failures.map((failure) => describeFailure(failure, 'test'))).toEqual([])
  expect(report.cases).toBeGreaterThan(1_000)
})

test('so does a mock that makes other choices', { timeout: 60_000 }, async () => {
  for (const only of ['pet-id', 'query', 'not-json', 'noise'])
    expect(await failuresOf({ only, vary: true })).toEqual([])
})

// Each deviation is a defect, and each of these cases must see it.
test.each([
  ['create.not-stored', 'chunks/one', /was confirmed as .* and is missing/],
  ['create.same-id', 'number', /The id \d+ was given twice/],
  ['refuse.stored-anyway', 'body/category-string', /Nobody confirmed this pet/],
  ['create.category-double', 'number/beyond-double', /the categoryId should be 9007199254740993/],
  ['refuse.category-wraps', 'number/uint64-wrap', /the status should be 400/],
  ['refuse.malformed-is-500', 'not-json/nan', /the mock itself failed/],
  ['get.zero-is-first', 'pet-id/zero', /the status should be 404/],
  ['list.limit-ignored', 'query/one', /it should show 1 pets/],
  ['error.no-code', 'path/root', /the Error has no code/],
  ['error.status-text', 'path/root', /the Error has the status "404"/],
  ['error.page', 'path/root', /the body is no JSON object/],
  ['http.error-media-type', 'path/root', /an Error declared as "/],
])('a mock with the deviation %s fails %s', async (deviation, only, fault) => {
  const failures = await failuresOf({ only, flags: ['--deviate', deviation] })
  expect(failures.join('\n')).toMatch(fault)
})

test('a case that ends the mock is named, and the run goes on', { timeout: 60_000 }, async () => {
  const failures = await failuresOf({ only: 'pet-id', cli: fixture('crashing-mock') })
  expect(failures).toHaveLength(1)
  expect(failures[0]).toMatch(/FAILED pet-id\/to-string#1\n +The mock did not survive: it ended with the exit code/)
  expect(failures[0]).toContain('npm run fuzz -- --seed test --only pet-id/to-string#1')
})

test('memory that is not given back is told', { timeout: 60_000 }, async () => {
  const failures = await failuresOf({ only: 'path', rounds: 2, cli: fixture('hoarding-mock') })
  expect(failures.join('\n')).toMatch(/FAILED round#2\n +\d+\.\d MiB are in use, and no more than/)
})

test('the command tells its mistakes', async () => {
  const written: string[] = []
  const stderr = vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0)
  expect(await main(['--only', 'nothing/like-this'])).toBe(2)
  expect(await main(['--seconds', '0'])).toBe(2)
  expect(await main(['--fast'])).toBe(2)
  stderr.mockRestore()
  expect(written.join('')).toMatch(/no case "nothing\/like-this"[^]*--seconds takes a number[^]*'--fast'/)
})
