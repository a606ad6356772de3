import { behaviors, type Behavior, type BehaviorId } from '../../spec/behaviors.ts'
import { defaultKeyVariable, shellOf, toCurl } from '../http/curl.ts'
import { type Exchange, headersOf } from '../http/exchange.ts'
import { describe } from '../judge/expect.ts'
import type { Findings, Recorded } from '../judge/findings.ts'
import { hideCredential, isSecretName, publicTexts } from '../../report/credentials.ts'
import { kindOf } from '../report/baseline.ts'
import { createRedactor, type Redact } from '../../report/redact.ts'
import type { Keys } from '../http/keys.ts'
import type { VerifyOptions } from '../session/options.ts'
import type { Finding, Report, ReportedExchange } from '../report/report.ts'
import * as credentials from '../http/credentials.ts'
import type { Schedule } from './selection.ts'
import { reachVerdict, selectViolations, type JudgedRun } from './verdicts.ts'
import { version } from '../../spec/version.ts'
import { interfaceWords, queryParameters } from '../../spec/operations.ts'

export const maxBodyLength = 2_000
/** Different messages of one finding. */
const maxKinds = 100
/** Shorter, because a report has many observations. */
const maxObservationLength = 500

/** The source of a report: a run, or traffic of a proxy. */
export interface ReportSource extends JudgedRun {
  readonly options: JudgedRun['options'] &
    Pick<VerifyOptions, 'baseUrl' | 'headers' | 'headerVariables' | 'keyVariable' | 'observations'>
  readonly keys: Pick<Keys, 'all'>
  readonly transport: {
    readonly requests: number
    readonly durations: readonly number[]
    elapsed(): number
  }
  readonly log: { readonly writes: number }
  readonly sequences?: Report['sequences'] | undefined
  readonly suggestedBaseUrl?: string | undefined
}

/** Longer texts are rarely repeated, so their redaction is not cached. */
const maxCachedLength = 100
/** A target may send ever new texts. */
const maxCached = 5_000
/** Names may have megabytes, in which a pattern overflows the stack. A piece does not end within a word, such as a key. */
const piece = /[^]{1,100000}\S{0,1000}/g
/** Shorter values are no secrets, and parts of other words. */
const minHeaderValueLength = 6

/** Redacts all keys of a run, keys derived from them, and the values of --header. */
export function redactorOf({
  keys,
  options: { baseUrl, headers, headerVariables, keyVariable },
}: Pick<ReportSource, 'keys' | 'options'>): Redact {
  const derived = Object.values(credentials).filter(({ shell }) =>
    shell?.includes(defaultKeyVariable),
  )
  const tokens = keys.all.flatMap((key) =>
    derived
      .map(({ header }) => (header(key) ?? '').replace(/^(Bearer|Basic) /, ''))
      .filter((token) => token.length >= minHeaderValueLength && !token.includes(key)),
  )
  const secrets: Record<string, string[]> = { [`$${keyVariable}`]: [...keys.all, ...tokens] }
  for (const [name, value] of Object.entries(headers)) {
    if (value.length < minHeaderValueLength) continue
    const placeholder = `$${headerVariables[name]}`
    secrets[placeholder] = [...(secrets[placeholder] ?? []), value]
  }
  const clean = createRedactor(
    secrets,
    publicTexts(interfaceWords, [baseUrl, new URL(baseUrl).pathname]),
  )
  // Most headers repeat in every exchange.
  const known = new Map<string, string>()
  return (text) => {
    if (text.length > maxCachedLength) return text.replace(piece, (part) => clean(part))
    const cleaned = known.get(text) ?? clean(text)
    if (known.size >= maxCached) known.clear()
    known.set(text, cleaned)
    return cleaned
  }
}

/** @param ended why the run could not start or ended early */
export function toReport(
  run: ReportSource,
  schedule: Schedule,
  startedAt: Date,
  ended?: string,
): Report {
  const { findings, options, transport } = run
  const clean = redactorOf(run)
  const toReported = exchangePrinter(options, clean)
  const { reason, counts, requirements, ...verdict } = reachVerdict(run, schedule, ended)
  const { violations, notes } = selectViolations(run, schedule)
  return {
    schemaVersion: 1,
    kit: version,
    target: options.baseUrl,
    startedAt: startedAt.toISOString(),
    depth: options.depth,
    durationMs: Math.round(transport.elapsed()),
    ...(transport.durations.length > 0 && { latency: latencyOf(transport.durations) }),
    ...verdict,
    ...(reason !== undefined && { reason: clean(reason) }),
    ...(run.suggestedBaseUrl !== undefined && { suggestedBaseUrl: clean(run.suggestedBaseUrl) }),
    counts: { ...counts, requests: transport.requests, writes: run.log.writes },
    requirements: requirements.map((result) => ({
      ...result,
      ...(result.reason !== undefined && { reason: clean(result.reason) }),
      ...(result.open && {
        open: result.open.map((one) => ({ ...one, reason: clean(one.reason) })),
      }),
    })),
    findings: violations.map((violation) => toFinding(violation, clean, toReported)),
    ...profileOf(findings, clean, options.observations ? toReported : undefined),
    notes: [...findings.notes, ...notes, ...noteUnawaited(requirements)].map(clean),
    ...(run.sequences && { sequences: run.sequences }),
  }
}

