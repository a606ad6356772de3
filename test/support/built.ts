import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

const root = fileURLToPath(new URL('../../', import.meta.url))
const [src, dist] = [`${root}src/`, `${root}dist/`]

/** Whether the script that began has just built: `npm test`, `npm run test:slow`. */
export const isBuilt = /^test(?::slow)?$/.test(process.env['npm_lifecycle_event'] ?? '')

/**
 * Tests load what the build made of a module of `src`, which is what users get, and which no worker has to transform. A
 * run of some files by `npx vitest run` loads `src` itself, so that nobody has to build after each change.
 */
const built: Plugin = {
  name: 'built',
  enforce: 'pre',
  async resolveId(source, importer, options) {
    if (!source.endsWith('.ts')) return undefined
    const found = await this.resolve(source, importer, { ...options, skipSelf: true })
    if (found?.id.startsWith(src) !== true) return undefined
    const module = `${dist}${found.id.slice(src.length, -'ts'.length)}js`
    // The console is bundled.
    return existsSync(module) ? module : undefined
  },
}

export const plugins = isBuilt ? [built] : []

/** What Node loads by itself. */
export const external = [/\/dist\//]
