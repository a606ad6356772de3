import { credentialsOf, hideInUrls } from '../../report/credentials.ts'
import { createRedactor } from '../../report/redact.ts'
import { suiteUserAgent } from '../../spec/version.ts'
import {
  anySandboxKey,
  createHide,
  publicText,
  type RecordedEntry,
  type RequestIssue,
} from '../journal-entry.ts'
import type { Sliced } from '../slices.ts'
import { coverageOf } from './coverage.ts'
import { type Assessment, assessRequest, type Contract } from './request.ts'
import {
  type IssueId,
  issueRules,
  type IssueRule,
  referenceOf,
  severities,
  type Severity,
} from './rules.ts'
import { assessSequence, type Step } from './sequence.ts'
import type { Example, Scorecard, ScorecardIssue } from './scorecard.gen.ts'

/** The journal of a sandbox, and what its scorecards need. */
export interface ScorecardSource extends Contract {
  entries: readonly RecordedEntry[]
  /** The number of requests, including those that the journal has dropped. */
  received: number
  /** The name of the sandbox; undefined for the keys of the mock. */
  sandbox: string | undefined
  /** Keys and tokens that no example may show. */
  secrets: readonly string[]
}

const byId = new Map<IssueId, IssueRule>(issueRules.map((rule) => [rule.id, rule]))
const ruleOf = ({ id }: { id: IssueId }): IssueRule => byId.get(id) as IssueRule

/** The requests of one key. */
interface Client {
  steps: Step[]
  /** Requests of the suite, which contain deliberate mistakes. */
  unscored: number
}

/** Caches assessments; automatic requests have none. */
const assessments = new WeakMap<RecordedEntry, Assessment | undefined>()

function assess(entry: RecordedEntry, source: ScorecardSource): Assessment | undefined {
  if (!assessments.has(entry)) {
    const isRemoved =
      entry.isRemoved || entry.reply.reason?.startsWith('get.after-removal') === true
    assessments.set(entry, assessRequest(entry, isRemoved, source))
  }
  const known = assessments.get(entry)
  return known && { ...known, issues: [...known.issues] }
}

/** The clients of a journal in the order of their keys; the last one has no valid key. */
function* toClients(source: ScorecardSource): Sliced<Client[]> {
  const { entries, keys } = source
  const clients = [...keys, ''].map((): Client => ({ steps: [], unscored: 0 }))
  // With a single key, all requests count for it.
  const clientOf = (key: number): Client => clients.at(keys.length === 1 ? 0 : key) as Client
  for (const entry of entries) {
    yield
    const { headers } = entry
    if (headers['user-agent'] === suiteUserAgent) {
      clientOf(keys.findIndex((key) => headers['authorization'] === `Bearer ${key}`)).unscored += 1
      continue
    }
    const assessed = assess(entry, source)
    if (assessed !== undefined) clientOf(assessed.key).steps.push({ ...assessed, entry })
  }
  for (const { steps } of clients) yield* assessSequence(steps)
  return clients
}

/** One scorecard for each key, and one for requests without a valid key, if any. */
export function* toScorecards(source: ScorecardSource): Sliced<Scorecard[]> {
  const cards: Scorecard[] = []
  for (const [index, client] of (yield* toClients(source)).entries()) {
    const isOther = index === source.keys.length
    if (isOther && client.steps.length === 0 && client.unscored === 0) continue
    const subject = source.sandbox === undefined ? `key ${index + 1}` : `sandbox ${source.sandbox}`
    cards.push(yield* toScorecard(isOther ? 'no valid key' : subject, client, source))
  }
  return cards
}

/** The issues of entries, by number. Entries without issues are omitted. */
export function* toRequestIssues(
  source: ScorecardSource,
  numbers: ReadonlySet<number>,
): Sliced<Map<number, RequestIssue[]>> {
  const hideIn = createHide(source.secrets)
  const steps = (yield* toClients(source)).flatMap((client) => client.steps)
  const found = steps.filter(({ entry, issues }) => issues.length > 0 && numbers.has(entry.number))
  const shown = new Map<number, RequestIssue[]>()
  for (const { entry, issues } of found) {
    yield
    const hide = hideIn(entry)
    const own = issues.map((issue) => {
      const rule = ruleOf(issue)
      const { severity, title, fix } = rule
      const message = hide(issue.message.slice(0, maxReadLength))
        .slice(0, maxLength.message)
        .toWellFormed()
      return { id: issue.id, severity, title, reference: referenceOf(rule), message, fix }
    })
    shown.set(
      entry.number,
      own.sort((one, other) => rank(one) - rank(other)),
    )
  }
  return shown
}