/** How to make a run wait for what it did not wait for. */
function noteUnawaited(requirements: Report['requirements']): string[] {
  const only = requirements.map(({ id, looksViolated }) => (looksViolated ? ` --only ${id}` : ''))
  if (only.every((one) => one === '')) return []
  return [
    `What may be late was not waited for, because the run fails anyway; it waits with${only.join('')}.`,
  ]
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
      (behaviors as readonly Behavior[]).map((behavior) => [
        behavior.id,
        observedOf(behavior, findings, clean),
      ]),
    ) as Report['profile'],
    ...(candidates.length > 0 && {
      candidates: Object.fromEntries(candidates.map(([id, { value }]) => [id, [...value]])),
    }),
    evidence: Object.fromEntries(
      shown.map(([id, { exchange }]) => [id, clean(describe(exchange))]),
    ),
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

/** Options of the table are not redacted, even if the key is one of these words. */
function observedOf({ id, options }: Behavior, findings: Findings, clean: Redact): string {
  const value = findings.observed.get(id as BehaviorId)?.value
  if (typeof value !== 'string') return 'unknown'
  // The space ends the text: a key that is cut off is redacted only at the end of a text.
  return options.some((option) => option.value === value) ? value : clean(`${value} `).slice(0, -1)
}

function toFinding(violation: Recorded, clean: Redact, toReported: PrintExchange): Finding {
  const { requirement, alsoBreaks, check, during, more } = violation
  const kinds = [...new Set(violation.messages.map((message) => kindOf(clean(message))))].slice(
    0,
    maxKinds,
  )
  return {
    requirement,
    alsoBreaks: [...(alsoBreaks ?? [])],
    check,
    during,
    message: clean(violation.message),
    pointer: clean(violation.pointer ?? ''),
    expected: clean(violation.expected),
    actual: clean(violation.actual),
    ...(violation.kind && { kind: violation.kind }),
    more,
    kinds,
    exchanges: violation.exchanges.map((exchange) => toReported(exchange, maxBodyLength)),
  }
}

/** Paths that the suite makes of words and numbers alone. */
const isOfInterface = new RegExp(
  String.raw`^/pets(?:/\d{1,20})?/?(?:\?(?:(?:${queryParameters.join('|')})=(?:-?\d{1,20}|[a-z]{0,9})(?:&|$))*)?$`,
)

type PrintExchange = (exchange: Exchange, maxLength: number) => ReportedExchange

/** Prints exchanges without secrets, with bodies up to a length. */
export function exchangePrinter(
  {
    baseUrl,
    headerVariables,
    keyVariable,
  }: Pick<ReportSource['options'], 'baseUrl' | 'headerVariables' | 'keyVariable'>,
  clean: Redact,
): PrintExchange {
  const given = Object.fromEntries(
    Object.entries(headerVariables).map(([name, variable]) => [name, `$${variable}`]),
  )
  const cleanHeaders = (
    all: Readonly<Record<string, string>>,
    isOurs: boolean,
  ): Record<string, string> =>
    Object.fromEntries(
      Object.entries(all).map(([name, value]) => [
        clean(name),
        // Cookies and the like are credentials of somebody.
        !isOurs && isSecretName(name) ? hideCredential(value, '[redacted]') : clean(value),
      ]),
    )
  return ({ plan: sent, status, headers: received, content }, maxLength) => {
    const credential = sent.credential ?? credentials.validKey
    const placeholder = `$${keyVariable}`
    const named = credential.carry?.(sent, placeholder, placeholder) ?? sent
    const plan = {
      ...named,
      path: isOfInterface.test(named.path) ? named.path : clean(named.path),
      headers: { ...cleanHeaders(named.headers ?? {}, true), ...given },
      body: named.body === undefined ? undefined : clean(named.body),
    }
    const { field = 'authorization' } = credential
    const shell = shellOf(credential, keyVariable)
    const text = content.kind === 'empty' ? '' : content.text
    // Redaction may shorten the text.
    const maxReadLength = 4 * maxLength
    const body = clean(text.slice(0, maxReadLength))
    return {
      request: {
        method: plan.method,
        url: baseUrl + plan.path,
        headers: { ...headersOf(plan), ...(shell !== undefined && { [field]: shell }) },
        ...(plan.body !== undefined && { body: plan.body }),
      },
      response: {
        status,
        headers: cleanHeaders(received, false),
        body: body.slice(0, maxLength),
        ...((body.length > maxLength || text.length > maxReadLength) && { bodyCut: true as const }),
      },
      curl: toCurl(baseUrl, plan, keyVariable, headerVariables),
    }
  }
}
