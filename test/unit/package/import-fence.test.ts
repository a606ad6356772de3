/** Who may import what: the fence of the linter holds, in every direction. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** A file with one import, and whether the fence lets it pass. */
const probes: [file: string, source: string, verdict: 'passes' | 'refused'][] = [
  ['src/mock/probe.ts', `import '../contract/index.ts'`, 'refused'],
  ['src/mock/probe.ts', `export { verify } from '../contract/index.ts'`, 'refused'],
  ['src/mock/probe.ts', `import type { Report } from '../contract/report.ts'`, 'refused'],
  ['src/mock/probe.ts', `await import('../contract/index.ts')`, 'refused'],
  ['src/mock/control/probe.ts', `import '../../contract/decode.ts'`, 'refused'],
  ['src/mock/adapters/probe.ts', `import '../../contract/transport.ts'`, 'refused'],
  ['src/mock/collection.ts', `import '../contract/index.ts'`, 'refused'],
  ['src/mock/probe.ts', `import '../index.ts'`, 'refused'],
  ['src/mock/probe.ts', `import '../cli.ts'`, 'refused'],
  ['src/mock/probe.ts', `import 'petstore-kit/contract'`, 'refused'],
  ['src/mock/probe.ts', `import { readFileSync } from 'node:fs'`, 'refused'],
  ['src/mock/control/probe.ts', `import { createHash } from 'node:crypto'`, 'refused'],
  ['src/mock/probe.ts', `import { createServer } from 'http'`, 'refused'],
  ['src/mock/probe.ts', `import { faker } from '@faker-js/faker'`, 'refused'],
  ['src/mock/probe.ts', `import { Collection } from '@msw/data'`, 'refused'],
  ['src/mock/collection.ts', `import { Collection } from '@msw/data'`, 'passes'],
  ['src/mock/types.ts', `import type { Collection } from '@msw/data'`, 'passes'],
  ['src/mock/adapters/probe.ts', `import { createServer } from 'node:http'`, 'passes'],
  ['src/mock/adapters/probe.ts', `import '../../index.ts'`, 'refused'],
  ['src/mock/probe.ts', `import document from '../spec/openapi.json' with { type: 'json' }`, 'refused'],
  ['src/mock/probe.ts', `import { createStore } from './store.ts'`, 'passes'],
  ['src/mock/probe.ts', `import { UsageError } from '../errors.ts'`, 'passes'],
  ['src/mock/probe.ts', `import { clauses } from '../spec/clauses.ts'`, 'passes'],
  ['src/mock/control/probe.ts', `import { parseJson } from '../../json.ts'`, 'passes'],
  ['src/mock/control/probe.ts', `import { createMock } from '../mock.ts'`, 'passes'],
  ['src/mock/control/probe.ts', `import { Hono } from 'hono'`, 'refused'],
  ['src/mock/control/app.ts', `import { Hono } from 'hono'`, 'passes'],
  ['src/mock/control/app.ts', `import { serve } from '@hono/node-server'`, 'refused'],
  ['src/mock/control/app.ts', `import '../../contract/index.ts'`, 'refused'],
  ['src/mock/control/routes/probe.ts', `import { verify } from '../../../contract/index.ts'`, 'refused'],
  ['src/mock/control/routes/probe.ts', `import { Hono } from 'hono'`, 'refused'],
  ['src/mock/control/routes/probe.ts', `import { clauses } from '../../../spec/clauses.ts'`, 'passes'],

  ['src/contract/probe.ts', `import '../mock/index.ts'`, 'refused'],
  ['src/contract/probe.ts', `export * from '../mock/index.ts'`, 'refused'],
  ['src/contract/probe.ts', `import type { Mock } from '../mock/mock.ts'`, 'refused'],
  ['src/contract/probe.ts', `await import('../mock/index.ts')`, 'refused'],
  ['src/contract/checks/probe.ts', `import '../../mock/store.ts'`, 'refused'],
  ['src/contract/checks/probe.ts', `import '../../index.ts'`, 'refused'],
  ['src/contract/probe.ts', `import '../cli.ts'`, 'refused'],
  ['src/contract/probe.ts', `import 'petstore-kit/mock'`, 'refused'],
  ['src/contract/probe.ts', `import { Ajv } from 'ajv'`, 'refused'],
  ['src/contract/probe.ts', `import { clauses } from '../spec/clauses.ts'`, 'passes'],
  ['src/contract/checks/probe.ts', `import type { Pet } from '../../spec/types.ts'`, 'passes'],
  ['src/contract/checks/probe.ts', `import { expectPet } from '../expect.ts'`, 'passes'],
  ['src/contract/probe.ts', `import { request } from 'undici'`, 'passes'],

  ['src/contract/checks/probe.ts', `import { validators } from '../validators.gen.ts'`, 'refused'],
  ['src/contract/checks/probe.ts', `import { issuesOf } from '../../validate.ts'`, 'refused'],
  ['src/contract/shapes.ts', `import { issuesOf } from '../validate.ts'`, 'refused'],
  ['src/contract/decode.ts', `import { validators } from './validators.gen.ts'`, 'refused'],
  ['src/contract/baseline.ts', `import { issuesInFile } from '../validate.ts'`, 'passes'],
  ['src/contract/options.ts', `import { toInstant } from '../validate.ts'`, 'passes'],

  ['src/spec/probe.ts', `import { parseJson } from '../json.ts'`, 'refused'],
  ['src/spec/probe.ts', `import type { Clause } from './clauses.ts'`, 'refused'],
  ['src/spec/probe.ts', `import { z } from 'zod'`, 'refused'],
  ['src/spec/probe.ts', `import { readFileSync } from 'node:fs'`, 'refused'],
  ['src/json.ts', `import { UsageError } from './errors.ts'`, 'refused'],
  ['src/errors.ts', `import type { JsonValue } from './json.ts'`, 'refused'],
  ['src/mock/probe.ts', `import { createRedactor } from '../report/redact.ts'`, 'passes'],
  ['src/mock/control/probe.ts', `import { inert } from '../../report/inert.ts'`, 'passes'],
  ['src/mock/adapters/probe.ts', `import { inert } from '../../report/inert.ts'`, 'passes'],
  ['src/contract/probe.ts', `import { createRedactor } from '../report/redact.ts'`, 'passes'],
  ['src/contract/reporters/probe.ts', `import { inert } from '../../report/inert.ts'`, 'passes'],
  ['src/report/probe.ts', `import { isSecretName } from './credentials.ts'`, 'passes'],
  ['src/report/probe.ts', `import type { Report } from '../contract/report.ts'`, 'refused'],
  ['src/report/probe.ts', `import { createMock } from '../mock/index.ts'`, 'refused'],
  ['src/report/probe.ts', `import { clauses } from '../spec/clauses.ts'`, 'refused'],
  ['src/report/probe.ts', `import { Buffer } from 'node:buffer'`, 'refused'],
  ['src/mock/scorecard/probe.ts', `import { toPage } from '../../report/html.ts'`, 'passes'],
  ['src/mock/scorecard/probe.ts', `import '../../contract/index.ts'`, 'refused'],
  ['src/options.ts', `import { createMock } from './mock/index.ts'`, 'refused'],
  ['src/options.ts', `import { UsageError } from './errors.ts'`, 'passes'],
  ['src/cli.ts', `import { verify } from './contract/index.ts'`, 'passes'],
  ['src/cli.ts', `import { startMock } from './mock/index.ts'`, 'passes'],
]

describe('the linter', () => {
  let folder: string
  let exitCode: number | null
  let refused: Set<string>
  /** Each probe stands in a folder of its own, as if it were alone in the repository. */
  const placeOf = (index: number) => join(String(index), probes[index]?.[0] ?? '')

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'petstore-kit-fence-'))
    const config = readFileSync(join(root, '.oxlintrc.json'), 'utf8')
    // The fence needs no types, and there is nothing here to take them from.
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
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; filename: string }[] }
    refused = new Set(
      diagnostics.filter(({ code }) => code === 'eslint(no-restricted-imports)').map(({ filename }) => filename),
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
      expect(refused.has(placeOf(index))).toBe(verdict === 'refused')
    },
  )
})

test('src/spec holds nouns only: no function and no class', () => {
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
