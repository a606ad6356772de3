/** The imports of each entry of the package, and the absence of side effects. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { importGraph } from './import-graph.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const dist = join(root, 'dist')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  name: string
  sideEffects: boolean
  exports: Record<string, string | { default: string }>
  scripts: Record<string, string>
}

const suite = ['crypto', 'events', 'http', 'https', 'net', 'tls', 'zlib'].map(
  (name) => `node:${name}`,
)
const server = ['buffer', 'http', 'net', 'perf_hooks', 'stream', 'timers', 'v8'].map(
  (name) => `node:${name}`,
)
/** External imports of each entry at load time. */
const packages: Record<string, string[]> = {
  '.': [...new Set([...server, ...suite])].toSorted(),
  './mock': server,
  './contract': suite,
  './vitest': [...suite, 'vitest'],
  './msw': ['msw'],
  './fetch': [],
  './playwright': server,
  './undici': ['node:buffer', 'node:querystring', 'node:stream', 'undici'],
  './fixtures': [],
  './types': [],
  './json': [],
  './control': [],
}

/** External imports on demand: for the files of the console, shared mocks and HTTPS. */
const controlled =
  'ioredis node:crypto node:fs/promises node:http2 node:querystring node:tls'.split(' ')
const later: Record<string, string[]> = {
  '.': controlled.filter((name) => !suite.includes(name)),
  './mock': controlled,
  './playwright': controlled,
}

/** The code entries with their import graphs. */
const entries = Object.entries(manifest.exports).flatMap(([entry, target]) => {
  if (typeof target === 'string') return []
  return [{ entry, graph: importGraph(dist, join(root, target.default)) }]
})
const graphOf = (name: string) => {
  const found = entries.find(({ entry }) => entry === name)
  if (found === undefined) throw new Error(`There is no entry ${name}.`)
  return found.graph
}

test.each(entries)('$entry imports only the listed packages', ({ entry, graph }) => {
  expect(graph.now.packages).toEqual(packages[entry])
  expect(graph.later.packages).toEqual(later[entry] ?? [])
})

test('the list has every entry', () => {
  expect(Object.keys(packages).toSorted()).toEqual(entries.map(({ entry }) => entry).toSorted())
})

test.each(['./contract', './vitest'])('%s loads the mock only for a violation', (entry) => {
  const { now, later } = graphOf(entry)
  const ofMock = (module: string): boolean => module.startsWith('mock/')
  expect(now.modules.filter(ofMock)).toEqual([])
  expect(later.modules).toContain('mock/sandbox/mock.js')
  expect(later.modules.filter((module) => /^mock\/(control|server|shared)\b/.test(module))).toEqual(
    [],
  )
})

test('the suite itself loads nothing of the mock', () => {
  const { now, later } = importGraph(dist, join(dist, 'contract/index.js'))
  expect([...now.modules, ...later.modules].filter((module) => module.startsWith('mock/'))).toEqual(
    [],
  )
})

test.each(['./mock', './msw', './fetch', './undici', './fixtures'])(
  '%s loads nothing of the suite',
  (entry) => {
    const { now, later } = graphOf(entry)
    expect(
      [...now.modules, ...later.modules].filter((module) => /^(contract|cli)\b/.test(module)),
    ).toEqual([])
  },
)

test.each(['./msw', './fetch', './undici'])(
  '%s loads neither the defects nor the control API',
  (entry) => {
    const { now, later } = graphOf(entry)
    const found = [...now.modules, ...later.modules].filter((module) =>
      /mock\/(defects|control)\/\w/.test(module),
    )
    expect(found.filter((module) => module !== 'mock/defects/defect.js')).toEqual([])
  },
)

test('types has only types', () => {
  expect(graphOf('./types').now.modules).toEqual(['types.js'])
})

/** A script that prints the global state before and after the import of each entry, with other packages preloaded. */
const watch = (names: readonly string[], others: readonly string[]): string => `
  for (const other of ${JSON.stringify(others)}) await import(other)
  const look = () => ({
    globals: Reflect.ownKeys(globalThis).map(String).toSorted(),
    // Ignore file reads of the import itself.
    resources: process.getActiveResourcesInfo().filter((kind) => !/^(FSReq|CloseReq)/.test(kind)),
    listeners: process.eventNames().map((name) => [String(name), process.listenerCount(name)]),
    environment: { ...process.env },
    prototypes: [Object, Array, String, Promise, Map].map((one) => Reflect.ownKeys(one.prototype).length),
  })
  const found = []
  for (const name of ${JSON.stringify(names)}) {
    const before = look()
    const module = await import(name)
    found.push({ name, before, after: look(), exports: Object.keys(module).length })
  }
  console.log(JSON.stringify(found))
`

describe('sideEffects: false', () => {
  test('is set in package.json', () => {
    expect(manifest.sideEffects).toBe(false)
  })

  test('is correct: the import of an entry changes, prints and opens nothing', async () => {
    // The entry for vitest can only be imported within vitest.
    const imported = entries.filter(({ entry }) => entry !== './vitest')
    const names = imported.map(({ entry }) => `${manifest.name}${entry.slice(1)}`)
    const others = new Set(imported.flatMap(({ graph }) => graph.now.packages))
    const args = ['--input-type=module', '-e', watch(names, [...others])]
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: root })
    // On Node 25 and later, the import of MSW prints a warning.
    expect(stderr.replace(/^.*localStorage is not available.*\n.*--trace-warnings.*\n/, '')).toBe(
      '',
    )
    const found = JSON.parse(stdout) as {
      name: string
      before: object
      after: object
      exports: number
    }[]
    expect(found.map(({ name }) => name)).toEqual(names)
    for (const { name, before, after } of found) expect(after, name).toEqual(before)
    expect(found.filter(({ exports }) => exports === 0).map(({ name }) => name)).toEqual([
      `${manifest.name}/types`,
    ])
  })
})

test('attw excludes exactly the JSON entries', () => {
  const excluded =
    /--exclude-entrypoints ((?:\.\/\S+ ?)+)/
      .exec(manifest.scripts['package'] ?? '')?.[1]
      ?.split(' ') ?? []
  const json = Object.keys(manifest.exports).filter(
    (entry) => entry.endsWith('.json') && entry !== './package.json',
  )
  expect(excluded.toSorted()).toEqual(json.toSorted())
})
