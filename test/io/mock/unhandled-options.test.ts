import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { behaviors } from '../../../src/spec/behaviors.ts'

const root = join(import.meta.dirname, '../../..')
const compiler = join(root, 'node_modules/typescript/bin/tsc')

type Change = (text: string) => string

/** Compiles the mock and others with changed files of src, and returns the output of the compiler. */
async function compileWith(
  changes: Readonly<Record<string, Change>>,
  ...others: string[]
): Promise<string> {
  const caches = join(root, 'node_modules/.cache')
  mkdirSync(caches, { recursive: true })
  const folder = mkdtempSync(join(caches, 'options-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  cpSync(join(root, 'src'), join(folder, 'src'), { recursive: true })
  for (const [name, change] of Object.entries(changes)) {
    const before = readFileSync(join(root, 'src', name), 'utf8')
    expect(change(before)).not.toBe(before)
    writeFileSync(join(folder, 'src', name), change(before))
  }
  const compilerOptions = { noErrorTruncation: true }
  const config = {
    extends: '../../../tsconfig.json',
    compilerOptions,
    include: ['src/mock/sandbox/mock.ts', ...others],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const run = promisify(execFile)(process.execPath, [compiler, '-p', folder])
  return run.then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  )
}

/** Adds an option to each behavior that has named options. */
const withOption =
  (nameOf: (id: string) => string) =>
  (table: string): string =>
    table.replaceAll(
      /(?<=id: '([\w.-]+)',(?:(?!\bid: )[^])*?options: \[)(?!\])/g,
      (_, id: string) => `{ value: '${nameOf(id)}', meaning: 'new' }, `,
    )

test('an unhandled option of any behavior does not compile', async () => {
  const output = await compileWith({
    'spec/behaviors.ts': withOption((id) => `new-option-of-${id}`),
  })
  const named = behaviors.filter(({ options }) => options.length > 0).map(({ id }) => id)
  expect(
    named.filter((id) => !new RegExp(`new-option-of-${id}["']`).test(output)),
    'Read the option of each behavior in src/mock/service or src/mock/pets, so that each named option needs a case.',
  ).toEqual([])
})

test('the compiler names the files that a new parameter, fault and format need', async () => {
  const output = await compileWith(
    {
      'spec/operations.ts': (text) =>
        text.replace('  status: {', "  q: { type: 'string' },\n  status: {"),
      'mock/schemas/faults.ts': (text) =>
        text.replace('  silence:', "  'no-tls': 'nothing',\n  silence:"),
      'report/formats.ts': (text) => text.replace('  junit:', "  csv: 'text/csv',\n  junit:"),
    },
    'src/contract/index.ts',
    'src/console/screens/rules/kinds.ts',
    'src/mock/schemas/schemas.ts',
  )
  const named = output.split(/^(?=\S)/m).flatMap((error) => {
    const [, file] = /^\S*\bsrc\/([\w./-]+)\(/.exec(error) ?? []
    const [, name] = /'"?(q|no-tls|csv)"?' is missing/.exec(error) ?? []
    return file && name ? [`${name}: ${file}`] : []
  })
  expect([...new Set(named)].toSorted()).toEqual([
    'csv: contract/index.ts',
    'no-tls: console/screens/rules/kinds.ts',
    'no-tls: mock/schemas/schemas.ts',
    'no-tls: mock/service/service.ts',
    'q: contract/judge/expect.ts',
    'q: mock/scorecard/coverage.ts',
    'q: mock/scorecard/request.ts',
    'q: mock/service/parameters.ts',
  ])
})
