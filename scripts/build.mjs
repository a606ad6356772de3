/**
 * Builds dist/: compiles the schemas and src/, copies its JSON files, and bundles the command into dist/bin/. What has not changed is not written again, so that a mock that
 * runs from dist/ is not disturbed, and what has lost its source is removed.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

import { filesIn } from './files.mjs'
import { writeValidators } from './validators.mjs'

process.chdir(join(import.meta.dirname, '..'))
await writeValidators()

const sources = filesIn('src').filter((file) => /\.(?:ts|json)$/.test(file) && !/^console[\\/]/.test(file))
const outputs = new Set(
  sources.flatMap((file) => (file.endsWith('.ts') ? [file.replace(/ts$/, 'js'), file.replace(/ts$/, 'd.ts')] : [file])),
)

for (const file of filesIn('dist')) {
  // What is in dist/bin/ and dist/console/ is the affair of the bundles.
  if (!outputs.has(file) && file !== '.tsbuildinfo' && !/^(?:bin|console)[\\/]/.test(file)) rmSync(join('dist', file))
}
// Without one of its outputs the compiler's memory of the last build is worth nothing.
if ([...outputs].some((file) => !file.endsWith('.json') && !existsSync(join('dist', file)))) {
  rmSync('dist/.tsbuildinfo', { force: true })
}

const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
const { status } = spawnSync(process.execPath, [compiler, '--project', 'tsconfig.build.json'], { stdio: 'inherit' })

for (const file of sources.filter((name) => name.endsWith('.json'))) {
  const [from, to] = [join('src', file), join('dist', file)]
  if (existsSync(to) && readFileSync(from).equals(readFileSync(to))) continue
  mkdirSync(dirname(to), { recursive: true })
  copyFileSync(from, to)
}
if (existsSync('dist/cli.js')) {
  chmodSync('dist/cli.js', 0o755)
  const { bundleCommand, bundleConsole } = await import('./bundle.mjs')
  await Promise.all([bundleCommand(), bundleConsole()])
}
process.exitCode = status ?? 1
