import { UsageError } from '../../errors.ts'
import { mayContainSandboxKey, sandboxKey } from '../../mock/service/sandbox-key.ts'
import type { Command } from '../command.ts'

export const command: Command = {
  usage: ['petstore key NAME...'],
  about: `Prints the key of each sandbox, one per line. A client that sends the key to a mock has its own
pets, rules and journal. The same name always gives the same key. A name of up to 40 lowercase
letters, digits and hyphens is used as it is; any other name is shortened and gets a hash, so
that two names never share a sandbox.`,
  flags: [],
  examples: [
    'petstore key team-a',
    'petstore key "Checkout, Firefox" team-b',
    'petstore key "$(git branch --show-current)"',
  ],
  exitCodes: {
    0: 'the keys were printed',
  },
  async run({ print }, flags) {
    if (flags.words.length === 0)
      throw new UsageError('petstore key needs the name of a sandbox: petstore key team-a')
    if (flags.words.includes('')) throw new UsageError('the name of a sandbox must not be empty')
    // A key instead of a name is a mistake; the message does not repeat it.
    if (flags.words.some((name) => mayContainSandboxKey(name.toLowerCase()))) {
      throw new UsageError('petstore key takes names, not keys')
    }
    await print(flags.words.map((name) => `${sandboxKey(name)}\n`).join(''))
    return 0
  },
}
