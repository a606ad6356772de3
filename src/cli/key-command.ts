import { UsageError } from '../errors.ts'
import { mayContainSandboxKey, sandboxKey, sandboxName } from '../mock/sandbox-key.ts'
import { flagsOf } from '../options.ts'
import type { Command } from './command.ts'

export const command: Command = {
  usage: ['petstore key NAME...', 'petstore key --check KEY'],
  about: `Prints the key of each sandbox, one per line. A client that sends the key to a mock has its own
pets, rules and journal. The same name always gives the same key. A name of up to 40 lowercase
letters, digits and hyphens is used as it is; any other name is shortened and gets a hash, so
that two names never share a sandbox.`,
  flags: flagsOf('Options', {
    'check KEY': 'check whether this key is complete and unchanged; exit with 1 if not',
  }),
  examples: [
    'petstore key team-a',
    'petstore key "Checkout, Firefox" team-b',
    'petstore key --check petstore_sandbox_team-a_4fc23396',
  ],
  notes: `Exit codes:
  0  the keys were printed, or with --check: the key is valid
  1  with --check: the key is not valid
  2  the command line is wrong`,
  async run({ print }, flags) {
    const checked = flags.text('check')
    if (checked !== undefined) {
      if (flags.words.length > 0) throw new UsageError('petstore key takes names, or --check and one key')
      const { text, isWhole } = check(checked)
      await print(text)
      return isWhole ? 0 : 1
    }
    if (flags.words.length === 0) throw new UsageError('petstore key needs the name of a sandbox: petstore key team-a')
    if (flags.words.includes('')) throw new UsageError('the name of a sandbox must not be empty')
    // A key in place of a name is a mistake; the message does not repeat it.
    if (flags.words.some((name) => mayContainSandboxKey(name.toLowerCase()))) {
      throw new UsageError('petstore key takes names, not keys; petstore key --check KEY checks one')
    }
    await print(flags.words.map((name) => `${sandboxKey(name)}\n`).join(''))
    return 0
  },
}

function check(key: string): { text: string; isWhole: boolean } {
  const name = sandboxName(key)
  if (name !== undefined) return { text: `The key is valid and opens the sandbox ${name}.\n`, isWhole: true }
  const why = mayContainSandboxKey(key.toLowerCase())
    ? 'it was truncated, extended or changed. petstore key NAME creates it again.'
    : 'a sandbox key begins with petstore_sandbox_.'
  return { text: `This is not a valid sandbox key: ${why}\n`, isWhole: false }
}
