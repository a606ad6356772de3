import { isBuiltin } from 'node:module'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

import { build, type Rolldown } from 'vite'
import { expect, test } from 'vitest'

const root = new URL('../../../', import.meta.url)

interface Bundle {
  /** The code that a page loads initially. */
  code: string
  modules: string[]
  later: string[]
  imports: string[]
  /** All import specifiers of the modules. */
  specifiers: string[]
}

/** Bundles one file for browsers, with all of its exports. */
async function bundle(file: string, external: string[] = []): Promise<Bundle> {
  const specifiers: string[] = []
  const built = await build({
    configFile: false,
    logLevel: 'error',
    plugins: [
      {
        name: 'note-imports',
        resolveId: { order: 'pre', handler: (source) => void specifiers.push(source) },
      },
    ],
    build: {
      write: false,
      target: 'es2023',
      lib: { entry: fileURLToPath(new URL(file, root)), formats: ['es'], fileName: 'adapter' },
      minify: true,
      rolldownOptions: { external },
    },
  })
  const outputs = ([built].flat() as Rolldown.RolldownOutput[]).flatMap(({ output }) => output)
  const chunks = outputs.filter((one) => one.type === 'chunk')
  const files = new Set(chunks.map(({ fileName }) => fileName))
  const names = new Set(chunks.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName))
  // The set grows while it is iterated: the static imports of a chunk are loaded with it.
  for (const name of names) {
    for (const other of chunks.find(({ fileName }) => fileName === name)?.imports ?? [])
      names.add(other)
  }
  const first = chunks.filter(({ fileName }) => names.has(fileName))
  const modulesOf = (some: readonly Rolldown.OutputChunk[]): string[] =>
    some.flatMap(({ moduleIds }) => moduleIds.map((id) => id.replace(root.pathname, '')))
  return {
    code: first.map(({ code }) => code).join(''),
    modules: modulesOf(first),
    later: modulesOf(chunks.filter(({ fileName }) => !names.has(fileName))),
    imports: chunks.flatMap((chunk) => chunk.imports).filter((name) => !files.has(name)),
    specifiers,
  }
}

test.each([
  ['src/mock/adapters/fetch.ts', []],
  ['src/mock/adapters/msw.ts', ['msw']],
  ['src/mock/pets/fixtures.ts', []],
])('%s contains no Node modules, no eval and no code for servers', async (file, external) => {
  const { code, modules, later, imports, specifiers } = await bundle(file, external)
  expect(specifiers.filter((source) => isBuiltin(source))).toEqual([])
  expect(imports).toEqual(external)
  expect(code).not.toMatch(/\beval\(|\bFunction\(/)
  const ofServers = /defects\/|adapters\/(node|undici)|mock\/control\/|start\.ts|contract\//
  expect([...modules, ...later].filter((id) => ofServers.test(id))).toEqual([])
  expect(modules.filter((id) => id.includes('scorecard/'))).toEqual([])
  expect(gzipSync(code, { level: 9 }).length).toBeLessThan(60_000)
})
