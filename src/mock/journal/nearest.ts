import { UsageError } from '../../errors.ts'
import { type JsonValue, printJson } from '../../json.ts'
import { isSecretName } from '../../report/credentials.ts'
import { shortInert } from '../../report/text.ts'
import { fieldsIn, type Matchable, matches, parametersIn, valueAt } from '../rules/condition.ts'
import { type Journal, type JournalEntry, type JournalFilter, toCall } from './entry.ts'
import { addedAfter } from '../rules/rules.ts'
import { createRoutes, type FindRoute } from '../service/route.ts'
import type { NearestRequest, RuleCondition, RuleInForce } from '../schemas/schemas.gen.ts'
import { inSlices } from './slices.ts'

type Difference = NearestRequest['differences'][number]

/** The latest requests that are compared: an older one says little about the client of now. */
const maxCompared = 100
/** Regular expressions of many rules, on many long values, would take seconds. */
const maxMs = 250
const maxShown = 200

/** Adds to each rule that no request has used the nearest request, and the parts of it that differ. */
export async function withNearest<Found extends RuleInForce>(
  sandbox: {
    readonly journal: Journal
    readonly settings: { readonly basePath: string }
    rules: () => readonly RuleInForce[]
  },
  rules: readonly Found[],
): Promise<(Found & Pick<RuleInForce, 'nearest'>)[]> {
  const isUnused = (rule: Found): boolean => rule.used === 0 && rule.function === undefined
  if (!rules.some(isUnused)) return [...rules]
  const findRoute = createRoutes(sandbox.settings.basePath)
  const known = new Set([undefined, 'prefer', ...sandbox.rules().map(({ id }) => id)])
  const requests = sandbox.journal
    .list({ limit: maxCompared })
    .toReversed()
    .map((entry) => ({
      entry: known.has(entry.rule) ? entry : { ...entry, rule: 'a removed rule' },
      call: toCall(entry, findRoute),
    }))
  return inSlices(
    (function* () {
      const end = performance.now() + maxMs
      const found: (Found & Pick<RuleInForce, 'nearest'>)[] = []
      for (const rule of rules) {
        let best: Candidate | undefined
        const after = isUnused(rule) ? (addedAfter.get(rule) ?? 0) : Infinity
        for (const request of requests.filter(({ entry }) => entry.number > after)) {
          yield
          if (performance.now() > end) break
          const candidate = compare(rule, request)
          if (best === undefined || distanceOf(candidate) < distanceOf(best)) best = candidate
        }
        found.push(best === undefined ? rule : { ...rule, nearest: toNearest(rule, best) })
      }
      return found
    })(),
  )
}

/** The error of a call that no request has ended: it names the nearest one. */
export async function toTimeout(
  filter: JournalFilter,
  timeoutMs: number,
  { journal, findRoute }: { journal: Journal; findRoute: FindRoute },
): Promise<UsageError> {
  const { operation, status, method, when, after, before } = filter
  const wanted = { ...when, ...(operation !== undefined && { operation }) }
  const best = await inSlices(
    (function* () {
      let nearest: Candidate | undefined
      const end = performance.now() + maxMs
      for (const entry of journal.list({ after, before, limit: maxCompared }).toReversed()) {
        yield
        if (performance.now() > end) break
        const { request, response } = entry
        const candidate = { entry, differences: differencesOf(wanted, toCall(entry, findRoute)) }
        if (status !== undefined && status !== response.status)
          candidate.differences.push({ part: 'status', wanted: status, sent: response.status })
        if (method !== undefined && method.toUpperCase() !== request.method.toUpperCase())
          candidate.differences.push({ part: 'method', wanted: method, sent: request.method })
        if (nearest === undefined || distanceOf(candidate) < distanceOf(nearest))
          nearest = candidate
      }
      return nearest
    })(),
  )
  const reason = best?.differences.map((one) => sentenceOf(one, best.entry)).join('; ') ?? ''
  const came = best === undefined ? 'No other request came.' : nearestMessage(best.entry, reason)
  return new UsageError(
    `No request came within ${timeoutMs} ms that fits ${printJson(filter)}. ${came}`,
  )
}

interface Candidate {
  entry: JournalEntry
  differences: Difference[]
}

/** Tests each part of the condition by itself, as the rule tests them together. */
function compare(
  rule: RuleInForce,
  { entry, call }: { entry: JournalEntry; call: Matchable },
): Candidate {
  const differences = differencesOf(rule.when ?? {}, call)
  // Rules apply to operations.
  if (call.operation === undefined && rule.when?.operation === undefined)
    differences.unshift({ part: 'operation' })
  if (isUnauthorized(entry)) differences.unshift({ part: 'key' })
  return { entry, differences }
}

