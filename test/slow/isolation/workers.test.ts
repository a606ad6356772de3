import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

import { expect, test } from 'vitest'

import { startMock } from '../../../src/mock/index.ts'

const fixtures = join(import.meta.dirname, 'fixtures')
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')

test(
  'two test suites in parallel workers, with one mock and a sandbox each, never see each other',
  { timeout: 120_000 },
  async () => {
    // Each test resets its sandbox, and with it the journal.
    const times: Record<string, string[]> = {}
    const mock = await startMock({
      pets: 30,
      onRequest: ({ sandbox = '', at }) => void (times[sandbox] ??= []).push(at),
    })
    try {
      const env = {
        ...process.env,
        PETSTORE_BASE_URL: mock.url,
        PETSTORE_CONTROL_URL: mock.controlUrl,
        NODE_OPTIONS: '',
      }
      const args = [vitest, 'run', '--root', fixtures, '--reporter=json']
      const child = spawn(process.execPath, args, { cwd: fixtures, env, stdio: ['ignore', 'pipe', 'inherit'] })
      let text = ''
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      await new Promise((resolve) => child.on('close', resolve))

      const report = JSON.parse(text) as {
        numPassedTests: number
        testResults: { message: string; assertionResults: { title: string; failureMessages: string[] }[] }[]
      }
      const failures = report.testResults.flatMap(({ message, assertionResults }) => [
        ...(message === '' ? [] : [message]),
        ...assertionResults.flatMap(({ title, failureMessages }) => failureMessages.map((text) => `${title}: ${text}`)),
      ])
      expect([failures, report.numPassedTests]).toEqual([[], 90])

      // They did run at the same time: each made requests between the first and the last of the other.
      const { cats = [], dogs = [] } = times
      const between = (own: string[], other: string[]): number =>
        own.filter((at) => at > (other[0] ?? '') && at < (other.at(-1) ?? '')).length
      expect(between(cats, dogs)).toBeGreaterThan(50)
      expect(between(dogs, cats)).toBeGreaterThan(50)

      // And the sandbox of the mock's own keys saw nothing of it.
      expect([mock.journal.list(), mock.catalog.size, mock.rules()]).toEqual([[], 30, []])
      expect(
        mock.sandboxes
          .list()
          .map(({ name }) => name)
          .sort(),
      ).toEqual(['cats', 'dogs', 'meeting'])
    } finally {
      await mock.close()
    }
  },
)
