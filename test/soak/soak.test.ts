import { fileURLToPath } from 'node:url'

import { expect, test, vi } from 'vitest'

import { main } from '../../scripts/soak/main.ts'
import { growthOf, soak } from '../../scripts/soak/soak.ts'

const hoarding = fileURLToPath(new URL('../fuzz/fixtures/hoarding-mock.mjs', import.meta.url))

test('a mixed load with faults, sandboxes and resets', { timeout: 60_000 }, async () => {
  const report = await soak({ seed: 'test', requests: 4_000 })
  expect(report.faults).toEqual([])
  expect(report.requests).toBeGreaterThanOrEqual(4_000)
  expect(report.created).toBeGreaterThan(200)
  expect(report.spoilt).toBeGreaterThan(20)
  expect(report.resets).toBeGreaterThan(5)
})

// Each deviation is a defect, and the load must bring it to light.
test.each([
  ['create.forgets-previous', /was confirmed and is missing/],
  ['create.parallel-same-id', /was given twice/],
  ['filter.ignored', /shows another status/],
])('a mock with the deviation %s is found out', async (deviation, fault) => {
  const { faults } = await soak({ seed: 'test', requests: 600, flags: ['--deviate', deviation] })
  expect(faults.join('\n')).toMatch(fault)
})

test('memory that grows is told', { timeout: 60_000 }, async () => {
  const { faults } = await soak({ seed: 'test', requests: 400, cli: hoarding })
  expect(faults.join('\n')).toMatch(/The memory in use grew by \d+\.\d MiB/)
})

test('one look at the memory proves nothing', () => {
  expect(growthOf([10, 10, 10, 50, 10, 10, 10, 10, 10])).toBe(0)
  expect(growthOf([10, 11, 12, 13, 14, 15, 16, 17, 18])).toBe(6)
})

test('the command tells its mistakes', async () => {
  const written: string[] = []
  const stderr = vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0)
  expect(await main(['--minutes', '0'])).toBe(2)
  expect(await main(['--for-ever'])).toBe(2)
  stderr.mockRestore()
  expect(written.join('')).toMatch(/--minutes takes a number above 0[^]*'--for-ever'/)
})
