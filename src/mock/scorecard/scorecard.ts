import { credentialsOf, hideInUrls } from '../../report/credentials.ts'
import { createRedactor } from '../../report/redact.ts'
import { suiteUserAgent } from '../../spec/version.ts'
import type { RecordedEntry } from '../journal-entry.ts'
import type { FindRoute } from '../route.ts'
import { coverageOf } from './coverage.ts'
import { assessRequest } from './request.ts'
import { type IssueId, issueRules, type IssueRule, referenceOf, severities, type Severity } from './rules.ts'
import { assessSequence, type Step } from './sequence.ts'
import type { Example, Scorecard, ScorecardIssue } from './types.ts'

/** Whose journal a scorecard is made of. */
export interface ScorecardSource {
  entries: readonly RecordedEntry[]
  /** How many requests there were, with those that the journal has lost. */
  received: number
  /** The name of the sandbox; undefined for the keys of the mock. */
  sandbox: string | undefined
  keys: readonly string[]
  basePath: string
  findRoute: FindRoute
  /** What no example may show. */
  secrets: readonly string[]
}

const byId = new Map<IssueId, IssueRule>(issueRules.map((rule) => [rule.id, rule]))
const ruleOf = ({ id }: { id: IssueId }): IssueRule => byId.get(id) as IssueRule

/** The requests of one key. */
interface Client {
  steps: Step[]
  /** Requests of the suite, which makes mistakes on purpose. */
  unscored: number
}

/** The scorecards of one journal: one for each key, and one for requests without any of them if there were some. */
export function toScorecards(source: ScorecardSource): Scorecard[] {
  const { entries, keys } = source
  const clients = [...keys, ''].map((): Client => ({ steps: [], unscored: 0 }))
  // Where there is one key only, it is everybody.
  const clientOf = (key: number): Client => clients.at(keys.length === 1 ? 0 : key) as Client
  for (const entry of entries) {
    const { headers, reply } = entry
    if (headers['user-agent'] === suiteUserAgent) {
      clientOf(keys.findIndex((key) => headers['authorization'] === `Bearer ${key}`)).unscored += 1
      continue
    }
    const isRemoved = entry.isRemoved || reply.reason?.startsWith('get.after-removal') === true
    const assessed = assessRequest(entry, isRemoved, source)
    if (assessed !== undefined) clientOf(assessed.key).steps.push({ ...assessed, entry })
  }
  return clients.flatMap((client, index) => {
    const isOther = index === keys.length
    if (isOther && client.steps.length === 0 && client.unscored === 0) return []
    const subject = isOther
      ? 'no valid key'
      : source.sandbox === undefined
        ? `key ${index + 1}`
        : `sandbox ${source.sandbox}`
    return [toScorecard(subject, client, source)]
  })
}

function toScorecard(subject: string, { steps, unscored }: Client, source: ScorecardSource): Scorecard {
  const { sandbox, entries, received, secrets } = source
  assessSequence(steps)
  const has = ({ issues }: Step, severity: Severity): boolean =>
    issues.some((issue) => ruleOf(issue).severity === severity)
  const violating = steps.filter((step) => has(step, 'violation'))
  const warned = steps.filter((step) => has(step, 'warning') && !has(step, 'violation'))
  const faults = 2 * violating.length + warned.length
  const times = steps.map(({ entry }) => entry.at)
  return {
    subject,
    ...(sandbox !== undefined && { sandbox }),
    requests: steps.length,
    journal: { kept: entries.length, received },
    // In whole numbers, so that no rounding makes 100 of less.
    score: steps.length === 0 ? null : Math.floor((100 * (2 * steps.length - faults)) / (2 * steps.length)),
    coverage: coverageOf(steps),
    issues: toIssues(steps, secrets),
    ...(unscored > 0 && { unscored }),
    ...(times.length > 0 && {
      firstAt: new Date(times[0] as number).toISOString(),
      lastAt: new Date(times.at(-1) as number).toISOString(),
    }),
  }
}

/** Each request counts once for each kind of mistake. The rules are in the order of their severities. */
function toIssues(steps: readonly Step[], secrets: readonly string[]): ScorecardIssue[] {
  const found = issueRules.flatMap((rule): ScorecardIssue[] => {
    const { id, severity, title, fix } = rule
    const showing = steps.filter(({ issues }) => issues.some((issue) => issue.id === id))
    const [first] = showing
    if (first === undefined) return []
    const message = first.issues.find((issue) => issue.id === id)?.message ?? ''
    const reference = referenceOf(rule)
    return [{ id, severity, title, reference, count: showing.length, ...toExample(first.entry, message, secrets), fix }]
  })
  return found.sort(
    (one, other) =>
      severities.indexOf(one.severity) - severities.indexOf(other.severity) ||
      other.count - one.count ||
      (one.id < other.id ? -1 : 1),
  )
}

/** What stands where a key was. */
const hidden = '<API_KEY>'
/** Characters of each part of an example, and of a message. */
const longest = { method: 20, target: 200, body: 300, message: 240 }
/** Redaction shortens a text, so that more of it is read than is shown. */
const longestRead = 2_000

/** A request, and a sentence about it: without keys and whatever it presents as one, and cut. */
function toExample(
  entry: RecordedEntry,
  text: string,
  secrets: readonly string[],
): { message: string; example: Example } {
  const redact = createRedactor({ [hidden]: [...secrets, ...credentialsOf(entry)] })
  const show = (part: keyof typeof longest, sent: string): string => {
    const shown = redact(sent.slice(0, longestRead))
    return shown.length > longest[part] ? `${shown.slice(0, longest[part])}…` : shown
  }
  const example: Example = {
    method: show('method', entry.method),
    target: show('target', hideInUrls(entry.target, hidden)),
    ...(entry.body !== '' && { body: show('body', entry.body) }),
  }
  return { message: show('message', text), example }
}
