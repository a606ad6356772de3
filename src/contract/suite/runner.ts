import { requirements } from '../../spec/requirements.ts'
import { rejectionWords, wrongAddress } from '../session/address.ts'
import { applyBaseline, applyExpectedProfile, noteRemoval } from '../report/baseline.ts'
import { NoResponse, type Exchange } from '../http/exchange.ts'
import { Keys } from '../http/keys.ts'
import type { KnownPet } from '../judge/beside.ts'
import { Findings, NotVerified, OutOfReach, GetRemoved, Violated } from '../judge/findings.ts'
import type { VerifyOptions } from '../session/options.ts'
import { looksReset } from '../judge/removals.ts'
import { observeOrder } from '../judge/observe.ts'
import { count } from '../../report/text.ts'
import type { Report } from '../report/report.ts'
import { Run } from '../session/run.ts'
import { checksOf } from './checks.ts'
import { schedule, type Selection } from './selection.ts'
import { isWhole, longestList, toShown } from '../judge/catalog.ts'
import { Session, type Check, stages } from '../session/session.ts'
import { reasonOf, recheckClaims } from './recheck.ts'
import { toArchive } from './archive.ts'
import { withConforming } from './with-conforming.ts'
import { exchangePrinter, redactorOf, toReport } from './to-report.ts'
import { selectViolations } from './verdicts.ts'
import type { RunClock } from '../http/waiting.ts'

const resetNote =
  'The ids of all pets that the run had created by then were given again: a reset of the database during the run looks like this. Verify when none runs.'
const unended = 'the run has not ended yet'
/** A run that takes longer shows what is certain before its end. */
const quickRunMs = 2_000

/** A report, and which checks could finish. */
export type SuiteOutcome = { report: Report } & Pick<Findings, 'done' | 'unverifiedBy'>

/** @param suite fewer checks show what each of them is needed for */
export async function runSuite(
  options: VerifyOptions,
  selection: Selection,
  clock: RunClock,
  suite: readonly Check[] = checksOf(options.depth),
): Promise<SuiteOutcome> {
  const keys = await Keys.open(options.apiKey)
  const startedAt = new Date(clock.now())
  const run = new Run(options, clock, keys)
  const plan = schedule(selection, options, suite)
  // A target may send the key back in the words of a line.
  const progress = (line: string): void => options.onProgress?.(redactorOf(run)(line))
  const conclude = (ended?: string): Report => {
    const report = toReport(run, plan, startedAt, ended)
    const excused = noteRemoval(
      options.baseline ? applyBaseline(report, options.baseline, options) : report,
      options.now,
    )
    const { expectProfile, strict } = options
    return expectProfile ? applyExpectedProfile(excused, expectProfile, strict) : excused
  }
  // A selection or a baseline may leave out what is certain.
  run.fails = () => conclude(unended).verdict === 'violates'
  if (options.onLog) run.transport.attempts = []
  const showFailure = failureShower(run, conclude)
  run.transport.onWait = progress
  const writes = options.depth === 'thorough' && !options.readOnly ? options.maxWrites : plan.writes
  const created = writes === 0 ? 'no pets' : `at most ${count(writes, 'pet')}, which will stay`
  progress(`${count(plan.scheduled.length, 'check')}; creates ${created}`)
  let reason: string | undefined
  try {
    reason = await runStages(run, plan.scheduled, progress, showFailure)
  } finally {
    run.transport.close()
  }
  if (run.transport.signal.aborted && reason !== undefined) progress(reason)
  const unsure = count(run.transport.unsurePosts, 'more pet')
  if (run.transport.unsurePosts > 0)
    run.findings.note(`Requests that got no response may have created ${unsure}.`)
  if (options.onLog && run.transport.attempts) {
    const print = exchangePrinter(options, redactorOf(run))
    const whole = (exchange: Exchange) => print(exchange, Infinity)
    options.onLog(toArchive(run.transport.attempts, options, startedAt, whole))
  }
  if (options.onShown) {
    const clean = redactorOf(run)
    const pets = run.log.catalog
      .first()
      .flatMap(({ pet }) => (isWhole(pet) ? { ...pet, name: clean(pet.name) } : []))
    options.onShown(toShown(pets, run.log.lists, run.log.created))
  }
  const { done, unverifiedBy } = run.findings
  const report = conclude(reason)
  const { conforming, now } = options
  if (conforming === undefined || report.findings.length === 0)
    return { report, done, unverifiedBy }
  const { violations } = selectViolations(run, plan)
  const observed = { conforming, options, violations, known: knownPets(run), now }
  return { report: await withConforming(report, observed, redactorOf(run)), done, unverifiedBy }
}

/** The pets that responses have shown, with the response that showed each first. */
const knownPets = ({ log }: Run): KnownPet[] =>
  log.catalog
    .first()
    .flatMap(({ pet, exchange }) =>
      isWhole(pet) ? [{ pet, exchange, isOld: log.isOld(pet.id) }] : [],
    )

/** Makes a function that passes what is certain so far to `onFailing`, once that fails the run. */
function failureShower(run: Run, conclude: (ended: string) => Report): () => void {
  const { onFailing } = run.options
  let [isShown, known] = [onFailing === undefined, 0]
  return () => {
    const { length } = run.findings.violations
    if (isShown || length === known) return
    known = length
    const soFar = conclude(unended)
    isShown = soFar.verdict === 'violates'
    if (isShown) onFailing?.(soFar)
  }
}

