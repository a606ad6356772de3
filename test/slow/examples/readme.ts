import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The first command in the README of an example, which runs its tests in the mock. */
export function commandIn(folder: string): string {
  const readme = readFileSync(join(folder, 'README.md'), 'utf8')
  const [, command] = /```sh\n(npx petstore-kit exec .*)\n/.exec(readme) ?? []
  if (command === undefined) throw new Error(`The README in ${folder} shows no command`)
  return command
}
