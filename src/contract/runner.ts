import type { ClauseId } from '../spec/clauses.ts'
import { wrongAddress } from './address.ts'
import { applyBaseline } from './baseline.ts'
import { applyExpectedProfile, noteRemoval } from './drift.ts'
import { NoResponse } from './exchange.ts'
import { Findings, NotVerified, Violated } from './findings.ts'
import { resolveOptions, type FailedBefore, type VerifyInput, type VerifyOptions } from './options.ts'
import { orderOf } from './observe.ts'
import { toVerdict, type Rechecked, type Report } from './report.ts'
import { Run } from './run.ts'
import { isOwnClause, isWriting, missingChecks, select, selectFailed, type Selection } from './selection.ts'
import { toShown } from './shown.ts'
import { Session, type Check, type Stage } from './session.ts'
import { reasonOf, recheckSuspicions } from './suspicions/index.ts'
import { toReport } from './to-report.ts'
import { systemClock, type Clock } from './waiting.ts'

const stages: readonly Stage[] = [
  'survey',
  'read',
  'create',
  'access',
  'refuse',
  'observe',
  'compare',
  'remain',
  'explore',
]
/**
 * Verifies that a deployment keeps the contract.
 *
 * Sends about 150 requests and creates at most `maxWrites` pets, which stay.
 *
 * @returns the report; its `verdict` is `conforms`, `violates` or `not-verified`
 * @throws {UsageError} when an option is wrong, or when the base URL is not on this machine and neither `readOnly` nor
 *   `allowWrites` is set
 * @example
 * const report = await verify({ baseUrl: 'http://127.0.0.1:4010/v1', apiKey: process.env.PETSTORE_API_KEY })
 * if (report.verdict === 'violates') console.log(report.findings)
 */
export async function verify(input: VerifyInput): Promise<Report> {
  return verifyBy(systemClock, input)
}

/** As `verify`, in the time of a clock. */
export async function verifyBy(clock: Clock, input: VerifyInput): Promise<Report> {
  const { options, selection } = checkOptions(input)
  const failed = options.onlyFailed?.findings
  return failed ? recheck(options, selection, failed, clock) : (await carryOutSuite(options, selection, clock)).report
}

type Outcome = { report: Report } & Pick<Findings, 'done' | 'open' | 'seenBy'>

/** Runs so many times, but not so often that more pets are created than all runs together may create. */
async function recheck(
  options: VerifyOptions,
  selection: Selection,
  failed: readonly FailedBefore[],
  clock: Clock,
): Promise<Report> {
  const planned = options.readOnly
    ? 0
    : selection.checks.reduce((all, check) => all + writesOf(check, options.depth), 0)
  const until = clock.now() + options.maxDurationMs
  const runs: Outcome[] = []
  let { maxWrites, maxRequests } = options
  while (runs.length < options.times && (runs.length === 0 || (planned <= maxWrites && maxRequests > 0))) {
    options.onProgress?.(`run ${runs.length + 1} of ${options.times}`)
    const maxDurationMs = Math.max(1, Math.ceil(until - clock.now()))
    const run = await carryOutSuite({ ...options, maxRequests, maxWrites, maxDurationMs }, selection, clock)
    maxWrites -= run.report.counts.writes
    maxRequests -= run.report.counts.requests
    runs.push(run)
  }
  const results = failed.map((finding) => judgeAgain(finding, runs))
  const shown = results.filter(({ outcome }) => outcome === 'still-failing' || outcome === 'flaky').length
  const reports = runs.map(({ report }) => report)
  const last = reports.reduce((a, b) => (a.findings.length > 0 ? a : b))
  const sum = (name: 'requests' | 'writes'): number => reports.reduce((all, { counts }) => all + counts[name], 0)
  const counts = { ...last.counts, requests: sum('requests'), writes: sum('writes') }
  const reason = reports.map((report) => report.reason).find((words) => words !== undefined)
  const notVerified = results.filter(({ outcome }) => outcome === 'not-verified').length
  const fixed = results.length - shown - notVerified
  return {
    ...last,
    ...toVerdict({ verified: fixed, violated: shown, notVerified }, {}, true),
    ...(reason !== undefined && { reason }),
    counts,
    recheck: results,
  }
}

