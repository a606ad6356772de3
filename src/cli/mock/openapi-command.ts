import { UsageError } from '../../errors.ts'
import { flagsOf } from '../../options.ts'
import type { Command } from '../command.ts'
import { documentedUrl, readInterface } from '../../mock/http/interface-document.ts'
import type { InterfaceForm } from '../../mock/control/routes/route.ts'
import { prepareOutputs, writeOutputs } from '../outputs.ts'

export const command: Command = {
  usage: ['petstore openapi [options]'],
  about: 'Prints the OpenAPI document of the Pet Store Service, for client generators and viewers.',
  flags: flagsOf('Options', {
    'openapi VERSION': {
      oneOf: ['3.1', '3.0'],
      default: '3.1',
      help: 'the version of OpenAPI: 3.1, or 3.0 (with 4XX and 5XX instead of default) for generators that do not support 3.1',
    },
    yaml: 'print YAML (default: JSON)',
    'server URL': {
      check: (text) =>
        /^https?:/.test(text) && URL.canParse(text)
          ? undefined
          : `must be a URL, such as ${documentedUrl}`,
      help: `the base URL of the document (default: ${documentedUrl})`,
    },
    'output FILE': 'write it to this file (default: stdout)',
  }),
  examples: [
    'petstore openapi --output openapi.json',
    'petstore openapi --openapi 3.0 --output openapi-3.0.json',
    'petstore openapi --server http://127.0.0.1:4011/v1 --output openapi.json',
  ],
  exitCodes: {
    0: 'the document was printed',
    4: 'the file could not be written',
  },
  async run(console, flags) {
    const [word] = flags.words
    if (word !== undefined)
      throw new UsageError(`petstore openapi takes options only, not ${JSON.stringify(word)}`)
    const server = flags.text('server')
    const printed = await readInterface({
      openapi: flags.text('openapi') as InterfaceForm['openapi'],
      yaml: flags.has('yaml'),
      server: server && new URL(server).href.replace(/\/$/, ''),
    })
    const outputs = [{ name: 'openapi', file: flags.text('output'), render: () => printed }]
    await prepareOutputs(outputs)
    return writeOutputs(console, outputs, undefined)
  },
}
