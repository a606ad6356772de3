import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { requirements } from '../../../src/spec/requirements.ts'
import { defaultKey, type StartOptions } from '../../../src/mock/index.ts'
import { serveMock } from '../../support/serve-mock.ts'

const fixtures = join(import.meta.dirname, 'fixtures')
const require = createRequire(import.meta.url)
const bin = (name: string, path: string): string =>
  join(dirname(require.resolve(`${name}/package.json`)), path)

interface Outcome {
  passed: number
  failed: number
  skipped: number
  text: string
}

/** A mock, and a suffix of its base URL. */
type Target = StartOptions & { path?: string }

/** Runs the fixture of a test runner against a mock, and returns its stdout. */
async function run(args: string[], { path = '', ...mock }: Target): Promise<string> {
  const target = await serveMock(mock)
  const env = {
    ...process.env,
    TARGET_URL: target.url + path,
    TARGET_KEY: defaultKey,
    NO_COLOR: '1',
    NODE_OPTIONS: '',
  }
  const child = spawn(process.execPath, args, {
    cwd: fixtures,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  await new Promise((resolve) => child.on('close', resolve))
  return text
}

/** vitest and Jest print the same JSON. */
function readJson(text: string): Outcome {
  const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(text) as Record<
    string,
    number
  >
  return {
    passed: numPassedTests ?? 0,
    failed: numFailedTests ?? 0,
    skipped: numPendingTests ?? 0,
    text,
  }
}

const runners: Record<string, (mock: Target) => Promise<Outcome>> = {
  async vitest(mock) {
    return readJson(
      await run([bin('vitest', 'vitest.mjs'), 'run', '--root', fixtures, '--reporter=json'], mock),
    )
  },
  async jest(mock) {
    const args = [
      '--experimental-vm-modules',
      bin('jest', 'bin/jest.js'),
      '--rootDir',
      fixtures,
      '--json',
    ]
    return readJson(
      await run([...args, '--testMatch', '**/contract.jest.js', '--transform', '{}'], mock),
    )
  },
  async 'node:test'(mock) {
    const text = await run(['--test', '--test-reporter=tap', 'contract.node.js'], mock)
    const count = (pattern: RegExp): number => text.match(pattern)?.length ?? 0
    const skipped = count(/^ +ok .* # SKIP/gm)
    const passed = count(/^ +ok \d+ - (?:the run|[a-z]+\.)[^#\n]*$/gm)
    return { passed, failed: count(/^ +not ok \d+ - (?:the run|[a-z]+\.).*$/gm), skipped, text }
  },
}

describe.each(Object.entries(runners))('%s', (_, runner) => {
  test('an unverified requirement is skipped with its reason', async () => {
    const outcome = await runner({ pets: 0 })
    // The five untestable requirements.
    expect(outcome).toMatchObject({ passed: requirements.length - 5 + 1, failed: 0, skipped: 5 })
  })

  test('a run that verifies nothing fails with its reason', async () => {
    const outcome = await runner({ path: '/pets' })
    expect(outcome).toMatchObject({ passed: 0, failed: 1, skipped: requirements.length })
    expect(outcome.text).toContain('responds like the Pet Store Service')
  })

  test('a violation fails with the text of its finding', async () => {
    const outcome = await runner({ pets: 60, defects: ['list.limit-ignored'] })
    expect(outcome.failed).toBeGreaterThan(0)
    expect(outcome.text).toContain('list.limit.respected')
    expect(outcome.text).toContain('curl -sS -i')
    expect(outcome.text).not.toContain(defaultKey)
  })
})
