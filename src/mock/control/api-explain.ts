import { type Choice, choices } from '../../spec/choices.ts'
import { type Clause, clauses } from '../../spec/clauses.ts'
import { json, problem } from './api-replies.ts'
import type { Route } from './api-route.ts'

const allClauses: readonly Clause[] = clauses
const allChoices: readonly Choice[] = choices

/** What an id of the header `Petstore-Explain` stands for. */
type Explanation =
  | ({ kind: 'clause' } & Required<Pick<Clause, 'restates'>> & Omit<Clause, 'restates'>)
  | ({ kind: 'choice'; chosen?: string } & Choice)

/** What the specification says where an answer comes from. */
export const explainRoutes: readonly Route[] = [
  {
    id: 'explain',
    method: 'GET',
    path: '/explain/{id}',
    summary: 'What a clause or a choice says',
    description:
      'The id stands in the header `Petstore-Explain` of an answer: a clause, a choice, or a choice and its option as in ' +
      '`list.order=newest-first`.',
    replies: {
      200: { description: 'The words of the specification.', schema: 'Explanation' },
      404: { description: 'There is neither a clause nor a choice with this id.', schema: 'Error' },
    },
    handle({ path: { id = '' } }) {
      const explanation = explain(id)
      if (explanation === undefined)
        return problem(404, `There is neither a clause nor a choice ${JSON.stringify(id)}.`)
      return json(200, explanation)
    },
  },
]

function explain(id: string): Explanation | undefined {
  const clause = allClauses.find((candidate) => candidate.id === id)
  if (clause !== undefined) return { kind: 'clause', ...clause, restates: clause.restates ?? [] }
  const [name, ...option] = id.split('=')
  const choice = allChoices.find((candidate) => candidate.id === name)
  if (choice === undefined) return undefined
  if (option.length === 0) return { kind: 'choice', ...choice }
  const chosen = option.join('=')
  const isLawful =
    choice.free !== undefined || /^4\d\d$/.test(chosen) || choice.options.some(({ value }) => value === chosen)
  return isLawful ? { kind: 'choice', ...choice, chosen } : undefined
}
