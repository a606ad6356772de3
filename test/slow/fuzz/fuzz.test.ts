/** The fuzzer finds what it is for. Long runs are `npm run fuzz`. */
import { fileURLToPath } from 'node:url'

import { expect, onTestFinished, test } from 'vitest'

import { fuzz } from '../../../scripts/fuzz.ts'
import { cases } from '../../../scripts/fuzz/cases.ts'
import { createCertificate } from '../../io/contract-io/certificate.ts'

const fixture = (name: string): string => fileURLToPath(new URL(`fixtures/${name}.mjs`, import.meta.url))

test('a planted crash is found, shrunk to the one request that causes it, and replayed', async () => {
  const { failures } = await fuzz({ seed: 1, rounds: 1, only: 'pet-id', cli: fixture('crashing-mock') })
  expect(failures).toHaveLength(1)
  expect(failures[0]).toMatch(/^FAILED pet-id\/toString\n[^]*The mock did not survive: it ended with the exit code/)
  const [, seed, path] = /--seed (\d+) --path (\S+) --only/.exec(failures[0] ?? '') ?? []
  const again = await fuzz({ seed: Number(seed), path: path ?? '', only: 'pet-id', cli: fixture('crashing-mock') })
  expect(again.failures[0]).toMatch(/^FAILED pet-id\/toString\n/)
})

test('memory that is not freed is found', async () => {
  const { failures } = await fuzz({ seed: 1, rounds: 2, only: 'path', cli: fixture('hoarding-mock') })
  expect(failures.join('\n')).toMatch(/FAILED after round 2, seed 2\n\d+\.\d MiB are in use, and no more than/)
})

// Each is a defect that the corpus and its oracle must see.
test.each([
  ['create.not-stored', 'chunks', /was confirmed as .* and is missing/],
  ['refuse.stored-anyway', 'body/{"name":"Rex","categoryId":"1"}', /Nobody confirmed this pet/],
])('a mock with the deviation %s fails in %s', async (deviation, only, fault) => {
  const { failures } = await fuzz({ seed: 1, rounds: 1, only, flags: ['--deviate', deviation] })
  expect(failures.join('\n')).toMatch(fault)
})

test('over TLS, the corpus by HTTP/1.1 is as harmless', { timeout: 300_000 }, async () => {
  const { cert, key } = createCertificate({ name: 'localhost' })
  process.env['FUZZ_CERT'] = cert
  process.env['FUZZ_KEY'] = key
  onTestFinished(() => {
    delete process.env['FUZZ_CERT']
    delete process.env['FUZZ_KEY']
  })
  // The relay of the fixture cannot stand a storm.
  const groups = new Set(cases.filter(({ slow }) => slow !== true).map(({ name }) => name.split('/', 1)[0] as string))
  groups.delete('storm')
  let all = 0
  for (const only of groups) {
    const { played, failures } = await fuzz({ seed: 1, rounds: 1, only, cli: fixture('tls-mock') })
    expect(failures.join('\n')).toBe('')
    all += played
  }
  expect(all).toBeGreaterThan(500)
})
