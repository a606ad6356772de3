import { samePet, type Created } from '../judge/catalog.ts'
import { explanations, moved, movedBy, type Question, type Read } from '../judge/explanations.ts'
import { NotVerified, type ExplanationName, type Violation } from '../judge/findings.ts'
import type { SeenPet } from '../judge/shapes.ts'
import { awaitAll } from '../http/waiting.ts'
import type { CreateRequest } from '../http/request-bodies.ts'
import { attempt, sendInvalid } from '../session/creation.ts'
import type { Session } from '../session/session.ts'
import { suspectCauses } from './causes.ts'
import { findElsewhere } from './reads.ts'

/** Why a claim shows nothing: what may be innocent about it. Undefined where nothing is. */
export async function explain(session: Session, claim: Violation): Promise<string | undefined> {
  for (const [name, { judge }] of Object.entries(explanations)) {
    const named = claim.unless?.[name as ExplanationName] ?? name === 'cached'
    if (!judge || named === false) continue
    const conclusion = await decide(session, () =>
      judge(claim, session.log, session.run.assumptions),
    )
    if (typeof conclusion === 'object') return conclusion.possible
  }
  return undefined
}

/**
 * Whether others have changed the status of a pet of the run.
 *
 * @throws {NotVerified} when that cannot be decided
 */
export async function haveOthersMoved(
  session: Session,
  own: Created,
  found: SeenPet,
): Promise<boolean> {
  const wasKnown = movedBy(own, session.log) === 'others'
  const conclusion = await decide(session, () => moved(own, found, session.log))
  if (typeof conclusion === 'object') throw new NotVerified(conclusion.possible)
  if (conclusion === 'refuted') return false
  if (wasKnown) return true
  suspectCauses(session)
  session.note(
    `Pet ${own.pet.id} of the run now has the status ${found.status}: the specification does not say what changes a status.`,
  )
  return true
}

/** Whether a response shows a pet of the run otherwise than it was created, and others have not changed its status. */
export const isChanged = async (session: Session, own: Created, shown: SeenPet): Promise<boolean> =>
  !samePet(own.pet, shown) && !(await haveOthersMoved(session, own, shown))

/** Sends what decides, until the log is conclusive. */
export async function decide<Verdict extends string | object | undefined>(
  session: Session,
  read: () => Verdict | Question,
): Promise<Verdict> {
  for (;;) {
    const conclusion = read()
    if (!isQuestion(conclusion)) return conclusion
    await session.run.share(conclusion.purpose, () =>
      pose(session.withPurpose(conclusion.purpose), conclusion),
    )
  }
}

const isQuestion = (conclusion: unknown): conclusion is Question =>
  typeof conclusion === 'object' && conclusion !== null && 'purpose' in conclusion

/** Sends the requests of a question, on behalf of the check. */
async function pose(session: Session, question: Question): Promise<void> {
  const { purpose, notBefore = 0, reads = [], create, resend = [] } = question
  const { run } = session
  const waitMs = notBefore - run.transport.elapsed()
  if (waitMs > 0) await run.transport.wait(waitMs, 'others may act, too')
  if (create) await createSome(session, create)
  const rejected = { requirement: 'error.body', expected: 400 } as const
  await awaitAll(resend.map((plan) => sendInvalid(session, plan, rejected)))
  await awaitAll<unknown>(reads.map((read) => send(session, read)))
  run.log.posed.add(purpose)
}

function send(session: Session, read: Read): Promise<unknown> {
  if ('list' in read) return session.list(read.list)
  return 'get' in read ? session.get(read.get) : findElsewhere(session, read.find, read.except)
}

/** Creates as many as the run may, several ordinary ones only together. */
async function createSome(
  session: Session,
  { status, times, like }: NonNullable<Question['create']>,
): Promise<void> {
  const { written, options } = session.run
  const capacity = Math.min(times, options.maxWrites - written)
  if (capacity < (like ? 1 : Math.min(2, times))) return
  try {
    const { name, body } = like ?? {}
    const request: CreateRequest = {
      status,
      ...(name !== undefined && { name: () => name }),
      ...(body !== undefined && { body: () => body }),
    }
    await awaitAll(Array.from({ length: capacity }, () => attempt(session, request)))
  } catch (error) {
    // A target that takes no more pets shows nothing.
    if (!(error instanceof NotVerified)) throw error
  }
}
