import { type Exchange, NoResponse } from '../http/exchange.ts'
import { petsOf } from '../judge/expect.ts'
import { NotVerified, Violated, type Violation } from '../judge/findings.ts'
import type { Run, Suspicion } from '../session/run.ts'
import { explanations, patience } from '../judge/explanations.ts'
import { Session } from '../session/session.ts'
import { count } from '../../report/text.ts'
import { explain } from './questions.ts'

/** Re-checks of a suspicion, and how many must confirm it. */
const looks = 4
const convincing = 2
/** More suspicions, or more of one kind, would show the same faults. */
const maxSuspicions = 15
const maxPerKind = { smoke: 1, standard: 3, thorough: 3 }
/** The milliseconds until the first re-check of missing pets. */
export const patienceOf = ({ windowMs }: Run, windows: number = patience.windows[0]): number =>
  windows * Math.min(windowMs, patience.longestWindowMs)

/** Picks a few of each kind, those about the run's own pets first: no other client changes them. The newest may be special. */
function choose({ suspicions, options, log: { created } }: Run): Suspicion[] {
  const perKind = new Map<string, number>()
  const newest = String(created.at(-1)?.pet.id)
  const rankOf = ({ kind, of }: Suspicion): number =>
    kind === 'stored' ? 1 + Number(of === newest) : 0
  // Experiments come last: the others may need the last pets of the run to excuse what others do.
  const others = suspicions.filter(({ kind }) => kind !== 'cause')
  return (others.length > 0 ? others : suspicions)
    .toSorted((a, b) => rankOf(b) - rankOf(a))
    .filter(({ kind }) => {
      const count = (perKind.get(kind) ?? 0) + 1
      perKind.set(kind, count)
      return count <= maxPerKind[options.depth]
    })
    .slice(0, maxSuspicions)
}

/** What the re-checks of a suspicion have shown. */
interface Rechecked {
  suspicion: Suspicion
  /** How many have shown the violation. */
  seen: number
  isJudged: boolean
  /** A violation that may be a delay. */
  late: Violation | undefined
}

/** Re-checks suspicions once every replica had time to catch up. */
export async function recheckSuspicions(run: Run, progress: (line: string) => void): Promise<void> {
  const open = choose(run).map((suspicion): Rechecked => ({
    suspicion,
    seen: 0,
    isJudged: false,
    late: undefined,
  }))
  if (open.length === 0) return
  const until = Math.max(...open.map(({ suspicion }) => suspicion.recheckAt))
  const responses = count(open.length, 'response')
  // An aborted run re-checks at once, gets no response, and leaves the requirements open.
  await run.transport.wait(
    Math.max(0, until - run.transport.elapsed()),
    `${responses} may come from replicas that lag (--settle)`,
  )
  progress(`re-checking ${responses}`)
  for (let left = run.options.depth === 'smoke' ? convincing : looks; left > 0; left -= 1) {
    for (const one of open)
      if (one.seen < convincing && one.seen + left >= convincing) await recheck(run, one)
  }
  const missed = new Map<Suspicion, Violation>()
  for (const { suspicion, isJudged, late } of open) {
    // A suspicion that could not be re-checked keeps its requirements from being verified.
    if (!isJudged)
      for (const requirement of suspicion.requirements) run.findings.suspected.add(requirement)
    if (late && isCutShort(run, late)) run.findings.report(suspicion.check, late)
    else if (late) missed.set(suspicion, late)
  }
  leaveUnverified(run, missed)
  if (missed.size > 0) await awaitLate(run, missed)
  const later = run.suspicions.filter(
    ({ kind }) => kind === 'cause' && !open.some((one) => one.suspicion.kind === kind),
  )
  run.suspicions.splice(0, Infinity, ...later)
  // What the re-checks themselves have shown.
  await recheckSuspicions(run, progress)
}

/** Re-checks a suspicion once more. Reports what enough re-checks have shown, unless it may only be late. */
async function recheck(run: Run, one: Rechecked): Promise<void> {
  const look = await recheckOnce(run, one.suspicion)
  if (look) one.isJudged = true
  const violation = look?.violation
  if (!violation) return
  const mayBeLate = violation.unless?.late === true
  // Of the few requests of a smoke run, those of the last re-check are the second ones.
  one.seen = run.options.depth === 'smoke' && mayBeLate ? convincing : one.seen + 1
  if (one.seen < convincing) return
  if (mayBeLate) one.late = violation
  else run.findings.report(one.suspicion.check, violation)
}

