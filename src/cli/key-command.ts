import { UsageError } from '../errors.ts'
import { mayHoldSandboxKey, sandboxKey, sandboxName } from '../mock/sandbox-key.ts'
import { type Flag, parseFlags, showFlags } from '../options.ts'
import type { Console } from './console.ts'

/** The options of `petstore key`. */
export const keyFlags: Flag[] = [
  { name: 'check', value: 'KEY', help: 'tell whether this key is whole, and exit with 1 when it is not' },
]

const usage = `Usage: petstore key NAME...
       petstore key --check KEY

Prints the key of each sandbox, a line each. Whoever sends it to a mock has pets, rules
and a journal alone. The key is made from the name: the same name, the same key.
A name is made of 1 to 40 lower-case letters and digits, with hyphens in between.

Options:
${showFlags(keyFlags)}

Exit codes:
  0  the keys are printed; the key is whole
  1  the key that was to be checked is not whole
  2  the command line is wrong
`

/** `petstore key`: makes the keys of sandboxes, and checks one. Returns the exit code. */
export async function keyCommand(console: Console): Promise<number> {
  if (console.args.includes('--help')) {
    await console.print(usage)
    return 0
  }
  const flags = parseFlags(keyFlags, console.args, console.env)
  const checked = flags.text('check')
  if (checked !== undefined) {
    if (flags.words.length > 0) throw new UsageError('petstore key takes names, or --check and one key')
    const { text, isWhole } = check(checked)
    await console.print(text)
    return isWhole ? 0 : 1
  }
  if (flags.words.length === 0) throw new UsageError('petstore key needs the name of a sandbox: petstore key team-a')
  await console.print(
    toKeys(flags.words)
      .map((key) => `${key}\n`)
      .join(''),
  )
  return 0
}

/** What is no name is not repeated: it may be a key. */
function toKeys(names: readonly string[]): string[] {
  const keys = names.map((name) => {
    try {
      return sandboxKey(name)
    } catch {
      return undefined
    }
  })
  const wrong = keys.flatMap((key, index) => (key === undefined ? [index + 1] : []))
  if (wrong.length === 0) return keys as string[]
  const which = names.length === 1 ? 'this one is not' : `not so number ${wrong.join(', ')} of ${names.length}`
  throw new UsageError(
    `the name of a sandbox is made of 1 to 40 lower-case letters and digits, with hyphens in between; ${which}`,
  )
}

function check(key: string): { text: string; isWhole: boolean } {
  const name = sandboxName(key)
  if (name !== undefined) return { text: `The key is whole: it is that of the sandbox ${name}.\n`, isWhole: true }
  const why = mayHoldSandboxKey(key.toLowerCase())
    ? 'it was cut, lengthened or changed. petstore key NAME makes it anew.'
    : 'a sandbox key begins with petstore_sandbox_.'
  return { text: `This is not the key of a sandbox: ${why}\n`, isWhole: false }
}
