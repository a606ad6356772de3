import { operations } from '../../spec/operations.ts'

const text = { type: 'string' } as const
const instant = { type: 'string', format: 'date-time' } as const
const count = { type: 'integer', minimum: 0 } as const
const counts = { type: 'object', additionalProperties: count } as const
const operation = { enum: Object.keys(operations) }
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

/** The schemas of a scorecard: they say what src/mock/scorecard/types.ts says. */
export const scorecardSchemas = {
  Scorecard: {
    type: 'object',
    description: 'What the requests of one client say of how it keeps its side of the contract.',
    required: ['subject', 'requests', 'journal', 'score', 'coverage', 'issues'],
    properties: {
      subject: { ...text, description: 'Whose requests: `key 1`, `no valid key`, `sandbox NAME`. Never a key.' },
      sandbox: { ...text, description: "The name of the sandbox. Not there in the mock's own world." },
      requests: { ...count, description: 'Requests that were judged.' },
      journal: {
        type: 'object',
        description: 'Of all keys of the sandbox: a scorecard is made of the last `kept` of `received` requests.',
        required: ['kept', 'received'],
        properties: { kept: count, received: count },
      },
      score: {
        type: ['integer', 'null'],
        minimum: 0,
        maximum: 100,
        description:
          'The share of requests without fault, of which one with a warning alone counts half. Null when there were none.',
      },
      coverage: ref('Coverage'),
      issues: {
        type: 'array',
        items: ref('ScorecardIssue'),
        description: 'Violations first, then warnings, then notices; the most frequent first.',
      },
      unscored: {
        ...count,
        description: 'Requests of `petstore verify`, which are not judged. Not there when there were none.',
      },
      firstAt: { ...instant, description: 'When the first request came. Not there when there was none.' },
      lastAt: { ...instant, description: 'When the last request came.' },
    },
  },
  Coverage: {
    type: 'object',
    required: ['operations', 'other', 'neverTried'],
    properties: {
      operations: {
        type: 'array',
        items: {
          type: 'object',
          required: ['operation', 'requests', 'responses', 'parameters'],
          properties: {
            operation,
            requests: count,
            responses: {
              ...counts,
              description: 'How often each status was answered; `reset` and `silence` are no responses.',
            },
            parameters: { ...counts, description: 'How often each parameter or member of the body was sent.' },
          },
        },
      },
      other: {
        type: 'object',
        description: 'Requests that were none of the three operations.',
        required: ['requests', 'responses'],
        properties: { requests: count, responses: counts },
      },
      neverTried: {
        type: 'array',
        items: { type: 'object', required: ['operation', 'what'], properties: { operation, what: text } },
      },
    },
  },
  ScorecardIssue: {
    type: 'object',
    required: ['id', 'severity', 'title', 'reference', 'count', 'message', 'example', 'fix'],
    properties: {
      id: { ...text, description: 'Which id: docs/reference/scorecard.md lists them.' },
      severity: { enum: ['violation', 'warning', 'notice'] },
      title: text,
      reference: {
        type: 'object',
        description: 'The clause that the request breaks, or the choice that it leans on.',
        required: ['table', 'id', 'quote'],
        properties: { table: { enum: ['clauses', 'choices'] }, id: text, quote: text },
      },
      count: { type: 'integer', minimum: 1, description: 'In how many requests.' },
      message: { ...text, description: 'What was wrong with the first of them.' },
      example: {
        type: 'object',
        description: 'The first of them, without keys, and cut.',
        required: ['method', 'target'],
        properties: { method: text, target: text, body: text },
      },
      fix: { ...text, description: 'What to do about it.' },
    },
  },
} as const
