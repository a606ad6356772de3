import { clauses } from '../spec/clauses.ts'
import type { Clause, ClauseId } from '../spec/clauses.ts'
import { choices } from '../spec/choices.ts'
import type { Choice, ChoiceId } from '../spec/choices.ts'
import type { BaselineResult, KnownFailure } from './baseline.ts'
import type { Check } from './check.ts'
import { toCurl } from './curl.ts'
import { headersOf } from './exchange.ts'
import type { Exchange } from './exchange.ts'
import type { Findings, LeftOpen, Recorded } from './findings.ts'
import { hideCredential, isSecretName } from '../report/credentials.ts'
import { createRedactor, type Redact } from '../report/redact.ts'
import type { VerifyOptions } from './options.ts'
import type { Run } from './run.ts'
import { validKey, wrongKey } from './credentials.ts'
import { isJudgedByEachAnswer, judgePart } from './selection.ts'
import { version } from '../spec/version.ts'

/** What a run says of one clause. */
export type ClauseVerdict = 'verified' | 'violated' | 'not-verified' | 'not-applicable'

/** A clause with its verdict. */
export interface ClauseResult {
  id: ClauseId
  section: string
  quote: string
  verdict: ClauseVerdict
  /** The checks that established it, or that found it violated. */
  checks: string[]
  /** Why it is not verified or not applicable. */
  reason?: string
  /** What single checks left open, also where others verified the clause. Only there when something is. */
  open?: LeftOpen[]
}

/** A request and its answer as a report shows them: the key is never in it. */
export interface ReportedExchange {
  request: { method: string; url: string; headers: Record<string, string>; body?: string }
  /** `status` is 0 when no answer came. A body longer than 2,000 characters is cut. */
  response: { status: number; headers: Record<string, string>; body: string; bodyCut?: true }
  curl: string
}

/** One breach of one clause from one cause. */
export interface Finding {
  clause: ClauseId
  /** Other clauses that the same behaviour breaks. */
  alsoBreaks: ClauseId[]
  check: string
  /** The check whose request showed it: another one where every answer is judged. */
  during: string
  message: string
  /** JSON pointer into the body of the last exchange; empty for the whole answer. */
  pointer: string
  expected: string
  actual: string
  /** How many more answers showed the same. */
  more: number
  exchanges: ReportedExchange[]
  /** The entry of the baseline, if the violation is a known one. */
  known?: KnownFailure
}

/** What became of a finding of an earlier report. */
export interface Rechecked {
  clause: ClauseId
  message: string
  outcome: 'fixed' | 'still-failing' | 'flaky' | 'not-verified'
  /** In how many runs it showed, of those that could tell. */
  seen: number
  runs: number
}

/** The result of a run. Its JSON Schema is `petstore-kit/report.schema.json`. */
export interface Report {
  schemaVersion: 1
  /** The version of petstore-kit. */
  kit: string
  target: string
  /** RFC 3339, in UTC. */
  startedAt: string
  durationMs: number
  verdict: 'conforms' | 'violates' | 'not-verified'
  /** 0 conforms, 1 violates, 3 not verified. */
  exitCode: 0 | 1 | 3
  /** Why nothing, or too little, could be verified, in one sentence. */
  reason?: string
  /** How many checks of the suite ran. Only there with `only` or `skip`. */
  selection?: { checks: number; of: number }
  counts: {
    verified: number
    violated: number
    notVerified: number
    /** Clauses among the verified of which a check left something open. Only there when there are some. */
    partlyOpen?: number
    notApplicable: number
    requests: number
    writes: number
    /** Violated clauses that the baseline knows; they are not among `violated`. Only there with a baseline. */
    known?: number
  }
  clauses: ClauseResult[]
  findings: Finding[]
  /** The option that the deployment shows for each implementation-defined choice, or `unknown`. */
  profile: Record<ChoiceId, string>
  /** The request that showed each observed option. */
  evidence: Partial<Record<ChoiceId, string>>
  notes: string[]
  /** What the baseline meant for this run. Only there with a baseline. */
  baseline?: BaselineResult
  /** What became of the findings of an earlier report; it decides the verdict. Only there with `onlyFailed`. */
  recheck?: Rechecked[]
}

/** A body in a report is cut behind so many characters. */
const longestBody = 2_000
const longestRead = 4 * longestBody

/** What a check says that needs getPet, from the day on that the specification announces. */
const removed = 'getPet has been removed'

/** What only the runner knows of a run. */
export interface Ending {
  startedAt: Date
  /** Set when the run could not begin or go on. */
  reason?: string | undefined
  /** Whether a clause was asked for by --only and --skip. */
  isAsked(clause: ClauseId): boolean
  /** Why the checks of a clause were not carried out at all. */
  reasonOf(clause: ClauseId): string | undefined
  /** The checks that a partial run lacks to verify a clause. */
  missing(clause: ClauseId): string[]
  /** The checks that the run meant to carry out. */
  planned: readonly Check[]
}

