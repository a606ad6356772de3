/** TypeScript before 7 with `moduleResolution: node`, the default of `module: commonjs`, knows no `exports`. */
import { readFileSync, symlinkSync, mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

import { makeFolder } from '../../support/folder.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  types: string
  exports: Record<string, string | { types: string }>
  typesVersions: Record<string, Record<string, string[]>>
}
const entries = Object.entries(manifest.exports)
  .filter(([entry]) => !/\*|package\.json$/.test(entry))
  .map(([entry, target]) => ({
    name: entry.slice(2),
    types: typeof target === 'string' ? target : target.types,
  }))

test('typesVersions lists the types of every entry', () => {
  const { '*': versions = {}, ...others } = manifest.typesVersions
  expect(others).toEqual({})
  expect({ '': [manifest.types], ...versions }).toEqual(
    Object.fromEntries(entries.map(({ name, types }) => [name, [types]])),
  )
})

/** The part of TypeScript 5 that the test uses. The repository itself is compiled by TypeScript 7, which lacks this mode. */
interface TypeScript5 {
  ModuleKind: { CommonJS: number }
  ModuleResolutionKind: { Node10: number }
  createProgram: (files: string[], options: object) => object
  getPreEmitDiagnostics: (program: object) => readonly { code: number; messageText: unknown }[]
}

test('every entry has types with module: commonjs', () => {
  const require = createRequire(join(root, 'node_modules/@arethetypeswrong/core/package.json'))
  const typescript = require('typescript') as TypeScript5
  const imports = entries.map(({ name }, place) => {
    const path = name === '' ? 'petstore-kit' : `petstore-kit/${name}`
    return `import * as entry${place} from '${path}'\nvoid entry${place}`
  })
  const wrong = [
    `import { type Pet } from 'petstore-kit'`,
    `export const pet: Pet = { id: 'one', name: 'Rex', categoryId: 1 }`,
  ]
  const folder = makeFolder({ 'main.ts': [...imports, ...wrong].join('\n') })
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules/petstore-kit'))
  const program = typescript.createProgram([join(folder, 'main.ts')], {
    module: typescript.ModuleKind.CommonJS,
    moduleResolution: typescript.ModuleResolutionKind.Node10,
    target: 9,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    resolveJsonModule: true,
    types: [],
  })
  const found = typescript.getPreEmitDiagnostics(program)
  // Only the mistake: the types are there, and are no `any`.
  expect(found.map(({ code }) => code)).toEqual([2322])
})
