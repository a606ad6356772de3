import { operations } from '../../spec/operations.ts'
import { longestDelayMs } from '../delay.ts'
import { faults, framing, headerName, headerValue, highestCount, longestMs, mostRules } from '../read-rule.ts'

/** A schema cannot say "in any letter case". */
const framingPattern = `^(?:${framing.join('|').replaceAll(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`)})$`

const text = { type: 'string' } as const
const texts = { type: 'object', additionalProperties: text } as const
const headers = {
  type: 'object',
  propertyNames: { pattern: headerName.source },
  additionalProperties: { type: 'string', pattern: headerValue.source },
} as const
const operation = { enum: Object.keys(operations) }
const from0 = (maximum: number) => ({ type: 'number', minimum: 0, maximum }) as const
const above0 = (maximum: number) => ({ type: 'number', exclusiveMinimum: 0, maximum }) as const
const count = (minimum: number) => ({ type: 'integer', minimum, maximum: highestCount }) as const
/** What no value fits: a property that is not there. */
const never = { not: {} } as const
const deepest = 'At most 100 levels deep, which a schema cannot say.'

/** An object with these members and no other. */
function closed(properties: Readonly<Record<string, object>>, required: readonly string[] = []) {
  return { type: 'object', required, properties, additionalProperties: false }
}

const members = {
  when: { $ref: '#/components/schemas/RuleCondition' },
  reply: { $ref: '#/components/schemas/RuleReply' },
  delayMs: {
    description:
      'Milliseconds: always as many, from a range, or log-normal by its median and its 99th percentile. `from` is at ' +
      'most `to`, and `median` at most `p99`, which a schema cannot say.',
    oneOf: [
      from0(longestDelayMs),
      closed({ from: from0(longestDelayMs), to: from0(longestDelayMs) }, ['from', 'to']),
      closed({ median: above0(longestDelayMs), p99: above0(longestDelayMs) }, ['median', 'p99']),
    ],
  },
  fault: {
    description:
      '`reset`: the connection is reset. `silence`: no answer ever comes. `truncated-body`: the connection ends in the ' +
      'middle of the body. `slowBodyMs`: the body trickles in over so many milliseconds.',
    oneOf: [{ enum: faults }, closed({ slowBodyMs: above0(longestDelayMs) }, ['slowBodyMs'])],
  },
  rateLimit: {
    description: 'So many requests in each window; the others are answered 429 with Retry-After.',
    ...closed({ requests: count(0), windowMs: above0(longestMs) }, ['requests', 'windowMs']),
  },
  skip: { ...count(0), description: 'Lets the first requests that fit pass. 0 by default.' },
  times: { ...count(1), description: 'For so many requests. Without an end by default.' },
  during: {
    description: 'An outage window, counted from when the rule was added.',
    ...closed({ afterMs: from0(longestMs), forMs: above0(longestMs) }, ['forMs']),
  },
}

/** The schemas of rules: they say what src/mock/read-rule.ts takes. */
export const ruleSchemas = {
  Rule: {
    description:
      'What shall happen to some requests that carry a valid key. Of several that fit, the newest goes first.',
    ...closed(members),
    // At least one of them. Generators of clients make no model of an `anyOf`, and leave out a `not`.
    not: { properties: { reply: never, delayMs: never, fault: never, rateLimit: never } },
  },
  NewRules: {
    oneOf: [
      { $ref: '#/components/schemas/Rule' },
      { type: 'array', items: { $ref: '#/components/schemas/Rule' }, minItems: 1, maxItems: mostRules },
    ],
  },
  RuleInForce: {
    type: 'object',
    required: ['id', 'used', 'active'],
    properties: {
      ...members,
      id: { ...text, description: '`rule-1`, `rule-2` and so on.' },
      used: { type: 'integer', minimum: 0, description: 'Requests that it was applied to.' },
      active: { type: 'boolean', description: 'Whether it will be applied again.' },
    },
  },
  RuleCondition: {
    description: 'Which requests: all by default; each member narrows it.',
    ...closed({
      operation: { oneOf: [operation, { type: 'array', items: operation, minItems: 1 }] },
      query: { ...texts, description: 'The decoded value of each of these query parameters.' },
      petId: { ...text, description: 'The petId of getPet, as it stands in the path.' },
      headers: { ...headers, description: 'The value of each of these headers.' },
      body: { type: 'object', description: `Members that the body of createPet has, with these values. ${deepest}` },
    }),
  },
  RuleReply: {
    description:
      'The answer, in place of the ordinary one: an Error body, unless another body is given. A status below 300 needs ' +
      'one, but for 204.',
    ...closed(
      {
        status: { type: 'integer', minimum: 200, maximum: 599 },
        code: { ...text, description: 'The code of the Error body.' },
        message: { ...text, description: 'The message of the Error body.' },
        headers: {
          ...headers,
          propertyNames: { ...headers.propertyNames, not: { pattern: framingPattern } },
          description: 'Further headers. The mock itself says how the message is sent.',
        },
        body: {
          description:
            'In place of the Error body: any JSON. Where the headers have a Content-Type other than JSON, a string is ' +
            `sent as it is. ${deepest}`,
        },
      },
      ['status'],
    ),
    // A status below 300 needs a body, but for 204.
    not: { properties: { status: { maximum: 299, not: { const: 204 } }, body: never } },
  },
} as const