/** A shorter value of a header says nothing, and is part of other words. */
const shortestValue = 6

/** Redacts the key, the one that is as long, and the values of --header. */
function redactorOf({ apiKey, headers }: Run['options']): Redact {
  return createRedactor({
    $PETSTORE_API_KEY: [apiKey, (wrongKey.header(apiKey) ?? '').replace('Bearer ', '')],
    '[value of --header]': Object.values(headers).filter((value) => value.length >= shortestValue),
  })
}

/** Makes the report of a run. */
export function toReport(run: Run, ending: Ending): Report {
  const { findings, options, transport } = run
  const clean = redactorOf(options)
  const given = Object.fromEntries(Object.keys(options.headers).map((name) => [name, '[value of --header]']))
  const mask = (exchange: Exchange): Exchange => ({
    ...exchange,
    plan: { ...exchange.plan, headers: { ...exchange.plan.headers, ...given } },
  })
  const results = (clauses as readonly Clause[]).map((clause) => judgeClause(clause, findings, ending, run))
  const count = (verdict: ClauseVerdict): number => results.filter((result) => result.verdict === verdict).length
  const verified = count('verified')
  const violated = count('violated')
  const notVerified = count('not-verified')
  const partlyOpen = results.filter((one) => one.verdict === 'verified' && one.open !== undefined).length
  const counts = { verified, violated, notVerified, ...(partlyOpen > 0 && { partlyOpen }) }
  const part =
    options.only.length + options.skip.length > 0 ? judgePart(run, ending.planned, verified + violated) : undefined
  const selection = part && { checks: part.checks, of: part.of }
  const reason = ending.reason ?? part?.unproven ?? tooFew(counts, options.minVerified)
  return {
    schemaVersion: 1,
    kit: version,
    target: clean(options.baseUrl),
    startedAt: ending.startedAt.toISOString(),
    durationMs: Math.round(transport.elapsed()),
    ...toVerdict(counts, { reason, selection }, options.strict),
    ...(reason !== undefined && { reason: clean(reason) }),
    ...(selection && { selection }),
    counts: {
      ...counts,
      notApplicable: count('not-applicable'),
      requests: transport.requests,
      writes: run.writes,
    },
    clauses: results.map((result) => ({
      ...result,
      ...(result.reason !== undefined && { reason: clean(result.reason) }),
      ...(result.open && { open: result.open.map(({ check, reason }) => ({ check, reason: clean(reason) })) }),
    })),
    findings: findings.breaches.map((breach) => toFinding(breach, options.baseUrl, clean, mask)),
    profile: Object.fromEntries(
      (choices as readonly Choice[]).map((choice) => [choice.id, observedOf(choice, findings, clean)]),
    ) as Report['profile'],
    evidence: Object.fromEntries([...findings.observed].map(([id, { evidence }]) => [id, clean(evidence)])),
    notes: findings.notes.map(clean),
  }
}

/**
 * The verdict of a run.
 *
 * @param of its `reason`: why it could not begin, not come to its end, or saw too little; then it says nothing good of the
 *   target. Its `selection`: where it has one, it is enough that the selected checks came to their end
 * @param strict whether what could not be verified is held against the target
 */
export function toVerdict(
  { verified, violated, notVerified, partlyOpen = 0 }: Counts,
  { reason, selection }: { [name in 'reason' | 'selection']?: Report[name] | undefined },
  strict: boolean,
): Pick<Report, 'verdict' | 'exitCode'> {
  if (violated > 0) return { verdict: 'violates', exitCode: 1 }
  const isProven =
    reason === undefined && (verified > 0 || selection !== undefined) && !(strict && notVerified + partlyOpen > 0)
  return isProven ? { verdict: 'conforms', exitCode: 0 } : { verdict: 'not-verified', exitCode: 3 }
}

/** The requirements that a run checked, of those that a whole run can check. A known failure was checked, too. */
export function checkedOf({ verified, violated, notVerified, known = 0 }: Counts): { checked: number; of: number } {
  const checked = verified + violated + known
  return { checked, of: checked + notVerified }
}

/** Why a run checked too little for --min-verified. */
function tooFew(counts: Counts, least: VerifyOptions['minVerified']): string | undefined {
  const { checked, of } = checkedOf(counts)
  const wanted = typeof least === 'string' ? Math.ceil((Number.parseInt(least, 10) * of) / 100) : (least ?? 0)
  if (checked >= wanted) return undefined
  return `--min-verified ${least} asks for more`
}

