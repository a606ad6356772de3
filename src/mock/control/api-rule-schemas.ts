import { operations } from '../../spec/operations.ts'

const text = { type: 'string' } as const
const texts = { type: 'object', additionalProperties: text } as const
const positive = { type: 'number', exclusiveMinimum: 0 } as const
const notNegative = { type: 'number', minimum: 0 } as const
const operation = { enum: Object.keys(operations) }

/** An object with these members and no other. */
function closed(properties: Readonly<Record<string, object>>, required: readonly string[] = []) {
  return { type: 'object', required, properties, additionalProperties: false }
}

const members = {
  when: { $ref: '#/components/schemas/RuleCondition' },
  reply: { $ref: '#/components/schemas/RuleReply' },
  delayMs: {
    description: 'Milliseconds: always as many, from a range, or log-normal by its median and its 99th percentile.',
    oneOf: [
      notNegative,
      closed({ from: notNegative, to: notNegative }, ['from', 'to']),
      closed({ median: positive, p99: positive }, ['median', 'p99']),
    ],
  },
  fault: {
    description:
      '`reset`: the connection is reset. `silence`: no answer ever comes. `truncated-body`: the connection ends in the ' +
      'middle of the body. `slowBodyMs`: the body trickles in over so many milliseconds.',
    oneOf: [{ enum: ['reset', 'silence', 'truncated-body'] }, closed({ slowBodyMs: positive }, ['slowBodyMs'])],
  },
  rateLimit: {
    description: 'So many requests in each window; the others are answered 429 with Retry-After.',
    ...closed({ requests: { type: 'integer', minimum: 0 }, windowMs: positive }, ['requests', 'windowMs']),
  },
  skip: { type: 'integer', minimum: 0, description: 'Lets the first requests that fit pass. 0 by default.' },
  times: { type: 'integer', minimum: 1, description: 'For so many requests. Without an end by default.' },
  during: {
    description: 'An outage window, counted from when the rule was added.',
    ...closed({ afterMs: notNegative, forMs: positive }, ['forMs']),
  },
}

/** The schemas of rules: they say what src/mock/rule.ts says. */
export const ruleSchemas = {
  Rule: {
    description:
      'What shall happen to some requests that carry a valid key. Of several that fit, the newest goes first.',
    ...closed(members),
    anyOf: [{ required: ['reply'] }, { required: ['delayMs'] }, { required: ['fault'] }, { required: ['rateLimit'] }],
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
      headers: { ...texts, description: 'The value of each of these headers; names in lower case.' },
      body: { type: 'object', description: 'Members that the body of createPet has, with these values.' },
    }),
  },
  RuleReply: {
    description: 'The answer, in place of the ordinary one: an Error body, unless another body is given.',
    ...closed(
      {
        status: { type: 'integer', minimum: 200, maximum: 599 },
        code: { ...text, description: 'The code of the Error body.' },
        message: { ...text, description: 'The message of the Error body.' },
        headers: { ...texts, description: 'Further headers; names in lower case.' },
        body: { description: 'Any JSON in place of the Error body.' },
      },
      ['status'],
    ),
  },
} as const
