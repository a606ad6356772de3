import { describe, expect, test } from 'vitest'
import type { HostileServer } from './hostile-server.ts'
import { hostileBodies } from './hostile-servers.ts'
import { mostMemory, verifyInLittleMemory } from './memory.ts'

/** Those that take the most, each in its own way; hostile-memory.slow.test.ts has all. */
const greedy = [
  'deepest-arrays',
  'gzipped-deepest-arrays',
  'empty-arrays',
  'almost-too-many-values',
  'ever-new-large-pets',
  'gzip-bomb',
]

describe('a whole run in little memory ends with a report when it meets', () => {
  test.each(greedy)('%s', { timeout: 150_000 }, async (id) => {
    const server = hostileBodies.find((candidate) => candidate.id === id)
    const { code, verdict, peak, stderr } = await verifyInLittleMemory(server as HostileServer)
    expect(verdict, stderr).toMatch(/^(violates|not-verified)$/)
    expect(code).toBe(verdict === 'violates' ? 1 : 3)
    expect(peak).toBeGreaterThan(20)
    expect(peak).toBeLessThan(mostMemory)
  })
})
