import { detach } from '../../errors.ts'
import { credentialsOf, hideInUrls } from '../../report/credentials.ts'
import { createRedactor } from '../../report/redact.ts'
import { suiteUserAgent } from '../../spec/version.ts'
import { anySandboxKey, createHide, publicText, type RecordedEntry } from '../journal/entry.ts'
import type { JournalCounts } from '../journal/journal.ts'
import { CoverageCounter } from './coverage.ts'
import { type Assessment, assessRequest, type Contract, type Step } from './request.ts'
import {
  type FoundIssue,
  type IssueId,
  issueKinds,
  type IssueKind,
  referenceOf,
  severities,
  type Severity,
} from './issues.ts'
import { Sequence } from './sequence.ts'
import type { Example, Scorecard, ScorecardIssue } from './scorecard.gen.ts'

/** What is wrong with one request. */
export type RequestIssue = Pick<
  ScorecardIssue,
  'id' | 'severity' | 'title' | 'reference' | 'message' | 'fix'
>

export interface Inspected {
  issues: RequestIssue[]
}

/** What the scorecards of a sandbox need besides its journal. */
interface ScorecardSource extends Contract {
  /** The name of the sandbox; undefined for the keys of the mock. */
  sandbox: string | undefined
  /** Keys and tokens that no example may show. */
  secrets: readonly string[]
}

const byId = new Map<IssueId, IssueKind>(issueKinds.map((kind) => [kind.id, kind]))
const kindOf = ({ id }: { id: IssueId }): IssueKind => byId.get(id) as IssueKind

/** Assesses the entries of one journal, each once. Its counts remain when entries leave the journal. */
export class Scorer {
  readonly #source: ScorecardSource
  readonly #hideIn: ReturnType<typeof createHide>
  #tally: Tally

  constructor(source: ScorecardSource) {
    this.#source = source
    this.#hideIn = createHide(source.secrets)
    this.#tally = new Tally(source)
  }

  /**
   * Of the current keys: a proxy adds and removes keys as it learns which ones are valid. Then the tally starts again with
   * what is still in the journal.
   */
  #current(): Tally {
    const { keys } = this.#source
    const before = this.#tally.keys
    const isSame =
      keys.length === before.length && keys.every((key, place) => key === before[place])
    if (!isSame) this.#tally = new Tally(this.#source)
    return this.#tally
  }

  /** Adds an entry of the journal, unless it was counted before. Entries of one mock must come in the order of their numbers. */
  add(entry: RecordedEntry): void {
    const tally = this.#current()
    if (entry.countedIn === tally) return
    const issues = this.#assess(entry)
    if (issues.length > 0) tally.issues.set(entry, issues)
  }

  /** As `add`, for an entry that leaves the journal: its issues are not stored. */
  addLeaving(entry: RecordedEntry): void {
    if (entry.countedIn !== this.#current()) this.#assess(entry)
  }

  #assess(entry: RecordedEntry): readonly FoundIssue[] {
    // A field, since a WeakSet of all entries takes much time of the garbage collector.
    entry.countedIn = this.#tally
    this.#tally.counted += 1
    const { authorization, 'user-agent': agent } = entry.headers
    // Requests of the suite contain deliberate mistakes.
    if (agent === suiteUserAgent) {
      const key = this.#source.keys.findIndex((one) => authorization === `Bearer ${one}`)
      this.#tallyOf(key).unscored += 1
      return noIssues
    }
    const assessment = this.#tally.known.assess(entry, this.#source)
    if (assessment === undefined) return noIssues
    const issues = [...assessment.issues]
    this.#tallyOf(assessment.key).add({ entry, assessment, issues })
    return issues
  }

  /** With a single key, all requests count for it. */
  #tallyOf(key: number): KeyTally {
    const { byKey, keys } = this.#tally
    return byKey.at(keys.length === 1 ? 0 : key) as KeyTally
  }

  /** One scorecard for each key, and one for requests without a valid key, if any. */
  scorecards(counts: Omit<JournalCounts, 'counted'>): Scorecard[] {
    const { sandbox } = this.#source
    const { counted, byKey, keys } = this.#tally
    // An entry that was recorded elsewhere may come again after it has left the journal.
    const journal = { ...counts, counted: Math.min(counted, counts.received) }
    return byKey.flatMap((one, index) => {
      const isOther = index === keys.length
      if (isOther && one.requests === 0 && one.unscored === 0) return []
      const subject = sandbox === undefined ? ownSubject(index, keys.length) : `sandbox ${sandbox}`
      return [
        {
          subject: isOther ? 'no valid key' : subject,
          ...(sandbox !== undefined && { sandbox }),
          requests: one.requests,
          journal,
          ...one.result,
        },
      ]
    })
  }

  /** The approximate size of all that is remembered. */
  get bytes(): number {
    return this.#tally.byKey.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** The issues of an entry that was counted, the worst first. */
  issuesOf(entry: RecordedEntry): RequestIssue[] {
    const issues = this.#tally.issues.get(entry) ?? []
    if (issues.length === 0) return []
    const hide = this.#hideIn(entry)
    const shown = issues.map((issue) => {
      const message = hide(issue.message.slice(0, maxReadLength))
        .slice(0, maxLength.message)
        .toWellFormed()
      return describe(issue, { message })
    })
    return shown.sort((one, other) => rank(one) - rank(other))
  }
}

