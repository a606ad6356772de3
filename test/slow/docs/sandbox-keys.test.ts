/** The algorithm of the key of a sandbox on docs/how-to/parallel-tests.md, in each language whose tools are installed. */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

import { sandboxKey } from '../../../src/mock/index.ts'
import { makeFolder } from '../../support/folder.ts'

const page = readFileSync(
  new URL('../../../docs/how-to/parallel-tests.md', import.meta.url),
  'utf8',
)
const codeOf = (language: string): string =>
  new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(page)?.[1] ?? ''
const names = ['a', 'our-shop', 'worker-12', 'x0123456789-0123456789-0123456789-012345']

const programs: [
  tool: string,
  version: string,
  language: string,
  file: string,
  whole: string,
  args: string[],
][] = [
  [
    'python3',
    '--version',
    'python',
    'key.py',
    `${codeOf('python')}\nimport sys\nfor name in sys.argv[1:]: print(sandbox_key(name))\n`,
    [],
  ],
  [
    'java',
    '-version',
    'java',
    'Key.java',
    `class Key { ${codeOf('java')}\npublic static void main(String[] names) { for (String name : names) System.out.println(sandboxKey(name)); } }`,
    [],
  ],
  [
    'go',
    'version',
    'go',
    'key.go',
    `package main\nimport ("fmt"; "os")\n${codeOf('go')}\nfunc main() { for _, name := range os.Args[1:] { fmt.Println(sandboxKey(name)) } }`,
    ['run'],
  ],
]

for (const [tool, version, language, file, whole, args] of programs) {
  test.skipIf(spawnSync(tool, [version]).status !== 0)(
    `in ${language}`,
    { timeout: 120_000 },
    () => {
      expect(codeOf(language)).not.toBe('')
      const path = join(makeFolder(), file)
      writeFileSync(path, whole)
      const keys = execFileSync(tool, [...args, path, ...names], { encoding: 'utf8' })
        .trim()
        .split(/\r?\n/)
      expect(keys).toEqual(names.map((name) => sandboxKey(name)))
    },
  )
}
