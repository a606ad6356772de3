import { UsageError } from '../errors.ts'
import { choices, type Choice } from '../spec/choices.ts'
import type { Command } from './command.ts'

export const command: Command = {
  usage: ['petstore profile list'],
  about: `Lists every unspecified behavior and its options. petstore compare shows in which of them two
deployments or reports differ.`,
  flags: [],
  examples: [
    'petstore profile list',
    'petstore mock --choose list.order=oldest-first',
    'petstore compare staging.json production.json',
  ],
  async run({ print }, { words }) {
    if (words.join(' ') !== 'list') {
      throw new UsageError('petstore profile takes list; petstore compare shows where two reports differ')
    }
    await print(list())
    return 0
  },
}

function list(): string {
  const entries = (choices as readonly Choice[]).flatMap(
    ({ id, question, quote, options, free, default: fallback }) => [
      id,
      `  ${question}`,
      `  unspecified in: "${quote}"`,
      ...options.map(({ value, meaning }) => `    ${value}${value === fallback ? ' (default)' : ''}: ${meaning}`),
      ...(free === undefined ? [] : [`    ${free}, as a text; ${fallback} (default)`]),
      '',
    ],
  )
  return entries.join('\n')
}