function describe<Found>({ id }: FoundIssue, found: Found) {
  const kind = kindOf({ id })
  const { severity, title, fix } = kind
  return { id, severity, title, reference: referenceOf(kind), ...found, fix }
}

/** What a scorer has counted with the same keys. */
class Tally {
  readonly keys: readonly string[]
  /** By the position of their keys; the last one has no valid key. */
  readonly byKey: readonly KeyTally[]
  /** Of the entries that were counted and have any. */
  readonly issues = new WeakMap<RecordedEntry, readonly FoundIssue[]>()
  readonly known = new KnownRequests()
  counted = 0

  constructor({ keys, secrets }: ScorecardSource) {
    this.keys = [...keys]
    this.byKey = [...keys, ''].map(() => new KeyTally(secrets))
  }
}

const noIssues: readonly FoundIssue[] = []

const ownSubject = (index: number, keys: number): string =>
  keys === 1 ? 'main (default key)' : `main (key ${index + 1})`

const rank = ({ severity }: { severity: Severity }): number => severities.indexOf(severity)

/** An issue lists its latest entries. */
const maxListed = 100
/** The approximate size of an issue. */
const issueBytes = 2_000

/** The requests of one key, in numbers. */
class KeyTally {
  requests = 0
  /** Requests of the suite. */
  unscored = 0
  readonly #secrets: readonly string[]
  readonly #sequence = new Sequence()
  readonly #coverage = new CoverageCounter()
  readonly #issues = new Map<IssueId, ScorecardIssue>()
  #violating = 0
  #warned = 0
  #firstAt = Infinity
  #lastAt = 0

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets
  }

  get bytes(): number {
    return this.#sequence.bytes + issueBytes * this.#issues.size
  }

  add(step: Step): void {
    const { entry, issues } = step
    this.requests += 1
    this.#firstAt = Math.min(this.#firstAt, entry.at)
    this.#lastAt = Math.max(this.#lastAt, entry.at)
    this.#sequence.add(step)
    this.#coverage.add(step)
    if (issues.length === 0) return
    let worst = Infinity
    for (const [index, issue] of issues.entries()) {
      const { id } = issue
      worst = Math.min(worst, rank(kindOf(issue)))
      // Counts each request once per issue.
      if (issues.findIndex((one) => one.id === id) < index) continue
      this.#countIssue(this.#issues.get(id) ?? this.#start(issue, entry), entry)
    }
    if (severities[worst] === 'violation') this.#violating += 1
    if (severities[worst] === 'warning') this.#warned += 1
  }

  /** The example is the first request; `entries` are the latest. */
  #start(issue: FoundIssue, entry: RecordedEntry): ScorecardIssue {
    const example = toExample(entry, issue.message, this.#secrets)
    const started: ScorecardIssue = describe(issue, { count: 0, entries: [], ...example })
    this.#issues.set(issue.id, started)
    return started
  }

  #countIssue(issue: ScorecardIssue, { number }: RecordedEntry): void {
    issue.count += 1
    issue.entries.push(number)
    if (issue.entries.length > maxListed) issue.entries.shift()
  }

  get result(): Pick<
    Scorecard,
    'score' | 'coverage' | 'issues' | 'unscored' | 'firstAt' | 'lastAt'
  > {
    const { requests, unscored } = this
    const faults = 2 * this.#violating + this.#warned
    const issues = Array.from(this.#issues.values(), (issue) => ({
      ...issue,
      entries: issue.entries.toSorted((one, other) => one - other),
    }))
    return {
      // Integer arithmetic, so that rounding never results in 100.
      score: requests === 0 ? null : Math.floor((100 * (2 * requests - faults)) / (2 * requests)),
      coverage: this.#coverage.coverage,
      issues: issues.sort(
        (one, other) =>
          rank(one) - rank(other) || other.count - one.count || (one.id < other.id ? -1 : 1),
      ),
      ...(unscored > 0 && { unscored }),
      ...(requests > 0 && {
        firstAt: new Date(this.#firstAt).toISOString(),
        lastAt: new Date(this.#lastAt).toISOString(),
      }),
    }
  }
}

