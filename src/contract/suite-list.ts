import { clauses } from '../spec/clauses.ts'
import type { Clause } from '../spec/clauses.ts'
import { checks } from './checks/index.ts'

/** The clauses and checks of the suite as text, for `petstore verify --list`. */
export function listSuite(): string {
  const ofClause = (id: string): string[] =>
    checks.filter((check) => check.clauses.some((one) => one === id)).map((check) => check.id)
  const clauseLines = (clauses as readonly Clause[]).flatMap(({ id, section, quote, untestable }) => {
    const by = ofClause(id)
    const how =
      untestable === undefined
        ? `checked by ${by.length === 0 ? 'every-response' : by.join(', ')}`
        : `not testable: ${untestable}`
    return [id, `  ${section}: "${quote}"`, `  ${how}`]
  })
  const checkLines = [
    ...checks.flatMap(({ id, title, writes }) => [
      id,
      `  ${title}${writes === 0 ? '' : `; creates ${writes} ${writes === 1 ? 'pet' : 'pets'}`}`,
    ]),
    'every-response',
    '  Each answer of the three operations is judged: media type, JSON, the fields of Pet and Error',
  ]
  return ['Clauses', '', ...clauseLines, '', 'Checks', '', ...checkLines, ''].join('\n')
}
