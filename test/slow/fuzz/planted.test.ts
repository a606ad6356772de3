/** The fuzzer finds what it is for. */
import { fileURLToPath } from 'node:url'

import { expect, onTestFinished, test } from 'vitest'

import { createCertificate } from '../../support/certificate.ts'
import { quickCases } from './cases.ts'
import { startSession } from './session.ts'

const fixture = (name: string): string => fileURLToPath(new URL(`fixtures/${name}.mjs`, import.meta.url))

async function start(options: Parameters<typeof startSession>[0]) {
  const session = await startSession(options)
  onTestFinished(() => void session.stop())
  return session
}

test('a planted crash is found in the one request that causes it', async () => {
  const session = await start({ cli: fixture('crashing-mock') })
  for (const one of quickCases('pet-id/')) {
    const faults = await session.play(one)
    if (faults.length === 0) continue
    expect(one.name).toBe('pet-id/toString')
    expect(faults[0]).toMatch(/^The mock did not survive: the mock has ended by itself/)
    return
  }
  expect.unreachable()
})

test('memory that is not freed is found', async () => {
  const session = await start({ cli: fixture('hoarding-mock') })
  expect(await session.check()).toEqual([])
  for (const one of quickCases('path/').slice(0, 20)) expect(await session.play(one)).toEqual([])
  expect((await session.check()).join('\n')).toMatch(/\d+\.\d MiB are in use, and no more than/)
})

// Each is a defect that the corpus and its oracle must see.
test.each([
  ['create.not-stored', 'chunks/', /was confirmed as .* and is missing/],
  ['refuse.stored-anyway', 'body/{"name":"Rex","categoryId":"1"}', /Nobody confirmed this pet/],
])('a mock with the deviation %s fails in %s', async (deviation, group, fault) => {
  const session = await start({ flags: ['--deviate', deviation] })
  const faults: string[] = []
  for (const one of quickCases(group)) faults.push(...(await session.play(one)))
  expect(faults.join('\n')).toMatch(fault)
})

test('over TLS, the corpus by HTTP/1.1 is as harmless', { timeout: 300_000 }, async () => {
  const { cert, key } = createCertificate({ name: 'localhost' })
  process.env['FUZZ_CERT'] = cert
  process.env['FUZZ_KEY'] = key
  onTestFinished(() => {
    delete process.env['FUZZ_CERT']
    delete process.env['FUZZ_KEY']
  })
  const session = await start({ cli: fixture('tls-mock') })
  // The relay of the fixture cannot stand a storm.
  const all = quickCases('').filter(({ name }) => !name.startsWith('storm/'))
  for (const one of all) expect(await session.play(one)).toEqual([])
  expect(all.length).toBeGreaterThan(500)
})
