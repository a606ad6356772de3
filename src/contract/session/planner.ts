import { awaitAll } from '../http/waiting.ts'
import type { CreateRequest } from '../http/request-bodies.ts'
import { longestLists, sightingIn, type Sighted } from '../judge/catalog.ts'
import { NotVerified } from '../judge/findings.ts'
import type { Judging, Question, Read } from '../judge/questions.ts'
import { attempt, sendInvalid } from './creation.ts'
import type { Session } from './session.ts'

/** A rest between two reads, which is at most so long, is not worth a line; that pets are watched, for up to 15 s, is. */
const shortRestMs = 4_000

/** Sends what decides, until nothing is open. */
export async function decide<Verdict>(
  session: Session,
  judging: Judging<Verdict>,
): Promise<Verdict> {
  for (;;) {
    const { done, value } = judging.next()
    if (done) return value
    await session.run.share(value.purpose, () => send(session.withPurpose(value.purpose), value))
  }
}

/** Sends the requests of a question, on behalf of the check. */
async function send(session: Session, question: Question): Promise<void> {
  const { purpose, notBefore = 0, reads = [], create, resend = [] } = question
  const { run } = session
  const waitMs = notBefore - run.transport.elapsed()
  if (waitMs > 0)
    await run.transport.wait(
      waitMs,
      waitMs > shortRestMs ? 'watching whether pets change while nothing is sent' : undefined,
    )
  if (create) await createSome(session, create)
  const rejected = { requirement: 'error.body', expected: 400 } as const
  await awaitAll(resend.map((plan) => sendInvalid(session, plan, rejected)))
  await awaitAll<unknown>(reads.map((read) => sendRead(session, read)))
  run.log.posed.add(purpose)
}

function sendRead(session: Session, read: Read): Promise<unknown> {
  if ('list' in read) return session.list(read.list)
  return 'get' in read ? session.get(read.get) : findElsewhere(session, read.find, read.except)
}

/** Requests a pet again, and leaves out the list with the path `except`. */
async function findElsewhere(
  session: Session,
  { pet: { id }, exchange: first }: Sighted,
  except = '',
): Promise<void> {
  if (session.log.getWorks && !session.run.getRemoved) {
    const { status } = await session.get(id)
    if (status === 200) return
  }
  const paths = new Set([
    ...(first.operation === 'listPets' ? [first.plan.path] : []),
    ...longestLists,
  ])
  paths.delete(except)
  for (const path of paths) if (sightingIn((await session.list(path)).exchange, id)) return
}

/** Creates as many as the run may, several ordinary ones only together. */
async function createSome(
  session: Session,
  { status, times, categoryId, like }: NonNullable<Question['create']>,
): Promise<void> {
  const { written, options } = session.run
  const capacity = Math.min(times, options.maxWrites - written)
  if (capacity < (like ? 1 : Math.min(2, times))) return
  try {
    const { name, body } = like ?? {}
    const request: CreateRequest = {
      status,
      categoryId,
      ...(name !== undefined && { name: () => name }),
      ...(body !== undefined && { body: () => body }),
    }
    await awaitAll(Array.from({ length: capacity }, () => attempt(session, request)))
  } catch (error) {
    // A target that takes no more pets shows nothing.
    if (!(error instanceof NotVerified)) throw error
  }
}