/** Whether another page was found to end too early at as many pets: then a pet that this one lacks is not late. */
function isCutShort({ findings }: Run, violation: Violation): boolean {
  const lengthOf = ({ exchanges }: Violation): number => petsOf(exchanges.at(-1) as Exchange).length
  return (
    violation.cause?.endsWith('pet missing') === true &&
    findings.violations.some(
      (known) => known.requirement === 'list.page-full' && lengthOf(known) === lengthOf(violation),
    )
  )
}

/**
 * Takes what may be late out of the map where patience would change no verdict: another violation is certain, or the run is
 * a smoke run. It is no violation, but neither is its requirement verified.
 */
function leaveUnverified({ findings, options }: Run, missed: Map<Suspicion, Violation>): void {
  if (findings.violations.length === 0 && options.depth !== 'smoke') return
  for (const [suspicion, { message }] of missed) {
    const { check, requirements } = suspicion
    missed.delete(suspicion)
    const words = explanations.late.reason.replace('N', String(options.settleMs / 1000))
    const reason = `${words}: ${message}`
    for (const requirement of requirements) {
      findings.cannotVerify(check, requirement, reason)
      findings.suspected.add(requirement)
    }
    // A smoke run conforms if its checks have finished.
    if (options.depth !== 'smoke') continue
    findings.done.delete(check)
    findings.stopped.set(check, { reason, lacksPrecondition: false })
  }
}

/** Re-checks twice more, much later: the specification does not say how soon a pet, or a change by others, is visible. */
async function awaitLate(run: Run, missed: Map<Suspicion, Violation>): Promise<void> {
  const { transport, findings, options } = run
  let waitedMs = 0
  for (const waitMs of patience.windows.map((windows) => patienceOf(run, windows))) {
    if (missed.size === 0) return
    // Lists may come from a cache; a pet that getPet does not find by now is lost.
    if (waitedMs > 0 && [...missed.keys()].some(({ kind }) => kind === 'stored')) break
    const lacks = `${count(missed.size, 'response')} lack what may be late, as from a cache`
    await transport.wait(waitMs, `${lacks}; nothing else is violated`)
    waitedMs += waitMs
    await recheckLate(run, missed, waitedMs)
  }
  if (missed.size === 0) return
  for (const [{ check }, violation] of missed) findings.report(check, violation)
  const seconds = Math.ceil((options.settleMs + waitedMs) / 1000)
  findings.note(
    `Pets or changes that were missing were awaited for ${seconds} s; if they may take longer, set that time with --settle.`,
  )
}

/** Re-checks what was missing, and leaves in the map what still is. Of the rest, no requirement is verified. */
async function recheckLate(
  run: Run,
  missed: Map<Suspicion, Violation>,
  waitedMs: number,
): Promise<void> {
  const { findings, options } = run
  const reason = `a new pet or a change takes longer than ${options.settleMs / 1000} s to be visible: set a longer time with --settle`
  let isLost = false
  for (const [suspicion, violation] of missed) {
    // Where one pet never comes, the others are not late either. What comes and goes is no delay.
    const mayHaveChanged = violation.unless?.changed === true
    let look: Look | undefined = { violation }
    if (!isLost || mayHaveChanged) look = await recheckOnce(run, suspicion)
    // That it is there now must be seen twice.
    if (look && !look.violation) look = await recheckOnce(run, suspicion)
    if (look?.violation) {
      isLost ||= !mayHaveChanged
      missed.set(suspicion, look.violation)
      continue
    }
    missed.delete(suspicion)
    if (look) run.windowMs = options.settleMs + waitedMs
    for (const requirement of suspicion.requirements) {
      if (look) findings.cannotVerify(suspicion.check, requirement, reason)
      findings.suspected.add(requirement)
    }
  }
}

type Look = { violation: Violation | undefined }

/** Re-checks once; undefined when inconclusive. */
async function recheckOnce(
  run: Run,
  { check, requirements, kind, of, again }: Suspicion,
): Promise<Look | undefined> {
  try {
    // Every look requests anew.
    const violation = await again(`${kind} ${of}, look ${run.log.posed.size}`)
    const excuse = violation && (await explain(new Session(run, check), violation))
    if (excuse !== undefined) throw new NotVerified(excuse)
    return { violation }
  } catch (error) {
    if (error instanceof Violated) return { violation: error.violation }
    const reason = reasonOf(error)
    for (const requirement of requirements) run.findings.cannotVerify(check, requirement, reason)
    return undefined
  }
}

/** The reason of an inconclusive check. Rethrows other errors. */
export function reasonOf(error: unknown): string {
  if (error instanceof NoResponse || error instanceof NotVerified) return error.message
  throw error
}