const rank = ({ severity }: { severity: Severity }): number => severities.indexOf(severity)

function* toScorecard(
  subject: string,
  { steps, unscored }: Client,
  source: ScorecardSource,
): Sliced<Scorecard> {
  const { sandbox, entries, received, secrets } = source
  const has = ({ issues }: Step, severity: Severity): boolean =>
    issues.some((issue) => ruleOf(issue).severity === severity)
  yield
  const violating = steps.filter((step) => has(step, 'violation'))
  const warned = steps.filter((step) => has(step, 'warning') && !has(step, 'violation'))
  const faults = 2 * violating.length + warned.length
  const times = steps.map(({ entry }) => entry.at)
  yield
  const coverage = coverageOf(steps)
  yield
  return {
    subject,
    ...(sandbox !== undefined && { sandbox }),
    requests: steps.length,
    journal: { kept: entries.length, received },
    // Integer arithmetic, so that rounding never results in 100.
    score:
      steps.length === 0
        ? null
        : Math.floor((100 * (2 * steps.length - faults)) / (2 * steps.length)),
    coverage,
    issues: yield* toIssues(steps, secrets),
    ...(unscored > 0 && { unscored }),
    ...(times.length > 0 && {
      firstAt: new Date(times[0] as number).toISOString(),
      lastAt: new Date(times.at(-1) as number).toISOString(),
    }),
  }
}

/** An issue lists its latest entries. */
const maxNumbers = 100

/** Counts each request once per issue. */
function* toIssues(steps: readonly Step[], secrets: readonly string[]): Sliced<ScorecardIssue[]> {
  const stepsById = new Map<IssueId, Set<Step>>()
  for (const step of steps) {
    for (const { id } of step.issues) {
      const known = stepsById.get(id)
      if (known === undefined) stepsById.set(id, new Set([step]))
      else known.add(step)
    }
  }
  const found: ScorecardIssue[] = []
  for (const rule of issueRules) {
    const { id, severity, title, fix } = rule
    const showing = [...(stepsById.get(id) ?? [])]
    const [first] = showing
    if (first === undefined) continue
    const message = first.issues.find((issue) => issue.id === id)?.message ?? ''
    const reference = referenceOf(rule)
    const entries = showing.slice(-maxNumbers).map(({ entry }) => entry.number)
    const example = toExample(first.entry, message, secrets)
    found.push({ id, severity, title, reference, count: showing.length, entries, ...example, fix })
    yield
  }
  return found.sort(
    (one, other) =>
      rank(one) - rank(other) || other.count - one.count || (one.id < other.id ? -1 : 1),
  )
}

/** Replaces keys. */
const hidden = '<API_KEY>'
/** The maximum length of each part of an example. */
const maxLength = { method: 20, target: 200, body: 300, message: 240 }
/** Redaction may shorten a text, so more of it is read than is shown. */
const maxReadLength = 2_000

/** A redacted and shortened request, and a message about it. */
function toExample(entry: RecordedEntry, text: string, secrets: readonly string[]) {
  const redact = createRedactor(
    { [hidden]: [...secrets, ...credentialsOf(entry), anySandboxKey] },
    publicText,
  )
  const show = (part: keyof typeof maxLength, sent: string): string => {
    const shown = redact(sent.slice(0, maxReadLength))
    return shown.length > maxLength[part]
      ? `${shown.slice(0, maxLength[part]).toWellFormed()}…`
      : shown
  }
  const example: Example = {
    method: show('method', entry.method),
    target: show('target', hideInUrls(entry.target, hidden)),
    ...(entry.body !== '' && { body: show('body', entry.body) }),
  }
  return { message: show('message', text), example }
}
