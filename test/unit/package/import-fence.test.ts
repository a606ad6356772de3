/** Allowed imports between folders, as enforced by the linter. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Rejected and allowed imports of each file. */
const fence: readonly [file: string, rejected: string, allowed: string][] = [
  [
    'src/mock/probe.ts',
    '../index.ts ../cli.ts petstore-kit/contract node:fs http @faker-js/faker @msw/data',
    './store.ts ../errors.ts ../spec/requirements.ts ../report/redact.ts',
  ],
  ['src/mock/sandbox/collection.ts', '../../contract/index.ts', '@msw/data'],
  [
    'src/mock/control/probe.ts',
    '../../contract/decode.ts node:crypto hono',
    '../../json.ts ../mock.ts ../../report/text.ts',
  ],
  [
    'src/mock/control/routes/probe.ts',
    '../../../contract/index.ts hono',
    '../../../spec/requirements.ts',
  ],
  [
    'src/mock/adapters/probe.ts',
    '../../contract/http/transport.ts ../../index.ts',
    'node:http ../../report/text.ts',
  ],
  ['src/mock/scorecard/probe.ts', '../../contract/index.ts', '../../report/html.ts'],
  [
    'src/contract/probe.ts',
    '../cli.ts petstore-kit/mock ajv',
    '../spec/requirements.ts undici ../report/redact.ts',
  ],
  [
    'src/contract/checks/probe.ts',
    '../../mock/store.ts ../../index.ts ../validators.gen.ts ../../validate.ts',
    '../expect.ts ../../spec/types.ts',
  ],
  ['src/contract/reporters/probe.ts', '', '../../report/text.ts'],
  ['src/contract/judge/shapes.ts', '../../validate.ts', ''],
  ['src/contract/decode.ts', './validators.gen.ts', ''],
  ['src/contract/report/baseline.ts', '', '../../validate.ts'],
  ['src/contract/session/options.ts', '', '../../validate.ts'],
  ['src/spec/probe.ts', '../json.ts zod node:fs', './operations.ts'],
  ['src/json.ts', './errors.ts', ''],
  ['src/errors.ts', './json.ts', ''],
  [
    'src/report/probe.ts',
    '../contract/report.ts ../mock/index.ts ../spec/requirements.ts node:buffer',
    './credentials.ts',
  ],
  ['src/options.ts', './mock/index.ts', './errors.ts'],
  ['src/cli.ts', '', './contract/index.ts ./mock/index.ts'],
]
const forms = (path: string): string[] => [
  `import '${path}'`,
  `export { one } from '${path}'`,
  `import type { One } from '${path}'`,
  `await import('${path}')`,
]
/** Files with one import and the expected result. */
const probes: [file: string, source: string, verdict: 'allowed' | 'rejected'][] = [
  ...fence.flatMap(([file, rejected, allowed]) =>
    (
      [
        [rejected, 'rejected'],
        [allowed, 'allowed'],
      ] as const
    ).flatMap(([paths, verdict]) =>
      paths
        .split(' ')
        .filter(Boolean)
        .map((path): (typeof probes)[number] => [file, `import { one } from '${path}'`, verdict]),
    ),
  ),
  ...forms('../contract/index.ts').map((source): (typeof probes)[number] => [
    'src/mock/probe.ts',
    source,
    'rejected',
  ]),
  ...forms('../mock/index.ts').map((source): (typeof probes)[number] => [
    'src/contract/probe.ts',
    source,
    'rejected',
  ]),
  ['src/mock/sandbox/types.ts', `import type { Collection } from '@msw/data'`, 'allowed'],
  [
    'src/mock/probe.ts',
    `import document from '../spec/openapi.json' with { type: 'json' }`,
    'rejected',
  ],
]

describe('the linter', () => {
  let folder: string
  let exitCode: number | null
  let rejected: Set<string>
  /** Each probe has its own folder, as the only file of a repository. */
  const placeOf = (index: number) => join(String(index), probes[index]?.[0] ?? '')

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'petstore-kit-fence-'))
    const config = readFileSync(join(root, '.oxlintrc.json'), 'utf8')
    // The rule needs no types, and there are none here.
    const untyped = config.replace(/"options": \{[^}]*\},/, '')
    for (const [index, [, source]] of probes.entries()) {
      mkdirSync(dirname(join(folder, placeOf(index))), { recursive: true })
      writeFileSync(join(folder, placeOf(index)), `${source}\n`)
      writeFileSync(join(folder, String(index), '.oxlintrc.json'), untyped)
    }
    const oxlint = join(root, 'node_modules/oxlint/bin/oxlint')
    const { stdout, status } = spawnSync(process.execPath, [oxlint, '--format', 'json'], {
      cwd: folder,
      encoding: 'utf8',
    })
    const { diagnostics } = JSON.parse(stdout) as {
      diagnostics: { code: string; filename: string }[]
    }
    rejected = new Set(
      diagnostics
        .filter(({ code }) => code === 'eslint(no-restricted-imports)')
        .map(({ filename }) => filename),
    )
    exitCode = status
  })

  afterAll(() => rmSync(folder, { recursive: true }))

  test('fails', () => {
    expect(exitCode).toBe(1)
  })

  test.each(probes.map(([file, source, verdict], index) => ({ file, source, verdict, index })))(
    '$file: $source $verdict',
    ({ verdict, index }) => {
      expect(rejected.has(placeOf(index))).toBe(verdict === 'rejected')
    },
  )
})

test('src/spec has only data: no function and no class', () => {
  const files = readdirSync(join(root, 'src/spec')).filter((name) => name.endsWith('.ts'))
  expect(files.length).toBeGreaterThan(0)
  for (const file of files) {
    const code = readFileSync(join(root, 'src/spec', file), 'utf8').replaceAll(
      /\/\*[^]*?\*\/|\/\/.*|'[^'\n]*'|"[^"\n]*"/g,
      '',
    )
    expect(code, file).not.toMatch(/\bfunction\b|=>|\bclass\b|\bnew\b/)
  }
})
