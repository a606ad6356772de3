import { spawnSync } from 'node:child_process'
import chromium from '@sparticuz/chromium'
import { expect, test } from 'vitest'
import { makeFolder } from '../../support/folder.ts'
import { chromiumArgs } from '../../io/browser/drivers.ts'

interface Spec {
  title: string
  ok: boolean
  tests: { results: { errors: { message: string }[]; attachments: { name: string }[] }[] }[]
}
interface Suite {
  suites?: Suite[]
  specs: Spec[]
}

const specsOf = ({ suites = [], specs }: Suite): Spec[] => [...specs, ...suites.flatMap(specsOf)]

async function run(file: string) {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [
      'node_modules/@playwright/test/cli.js',
      'test',
      '--config',
      'test/slow/runners/playwright/playwright.config.ts',
      file,
    ],
    {
      encoding: 'utf8',
      env: {
        ...process.env,
        PLAYWRIGHT_OUTPUT: makeFolder(),
        PLAYWRIGHT_CHROMIUM: await chromium.executablePath(),
        // With a single process, closing a page would end the browser of the next test.
        PLAYWRIGHT_ARGS: JSON.stringify(chromiumArgs.filter((arg) => arg !== '--single-process')),
      },
    },
  )
  expect(stdout, stderr).toMatch(/^\{/)
  const specs = (JSON.parse(stdout) as { suites: Suite[] }).suites.flatMap(specsOf)
  return specs.map(({ title, ok, tests: [run] }) => {
    const { errors, attachments } = run?.results.at(-1) ?? { errors: [], attachments: [] }
    return [
      title,
      ok || errors[0]?.message.split('\n')[0],
      attachments.map(({ name }) => name).filter((name) => name !== 'error-context'),
    ] as const
  })
}

test('no request in flight makes a test fail, whatever ends', async () => {
  const shown = await run('ends.spec.ts')
  expect(shown.filter(([, result]) => result !== true)).toEqual([])
  expect(shown).toHaveLength(24)
})

test('the fixtures work in a Playwright run', async () => {
  expect(await run('petstore.spec.ts')).toEqual([
    ['has its own sandbox: one', true, []],
    ['has its own sandbox: two', true, []],
    ['a missing key and a wrong one get 401, and stay out of the scorecard of the test', true, []],
    [
      'fails when a rule was never used, also when it should fail',
      true,
      ['petstore journal', 'petstore rules'],
    ],
    [
      'fails when a rule was never used',
      expect.stringContaining('Rules that no request used: rule-2.'),
      [],
    ],
    [
      'attaches the journal when it fails',
      expect.any(String),
      ['petstore journal', 'petstore rules', 'petstore requests without its key'],
    ],
    ['is served from the mock', true, []],
    ['is served from the mock', true, []],
    ['lead to the mock', true, []],
    ['sends it, and no other', true, []],
    ['sends none', true, []],
    ['every test sees the pets of the mock', true, []],
    [
      'is rejected',
      expect.stringContaining(
        'petstoreBaseUrl "/v1" is not a URL: give an absolute URL, or set baseURL.',
      ),
      [],
    ],
  ])
})