function judgeAgain(finding: FailedBefore, all: readonly Outcome[]): Rechecked {
  const { clause, message } = finding
  const shown = all.map((run) => shows(finding, run)).filter((isShown) => isShown !== undefined)
  const [seen, runs] = [shown.filter(Boolean).length, shown.length]
  const unseen = runs === all.length ? 'fixed' : 'not-verified'
  const outcome = seen === 0 ? unseen : seen === runs ? 'still-failing' : 'flaky'
  return { clause, message, outcome, seen, runs }
}

/** Whether a run shows a finding; undefined where the check that had shown it was inconclusive. */
function shows({ clause, during }: FailedBefore, { report, done, open }: Outcome): boolean | undefined {
  const result = report.clauses.find(({ id }) => id === clause)
  if (result?.verdict === 'violated') return true
  if (result?.verdict !== 'verified' || report.reason !== undefined || !done.has(during)) return undefined
  const isWhole = isOwnClause(during, clause)
    ? result.checks.includes(during)
    : ![...open.values()].flat().some(({ check }) => check === during)
  return isWhole ? false : undefined
}

/** Carries out the selected checks. Returns the report, the checks that came to their end, and what they could not verify. */
export async function carryOutSuite(
  options: VerifyOptions,
  selection: Selection,
  clock: Clock = systemClock,
): Promise<Outcome> {
  const startedAt = new Date(clock.now())
  const run = new Run(options, clock, selection.isSelected)
  const plan = planWrites(selection.checks, run)
  const progress = options.onProgress ?? (() => {})
  const writes = options.depth === 'thorough' && !options.readOnly ? options.maxWrites : plan.writes
  progress(`${plan.checks.length} checks; at most ${writes} pets will be created, and stay`)
  let done = 0
  const end = (check: Check): void => options.onCheck?.(check.id, (done += 1), plan.checks.length)
  let reason: string | undefined
  try {
    reason = await reach(run)
    if (reason !== undefined) {
      await run.silence.confirm()
      const wrong = await wrongAddress(run)
      // None of the responses of a wrong address speaks for the service.
      if (wrong !== undefined) run.findings = new Findings()
      reason = wrong ?? reason
    } else {
      for (const stage of stages) {
        const ofStage = plan.checks.filter((check) => check.stage === stage)
        progress(`${stage}: ${ofStage.length} checks`)
        await Promise.all(ofStage.map((check) => carryOut(run, check).then(() => end(check))))
      }
      await recheckSuspicions(run, clock, progress)
      observeOrder(run)
      await run.silence.confirm()
      reason = run.transport.endedBecause
    }
  } finally {
    run.transport.close()
  }
  if (run.transport.signal.aborted && reason !== undefined) progress(reason)
  verifyClauses(run, plan.checks, selection)
  options.onShown?.(
    toShown(
      run.catalog.first().map(({ pet }) => pet),
      run.lists,
      run.created,
    ),
  )
  const report = toReport(run, {
    startedAt,
    reason,
    isSelected: (clause) =>
      selection.checks.some(({ id }) => selection.isSelected(id, clause)) ||
      selection.isSelected('every-response', clause),
    leftOut: (clause) => plan.left.get(clause),
    missing: (clause) => missingChecks(selection, run, clause),
    planned: plan.checks,
  })
  const excused = noteRemoval(options.baseline ? applyBaseline(report, options.baseline, options) : report, options.now)
  return {
    report: options.expectProfile ? applyExpectedProfile(excused, options.expectProfile, options.strict) : excused,
    done: run.findings.done,
    open: run.findings.open,
    seenBy: run.findings.seenBy,
  }
}

/**
 * Checks what `verify` is called with, and sends nothing.
 *
 * @throws {UsageError} as `verify` does
 */
export function checkOptions(input: VerifyInput): { options: VerifyOptions; selection: Selection } {
  const options = resolveOptions(input)
  const { onlyFailed, only, skip, depth } = options
  return { options, selection: onlyFailed ? selectFailed(onlyFailed.findings) : select(only, skip, depth) }
}

/** Pets that a check creates at a depth on a target that keeps the contract. */
const writesOf = ({ writes = 0, smoke }: Check, depth: VerifyOptions['depth']): number =>
  depth === 'smoke' ? (smoke?.writes ?? writes) : writes

