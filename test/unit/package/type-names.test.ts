/** One name, one meaning: no name of an exported type stands in two declaration files. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const dist = join(import.meta.dirname, '../../../dist')

/** Names with two meanings that are left. No name joins them. */
const left = new Set(['Base', 'Catalog', 'Clock', 'Issue', 'Route'])

test('each exported type has a name of its own', () => {
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
  const twice = [...files].filter(([name, paths]) => paths.length > 1 && !left.has(name))
  expect(twice.map(([name, paths]) => `${name}: ${paths.join(', ')}`)).toEqual([])
})
