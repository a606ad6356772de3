import { clauses, type Clause, type ClauseId } from '../spec/clauses.ts'
import { choices, type Choice, type ChoiceId } from '../spec/choices.ts'
import type { Check } from './session.ts'
import { type Exchange, headersOf, toCurl } from './exchange.ts'
import { describe } from './expect.ts'
import type { Findings, Recorded } from './findings.ts'
import { hideCredential, isSecretName } from '../report/credentials.ts'
import { createRedactor, type Redact } from '../report/redact.ts'
import type { VerifyOptions } from './options.ts'
import { checkedOf, toVerdict } from './report.ts'
import type { ClauseResult, ClauseVerdict, Counts, Finding, Report, ReportedExchange } from './report.ts'
import * as credentials from './credentials.ts'
import { isJudgedByEachResponse, assessPartialRun } from './selection.ts'
import { version } from '../spec/version.ts'

const maxBodyLength = 2_000
/** Shorter, because a report has many observations. */
const maxObservationLength = 500

/** How the reasons of checks begin that need getPet, once it is removed. */
const removed = 'getPet has been removed'

/** The source of a report: a run, or traffic of a proxy. */
export interface ReportSource {
  readonly findings: Findings
  readonly options: Pick<
    VerifyOptions,
    'apiKey' | 'baseUrl' | 'depth' | 'headers' | 'minVerified' | 'observations' | 'only' | 'skip' | 'strict'
  >
  readonly transport: { readonly requests: number; readonly durations: readonly number[]; elapsed(): number }
  readonly writes: number
  readonly getRemoved: boolean
  readonly sequences?: Report['sequences'] | undefined
}

/** What only the runner knows. */
export interface Ending {
  startedAt: Date
  /** Why the run could not start or ended early. */
  reason?: string | undefined
  isSelected(clause: ClauseId): boolean
  /** The checks that verify a clause, unless a response violates it. */
  verifiedBy(clause: ClauseId): string[]
  /** Why no check of a clause was run. */
  leftOut(clause: ClauseId): string | undefined
  /** The checks that a partial run lacks to verify a clause. */
  missing(clause: ClauseId): string[]
  planned: readonly Check[]
}

/** Longer texts are rarely repeated, so their redaction is not cached. */
const maxCachedLength = 100
/** Names may have megabytes, in which a pattern overflows the stack. A piece does not end within a word, such as a key. */
const piece = /[^]{1,100000}\S{0,1000}/g
/** Shorter values are no secrets, and parts of other words. */
const minHeaderValueLength = 6

/** Redacts the key, keys derived from it, and the values of --header. */
export function redactorOf({ apiKey, headers }: ReportSource['options']): Redact {
  const tokens = Object.values(credentials)
    .filter(({ shell }) => shell?.includes('PETSTORE_API_KEY'))
    .map(({ header }) => (header(apiKey) ?? '').replace(/^(Bearer|Basic) /, ''))
    .filter((token) => token.length >= minHeaderValueLength && !token.includes(apiKey))
  const clean = createRedactor({
    $PETSTORE_API_KEY: [apiKey, ...tokens],
    '[value of --header]': Object.values(headers).filter((value) => value.length >= minHeaderValueLength),
  })
  // Most headers repeat in every exchange.
  const known = new Map<string, string>()
  return (text) => {
    if (text.length > maxCachedLength) return text.replace(piece, (part) => clean(part))
    const cleaned = known.get(text) ?? clean(text)
    known.set(text, cleaned)
    return cleaned
  }
}

export function toReport(run: ReportSource, ending: Ending): Report {
  const { findings, options, transport } = run
  const clean = redactorOf(options)
  const toReported = exchangePrinter(options, clean)
  const results = (clauses as readonly Clause[]).map((clause) => judgeClause(clause, findings, ending, run))
  const count = (verdict: ClauseVerdict): number => results.filter((result) => result.verdict === verdict).length
  const [verified, violated, notVerified] = [count('verified'), count('violated'), count('not-verified')]
  const partlyOpen = results.filter((one) => one.verdict === 'verified' && one.open !== undefined).length
  const counts = { verified, violated, notVerified, ...(partlyOpen > 0 && { partlyOpen }) }
  const isPartial = options.depth === 'smoke' || options.only.length + options.skip.length > 0
  const part = isPartial ? assessPartialRun(run, ending.planned, verified + violated) : undefined
  const selection = part && { checks: part.checks, of: part.of }
  const reason = ending.reason ?? part?.unproven ?? tooFew(counts, options.minVerified)
  return {
    schemaVersion: 1,
    kit: version,
    target: clean(options.baseUrl),
    startedAt: ending.startedAt.toISOString(),
    depth: options.depth,
    durationMs: Math.round(transport.elapsed()),
    ...(transport.durations.length > 0 && { latency: latencyOf(transport.durations) }),
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
    findings: findings.violations.map((violation) => toFinding(violation, clean, toReported)),
    ...profileOf(findings, clean, options.observations ? toReported : undefined),
    notes: findings.notes.map(clean),
    ...(run.sequences && { sequences: run.sequences }),
  }
}

/** What the run observed of unspecified behavior: options or remaining candidates, and what showed them. */
function profileOf(
  findings: Findings,
  clean: Redact,
  toReported?: PrintExchange,
): Pick<Report, 'profile' | 'candidates' | 'evidence' | 'observations'> {
  const observed = [...findings.observed]
  const shown = observed.filter(([, { value }]) => typeof value === 'string')
  const candidates = observed.filter(([, { value }]) => typeof value !== 'string')
  return {
    profile: Object.fromEntries(
      (choices as readonly Choice[]).map((choice) => [choice.id, observedOf(choice, findings, clean)]),
    ) as Report['profile'],
    ...(candidates.length > 0 && {
      candidates: Object.fromEntries(candidates.map(([id, { value }]) => [id, [...value]])),
    }),
    evidence: Object.fromEntries(shown.map(([id, { exchange }]) => [id, clean(describe(exchange))])),
    ...(toReported && {
      observations: Object.fromEntries(
        observed.map(([id, { exchange }]) => [id, toReported(exchange, maxObservationLength)]),
      ),
    }),
  }
}

