import { commonFormats, formatNames } from '../../../report/formats.ts'
import { int64, operationIds, petStatuses } from '../../../spec/operations.ts'
import { resources } from '../../../spec/schemas.gen.ts'
import { maxRules } from '../../rules/rule.ts'
import { closed, text } from '../../schemas/schemas.ts'

export const instant = { type: 'string', format: 'date-time' } as const
export const count = { type: 'integer', minimum: 0 } as const
export const string = (description: string) => ({ ...text, description })
export const countOf = (description: string) => ({ ...count, description })
const integer = (minimum: number, maximum: number, description: string) => ({
  type: 'integer',
  minimum,
  maximum,
  description,
})
/** @param usual the value without it */
export const boolean = (description: string, usual?: boolean) => ({
  type: 'boolean',
  ...(usual !== undefined && { default: usual }),
  description,
})
const enumOf = (values: readonly string[], description: string) => ({
  ...text,
  enum: values,
  description,
})
/** A double holds them exactly. */
const fifteenDigits = 999_999_999_999_999
export const array = (items: object, description?: string) => ({
  type: 'array',
  items,
  description,
})
export const words = {
  quote: text,
  sentence: string('The quote, or a full sentence if it is a table row.'),
}

/** An object. The names of optional fields end in a question mark. */
export function object(fields: Readonly<Record<string, object>>) {
  const names = Object.keys(fields)
  const properties = Object.fromEntries(
    names.map((name) => [name.replace('?', ''), fields[name] as object]),
  )
  return { type: 'object', required: names.filter((name) => !name.endsWith('?')), properties }
}

export const list = (name: string, items: object) => object({ [name]: array(items) })

const date = '(?:[0-9]{4}|[+-][0-9]{6})-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])'
const time = '(?:[01][0-9]|2[0-3]):[0-5][0-9]'
const seconds = '(?::[0-5][0-9](?:\\.[0-9]{1,9})?)?'
const offset = `(?:Z|[+-]${time})?`

/** An object with required fields. */
const body = (properties: Readonly<Record<string, object>>) =>
  closed(properties, Object.keys(properties))

const filters = {
  operation: enumOf(operationIds, 'Only requests to this operation.'),
  status: integer(100, 599, 'Only responses with this status.'),
  method: {
    type: 'string',
    pattern: '^[A-Za-z-]{1,20}$',
    'x-expected': 'an HTTP method, such as POST',
    description: 'Only requests with this method.',
  },
  when: string(
    'Only requests that match this condition of a rule, as JSON: `{"body":{"name":{"contains":"Rex"}}}`. Requests are ' +
      'compared as the journal shows them: without keys, bodies cut at 16 KiB.',
  ),
  after: integer(0, fifteenDigits, 'Only entries after this number.'),
}

const petFilters = {
  status: enumOf(petStatuses, 'Only pets with this status.'),
  search: string('Only the pet with this id, and pets with this text in their name.'),
}

const waiting = {
  wait: integer(1, 10_000, 'Waits until this many entries are there, earlier ones included.'),
  timeoutMs: {
    type: 'integer',
    minimum: 0,
    maximum: 60_000,
    default: 4_000,
    description: 'Milliseconds to wait at most; then the response contains what is there.',
  },
}

const before = { ...filters.after, description: 'Only entries before this number.' }
const reporterOf = (command: string, values: readonly string[]) =>
  closed({
    reporter: {
      type: 'string',
      enum: values,
      default: 'json',
      description: `The format, as of \`petstore ${command} --reporter\`.`,
    },
  })

