import { painter, wrap } from '../report/text.ts'
import { ruleFields, schemas } from '../mock/schemas/schemas.ts'
import { type Console, wantsColor, widthOf } from './command.ts'
import { asStarted } from './invocation.ts'

interface Schema {
  description?: string
  'x-expected'?: string
}

const { Rule, RuleCondition, RuleReply, Delay, Fault, TextMatcher } = schemas

const tables: Readonly<Record<string, Readonly<Record<string, Schema>>>> = {
  'Fields of a rule': ruleFields,
  'Fields of when': RuleCondition.properties,
  'Fields of reply': RuleReply.properties,
  Values: { delayMs: Delay, fault: Fault, 'a matcher': TextMatcher },
}

const example = [
  { when: { operation: 'listPets' }, reply: { status: 503 }, times: 2 },
  { when: { body: { name: { contains: 'Rex' } } }, reply: { status: 400 } },
  { sequence: [{ delayMs: { from: 100, to: 300 } }, { fault: 'reset' }] },
]

const left = '  '.padEnd(13)

/** Descriptions without what concerns only readers of the schema. */
const textOf = ({ description, 'x-expected': expected }: Schema): string =>
  (description ?? `${expected}.`)
    .replaceAll(', which the schema does not express', '')
    .replaceAll('`', '')

/** The text of `petstore help rules`: what the fields of rules do, from their schema. */
export function show(console: Console): string {
  const paint = painter(wantsColor(console, console.terminal.stdout))
  const width = widthOf(console)
  const lines = [
    ...wrap(
      'petstore mock --rules FILE reads a JSON array of rules; the control API, the console and mock.use take one.',
      width,
    ),
    ...wrap(textOf(Rule), width),
    ...Object.entries(tables).flatMap(([heading, table]) => [
      '',
      paint('bold', `${heading}:`),
      ...Object.entries(table).flatMap(([name, schema]) =>
        wrap(textOf(schema), width, `  ${name}`.padEnd(left.length), left),
      ),
    ]),
    '',
    paint('bold', 'Example:'),
    `  [\n${example.map((rule) => `    ${JSON.stringify(rule)}`).join(',\n')}\n  ]`,
  ]
  return asStarted(`${lines.join('\n')}\n`, console.env)
}
