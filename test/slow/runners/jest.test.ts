/** Jest with CommonJS tests, with the files of the how-to page. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder } from '../../support/folder.ts'
import { blocksOf, root } from '../docs/blocks.ts'

test('a mock in globalSetup serves CommonJS tests, with a sandbox per worker', () => {
  const folder = makeFolder({ 'package.json': '{}' })
  const blocks = blocksOf(readFileSync(join(root, 'docs/how-to/vitest-and-jest.md'), 'utf8'))
  for (const { language, text } of blocks) {
    const name = language === 'json' ? 'jest.config.json' : /^\/\/ (\S+)\n/.exec(text)?.[1]
    if (name !== undefined) writeFileSync(join(folder, name), text)
  }
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules/petstore-kit'))
  writeFileSync(join(folder, 'more.test.js'), readFileSync(join(folder, 'pets.test.js')))
  const jest = join(
    dirname(createRequire(import.meta.url).resolve('jest/package.json')),
    'bin/jest.js',
  )
  const { stderr } = spawnSync(process.execPath, [jest], { cwd: folder, encoding: 'utf8' })
  expect(stderr).toContain('Tests:       2 passed, 2 total')
})
