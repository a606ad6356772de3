import { type Behavior, behaviors } from '../../spec/behaviors.ts'
import { int64, operationIds } from '../../spec/operations.ts'
import { resources } from '../../spec/schemas.gen.ts'
import { plainFaults } from './faults.ts'

const maxDelay = 600_000
/** The largest window in milliseconds, and the largest count: the headers of a rate limit can still hold it. */
const highest = 1_000_000_000_000
const framing = [
  'connection',
  'content-length',
  'keep-alive',
  'trailer',
  'transfer-encoding',
  'upgrade',
]
/** In any letter case: patterns have no flags. */
const framingPattern = `^(?:${framing.join('|').replaceAll(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`)})$`

export const text = { type: 'string' } as const
export const ref = <Name extends string>(name: Name) => ({
  $ref: `#/components/schemas/${name}` as const,
})
const operation = { title: 'OperationId', enum: operationIds }
const from0 = (maximum: number) => ({ type: 'number', minimum: 0, maximum }) as const
const above0 = (maximum: number) => ({ type: 'number', exclusiveMinimum: 0, maximum }) as const
const count = (minimum: number) => ({ type: 'integer', minimum, maximum: highest }) as const
/** Any number, Infinity included. */
const anyCount = { type: 'number', format: 'count', 'x-expected': 'a number' } as const
/** Matches nothing: the property must be absent. */
const never = { not: {} } as const
const depthNote = 'At most 100 levels deep, which the schema does not express.'

