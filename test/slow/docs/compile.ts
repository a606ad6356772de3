/** Compiles code that users see, in a strict project inside this package, whose entries it imports by name. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { root } from './blocks.ts'

const compiler = join(root, 'node_modules/typescript/bin/tsc')

/** Declares the names that code of a page may use without an import. */
const preamble = `/// <reference path="../programs/globals.d.ts" />\n`

const configOf = (language: string): object => ({
  extends: '../../../../tsconfig.json',
  compilerOptions: {
    noEmit: false,
    outDir: 'out',
    rootDir: '.',
    lib: ['es2023', 'dom'],
    ...(language === 'js' && {
      allowJs: true,
      checkJs: true,
      strict: false,
      exactOptionalPropertyTypes: false,
    }),
    allowImportingTsExtensions: false,
    rewriteRelativeImportExtensions: false,
    noUncheckedIndexedAccess: false,
  },
  include: [`*.${language}`],
})

export interface Compiled {
  /** What the compiler says; empty if all is right. */
  problems: string
  /** The path of the program that a block became. */
  programOf: (index: number) => string
  remove: () => void
}

/** Writes each text as a module of its own, and compiles all of a language together. */
export function compile(texts: readonly { language: string; text: string }[]): Compiled {
  const folder = mkdtempSync(join(root, 'test/slow/docs/.code-'))
  for (const [index, { language, text }] of texts.entries())
    writeFileSync(join(folder, `block${index}.${language}`), preamble + text)
  const problems = [...new Set(texts.map(({ language }) => language))].map((language) => {
    writeFileSync(join(folder, `${language}.json`), JSON.stringify(configOf(language)))
    const args = [compiler, '-p', `${language}.json`]
    return spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' }).stdout
  })
  return {
    problems: problems.join(''),
    programOf: (index) => join(folder, `out/block${index}.js`),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