/** Runs the checks stage by stage, then re-checks what looked wrong. Returns why the run ended early, if it did. */
async function runStages(
  run: Run,
  checks: readonly Check[],
  progress: (line: string) => void,
  showFailure: () => void,
): Promise<string | undefined> {
  const unreachable = await connect(run)
  if (unreachable !== undefined) {
    await run.silence.confirm()
    const wrong = await wrongAddress(run)
    // The responses of a wrong address say nothing about the service.
    if (wrong !== undefined) run.findings = new Findings()
    const [first] = run.log.exchanges
    const responds = first !== undefined && first.status < 400 && first.content.kind !== 'unjudged'
    if (wrong !== undefined || !responds) return wrong ?? unreachable
    // Lists are evidence for nearly every requirement, so that none is verified but in part.
    for (const { id } of requirements)
      run.findings.cannotVerify('list-pets.responses', id, 'listPets does not respond with a list')
  }
  run.transport.onWait = (line) => {
    showFailure()
    progress(line)
  }
  let done = 0
  const showStage = (stage: string): void => {
    const requests = count(run.log.exchanges.length, 'request')
    const seconds = Math.round(run.transport.elapsed() / 1000)
    progress(`${done} of ${count(checks.length, 'check')}, ${requests}, ${seconds} s: ${stage}`)
  }
  const runOne = async (check: Check): Promise<void> => {
    await runCheck(run, check)
    if (run.transport.elapsed() > quickRunMs) showFailure()
    done += 1
    run.options.onCheck?.(check.id, done, checks.length)
    showStage(check.stage)
  }
  for (const stage of stages) {
    const ofStage = checks.filter((check) => check.stage === stage)
    // Sequences need to know how late a pet may be.
    if (stage === 'explore' && ofStage.length > 0) await recheckClaims(run, progress)
    if (ofStage.length > 0) showStage(stage)
    await Promise.all(ofStage.map(runOne))
  }
  await recheckClaims(run, progress)
  run.leftovers.conclude(run.findings)
  if (looksReset(run.log)) run.findings.note(resetNote)
  observeOrder(run.findings, longestList(), run.log)
  await run.silence.confirm()
  run.chance.report(true)
  const since = [...run.silence.lost].slice(0, 4).join(', ') || 'it was idle'
  const { endReason, outage, silent } = run.transport
  return endReason ?? (silent > 0 ? `no response since ${since}` : outage.failing)
}

/** Sends the first requests. Returns why there are no lists: no service, a rejected key, or another response. */
async function connect(run: Run): Promise<string | undefined> {
  const session = new Session(run, 'list-pets.responses')
  let violated: Violated | undefined
  const { waitUntilReadyMs, onProgress } = run.options
  if (waitUntilReadyMs > 0) onProgress?.('waiting until the target responds')
  await run.transport.waitUntilReady(waitUntilReadyMs)
  for (const path of ['/pets', '/pets?limit=20', '/pets?limit=100']) {
    try {
      const [first] = (await session.read(path)).pets
      if (first !== undefined) await session.checkRemovalOfGet(first.id)
      if (violated)
        session.report({ ...violated.violation, alsoBreaks: ['list.parameters-optional'] })
      return undefined
    } catch (error) {
      if (error instanceof NoResponse) {
        if (error.kind === 'silent') continue
        if (error.kind === 'key') return error.message + rejectionWords(run)
        if (error.kind === 'aborted') return error.message
        const mayYetCome = waitUntilReadyMs > 0 && error.kind !== 'tls' && error.kind !== 'proxy'
        const within = mayYetCome ? ` within ${waitUntilReadyMs / 1000} s` : ''
        if (['gateway', 'rate-limit'].includes(error.kind))
          return `the target is not available${within}: ${error.message}`
        if (error.kind === 'malformed') return error.message
        const { code } = Object(error.cause) as NodeJS.ErrnoException
        const isRejected = waitUntilReadyMs === 0 && code === 'ECONNREFUSED'
        const advice = isRejected ? '; --wait-until-ready 60 waits until it has started' : ''
        return `the target cannot be reached${within}: ${error.message}${advice}`
      }
      if (error instanceof NotVerified) return error.message
      if (!(error instanceof Violated)) throw error
      violated ??= error
    }
  }
  // 404 for every list: the base URL is not the address of the service.
  const isWrongPath =
    run.options.baseUrl.endsWith('/v1') && violated?.violation.exchanges.at(-1)?.status === 404
  if (violated)
    session.report({ ...violated.violation, alsoBreaks: isWrongPath ? ['service.base-path'] : [] })
  return 'listPets gives no list, so nothing else can be verified'
}

/** Runs one check, and records its violation, or why it could not finish. */
async function runCheck(run: Run, check: Check): Promise<void> {
  const session = new Session(run, check.id)
  const { findings } = run
  try {
    await check.run(session)
    findings.done.add(check.id)
  } catch (error) {
    if (error instanceof Violated) session.report(error.violation)
    const reason =
      error instanceof Violated ? 'its check stopped at another violation' : reasonOf(error)
    findings.stopped.set(check.id, { reason, lacksPrecondition: error instanceof NotVerified })
    if (error instanceof GetRemoved) return
    for (const requirement of check.requirements) {
      if (error instanceof OutOfReach) session.cannotReach(requirement, reason)
      else session.cannotVerify(requirement, reason)
    }
  }
}