const headers = {
  type: 'object',
  propertyNames: { pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$", 'x-expected': 'the name of a header' },
  additionalProperties: {
    ...text,
    pattern: '^[\\t\\x20-\\x7e\\x80-\\xff]*$',
    'x-expected': 'a string without line breaks and within Latin-1',
  },
} as const

export function closed<Fields extends Readonly<Record<string, object>>>(
  properties: Fields,
  required: readonly string[] = [],
) {
  return { type: 'object', required, properties, additionalProperties: false }
}

const faultWords: Readonly<Record<(typeof plainFaults)[number], string>> = {
  reset: 'the connection is reset',
  silence: 'there is no response',
  'empty-response': 'the connection is closed without a byte',
  'truncated-body': 'the connection closes in the middle of the body',
  'broken-chunk': 'the second chunk of the body is invalid',
}

/** The effect of a rule on one request. */
const effects = {
  reply: {
    ...ref('RuleReply'),
    description: 'Replaces the ordinary response; the operation has no effect.',
  },
  delayMs: {
    ...ref('Delay'),
    description: 'How long the response is delayed: milliseconds, at most ten minutes.',
  },
  fault: {
    ...ref('Fault'),
    description: 'What the client gets instead of a complete response.',
  },
}

export const ruleFields = {
  when: {
    ...ref('RuleCondition'),
    description: 'The matching requests. All operations by default; each field narrows it.',
  },
  ...effects,
  sequence: {
    description:
      'Effects for one request after another: each step has a `reply` or a `fault`, a `delayMs`, or nothing for the ' +
      'ordinary response. After the last one, the rule is over; with more `times`, it starts again.',
    type: 'array',
    minItems: 1,
    maxItems: 100,
    items: ref('RuleStep'),
  },
  rateLimit: {
    description:
      'At most `requests` in each window of `windowMs`: others get 429 with Retry-After. Headers of all responses show ' +
      'the quota.',
    ...closed({ requests: count(0), windowMs: above0(highest) }, ['requests', 'windowMs']),
  },
  skip: {
    ...count(0),
    description: 'The number of matching requests to skip first. 0 by default.',
  },
  times: {
    ...count(1),
    description:
      'The number of requests to apply to. By default unlimited, or the number of steps of a sequence.',
  },
  during: {
    description:
      'An outage window of `forMs`, which begins `afterMs` after the rule was added. Always by default.',
    ...closed({ afterMs: from0(highest), forMs: above0(highest) }, ['forMs']),
  },
}

const rules = {
  Rule: {
    description:
      'An error, a delay, a connection fault or a rate limit for some requests. Rules count requests and are never random. ' +
      'They apply to operations with a valid key: without one, the response is 401. When several rules match, the newest ' +
      'applies first; an older one only adds what is missing: a delay to a response, or a response to a delay.',
    'x-expected': 'an object with at least one of reply, delayMs, fault, sequence, rateLimit',
    ...closed(ruleFields),
    // At least one is required. Client generators cannot model an `anyOf`, but ignore a `not`.
    not: {
      properties: {
        reply: never,
        delayMs: never,
        fault: never,
        sequence: never,
        rateLimit: never,
      },
    },
  },
  Delay: {
    description:
      'Milliseconds, at most ten minutes: constant, or seeded from a range, or from a log-normal distribution. `from` is ' +
      'at most `to`, and `median` at most `p99`, which the schema does not express.',
    'x-expected': `a number of milliseconds up to ${maxDelay}, { from, to }, or { median, p99 }`,
    oneOf: [
      from0(maxDelay),
      closed({ from: from0(maxDelay), to: from0(maxDelay) }, ['from', 'to']),
      closed({ median: above0(maxDelay), p99: above0(maxDelay) }, ['median', 'p99']),
    ],
  },
  Fault: {
    description: [
      ...plainFaults.map((name) => `\`${name}\`: ${faultWords[name]}.`),
      '`slowBodyMs`: the body is spread over this many milliseconds.',
    ].join(' '),
    'x-expected': `one of ${plainFaults.join(', ')}, or { slowBodyMs } of at most ${maxDelay}`,
    oneOf: [{ enum: plainFaults }, closed({ slowBodyMs: above0(maxDelay) }, ['slowBodyMs'])],
  },
  RuleStep: {
    description: 'The effect of a rule on one request. Empty: the ordinary response.',
    'x-expected': 'an object with reply, delayMs or fault, or an empty one',
    ...closed(effects),
  },
  TextMatcher: {
    description:
      'The whole value, or an object with one field: `contains`, a part of the value; `regex`, a regular expression that ' +
      'matches anywhere in it; or `absent`. A regular expression has the syntax of JavaScript with the flag `u`, without ' +
      'lookaround and backreferences, and at most 200 characters; it does not match texts of more than 2,000.',
    'x-expected': 'a string, { contains: a string }, { regex: a string }, or { absent: true }',
    oneOf: [
      text,
      closed({ contains: text }, ['contains']),
      closed({ regex: text }, ['regex']),
      closed({ absent: { enum: [true] } }, ['absent']),
    ],
  },
  RuleCondition: {
    description: 'The matching requests: all by default; each field narrows it.',
    ...closed({
      operation: {
        'x-expected': `one of ${operation.enum.join(', ')}, or an array of these`,
        oneOf: [operation, { type: 'array', items: operation, minItems: 1 }],
      },
      query: {
        type: 'object',
        additionalProperties: ref('TextMatcher'),
        description: 'Decoded values of query parameters: of a repeated one, the first.',
      },
      petId: {
        ...ref('TextMatcher'),
        description: 'The petId as it is in the path.',
      },
      headers: {
        ...headers,
        additionalProperties: ref('TextMatcher'),
        description:
          'Values of headers. Those with credentials are compared as a whole, or absent.',
      },
      body: {
        type: 'object',
        additionalProperties: { title: 'JsonValue' },
        description:
          'Values of fields in the body, by name or by JSON pointer (`/owner/name`). An object with one of the fields ' +
          '`contains`, `regex`, `absent` and `equals` alone is a matcher: the first two look at strings and numbers, ' +
          `\`equals\` compares with any value. ${depthNote}`,
      },
    }),
  },
  RuleReply: {
    description: 'Replaces the ordinary response; the operation has no effect.',
    'x-expected': 'an object, with a body where the status is below 300 and not 204',
    ...closed(
      {
        status: {
          type: 'integer',
          minimum: 200,
          maximum: 599,
          'x-expected': 'a status from 200 to 599',
          description: 'An HTTP status: 200 to 599.',
        },
        code: {
          ...text,
          description: 'The `code` of the Error body; by default, that of the status.',
        },
        message: { ...text, description: 'The `message` of the Error body.' },
        headers: {
          ...headers,
          propertyNames: {
            ...headers.propertyNames,
            not: { pattern: framingPattern },
            'x-expected': 'the name of a header, other than those that say how a message is sent',
          },
          description:
            'Additional headers, such as `Retry-After`. Headers about message framing, such as `Content-Length`, are rejected.',
        },
        body: {
          description:
            'Replaces the Error body: any JSON. With a Content-Type other than JSON, such as `text/html`, a string is sent ' +
            `without quotes. Required for a status below 300, except 204. ${depthNote}`,
        },
      },
      ['status'],
    ),
    // A status below 300 requires a body, except 204.
    not: {
      required: ['status'],
      properties: {
        status: { type: 'integer', minimum: 200, maximum: 299, not: { const: 204 } },
        body: never,
      },
    },
  },
}

/** An option may be any client error. */
const anyRejection = '^4[0-9]{2}$'

function optionsOf({ free, options }: Behavior): object {
  if (free !== undefined) return { maxLength: 200 }
  const values = options.map(({ value }) => value)
  if (!values.includes('400')) return { enum: values }
  return { anyOf: [{ enum: values }, { pattern: anyRejection }] }
}

/** The schemas of input, by the names that `$ref` uses. The build makes a validator of each. */
export const schemas = {
  NewPet: resources.NewPet,
  Pet: {
    ...resources.Pet,
    description:
      'A pet of the catalog. Other fields are kept; they are at most 100 levels deep, which the schema does not express.',
    properties: {
      ...resources.Pet.properties,
      id: { ...resources.Pet.properties.id, ...int64 },
      categoryId: { ...resources.Pet.properties.categoryId, ...int64 },
    },
  },
  JournalFilter: closed({
    operation,
    method: text,
    status: anyCount,
    when: ref('RuleCondition'),
    after: anyCount,
    before: anyCount,
    limit: anyCount,
  }),
  ...rules,
  Profile: {
    description:
      'Options for unspecified behaviors: petstore profile list shows them, and petstore explain ID explains one.',
    type: 'object',
    properties: Object.fromEntries(
      (behaviors as readonly Behavior[]).map((behavior) => [
        behavior.id,
        {
          type: 'string',
          description: behavior.question,
          default: behavior.default,
          ...optionsOf(behavior),
        },
      ]),
    ),
    additionalProperties: false,
  },
  SettingsPatch: closed({
    profile: {
      ...ref('Profile'),
      description: 'Options for some behaviors; the others stay.',
    },
    defects: {
      type: 'array',
      items: { ...text, 'x-expected': 'the id of a defect' },
      description: 'Deliberate defects: petstore mock --list-defects shows them.',
    },
    overrides: {
      type: 'boolean',
      description: 'Whether a request may choose its response with the header Prefer.',
    },
    explain: {
      type: 'boolean',
      description: 'Whether each response names the requirement or option behind it.',
    },
  }),
} as const satisfies Record<string, object>
