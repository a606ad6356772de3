import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { parseSync } from 'vite'

/** The imports of an entry of the package. Modules are paths in dist/, packages are import specifiers. */
export interface Graph {
  /** Loaded when the entry is imported. */
  now: { modules: string[]; packages: string[] }
  /** Loaded on demand by `import()`. */
  later: { modules: string[]; packages: string[] }
}

interface Imports {
  now: string[]
  later: string[]
}

export function importGraph(dist: string, entry: string): Graph {
  const now = new Set([entry])
  const later = new Set<string>()
  for (const file of now) for (const found of importsOf(file).now) now.add(found)
  const rest = new Set([...now].flatMap((file) => importsOf(file).later))
  for (const file of rest) {
    if (now.has(file)) continue
    later.add(file)
    for (const found of [...importsOf(file).now, ...importsOf(file).later]) rest.add(found)
  }
  return { now: sorted(dist, now), later: sorted(dist, later) }
}

function sorted(dist: string, found: Set<string>): Graph['now'] {
  const all = [...found].toSorted()
  return {
    modules: all.filter((name) => name.startsWith('/')).map((file) => relative(dist, file)),
    packages: all.filter((name) => !name.startsWith('/')),
  }
}

const read = new Map<string, Imports>()

/** Direct imports of a file: files by absolute path, packages and Node modules by name. */
function importsOf(file: string): Imports {
  if (!file.startsWith('/')) return { now: [], later: [] }
  const known = read.get(file)
  if (known !== undefined) return known
  const text = readFileSync(file, 'utf8')
  const { staticImports, staticExports, dynamicImports } = parseSync(file, text).module
  const toName = (specifier: string): string =>
    specifier.startsWith('.') ? join(dirname(file), specifier) : specifier
  const imports = {
    now: [
      ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
      ...staticExports.flatMap(({ entries }) =>
        entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
      ),
    ].map(toName),
    later: dynamicImports.map(({ moduleRequest: { start, end } }) =>
      toName(literal(text.slice(start, end), file)),
    ),
  }
  read.set(file, imports)
  return imports
}

function literal(expression: string, file: string): string {
  const [, specifier] = /^['"]([^'"]+)['"]$/.exec(expression) ?? []
  if (specifier === undefined)
    throw new Error(`${file} imports ${expression}, which is not a literal.`)
  return specifier
}
