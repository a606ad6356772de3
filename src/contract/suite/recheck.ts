import { type Exchange, NoResponse } from '../http/exchange.ts'
import { petsOf } from '../judge/expect.ts'
import { NotVerified, Violated, type Violation } from '../judge/findings.ts'
import { explain, explanations, patience } from '../judge/explanations.ts'
import { changedBy } from '../judge/status-changes.ts'
import { decide } from '../session/planner.ts'
import type { Run } from '../session/run.ts'
import { Session } from '../session/session.ts'
import type { Claim } from '../claims/table.ts'
import { count } from '../../report/text.ts'

/** Re-checks of a claim, and how many must confirm it: one may meet a change by others. A fault of every second response is confirmed in 11 of 16 cases. */
const looks = 4
const convincing = 2
/** The most claims that are looked at, and of one kind: more would show the same faults, and these take up to 300 requests. */
const maxClaims = 15
const maxPerKind = { smoke: 1, standard: 3, thorough: 3 }
/** Re-checks claims once every replica had time to catch up. */
export async function recheckClaims(run: Run, progress: (line: string) => void): Promise<void> {
  const { claims } = run
  // Experiments come last: the others may need the last pets of the run to excuse what others do. Re-checks add some.
  const isExperiment = ({ kind }: Claim): boolean => kind === 'experiment'
  const [, others] = split(claims, isExperiment)
  const [lagging, old] = split(choose(run, others), ({ mayLag }) => mayLag)
  const soon = await recheckAll(run, old, progress)
  // Where others are looked at later anyway, new pets may not hide it then.
  const open = [...soon.unseen, ...soon.late.map(({ claim }) => claim), ...lagging]
  const later = lagging.length > 0 ? await recheckAll(run, open, progress) : soon
  await decideLate(run, later.late)
  noteChanged(run)
  const experiments = choose(run, claims.filter(isExperiment))
  await decideLate(run, (await recheckAll(run, experiments, progress)).late)
  noteChanged(run)
  claims.length = 0
}

/** Notes the pets of the run whose status others have changed, as far as re-checks show; what changes pets is looked into. */
function noteChanged(run: Run): void {
  const { log, findings, options } = run
  for (const own of log.created.filter((one) => changedBy(one, log) === 'others')) {
    const { id, status } = own.pet
    const other = log.catalog.of(id).find(({ pet }) => pet.status && pet.status !== status)
    findings.note(
      `Pet ${id} of the run now has the status ${other?.pet.status}: the specification does not say what changes a status.`,
    )
    if (options.depth !== 'smoke')
      new Session(run, 'responses.agree').claim('experiment', undefined)
  }
}

const split = <Item>(
  items: readonly Item[],
  isMeant: (item: Item) => boolean,
): [Item[], Item[]] => [items.filter(isMeant), items.filter((item) => !isMeant(item))]

/** Picks a few of each kind, those about the run's own pets first: no other client changes them. The newest may be special. */
function choose({ options, log: { created } }: Run, claims: readonly Claim[]): Claim[] {
  const perKind = new Map<string, number>()
  const newest = String(created.at(-1)?.pet.id)
  const rankOf = ({ kind, about }: Claim): number =>
    kind === 'stored' ? 1 + Number(about === newest) : 0
  return claims
    .toSorted((a, b) => rankOf(b) - rankOf(a))
    .filter(({ kind }) => {
      const count = (perKind.get(kind) ?? 0) + 1
      perKind.set(kind, count)
      return count <= maxPerKind[options.depth]
    })
    .slice(0, maxClaims)
}

/** A claim, and what its re-checks have shown so far. */
interface Open {
  claim: Claim
  /** How many have shown the violation. */
  seen: number
  isJudged: boolean
}

/** What re-checks have shown, but may be late. */
interface Late {
  claim: Claim
  violation: Violation
}

/** Reports what enough re-checks show. Returns what they do not show, and what may be late. */
async function recheckAll(
  run: Run,
  claims: readonly Claim[],
  progress: (line: string) => void,
): Promise<{ unseen: Claim[]; late: Late[] }> {
  if (claims.length === 0) return { unseen: [], late: [] }
  const { findings, options, transport } = run
  const until = Math.max(...claims.map(({ recheckAt }) => recheckAt))
  const responses = count(claims.length, 'response')
  // An aborted run re-checks at once, gets no response, and leaves the requirements open.
  await transport.wait(
    Math.max(0, until - transport.elapsed()),
    `${responses} may come from replicas that lag (--settle)`,
  )
  progress(`re-checking ${responses}`)
  const open = claims.map((claim): Open => ({ claim, seen: 0, isJudged: false }))
  const mayBeLate: Late[] = []
  for (let left = options.depth === 'smoke' ? convincing : looks; left > 0; left -= 1) {
    for (const one of open) {
      if (one.seen >= convincing || one.seen + left < convincing) continue
      const { claim } = one
      const look = await recheckOnce(run, claim)
      one.isJudged ||= look !== undefined
      if (!look?.violation) continue
      const { violation, isLate } = look
      // Of the few requests of a smoke run, those of the last re-check are the second ones.
      one.seen = isLate && options.depth === 'smoke' ? convincing : one.seen + 1
      if (one.seen < convincing) continue
      if (isLate) mayBeLate.push({ claim, violation })
      else findings.report(claim.check, violation)
    }
  }
  for (const { claim, isJudged } of open)
    if (!isJudged) findings.keepOpen(claim.check, claim.requirements)
  const unseen = open.flatMap(({ claim, seen }) => (seen < convincing ? [claim] : []))
  return { unseen, late: mayBeLate }
}

