/** Commands in the examples have valid options. For links and scripts of their READMEs see test/slow/docs. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { run } from './shell.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const folder = join(root, 'examples')
const examples = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
const textOf = (file: string): string => readFileSync(join(folder, file), 'utf8')

test('each example has a README, and a link in examples/README.md', () => {
  for (const { name } of examples) {
    expect(existsSync(join(folder, name, 'README.md')), name).toBe(true)
    expect(textOf('README.md')).toContain(`](${name})`)
  }
})

/** Calls of the command in all files of the examples: its name, and its options up to `--` or the end. */
function calls(): { file: string; command: string; options: string[] }[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.(md|sh|yml)$/.test(file) && !file.includes('node_modules'),
  )
  return files.flatMap((file) =>
    [
      ...textOf(file)
        .replaceAll(/\n +--/g, ' --')
        .matchAll(/petstore(?:-kit)? (mock|verify|exec|key|scorecard)\b([^\n`|)]*)/g),
    ].map(([, command = '', rest = '']) => {
      const [own = ''] = rest.split(' -- ')
      return { file, command, options: [...own.matchAll(/--[a-z-]+/g)].map(([option]) => option) }
    }),
  )
}

test('every option of the command in the examples exists', async () => {
  const cli = join(root, 'dist/bin/petstore.js')
  const found = calls()
  expect(found.length).toBeGreaterThan(8)
  const help = new Map<string, string>()
  for (const command of new Set(found.map((call) => call.command))) {
    help.set(command, (await run(root, process.execPath, [cli, command, '--help'])).stdout)
  }
  const unknown = found.flatMap(({ file, command, options }) =>
    options
      .filter((option) => !new RegExp(`^ +${option}\\b`, 'm').test(help.get(command) ?? ''))
      .map((option) => `${file}: petstore ${command} ${option}`),
  )
  expect(unknown).toEqual([])
})