const queries = {
  InterfaceQuery: closed({
    openapi: enumOf(['3.1', '3.0'], 'The version of OpenAPI. Default: 3.1.'),
  }),
  PetsQuery: closed({
    limit: integer(1, 1_000, 'At most this many pets.'),
    offset: integer(0, fifteenDigits, 'Skips this many pets.'),
    ...petFilters,
    order: {
      type: 'string',
      enum: ['oldest-first', 'newest-first'],
      default: 'oldest-first',
      description: 'By creation.',
    },
  }),
  PetFilterQuery: closed(petFilters),
  NewPetsQuery: closed({
    position: integer(
      0,
      fifteenDigits,
      'The position in the order of creation, from 0. Default: after all others.',
    ),
  }),
  MetricsQuery: closed({
    sandboxes: boolean(
      'Also requests and working time of the ten sandboxes that are busiest lately, by name. Their keys are computed from their names.',
      false,
    ),
  }),
  SandboxesQuery: closed({
    scores: boolean('With the score of each.', false),
  }),
  RulesQuery: closed({
    pending: boolean('Only rules that were never used.', false),
  }),
  JournalQuery: closed({
    ...filters,
    before,
    bodies: boolean('`false` leaves out headers and bodies.', true),
    limit: integer(1, 10_000, 'At most this many: the latest.'),
    ...waiting,
  }),
  JournalCountQuery: closed({ ...filters, before, ...waiting }),
  HarQuery: closed({ ...filters, before }),
  JournalStreamQuery: closed(filters),
  EventsQuery: closed({
    after: { ...filters.after, description: 'Starts with the entries after this number.' },
  }),
  ReportQuery: reporterOf('verify', formatNames),
  CompareQuery: body({ with: string('The id of the earlier run.') }),
  ScorecardQuery: reporterOf('scorecard', commonFormats),
}

const safeInteger = {
  type: 'integer',
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
}

/** The schemas of bodies that the methods of a sandbox do not validate. */
export const bodies = {
  PetPatch: closed({
    name: resources.Pet.properties.name,
    categoryId: { ...resources.Pet.properties.categoryId, ...int64 },
    status: {
      enum: [...petStatuses, null],
      'x-expected': 'available, pending, sold or null',
      description: 'null removes the status.',
    },
  }),
  RulePatch: closed({
    enabled: boolean('false switches the rule off.'),
    position: integer(
      0,
      maxRules - 1,
      'The new position in the list, from 0. The last rule is applied first.',
    ),
  }),
  NewSeed: body({ seed: safeInteger }),
  NewClock: closed({
    now: {
      type: 'string',
      // `Date.parse` accepts more, and engines differ: a 7 would be a month.
      pattern: `^${date}(?:T${time}${seconds}${offset})?$`,
      'x-expected': 'a date such as 2030-12-06, or an instant such as 2030-12-06T09:30:00Z',
      description:
        'A date, which starts in UTC, or a date and a time: `2030-12-06`, `2030-12-06T09:30:00Z`. A time without an ' +
        'offset is local to the machine of the mock. Default: the instant that the clock shows.',
    },
    frozen: boolean('Whether the clock stops at this time or continues.', true),
  }),
  ResetOptions: closed({
    journal: {
      type: 'string',
      enum: ['clear', 'keep'],
      default: 'clear',
      description: '`keep` does not clear the journal and the scorecard.',
    },
    seed: {
      ...safeInteger,
      description:
        'Start with the pets of this seed, also at later resets. Default: the seed that the sandbox has, which is at first that of the mock.',
    },
  }),
  ClockAdvance: body({
    ms: { ...safeInteger, description: 'Milliseconds; a negative number moves the clock back.' },
  }),
  NewRun: closed({
    deployment: string('A name in petstore.config.json. Default: this mock.'),
    readOnly: boolean('Creates no pets. Default: as in `petstore verify`.'),
    only: array(
      text,
      'What the report is about: ids of requirements or checks; `*` matches any text.',
    ),
    skip: array(text, 'Ids of requirements or checks that the report leaves out.'),
  }),
  NewBaseline: closed(
    {
      reason: string('Why these failures are accepted.'),
      ticket: string('The ticket that tracks them.'),
      expires: string('The last day on which these failures are accepted: `2027-01-31`.'),
    },
    ['reason'],
  ),
  NewSandbox: body({
    name: {
      type: 'string',
      pattern: '^[\\s\\S]{1,1000}$',
      'x-expected': 'a string of 1 to 1000 characters',
      description:
        'Any text, such as the title of a test. The name in the response, which paths need, has 1 to 40 lower-case letters, digits and hyphens.',
    },
  }),
}

/** The build makes a validator of each. */
export const schemas = { ...queries, ...bodies }

export type QueryName = keyof typeof queries
