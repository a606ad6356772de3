import { describe, expect, test } from 'vitest'
import { hostileBodies, hostileConversations, hostileTraps } from './hostile-servers.ts'
import { hostileStrangers } from './hostile-strangers.ts'
import { mostMemory, verifyInLittleMemory } from './memory.ts'

describe('a whole run in little memory ends with a report when it meets', () => {
  const all = [...hostileBodies, ...hostileConversations, ...hostileTraps, ...hostileStrangers]
  test.each(all)('$id', { timeout: 150_000 }, async (server) => {
    const { code, verdict, peak, stderr } = await verifyInLittleMemory(server)
    expect(verdict, stderr).toMatch(/^(conforms|violates|not-verified)$/)
    expect([0, 1, 3]).toContain(code)
    expect(peak).toBeLessThan(mostMemory)
  })
})