/** Waits for what may be late where that can change the verdict of the run. */
async function decideLate(run: Run, mayBeLate: readonly Late[]): Promise<void> {
  const [cut, late] = split(mayBeLate, ({ violation }) => isCutShort(run, violation))
  for (const { claim, violation } of cut) run.findings.report(claim.check, violation)
  if (run.options.depth === 'smoke' || run.fails()) leaveUnverified(run, late)
  else await awaitLate(run, late)
}

/** Whether another page was found to end too early at as many pets: then a pet that this one lacks is not late. */
function isCutShort({ findings }: Run, violation: Violation): boolean {
  const lengthOf = ({ exchanges }: Violation): number => petsOf(exchanges.at(-1) as Exchange).length
  return (
    violation.kind === 'missing' &&
    violation.requirement !== 'create.stored' &&
    findings.violations.some(
      (known) => known.requirement === 'list.page-full' && lengthOf(known) === lengthOf(violation),
    )
  )
}

/** Where patience would change no verdict: what may be late is no violation, but neither is its requirement verified. */
function leaveUnverified({ findings, options }: Run, late: readonly Late[]): void {
  const isSmoke = options.depth === 'smoke'
  const words = explanations.late.reason.replace('N', String(options.settleMs / 1000))
  for (const { claim, violation } of late) {
    const { check, requirements } = claim
    const reason = `${words}${isSmoke ? '' : ', and not waited for'}: ${violation.message}`
    findings.keepOpen(check, requirements)
    for (const id of requirements)
      // One reason stands for all.
      if (!findings.unawaited.has(id)) findings.cannotVerify(check, id, reason)
    if (isSmoke) {
      // A smoke run conforms if its checks have finished.
      findings.done.delete(check)
      findings.stopped.set(check, { reason, lacksPrecondition: false })
    } else for (const id of requirements) findings.unawaited.add(id)
  }
}

/** Re-checks twice more, much later: the specification does not say how soon a pet, or a change by others, is visible. */
async function awaitLate(run: Run, late: readonly Late[]): Promise<void> {
  const { transport, findings, options } = run
  let [missing, waitedMs] = [late, 0]
  for (const waitMs of patience.windows.map((windows) => run.patienceMs(windows))) {
    // Lists may come from a cache; a pet that getPet does not find by now is lost.
    const isLost = waitedMs > 0 && missing.some(({ claim }) => claim.kind === 'stored')
    if (missing.length === 0 || isLost) break
    const lacks = `${count(missing.length, 'response')} may be out of date, such as from a cache`
    await transport.wait(waitMs, `${lacks}; nothing else is violated`)
    waitedMs += waitMs
    missing = await recheckLate(run, missing, waitedMs)
  }
  if (missing.length === 0) return
  for (const { claim, violation } of missing) findings.report(claim.check, violation)
  const seconds = Math.ceil((options.settleMs + waitedMs) / 1000)
  findings.note(
    `The run waited ${seconds} s for pets or changes that were missing; if they may take longer, set that time with --settle.`,
  )
}

/** Re-checks what was missing. Returns what still is; of the rest, no requirement is verified. */
async function recheckLate(run: Run, late: readonly Late[], waitedMs: number): Promise<Late[]> {
  const { findings, options } = run
  const reason = `a new pet or a change takes longer than ${options.settleMs / 1000} s to be visible: set a longer time with --settle`
  const missing: Late[] = []
  let isLost = false
  for (const { claim, violation } of late) {
    // Where one pet never comes, the others are not late either. What comes and goes is no delay.
    const mayHaveChanged = violation.unless?.otherStatusChanges === true
    let look: Shown | undefined = { violation, isLate: true }
    if (!isLost || mayHaveChanged) look = await recheckOnce(run, claim)
    // That it is there now must be seen twice.
    if (look && !look.violation) look = await recheckOnce(run, claim)
    if (look?.violation) {
      isLost ||= !mayHaveChanged
      missing.push({ claim, violation: look.violation })
      continue
    }
    if (look) run.windowMs = options.settleMs + waitedMs
    findings.keepOpen(claim.check, claim.requirements, look && reason)
  }
  return missing
}

/** What a look has shown, and whether that may be late. */
interface Shown {
  violation: Violation | undefined
  isLate: boolean
}

/** Re-checks once; undefined when inconclusive. */
async function recheckOnce(run: Run, claim: Claim): Promise<Shown | undefined> {
  const { check, requirements, kind, about, looks } = claim
  const { log, assumptions, findings } = run
  // Every look requests anew.
  const look: (typeof looks)[number] = {
    key: `${kind} ${about}, look ${log.posed.size}`,
    found: undefined,
  }
  const earlier = [...looks]
  looks.push(look)
  const session = new Session(run, check)
  try {
    const violation = await decide(session, claim.judge({ ...look, log, assumptions, earlier }))
    const innocent = violation && (await decide(session, explain(violation, log, assumptions)))
    const isLate = innocent?.name === 'late'
    if (innocent && !isLate) throw new NotVerified(innocent.reason)
    look.found = violation !== undefined
    return { violation, isLate }
  } catch (error) {
    if (error instanceof Violated) return { violation: error.violation, isLate: false }
    const reason = reasonOf(error)
    for (const requirement of requirements) findings.cannotVerify(check, requirement, reason)
    return undefined
  }
}

/** The reason of an inconclusive check. Rethrows other errors. */
export function reasonOf(error: unknown): string {
  if (error instanceof NoResponse || error instanceof NotVerified) return error.message
  throw error
}