const differencesOf = (condition: RuleCondition, call: Matchable): Difference[] =>
  partsOf(condition).flatMap(({ when, ...part }) =>
    matches(when, call) ? [] : [{ ...part, ...sentAt(part, call) }],
  )

const isUnauthorized = ({ response, rule }: JournalEntry): boolean =>
  response.status === 401 && rule === undefined

/** The parts of a condition, each with the condition that it is by itself. */
function partsOf(
  when: RuleCondition,
): (Pick<Difference, 'part' | 'name' | 'wanted'> & { when: RuleCondition })[] {
  return Object.entries(when).flatMap(([part, value]) => {
    const isFields = typeof value === 'object' && /^(?:query|headers|body)$/.test(part)
    const fields = isFields ? Object.entries(value as Record<string, JsonValue>) : []
    if (!isFields || fields.length === 0)
      return [{ part, wanted: value as JsonValue, when: { [part]: value as unknown } }]
    return (
      fields
        // The journal does not show credentials.
        .filter(([name]) => part === 'body' || !isSecretName(name))
        .map(([name, wanted]) => ({ part, name, wanted, when: { [part]: { [name]: wanted } } }))
    )
  })
}

/** The value of a part, cut; nothing when it is missing. */
function sentAt({ part, name = '' }: Pick<Difference, 'part' | 'name'>, call: Matchable) {
  const value = valueOf(part, name, call)
  if (value === undefined) return {}
  const text = typeof value === 'string' ? value : printJson(value)
  return text.length <= maxShown ? { sent: value } : { sent: shortInert(text, maxShown) }
}

function valueOf(part: string, name: string, call: Matchable): JsonValue | undefined {
  switch (part) {
    case 'operation':
      return call.operation
    case 'petId':
      return call.petId
    case 'query':
      return parametersIn(call).get(name)
    case 'headers':
      return [call.request.headers[name] ?? []].flat().join(', ') || undefined
    default: {
      const fields = fieldsIn(call)
      return fields && (name === '' ? fields : valueAt(fields, name))
    }
  }
}

/** A request to another operation is farther away than one with several other values. */
const distanceOf = ({ differences }: Candidate): number =>
  differences.reduce((sum, { part }) => sum + (part === 'operation' ? 10 : 1), 0)

function toNearest(rule: RuleInForce, { entry, differences }: Candidate): NearestRequest {
  const { number, request } = entry
  const { method } = request
  const target = shortInert(request.target, maxShown)
  const reason =
    differences.length === 0
      ? whyUnused(rule, entry)
      : differences.map((one) => sentenceOf(one, entry)).join('; ')
  return { number, method, target, differences, message: nearestMessage(entry, reason) }
}

function nearestMessage({ number, request }: JournalEntry, reason: string): string {
  const target = shortInert(request.target, maxShown)
  return `The nearest request is ${number}, ${request.method} ${target}: ${reason}.`
}

/** Why a rule did not apply to a request that meets its condition. */
function whyUnused({ enabled, skip, during }: RuleInForce, { rule }: JournalEntry): string {
  const met = 'it meets the condition, but'
  if (!enabled) return `${met} the rule is off`
  if (rule === 'prefer') return `${met} its header Prefer selected the response`
  if (rule !== undefined) return `${met} ${rule} made the response`
  if (skip !== undefined) return `${met} the rule skips ${skip} first`
  if (during !== undefined) return `${met} it came outside of the time of the rule`
  return `${met} the rule was off`
}

function sentenceOf({ part, name, wanted, sent }: Difference, { request }: JournalEntry): string {
  if (part === 'key') return 'its key is missing or invalid, and rules apply to valid keys'
  if (part === 'operation') {
    const called = typeof sent === 'string' ? `it calls ${sent}` : 'it calls no operation'
    const names = [wanted].flat().filter((name) => typeof name === 'string')
    return names.length === 0 ? called : `${called}, not ${names.join(' or ')}`
  }
  if (part === 'body' && request.bodyCut) return 'its body is too long to compare'
  const what = name === undefined ? part : `${part.replace(/s$/, '')} ${name}`
  const is = sent === undefined ? 'is missing' : `is ${shown(sent)}`
  return `${what} ${is}, not ${wordsOf(wanted)}`
}

function wordsOf(wanted: Difference['wanted']): string {
  const [[kind, value] = ['']]: [string, JsonValue?][] =
    typeof wanted === 'object' && wanted !== null ? Object.entries(wanted) : []
  if (kind === 'contains') return `a text with ${shown(value)}`
  if (kind === 'regex') return `a match of the regular expression ${shown(value)}`
  if (kind === 'absent') return 'absent'
  return shown(kind === 'equals' ? value : wanted)
}

const shown = (value: Difference['sent']): string =>
  value === undefined ? 'nothing' : shortInert(printJson(value), maxShown)
