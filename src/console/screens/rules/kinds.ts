import type { OperationId } from '../../../spec/operations.ts'
import type { FaultName } from '../../../mock/schemas/faults.ts'
import type { Fault, Rule } from '../../../mock/schemas/schemas.gen.ts'

/** Kinds of rules that the form shows as a sentence, each with the rule that it starts with. */
export const kinds = {
  fail: { name: 'Fail', first: { reply: { status: 503 }, times: 2 } },
  delay: { name: 'Delay', first: { delayMs: 2_000 } },
  fault: { name: 'Break', first: { fault: 'reset', times: 1 } },
  sequence: {
    name: 'Respond in sequence',
    first: { sequence: [{ reply: { status: 503 } }, { reply: { status: 503 } }, {}] },
  },
  rateLimit: { name: 'Limit the rate', first: { rateLimit: { requests: 3, windowMs: 1_000 } } },
  outage: { name: 'Outage', first: { reply: { status: 503 }, during: { forMs: 5_000 } } },
} as const satisfies Readonly<Record<string, { name: string; first: Rule }>>

export type Kind = keyof typeof kinds

/** The fields of each kind, beside its condition. */
const fieldsOf: Readonly<Record<Kind, { needs: string[]; may?: string[] }>> = {
  fail: { needs: ['reply'], may: ['times'] },
  delay: { needs: ['delayMs'], may: ['times'] },
  fault: { needs: ['fault'], may: ['times'] },
  sequence: { needs: ['sequence'] },
  rateLimit: { needs: ['rateLimit'] },
  outage: { needs: ['reply', 'during'] },
}

/** The kind of a rule; undefined when a sentence could not show all of it. A link may contain anything. */
export function kindOf(rule: Rule): Kind | undefined {
  const names = Object.keys(rule).filter((name) => name !== 'when')
  const found = (Object.keys(kinds) as Kind[]).find((kind) => {
    const { needs, may = [] } = fieldsOf[kind]
    return (
      needs.every((name) => names.includes(name)) &&
      names.every((name) => needs.includes(name) || may.includes(name))
    )
  })
  return Object.entries(rule).every(([name, value]) => plain[name]?.(value)) ? found : undefined
}

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isNumber = (value: unknown): boolean => typeof value === 'number'

/** Whether a value is an object with these fields alone, and all of them are numbers. */
const hasNumbers = (value: unknown, ...names: string[]): boolean =>
  isFields(value) &&
  Object.keys(value).length === names.length &&
  names.every((name) => isNumber(value[name]))

const isPlainStep = (step: unknown): boolean =>
  isFields(step) &&
  ['', 'reply', 'fault'].includes(Object.keys(step).join()) &&
  (step['reply'] === undefined || hasNumbers(step['reply'], 'status')) &&
  (step['fault'] === undefined || typeof step['fault'] === 'string')

/** What a sentence can show of each field. */
const plain: Readonly<Record<string, (value: unknown) => boolean>> = {
  when: (value) =>
    isFields(value) &&
    (value['operation'] === undefined || typeof value['operation'] === 'string') &&
    [value['query'] ?? {}, value['headers'] ?? {}].every(isFields),
  reply: (value) => hasNumbers(value, 'status'),
  times: isNumber,
  delayMs: (value) =>
    isNumber(value) || hasNumbers(value, 'from', 'to') || hasNumbers(value, 'median', 'p99'),
  fault: (value) => typeof value === 'string' || hasNumbers(value, 'slowBodyMs'),
  sequence: (value) => Array.isArray(value) && value.length > 0 && value.every(isPlainStep),
  rateLimit: (value) => hasNumbers(value, 'requests', 'windowMs'),
  during: (value) => hasNumbers(value, 'forMs'),
}

/** A rule of another kind, for the same requests. */
export const ofKind = (kind: Kind, { when }: Rule): Rule => ({
  ...(when !== undefined && { when }),
  ...kinds[kind].first,
})

/** The rule for another operation, or for all. */
export function withOperation({ when = {}, ...rule }: Rule, operation: OperationId | ''): Rule {
  const { operation: _, ...others } = when
  const next = { ...(operation !== '' && { operation }), ...others }
  return { ...(Object.keys(next).length > 0 && { when: next }), ...rule }
}

/** What a fault does, before the requests that it does it to. */
export const faultWords: Readonly<Record<FaultName, string>> = {
  reset: 'Reset the connection of',
  silence: 'Never respond to',
  'empty-response': 'Send nothing, and close the connection of',
  'truncated-body': 'Cut the response body of',
  'broken-chunk': 'Break a chunk of the response to',
  'slow-body': 'Send the response body slowly to',
}

export const faultName = (fault: Fault): FaultName =>
  typeof fault === 'string' ? fault : 'slow-body'
