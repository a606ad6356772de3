import { describe, expect, test } from 'vitest'
import type { Report } from '../../../src/contract/index.ts'
import { byLevel, sample } from '../../support/level.ts'
import { createChance } from '../../support/variants/chance.ts'
import { reset } from '../../support/variants/serve.ts'
import { startBroken } from './broken-server.ts'
import type { BrokenServer, Seams } from './fault.ts'
import { failures, kinds, silentTo } from './silences.ts'
import { verifyBroken } from './verify-broken.ts'
import { idsOf } from '../../support/verdicts.ts'

/** All pairs of kinds and failures, or a sample. */
const pairs = kinds.flatMap((kind) =>
  Object.keys(failures).map((failure) => ({ id: kind.id, kind, failure })),
)
const rows = sample(pairs, { usual: 90, slow: 5, all: 1 })

const verifySilent = ({ kind, failure }: (typeof pairs)[number]): Promise<Report> =>
  verifyBroken(
    {
      start: (time) =>
        startBroken(() => silentTo(kind, failures[failure] ?? (() => undefined)), time),
    },
    { settleMs: 300, timeoutMs: failure === 'hang' ? 600 : 5_000, strict: true },
  )

describe('a kind of request that never gets a response is reported', () => {
  test.concurrent.each(rows)('$id: $failure', async (row) => {
    const { kind } = row
    const report = await verifySilent(row)
    const isBroken = (id: string): boolean => (kind.breaks as readonly string[]).includes(id)
    const isGateway = row.failure.startsWith('gateway')
    if (kind.breaks.length === 0) {
      expect(report.findings).toEqual([])
      expect(report.notes.join()).toMatch(/gets a response|gets no response/)
      return
    }
    expect(report.counts.writes).toBeLessThanOrEqual(25)
    if (isGateway) {
      expect(report.findings.map(({ message }) => message)).toEqual([])
      expect(idsOf(report, 'not-verified').filter(isBroken)).not.toEqual([])
      expect(report).toMatchObject({ verdict: 'not-verified', exitCode: 3 })
    } else {
      expect(idsOf(report, 'violated').filter(isBroken)).not.toEqual([])
      expect(idsOf(report, 'violated').filter((id) => !isBroken(id))).toEqual([])
      const [finding] = report.findings
      expect(finding?.message).toMatch(/never gets a response, while other requests do/)
      expect(finding?.exchanges[0]?.curl).toMatch(/^(printf .* \| )?curl /)
    }
  })
})

test.each(['close', 'reset'])(
  'a %s for each unauthorized request gives a stable verdict',
  async (failure) => {
    const kind = kinds.find(({ id }) => id === 'any-without-the-key')
    if (!kind) throw new Error('there is no such kind')
    const violated = async (): Promise<string[]> =>
      idsOf(await verifySilent({ id: kind.id, kind, failure }), 'violated')
    const first = await violated()
    expect(first).toEqual(
      expect.arrayContaining(['list.401', 'create.401', 'get.401', 'auth.missing-key']),
    )
    expect(await violated()).toEqual(first)
  },
)

test.each([0.1, 0.25])(
  'no violation is reported on a network that loses %d of all requests',
  async (share) => {
    for (const seed of byLevel({ usual: [1], slow: [1, 2], all: [1, 2, 3, 4, 5] })) {
      const chance = createChance(seed)
      const lossy: Seams = {
        shop: { pets: 30 },
        breaksConnections: true,
        write: (page, _, { socket }) => (chance() < share ? void (socket && reset(socket)) : page),
      }
      const start: BrokenServer['start'] = (time) => startBroken(() => lossy, time)
      const report = await verifyBroken(
        { start },
        { settleMs: 300, timeoutMs: 30_000, retryBudgetMs: 20_000 },
      )
      expect(report.findings.map(({ message }) => message)).toEqual([])
    }
  },
)

test('a short outage during concurrent requests does not end the run', async () => {
  let [creations, lost] = [0, 0]
  const outage: Seams = {
    shop: { pets: 30 },
    breaksConnections: true,
    write(page, { operation }, { socket }) {
      if (operation === 'createPet') creations += 1
      if (creations < 8 || lost === 22) return page
      lost += 1
      return void (socket && reset(socket))
    },
  }
  const start: BrokenServer['start'] = (time) => startBroken(() => outage, time)
  const report = await verifyBroken(
    { start },
    { settleMs: 300, timeoutMs: 30_000, retryBudgetMs: 30_000 },
  )
  expect(report).toMatchObject({ verdict: 'conforms', findings: [] })
  expect(report.reason).toBeUndefined()
})
