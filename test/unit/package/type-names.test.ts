/** Names of exported types are unique across declaration files. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const dist = join(import.meta.dirname, '../../../dist')

test('each exported type has a unique name', () => {
  const files = new Map<string, string[]>()
  for (const path of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.d.ts')) continue
    const text = readFileSync(join(dist, path), 'utf8')
    for (const [, name = ''] of text.matchAll(
      /^export (?:declare )?(?:abstract )?(?:interface|type|class|enum) (\w+)/gm,
    ))
      files.set(name, [...(files.get(name) ?? []), path])
  }
  expect(files.size).toBeGreaterThan(100)
  const twice = [...files].filter(([, paths]) => paths.length > 1)
  expect(twice.map(([name, paths]) => `${name}: ${paths.join(', ')}`)).toEqual([])
})
