import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { UsageError } from '../../errors.ts'
import { flagsOf } from '../../options.ts'
import type { Command } from '../command.ts'
import { prepareOutputs, writeOutputs } from '../verify/outputs.ts'

/** The server in the document. */
const documentedUrl = 'http://127.0.0.1:4010/v1'

export const command: Command = {
  usage: ['petstore openapi [options]'],
  about: 'Prints the OpenAPI document of the Pet Store Service, for client generators and viewers.',
  flags: flagsOf('Options', {
    '3.0':
      'print OpenAPI 3.0.3, with 4XX and 5XX instead of default, for generators that do not support 3.1',
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
    'petstore openapi --3.0 --output openapi-3.0.json',
    'petstore openapi --server http://127.0.0.1:4011/v1 --output openapi.json',
  ],
  async run(console, flags) {
    const [word] = flags.words
    if (word !== undefined)
      throw new UsageError(`petstore openapi takes options only, not ${JSON.stringify(word)}`)
    const server = flags.text('server')
    const json = createRequire(import.meta.url).resolve('petstore-kit/openapi.json')
    const ending = `${flags.has('3.0') ? '-3.0' : ''}.${flags.has('yaml') ? 'yaml' : 'json'}`
    const document = await readFile(json.replace(/\.json$/, ending), 'utf8')
    const printed =
      server === undefined
        ? document
        : document.replace(documentedUrl, () => new URL(server).href.replace(/\/$/, ''))
    const outputs = [{ name: 'openapi', file: flags.text('output'), render: () => printed }]
    await prepareOutputs(outputs)
    return writeOutputs(console, outputs, undefined)
  },
}