/** In milliseconds, with one decimal. */
function latencyOf(durations: readonly number[]): NonNullable<Report['latency']> {
  const sorted = [...durations].sort((a, b) => a - b)
  const at = (share: number): number => {
    const value = sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
    return Math.round(value * 10) / 10
  }
  return { median: at(0.5), p95: at(0.95), max: at(1) }
}

/** Why --min-verified is not met. */
function tooFew(counts: Counts, least: VerifyOptions['minVerified']): string | undefined {
  const { checked, of } = checkedOf(counts)
  const wanted = typeof least === 'string' ? Math.ceil((Number.parseInt(least, 10) * of) / 100) : (least ?? 0)
  return checked >= wanted ? undefined : `--min-verified ${least} demands more`
}

/** Options of the table are not redacted, even if the key is one of these words. */
function observedOf({ id, options }: Choice, findings: Findings, clean: Redact): string {
  const value = findings.observed.get(id as ChoiceId)?.value
  if (typeof value !== 'string') return 'unknown'
  // The space ends the text: a key that is cut off is redacted only at the end of a text.
  return options.some((option) => option.value === value) ? value : clean(`${value} `).slice(0, -1)
}

function judgeClause(clause: Clause, findings: Findings, ending: Ending, run: ReportSource): ClauseResult {
  const id = clause.id as ClauseId
  const { section, quote } = clause
  // A removed operation leaves nothing open.
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
  const showing = findings.violations.filter((one) => [one.clause, ...(one.alsoBreaks ?? [])].includes(id))
  const shownBy = showing.map(({ check }) => check)
  if (shownBy.length > 0) return result('violated', shownBy)
  if (clause.untestable !== undefined) return result('not-applicable', [], clause.untestable)
  if (!ending.isSelected(id)) return result('not-applicable', [], 'excluded by --only or --skip')
  const missing = ending.missing(id)
  const isOpen = findings.suspected.has(id) || missing.length > 0
  const verified = ending.verifiedBy(id)
  if (verified.length > 0 && !isOpen) return result('verified', verified)
  if (run.getRemoved && id.startsWith('get.')) {
    return result('not-applicable', [], `${removed}, as the specification announces`)
  }
  if (isJudgedByEachResponse(id) && findings.judged.has(id) && !isOpen) return result('verified', ['every-response'])
  const left = ending.leftOut(id)
  const reasons = left === undefined ? (findings.open.get(id) ?? []).map(({ reason }) => reason) : [left]
  if (missing.length > 0) {
    const isSmoke = run.options.depth === 'smoke'
    reasons.push(isSmoke ? 'the depth smoke sends only some requests' : `partial run, without ${enumerate(missing)}`)
  }
  if (reasons.length === 0) reasons.push(ending.reason ?? 'not exercised by this run')
  return result('not-verified', [], [...new Set(reasons)].join('; '))
}

function enumerate(ids: readonly string[]): string {
  const maxNamed = 5
  return ids.slice(0, maxNamed).join(', ') + (ids.length > maxNamed ? ` and ${ids.length - maxNamed} more checks` : '')
}

function toFinding(violation: Recorded, clean: Redact, toReported: PrintExchange): Finding {
  const { clause, alsoBreaks, check, during, more } = violation
  return {
    clause,
    alsoBreaks: [...(alsoBreaks ?? [])],
    check,
    during,
    message: clean(violation.message),
    pointer: clean(violation.pointer ?? ''),
    expected: clean(violation.expected),
    actual: clean(violation.actual),
    more,
    exchanges: violation.exchanges.map((exchange) => toReported(exchange, maxBodyLength)),
  }
}

type PrintExchange = (exchange: Exchange, maxLength: number) => ReportedExchange

/** Prints exchanges without secrets, with bodies up to a length. */
function exchangePrinter({ baseUrl, headers }: ReportSource['options'], clean: Redact): PrintExchange {
  const given = Object.fromEntries(Object.keys(headers).map((name) => [name, '[value of --header]']))
  const cleanHeaders = (all: Readonly<Record<string, string>>, isOurs: boolean): Record<string, string> =>
    Object.fromEntries(
      Object.entries(all).map(([name, value]) => [
        clean(name),
        // Cookies and the like are credentials of somebody.
        !isOurs && isSecretName(name) ? hideCredential(value, '[redacted]') : clean(value),
      ]),
    )
  return ({ plan: sent, status, headers: received, content }, maxLength) => {
    const plan = { ...sent, headers: { ...sent.headers, ...given } }
    const { field = 'authorization', shell } = plan.credential ?? credentials.validKey
    const text = content.kind === 'empty' ? '' : content.text
    // Redaction may shorten the text.
    const maxReadLength = 4 * maxLength
    const body = clean(text.slice(0, maxReadLength))
    return {
      request: {
        method: plan.method,
        url: clean(baseUrl + plan.path),
        headers: cleanHeaders({ ...headersOf(plan), ...(shell !== undefined && { [field]: shell }) }, true),
        ...(plan.body !== undefined && { body: clean(plan.body) }),
      },
      response: {
        status,
        headers: cleanHeaders(received, false),
        body: body.slice(0, maxLength),
        ...((body.length > maxLength || text.length > maxReadLength) && { bodyCut: true as const }),
      },
      curl: clean(toCurl(baseUrl, plan)),
    }
  }
}
