import { describe, expect, test } from 'vitest'
import { brokenServers, type BrokenServer } from './catalog.ts'
import { knownEscapes } from './known-escapes.ts'
import { sample } from '../../support/level.ts'
import { verifyBroken } from './verify-broken.ts'
import { idsOf } from '../../support/verdicts.ts'

/** Expects that a run finds the fault and reports a requirement that it violates. */
async function expectCaught(server: BrokenServer): Promise<void> {
  const { breaks, verdict = 'violates' } = server
  const report = await verifyBroken(server)
  const violated = idsOf(report, 'violated')
  expect(report.verdict, `${report.reason ?? ''} ${violated.join()}`).toBe(verdict)
  if (verdict === 'violates') {
    const named = violated.filter((id) => breaks.includes(id))
    expect(named, `${violated.join()} of ${breaks.join()}`).not.toEqual([])
  }
}

test('each broken server has a unique id and the requirements that it violates', () => {
  expect(brokenServers.length).toBeGreaterThanOrEqual(160)
  expect(new Set(brokenServers.map(({ id }) => id)).size).toBe(brokenServers.length)
  for (const { id, breaks, verdict } of brokenServers) {
    expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
    expect(breaks.length > 0).toBe(verdict === undefined)
  }
})

const isKnown = ({ id }: BrokenServer): boolean => Object.hasOwn(knownEscapes, id)

test('the known escapes are existing servers, fewer than one in ten', () => {
  const known = brokenServers.filter(isKnown)
  expect(known.map(({ id }) => id).toSorted()).toEqual(Object.keys(knownEscapes).toSorted())
  expect(known.length).toBeLessThan(brokenServers.length / 10)
})

describe('a run finds the fault of', () => {
  const unknown = brokenServers.filter((server) => !isKnown(server))
  const chosen = sample(unknown, { usual: 40, slow: 1, all: 1 })
  test.concurrent.each(chosen.filter(({ needsSockets }) => !needsSockets))('$id', expectCaught)
  // Concurrent tests would affect which connection gets a request.
  test.each(chosen.filter(({ needsSockets }) => needsSockets))('$id', expectCaught)
})

describe('a run reaches a verdict for', () => {
  const known = sample(brokenServers.filter(isKnown), { usual: 8, slow: 1, all: 1 })
  test.concurrent.each(known)('$id', async (server) => {
    expect((await verifyBroken(server)).verdict).not.toBe('not-verified')
  })
})
