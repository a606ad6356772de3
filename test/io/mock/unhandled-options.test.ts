import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { behaviors } from '../../../src/spec/behaviors.ts'

const root = join(import.meta.dirname, '../../..')
const compiler = join(root, 'node_modules/typescript/bin/tsc')

/** Compiles the mock with a changed table of behaviors, and returns the output of the compiler. */
async function compileWith(change: (table: string) => string): Promise<string> {
  const caches = join(root, 'node_modules/.cache')
  mkdirSync(caches, { recursive: true })
  const folder = mkdtempSync(join(caches, 'options-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  cpSync(join(root, 'src'), join(folder, 'src'), { recursive: true })
  const table = join(folder, 'src/spec/behaviors.ts')
  writeFileSync(table, change(readFileSync(table, 'utf8')))
  const compilerOptions = { noErrorTruncation: true }
  const config = {
    extends: '../../../tsconfig.json',
    compilerOptions,
    include: ['src/mock/sandbox/mock.ts'],
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
  const output = await compileWith(withOption((id) => `new-option-of-${id}`))
  const named = behaviors.filter(({ options }) => options.length > 0).map(({ id }) => id)
  expect(named.filter((id) => !new RegExp(`new-option-of-${id}["']`).test(output))).toEqual([])
})
