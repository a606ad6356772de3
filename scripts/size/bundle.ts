import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build, minifySync, type Plugin, type Rolldown } from 'vite'

/** A script that a browser loads. */
export interface Bundle {
  /** Bytes, minified. */
  minified: number
  /** Bytes, minified and compressed by gzip at its best. */
  gzip: number
  /** Minified bytes of each module, by its path in dist/, such as `mock/store.js`. */
  modules: ReadonlyMap<string, number>
  /** Packages that it imports and does not contain. */
  imports: readonly string[]
}

/**
 * What a page gets that uses a face: the bundle of a script, as Vite builds it for production.
 *
 * @param root the folder of the package, with dist/.
 * @param script imports from `dist/`, such as `import { createHandlers } from 'dist/mock/adapters/msw.js'`.
 * @param replaced the text of some modules, by their path in dist/.
 */
export async function bundle(
  root: string,
  script: string,
  replaced: Readonly<Record<string, string>> = {},
): Promise<Bundle> {
  const dist = join(root, 'dist/')
  const entry = '\0script.js'
  const plugin: Plugin = {
    name: 'script',
    enforce: 'pre',
    resolveId(id) {
      if (id === 'script' || id === entry) return entry
      if (id.startsWith('dist/')) return join(root, id)
      // The page has its own msw.
      return /^[./\0]/.test(id) ? undefined : { id, external: true }
    },
    load(id) {
      if (id === entry) return script
      return id.startsWith(dist) ? replaced[id.slice(dist.length)] : undefined
    },
  }
  const output = (await build({
    root,
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    plugins: [plugin],
    build: { write: false, modulePreload: false, rolldownOptions: { input: 'script' } },
  })) as Rolldown.RolldownOutput
  const chunks = output.output.filter((part) => part.type === 'chunk')
  const code = chunks.map((chunk) => chunk.code).join('')
  const modules = chunks.flatMap((chunk) => Object.entries(chunk.modules))
  return {
    minified: Buffer.byteLength(code),
    gzip: chunks.reduce((sum, chunk) => sum + gzipSync(chunk.code, { level: 9 }).length, 0),
    modules: new Map(
      modules
        .filter(([id]) => id.startsWith(dist))
        .map(([id, module]) => [id.slice(dist.length), minifiedBytes(id, module.code ?? '')]),
    ),
    imports: [...new Set(chunks.flatMap((chunk) => chunk.imports))].filter((id) => !id.includes('assets/')),
  }
}

/** A module alone is not compressed: nothing in it would seem to be used. */
function minifiedBytes(id: string, code: string): number {
  const { code: minified } = minifySync(id, code, { module: true, compress: false, mangle: { toplevel: true } })
  return Buffer.byteLength(minified)
}

/** The text of a module of dist/ whose lists of words are empty. */
export function withoutWords(root: string): Record<string, string> {
  const file = 'mock/seed-words.js'
  const text = readFileSync(join(root, 'dist', file), 'utf8')
  const empty = text.replaceAll(/\[[^\]]*\]/g, '[]')
  if (empty === text) throw new Error(`dist/${file} holds no lists any more.`)
  return { [file]: empty }
}
