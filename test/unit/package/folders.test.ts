/** What each folder of src may import. The linter holds the fence between the halves, and that no files import in a circle. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { expect, test } from 'vitest'
import { folders } from '../../support/folders.ts'

const src = join(import.meta.dirname, '../../../src')
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((path) =>
  /\.tsx?$/.test(path),
)

/** The row of a file in the table. */
function folderOf(path: string): string {
  const folder = dirname(path)
  if (folder !== '.') return folder
  return path in folders ? path : 'base'
}

/** The files that a text imports, types included. */
const importsOf = (path: string, text: string): string[] =>
  [...text.matchAll(/(?:\bfrom|\bimport\(|\bimport)\s*'(\.[^']+)'/g)].map(([, specifier = '']) =>
    posix.join(dirname(path), specifier),
  )

const found = new Map<string, Set<string>>()
const imported = new Map(
  files.map((path) => [path, importsOf(path, readFileSync(join(src, path), 'utf8'))]),
)
for (const [path, targets] of imported) {
  const folder = folderOf(path)
  const all = found.get(folder) ?? new Set()
  found.set(folder, all)
  for (const target of targets) if (folderOf(target) !== folder) all.add(folderOf(target))
}

test('reads imports in every form', () => {
  const text = `import type { A } from './a.ts'\nimport '../b.ts'\nconst c = await import('./c/d.ts')\nexport {\n  e,\n} from '../../e.ts'\nimport f from 'f'`
  expect(importsOf('mock/rules/rule.ts', text)).toEqual([
    'mock/rules/a.ts',
    'mock/b.ts',
    'mock/rules/c/d.ts',
    'e.ts',
  ])
})

test('each folder has a row in test/support/folders.ts', () => {
  expect(
    [...found.keys()].toSorted(),
    'Add a row for a new folder to test/support/folders.ts, below all that it imports, or remove the row of one that is gone; then `npm run docs`.',
  ).toEqual(Object.keys(folders).toSorted())
})

test.each(Object.entries(folders))('%s imports what its row allows', (name, { imports }) => {
  expect(
    [...(found.get(name) ?? [])].toSorted(),
    `The second text of the row '${name}' in test/support/folders.ts names what its files import: all of it, and nothing else.`,
  ).toEqual(imports.toSorted())
})

test('each folder only imports folders above it, so there is no circle', () => {
  const names = Object.keys(folders)
  const wrong = Object.entries(folders).flatMap(([name, { imports }]) =>
    imports
      .filter((other) => !names.slice(0, names.indexOf(name)).includes(other))
      .map((other) => `${name} imports ${other}`),
  )
  expect(
    wrong,
    'A folder stands below all that it imports in test/support/folders.ts: move its row, or the code that two folders need.',
  ).toEqual([])
})

test('no files import each other in a circle, by types and on demand neither', () => {
  const done = new Set<string>()
  const circles: string[] = []
  function follow(path: string, way: readonly string[]): void {
    if (way.includes(path)) circles.push([...way.slice(way.indexOf(path)), path].join(' > '))
    if (way.includes(path) || done.has(path)) return
    for (const target of imported.get(path) ?? []) follow(target, [...way, path])
    done.add(path)
  }
  for (const path of files) follow(path, [])
  expect(circles, 'Move what both need into a file that imports neither.').toEqual([])
})

test('each folder has at most twelve files that somebody writes', () => {
  const counts = new Map<string, number>()
  for (const path of files.filter((name) => !name.endsWith('.gen.ts')))
    counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
  const large = [...counts].filter(([name, count]) => count > 12 && !folders[name]?.large)
  expect(
    large,
    'Divide the folder by topic, or give the reason as the third text of its row in test/support/folders.ts.',
  ).toEqual([])
})
