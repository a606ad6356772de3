import type { Scorecard } from './types.ts'

/** What a value must look like: a field whose name ends in `?` may be missing. */
type Shape = 'text' | 'count' | 'counts' | 'severity' | 'score' | readonly [Shape] | { readonly [field: string]: Shape }

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const simple = {
  text: (value: unknown) => typeof value === 'string',
  count: isCount,
  counts: (value: unknown) => isObject(value) && Object.values(value).every(isCount),
  severity: (value: unknown) => ['violation', 'warning', 'notice'].includes(String(value)),
  score: (value: unknown) => value === null || (isCount(value) && (value as number) <= 100),
}

const issue: Shape = {
  id: 'text',
  severity: 'severity',
  title: 'text',
  count: 'count',
  message: 'text',
  fix: 'text',
  reference: { table: 'text', id: 'text', quote: 'text' },
  example: { method: 'text', target: 'text', 'body?': 'text' },
}

const scorecards: Shape = [
  {
    subject: 'text',
    'sandbox?': 'text',
    requests: 'count',
    score: 'score',
    'unscored?': 'count',
    'firstAt?': 'text',
    'lastAt?': 'text',
    journal: { kept: 'count', received: 'count' },
    coverage: {
      operations: [{ operation: 'text', requests: 'count', responses: 'counts', parameters: 'counts' }],
      other: { requests: 'count', responses: 'counts' },
      neverTried: [{ operation: 'text', what: 'text' }],
    },
    issues: [issue],
  },
]

/** What a mock returned: `{ "scorecards": [...] }`. A newer one may know issues that this kit does not, and more fields. */
export function readScorecards(value: unknown): Scorecard[] | undefined {
  const cards = isObject(value) ? value['scorecards'] : undefined
  return fits(cards, scorecards) ? (cards as Scorecard[]) : undefined
}

function fits(value: unknown, shape: Shape): boolean {
  if (typeof shape === 'string') return simple[shape](value)
  if (Array.isArray(shape)) return Array.isArray(value) && value.every((item) => fits(item, shape[0] as Shape))
  return (
    isObject(value) &&
    Object.entries(shape).every(([field, inner]) => {
      const own = value[field.replace('?', '')]
      return (own === undefined && field.endsWith('?')) || fits(own, inner)
    })
  )
}
