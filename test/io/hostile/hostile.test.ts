import { describe, expect, test } from 'vitest'
import { reporters, verify } from '../../../src/contract/index.ts'
import { script } from '../../../src/report/style.gen.ts'
import { byLevel, sample } from '../../support/level.ts'
import type { HostileServer } from '../../support/hostile/hostile-server.ts'
import {
  hostileBodies,
  hostileConversations,
  hostileTraps,
} from '../../support/hostile/hostile-servers.ts'
import { hostileStrangers } from '../../support/hostile/hostile-strangers.ts'

/** Control characters: C0 except tab and line ends, DEL, and C1. */
const commands = /(?![\t\n\r])\p{Cc}/u

/** Active content that an HTML report must not contain, beside the script that copies. */
const active =
  /<(script|img|iframe|object|embed|link|form|base)\b|<[^>]*\s(on\w+|src|style)=|href="(?!#)/i

/** Responds to everything, with much to re-check: a short timeout would be missed where the machine is busy. */
const prompt = new Set(['creates-whatever-comes'])

/** Expects that a run reaches a verdict in time, and that its reports are harmless. */
async function expectSurvived({ id, start }: HostileServer): Promise<void> {
  const server = await start()
  try {
    const report = await verify({
      baseUrl: server.url,
      apiKey: server.key,
      settleMs: 300,
      timeoutMs: prompt.has(id) ? 60_000 : 500,
      retryBudgetMs: 1_000,
    })
    expect(['conforms', 'violates', 'not-verified']).toContain(report.verdict)
    expect(report.counts.requests).toBeLessThan(650)
    expect(report.counts.writes).toBeLessThanOrEqual(25)
    for (const [name, toReport] of Object.entries(reporters)) {
      const text = toReport(report)
      expect(commands.test(text), `${name} contains a control character`).toBe(false)
      expect(text.includes(server.key), `${name} shows the key`).toBe(false)
      if (name === 'html')
        expect(
          active.exec(text.replace(`<script>${script}</script>`, ''))?.[0],
          'the page contains active content',
        ).toBeUndefined()
      expect(text.length, `${name} is too long`).toBeLessThan(2_000_000)
    }
  } finally {
    await server.close()
  }
}

/** Bodies that need little CPU time. */
const light = new Set([
  'dripping-body',
  'body-that-stops',
  'deep-arrays',
  'null-errors',
  'huge-exponent',
  'lone-surrogates',
  'member-names',
  'error-of-member-names',
])
const isLight = ({ id }: HostileServer): boolean => light.has(id)

describe('a run survives', () => {
  // Not concurrent: they would delay other tests.
  const heavy = byLevel({ usual: [], slow: hostileBodies, all: hostileBodies }).filter(
    (one) => !isLight(one),
  )
  test.each(heavy)('the body of $id', expectSurvived)

  const all = [...hostileConversations, ...hostileTraps, ...hostileStrangers]
  const some = sample(all, { usual: 8, slow: 2, all: 1 })
  test.concurrent.each([...hostileBodies.filter(isLight), ...some])('$id', expectSurvived)
})
