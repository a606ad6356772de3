import { operations } from '../../spec/operations.ts'
import { schemas as scorecards } from '../scorecard/validators.gen.ts'

export const text = { type: 'string' } as const
export const instant = { type: 'string', format: 'date-time' } as const
export const count = { type: 'integer', minimum: 0 } as const
export const string = (description: string) => ({ ...text, description })
export const countOf = (description: string) => ({ ...count, description })
export const array = (items: object, description?: string) => ({
  type: 'array',
  items,
  ...(description !== undefined && { description }),
})
const headers = {
  type: 'object',
  additionalProperties: { anyOf: [text, array(text)] },
} as const
export const words = {
  quote: text,
  sentence: string('The quote, or a full sentence if it is a table row.'),
}
export const ref = <Name extends string>(name: Name) => ({ $ref: `#/components/schemas/${name}` as const })

/** @param optional names of fields that are not required. */
export function object(properties: Readonly<Record<string, object>>, optional: readonly string[] = []) {
  return {
    type: 'object',
    required: Object.keys(properties).filter((name) => !optional.includes(name)),
    properties,
  }
}

/** An object with one list. */
export const list = (name: string, items: object) => object({ [name]: { type: 'array', items } })

const { id, severity, title, reference, fix } = scorecards.ScorecardIssue.properties
const issueFields = { id, severity, title, reference, fix }

/** An entry of the journal. */
export const entry = object(
  {
    number: { type: 'integer', minimum: 1, description: '1, 2, 3 and so on, in each sandbox.' },
    at: { ...instant, description: 'When the request arrived, by the system clock.' },
    operation: { enum: Object.keys(operations), description: 'Absent when the request is not an operation.' },
    durationMs: {
      type: 'number',
      minimum: 0,
      description: 'Milliseconds from the complete request to its response: the computation, and `delayMs`.',
    },
    delayMs: { type: 'number', minimum: 0, description: 'How long a rule or the request delayed the response.' },
    fault: {
      enum: ['reset', 'silence', 'truncated-body', 'slow-body'],
      description: 'What the client got in place of the complete response.',
    },
    request: object({ method: text, target: text, headers, body: text }, ['headers', 'body']),
    response: object({ status: { type: 'integer' }, headers, body: text }, ['headers', 'body']),
    reason: string('What determined the response: an id for `GET /_petstore/explain/{id}`.'),
    rule: string('The id of the rule that determined the response, or `prefer`.'),
    source: {
      ...object(
        {
          requirement: string('The id of the requirement that it follows.'),
          behavior: string('The id of the unspecified behavior that the response shows.'),
          option: string('The option of that behavior.'),
          rule: string('The id of the rule that responded, delayed or limited, or `prefer`.'),
          defects: array(
            text,
            'The ids of the deliberate defects that affected the request, the pets or the response.',
          ),
        },
        ['requirement', 'behavior', 'option', 'rule', 'defects'],
      ),
      description: '`reason` and `rule` in parts, and deliberate defects.',
    },
    changes: {
      type: 'array',
      items: object({ before: ref('Pet'), after: ref('Pet') }, ['before', 'after']),
      description: 'How the request changed the pets, in order: a new pet has only `after`.',
    },
    abandoned: {
      const: true,
      description:
        'The client closed the connection before the response was sent. Streams, which show requests as they arrive, ' +
        'never have it.',
    },
    issues: {
      type: 'array',
      items: object({ ...issueFields, message: string('What is wrong with this request.') }),
      description: 'The mistakes of the client in this request. Absent in streams.',
    },
    bodyDropped: { const: true, description: 'The response body was dropped to make space for later entries.' },
    judged: {
      description: 'The verdict on the response of a deployment. Only in the journal of `petstore proxy`.',
      ...object(
        {
          verdict: {
            enum: ['conforms', 'violates', 'not-judged', 'proxy'],
            description: '`proxy`: the proxy responded itself, since the deployment did not.',
          },
          reason: string('Why it was not judged, or why the proxy responded.'),
          violations: {
            type: 'array',
            items: object({ clause: text, quote: text, message: text, pointer: text, expected: text, actual: text }),
            description: 'What it violates: at most five.',
          },
        },
        ['reason', 'violations'],
      ),
    },
  },
  ['operation', 'delayMs', 'fault', 'reason', 'rule', 'changes', 'issues', 'abandoned', 'bodyDropped', 'judged'],
)