interface Schedule {
  checks: Check[]
  /** Pets that the checks create on a target that keeps the contract. */
  writes: number
  /** Why no check of a clause is carried out. */
  left: Map<ClauseId, string>
}

/** Decides which checks can be carried out, in the order of the suite, before the first request is sent. */
function planWrites(all: readonly Check[], { options }: Run): Schedule {
  const plan: Schedule = { checks: [], writes: 0, left: new Map() }
  for (const check of all) {
    const writes = writesOf(check, options.depth)
    const reason =
      options.readOnly && isWriting(check)
        ? 'the run is read-only'
        : plan.writes + writes > options.maxWrites
          ? `its check creates ${writes} ${writes === 1 ? 'pet' : 'pets'}, and --max-writes ${options.maxWrites} leaves no capacity for that`
          : undefined
    if (reason === undefined) {
      plan.checks.push(check)
      plan.writes += writes
    } else for (const clause of check.clauses) plan.left.set(clause, reason)
  }
  return plan
}

/** Finds out whether there is a service that lets the key in. Returns why not. */
async function reach(run: Run): Promise<string | undefined> {
  const session = new Session(run, 'list-pets.answers')
  let violated: Violated | undefined
  const { waitUntilReadyMs, onProgress } = run.options
  if (waitUntilReadyMs > 0) onProgress?.('waiting until the target responds')
  await run.transport.waitUntilReady(waitUntilReadyMs)
  for (const path of ['/pets', '/pets?limit=20', '/pets?limit=100']) {
    try {
      const list = await session.read(path)
      const [first] = list.pets
      if (first !== undefined) await session.seeWhetherGetIsRemoved(first.id)
      if (violated) session.report({ ...violated.violation, alsoBreaks: ['list.parameters-optional'] })
      return undefined
    } catch (error) {
      if (error instanceof NoResponse) {
        if (error.kind === 'silent') continue
        if (error.kind === 'key' || error.kind === 'aborted') return error.message
        const mayYetCome = waitUntilReadyMs > 0 && error.kind !== 'tls' && error.kind !== 'proxy'
        const within = mayYetCome ? ` within ${waitUntilReadyMs / 1000} s` : ''
        return `the target cannot be reached${within}: ${error.message}`
      }
      if (error instanceof NotVerified) return error.message
      if (!(error instanceof Violated)) throw error
      violated ??= error
    }
  }
  const hasVersion = run.options.baseUrl.endsWith('/v1')
  // Where nothing is found below the base URL, it is not the address of the service.
  const isNotFound = violated?.violation.actual === 'status 404'
  if (violated)
    session.report({ ...violated.violation, alsoBreaks: hasVersion && isNotFound ? ['service.base-path'] : [] })
  return 'listPets does not respond, so nothing else can be verified'
}

/** Carries out one check; whatever it meets becomes part of the findings. */
async function carryOut(run: Run, check: Check): Promise<void> {
  const session = new Session(run, check.id)
  const { findings } = run
  try {
    await check.run(session)
    findings.done.add(check.id)
  } catch (error) {
    if (error instanceof Violated) session.report(error.violation)
    const reason = error instanceof Violated ? 'its check stopped at a violation of another clause' : reasonOf(error)
    findings.stopped.set(check.id, { reason, lacksOccasion: error instanceof NotVerified })
    for (const clause of check.clauses) session.cannotVerify(clause, reason)
  }
}

/** After the run: what a check that came to its end has neither found violated nor left unverified is verified. */
function verifyClauses({ findings }: Run, all: readonly Check[], { isSelected }: Selection): void {
  for (const { id, clauses } of all.filter((check) => findings.done.has(check.id))) {
    for (const clause of clauses) {
      if (!findings.isOpen(id, clause) && isSelected(id, clause)) findings.verify(id, clause)
    }
  }
}

/** Which order the lists came in shows only when all of them are there. */
function observeOrder({ findings, lists, created }: Run): void {
  const path = '/pets?limit=100'
  const shown = lists.filter(({ exchange }) => exchange.plan.path === path)
  const order = orderOf(shown, created)
  if (order !== undefined) findings.observe('list.order', order, `GET ${path}`, shown.at(-1)?.exchange)
}