type Counts = Pick<Report['counts'], 'verified' | 'violated' | 'notVerified' | 'partlyOpen' | 'known'>

/** The option that was observed. The words of the table are the kit's own, also where the key is one of them. */
function observedOf({ id, options }: Choice, findings: Findings, clean: Redact): string {
  const value = findings.observed.get(id as ChoiceId)?.value
  if (value === undefined) return 'unknown'
  // A code is a whole text: what looks like a key that was cut off at its end is only a code.
  return options.some((option) => option.value === value) ? value : clean(`${value} `).slice(0, -1)
}

function judgeClause(clause: Clause, findings: Findings, ending: Ending, run: Run): ClauseResult {
  const id = clause.id as ClauseId
  const { section, quote } = clause
  // Of an operation that is gone nothing is left open.
  const open = (findings.open.get(id) ?? []).filter((one) => !(run.getRemoved && one.reason.startsWith(removed)))
  const result = (verdict: ClauseVerdict, checks: Iterable<string>, reason?: string): ClauseResult => ({
    id,
    section,
    quote,
    verdict,
    checks: [...new Set(checks)],
    ...(reason !== undefined && { reason }),
    ...(open.length > 0 && verdict !== 'not-applicable' && { open }),
  })
  const breaches = findings.breaches.filter((breach) => breach.clause === id || breach.alsoBreaks?.includes(id))
  if (breaches.length > 0)
    return result(
      'violated',
      breaches.map(({ check }) => check),
    )
  if (clause.untestable !== undefined) return result('not-applicable', [], clause.untestable)
  if (!ending.isAsked(id)) return result('not-applicable', [], 'left out by --only or --skip')
  const missing = ending.missing(id)
  const isOpen = findings.suspected.has(id) || missing.length > 0
  const verified = findings.verified.get(id)
  if (verified && !isOpen) return result('verified', verified)
  if (run.getRemoved && id.startsWith('get.')) {
    return result('not-applicable', [], `${removed}, as the specification announces`)
  }
  if (isJudgedByEachAnswer(id) && findings.judged.has(id) && !isOpen) return result('verified', ['every-response'])
  const left = ending.reasonOf(id)
  const reasons = left === undefined ? (findings.open.get(id) ?? []).map(({ reason }) => reason) : [left]
  if (missing.length > 0) reasons.push(`partial run, without ${enumerate(missing)}`)
  if (reasons.length === 0) reasons.push(ending.reason ?? 'no answer of this run gave occasion to tell')
  return result('not-verified', [], [...new Set(reasons)].join('; '))
}

/** The first few checks by name, and how many more there are. */
function enumerate(ids: readonly string[]): string {
  const most = 5
  return ids.slice(0, most).join(', ') + (ids.length > most ? ` and ${ids.length - most} more checks` : '')
}

function toFinding(
  breach: Recorded,
  baseUrl: string,
  clean: Redact,
  masked: (exchange: Exchange) => Exchange,
): Finding {
  const { clause, alsoBreaks, check, during, more } = breach
  return {
    clause,
    alsoBreaks: [...(alsoBreaks ?? [])],
    check,
    during,
    message: clean(breach.message),
    pointer: clean(breach.pointer ?? ''),
    expected: clean(breach.expected),
    actual: clean(breach.actual),
    more,
    exchanges: breach.exchanges.map((exchange) => toReported(masked(exchange), baseUrl, clean)),
  }
}

function toReported(exchange: Exchange, baseUrl: string, clean: Redact): ReportedExchange {
  const { plan, status, headers, content } = exchange
  const { shell } = plan.credential ?? validKey
  const text = content.kind === 'empty' ? '' : content.text
  // Redaction shortens the text, so that more of it is read than is shown.
  const body = clean(text.slice(0, longestRead))
  const show = (all: Readonly<Record<string, string>>, isOurs: boolean): Record<string, string> =>
    Object.fromEntries(
      Object.entries(all).map(([name, value]) => [
        clean(name),
        // What the target sets, such as a cookie, is a credential of somebody.
        !isOurs && isSecretName(name) ? hideCredential(value, '[redacted]') : clean(value),
      ]),
    )
  return {
    request: {
      method: plan.method,
      url: clean(baseUrl + plan.path),
      headers: show({ ...headersOf(plan), ...(shell !== undefined && { authorization: shell }) }, true),
      ...(plan.body !== undefined && { body: clean(plan.body) }),
    },
    response: {
      status,
      headers: show(headers, false),
      body: body.slice(0, longestBody),
      ...((body.length > longestBody || text.length > longestRead) && { bodyCut: true as const }),
    },
    curl: clean(toCurl(baseUrl, plan)),
  }
}