/** Requests of a connection whose assessments are kept, and their largest size. */
const maxKnown = 50
const maxKnownLength = 500

/** A request and its assessment. */
type Known = Pick<RecordedEntry, 'method' | 'target' | 'body' | 'isRemoved'> & {
  assessment: Assessment | undefined
}

/** Assessments of requests that came before: a connection usually repeats its headers, and many clients their targets. */
class KnownRequests {
  /**
   * By headers, then by what usually differs. A connection repeats the same object while its headers stay the same. A
   * joined key would take longer than all comparisons.
   */
  readonly #byHeaders = new WeakMap<object, Map<string, Known>>()

  /** Returns undefined for automatic requests. */
  assess(entry: RecordedEntry, contract: Contract): Assessment | undefined {
    const { headers, method, target, body, bodyFault, rejection, isRemoved } = entry
    const isUnusual = bodyFault !== undefined || rejection !== undefined
    if (isUnusual || target.length + body.length > maxKnownLength)
      return assessRequest(entry, contract)
    const all = this.#byHeaders.get(headers) ?? new Map<string, Known>()
    const key = body === '' ? target : body
    const known = all.get(key)
    if (
      known?.target === target &&
      known.body === body &&
      known.method === method &&
      known.isRemoved === isRemoved
    )
      return known.assessment
    const assessment = assessRequest(entry, contract)
    if (all.size >= maxKnown) all.clear()
    this.#byHeaders.set(headers, all.set(key, { method, target, body, isRemoved, assessment }))
    return assessment
  }
}

/** Replaces keys. */
const placeholder = '<API_KEY>'
/** The maximum length of each part of an example. */
const maxLength = { method: 20, target: 200, body: 300, message: 240 }
/** Redaction may shorten a text, so more of it is read than is shown. */
const maxReadLength = 2_000

/** A redacted and shortened request, and a message about it. */
function toExample(entry: RecordedEntry, text: string, secrets: readonly string[]) {
  const redact = createRedactor(
    { [placeholder]: [...secrets, ...credentialsOf(entry), anySandboxKey] },
    publicText,
  )
  const show = (part: keyof typeof maxLength, sent: string): string => {
    const shown = redact(sent.slice(0, maxReadLength))
    return detach(
      shown.length > maxLength[part] ? `${shown.slice(0, maxLength[part]).toWellFormed()}…` : shown,
    )
  }
  const example: Example = {
    method: show('method', entry.method),
    target: show('target', hideInUrls(entry.target, placeholder)),
    ...(entry.body !== '' && { body: show('body', entry.body) }),
  }
  return { message: show('message', text), example }
}
