/** The fuzzer finds planted defects. */
import { fileURLToPath } from 'node:url'

import { expect, onTestFinished, test } from 'vitest'

import { createCertificate } from '../../support/certificate.ts'
import { quickCases } from './cases.ts'
import { startSession } from './session.ts'

const fixture = (name: string): string =>
  fileURLToPath(new URL(`fixtures/${name}.mjs`, import.meta.url))

async function start(options: Parameters<typeof startSession>[0]) {
  const session = await startSession(options)
  onTestFinished(() => void session.stop())
  return session
}

// Defects that the corpus and its oracle must find.
test.each([
  ['create.not-stored', 'chunks/', /was confirmed as .* and is missing/],
  ['reject.stored-anyway', 'body/{"name":"Rex","categoryId":"1"}', /This pet was never confirmed/],
])('a mock with the defect %s fails in %s', async (defect, group, fault) => {
  const session = await start({ flags: ['--defect', defect] })
  const faults: string[] = []
  for (const one of quickCases(group)) faults.push(...(await session.play(one)))
  expect(faults.join('\n')).toMatch(fault)
})

test('the corpus is harmless with HTTP/1.1 over TLS, too', async () => {
  const { cert, key } = createCertificate({ name: 'localhost' })
  process.env['FUZZ_CERT'] = cert
  process.env['FUZZ_KEY'] = key
  onTestFinished(() => {
    delete process.env['FUZZ_CERT']
    delete process.env['FUZZ_KEY']
  })
  const session = await start({ cli: fixture('tls-mock') })
  // The relay of the fixture cannot handle a storm.
  const all = quickCases('').filter(({ name }) => !name.startsWith('storm/'))
  for (const one of all) expect(await session.play(one)).toEqual([])
  expect(all.length).toBeGreaterThan(500)
})
