import { describe, expect, test } from 'vitest'
import { sample } from '../../support/level.ts'
import {
  hostileBodies,
  hostileConversations,
  hostileTraps,
} from '../../support/hostile/hostile-servers.ts'
import { hostileStrangers } from '../../support/hostile/hostile-strangers.ts'
import { mostMemory, verifyInLittleMemory } from './memory.ts'

/** The servers that need the most memory. */
const greedy = new Set([
  'deepest-arrays',
  'gzipped-deepest-arrays',
  'empty-arrays',
  'almost-too-many-values',
  'ever-new-large-pets',
  'gzip-bomb',
  '60000-small-headers',
])
const servers = [...hostileBodies, ...hostileConversations, ...hostileTraps, ...hostileStrangers]
const drawn = sample(servers, { usual: 10, slow: 10, all: 1 })
const chosen = servers.filter((one) => greedy.has(one.id) || drawn.includes(one))

describe('a complete run in little memory ends with a report for', () => {
  test.each(chosen)('$id', async (server) => {
    const { code, verdict, peak, stderr } = await verifyInLittleMemory(server)
    expect(verdict, stderr).toMatch(/^(conforms|violates|not-verified)$/)
    expect([0, 1, 3]).toContain(code)
    expect(peak).toBeGreaterThan(20)
    expect(peak).toBeLessThan(mostMemory)
  })
})
