/** The examples in docstrings, which an editor shows at a name of the package, compile in a strict project. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readPage, root } from './blocks.ts'
import { compile } from './compile.ts'

/** The entry that exports a name; the first of several. */
const entryOf = new Map<string, string>()
const { exports: entries } = JSON.parse(readPage('package.json')) as {
  exports: Record<string, { default?: string }>
}
for (const [entry, { default: file }] of Object.entries(entries)) {
  if (file?.endsWith('.js') !== true) continue
  const names = Object.keys((await import(join(root, file))) as object)
  for (const name of names)
    if (!entryOf.has(name)) entryOf.set(name, entry.replace('.', 'petstore-kit'))
}

/** What the examples use of others, or of the code around them. */
const around: Readonly<Record<string, string>> = {
  setupServer: `import { setupServer } from 'msw/node'`,
  request: `import { request } from 'undici'`,
  lastWeek: `declare const lastWeek: import('petstore-kit').Report`,
  today: `declare const today: import('petstore-kit').Report`,
  staging: `declare const staging: string`,
  production: `declare const production: string`,
}

/** The examples of what a file exports to users, as modules with the imports that an editor adds. */
function examplesIn(file: string): { file: string; language: string; text: string }[] {
  const source = readFileSync(join(root, 'src', file), 'utf8')
  const declared = /\/\*\*((?:(?!\*\/)[^])*)\*\/\nexport (?:async )?(?:function|const|class) (\w+)/g
  return [...source.matchAll(declared)].flatMap(([, comment = '', name = '']) =>
    entryOf.has(name) ? examplesOf(comment).map((text) => ({ file, language: 'ts', text })) : [],
  )
}

function examplesOf(comment: string): string[] {
  const tags = comment.replaceAll(/^ *\* ?/gm, '').split(/^@(?=[a-z])/m)
  return tags
    .filter((tag) => tag.startsWith('example'))
    .map((tag) => {
      const code = tag.slice('example'.length).trim()
      const names = new Set(code.match(/(?<!\w|(?<!\.\.)\.|['"-])\b[a-z]\w+\b(?!:)/gi))
      const imported = new Set(
        [...code.matchAll(/^import \{(.*)\} from/gm)].flatMap(([, list = '']) =>
          list.match(/\w+/g),
        ),
      )
      const lines = [...names].flatMap((name) => {
        const entry = entryOf.get(name)
        if (imported.has(name)) return []
        return around[name] ?? (entry === undefined ? [] : `import { ${name} } from '${entry}'`)
      })
      return [...lines, code, 'export {}', ''].join('\n')
    })
}

test('each compiles', () => {
  const examples = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap(examplesIn)
  expect(examples.length).toBeGreaterThanOrEqual(16)
  const { problems, remove } = compile(examples)
  remove()
  const named = problems.replaceAll(
    /block(\d+)\.ts/g,
    (block, index: string) => `${block} (${examples[Number(index)]?.file})`,
  )
  expect(named).toBe('')
})
