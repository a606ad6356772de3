import { isBuiltin } from 'node:module'
import { gzipSync } from 'node:zlib'

import { build, type Rolldown } from 'vite'
import { expect, test } from 'vitest'

const root = new URL('../../', import.meta.url)

interface Bundle {
  code: string
  /** Paths of the modules that are in it. */
  modules: string[]
  /** What is imported at run time. */
  imports: string[]
  /** What any of the modules wanted to import. */
  asked: string[]
}

/** Bundles one file for browsers, as an application does that uses all of it. */
async function bundle(file: string, external: string[] = []): Promise<Bundle> {
  const asked: string[] = []
  const built = await build({
    configFile: false,
    logLevel: 'error',
    plugins: [{ name: 'note-imports', resolveId: { order: 'pre', handler: (source) => void asked.push(source) } }],
    build: {
      write: false,
      target: 'es2023',
      lib: { entry: new URL(file, root).pathname, formats: ['es'], fileName: 'face' },
      minify: true,
      rolldownOptions: { external },
    },
  })
  const outputs = ([built].flat() as Rolldown.RolldownOutput[]).flatMap(({ output }) => output)
  const [chunk, ...more] = outputs.filter((one) => one.type === 'chunk')
  if (chunk === undefined || more.length > 0) throw new Error(`There are ${outputs.length} files, not one.`)
  const modules = chunk.moduleIds.map((id) => id.replace(root.pathname, ''))
  return { code: chunk.code, modules, imports: chunk.imports, asked }
}

test.each([
  ['src/mock/adapters/fetch.ts', []],
  ['src/mock/adapters/msw.ts', ['msw']],
  ['src/mock/fixtures.ts', []],
])('%s runs without Node, without eval, and without what only servers need', async (file, external) => {
  const { code, modules, imports, asked } = await bundle(file, external)
  expect(asked.filter((source) => isBuiltin(source))).toEqual([])
  expect(imports).toEqual(external)
  expect(code).not.toMatch(/\beval\(|\bFunction\(/)
  expect(
    modules.filter((id) => /deviations\/|adapters\/(node|undici)|control\/api|start\.ts|contract\//.test(id)),
  ).toEqual([])
  expect(gzipSync(code, { level: 9 }).length).toBeLessThan(60_000)
})
