import type { RequirementId } from '../../spec/requirements.ts'
import type { PetStatus } from '../../spec/types.ts'
import { awaitAll, collectAll } from '../http/waiting.ts'
import { isConflict, isSuccess } from '../judge/expect.ts'
import { NotVerified, Violated } from '../judge/findings.ts'
import {
  attempt,
  categoryFor,
  create,
  expectAsSent,
  knownCategories,
  type CreateResult,
} from '../session/creation.ts'
import type { Session } from '../session/session.ts'
import { sendWithoutKey } from './access.ts'
import { expectStored } from './stored.ts'

/** Ordinary creations, sent once for all checks that need them. */
export const createOrdinary = (session: Session): Promise<void> =>
  session.run.once('ordinary creations', () => sendOrdinary(session))

async function sendOrdinary(session: Session): Promise<void> {
  const statuses = session.sample([undefined, 'available', 'pending', 'sold'] as const, [0, 3])
  const createAll = (): Promise<PromiseSettledResult<CreateResult>[]> =>
    Promise.allSettled(statuses.map((status) => create(session, { status })))
  let outcomes = await createAll()
  // The connections have just carried the key. What comes of it, the check of keys judges.
  sendWithoutKey(session).catch(() => undefined)
  if (
    outcomes.every(isRejected) &&
    ((await findOtherCategory(session)) || (await findOtherNames(session)))
  ) {
    outcomes = await createAll()
  }
  const isEach = outcomes.every(({ status }) => status === 'rejected')
  const results = outcomes.flatMap((one, index) =>
    one.status === 'fulfilled'
      ? [one.value]
      : reportRejected(session, one.reason, statuses[index], isEach),
  )
  const { results: created, rethrow } = await collectAll(
    results.map(async (result) => {
      const { status } = result.sent
      const requirement = status === undefined ? 'create.status-optional' : 'create.status'
      // Another creation may have shown that the category exists.
      const isFinal = isSuccess(result.exchange) || !categoryFor(session.run).known
      return expectAsSent(
        session,
        isFinal ? result : await create(session, { status }, requirement),
      )
    }),
  )
  await awaitAll(created.map((one) => expectStored(session, one)))
  rethrow()
}

/** Waits for the ordinary creations, right or wrong. Throws NotVerified when the target accepts none. */
export async function needOrdinary(session: Session): Promise<void> {
  try {
    await createOrdinary(session)
  } catch (error) {
    if (session.log.accepted === undefined)
      throw error instanceof Violated ? new NotVerified('ordinary pets cannot be created') : error
  }
}

function isRejected(result: PromiseSettledResult<CreateResult>): boolean {
  if (result.status === 'fulfilled' || !(result.reason instanceof Violated)) return false
  return [400, 404, 409, 413, 422].includes(result.reason.violation.exchanges.at(-1)?.status ?? 0)
}

/** A rejected ordinary creation: if others are accepted, the requirement about its status is broken. */
function reportRejected(
  session: Session,
  error: unknown,
  status: PetStatus | undefined,
  isEach: boolean,
): [] {
  if (!(error instanceof Violated)) throw error
  const { actual, exchanges, message } = error.violation
  if (isEach && !isConflict(exchanges.at(-1)?.status ?? 0)) throw error
  if (isEach)
    throw new NotVerified(
      `the target rejects every new pet for its own state (${actual}), such as its quota`,
    )
  const requirement: RequirementId =
    status === undefined ? 'create.status-optional' : 'create.status'
  const what = status === undefined ? 'without status' : `with status "${status}"`
  const words = message.replace('POST /pets', `POST /pets ${what}`)
  session.report({
    ...error.violation,
    message: words,
    requirement,
    alsoBreaks: ['create.success'],
  })
  return []
}

/** Categories of the catalog to try: with three, create.success was violated where the four most common ones are closed. */
const maxCategories = 8
/** Categories that a target may take even if the catalog does not show them. */
const otherCategories = [1, 71_234]

/** "Category record: not shown": the categories of the catalog may be closed, so tries others, the most common ones first. */
async function findOtherCategory(session: Session): Promise<boolean> {
  const { run } = session
  const [commonest, ...known] = run.category === undefined ? knownCategories(run) : []
  if (commonest === undefined) return false
  for (const categoryId of [
    ...known.slice(0, maxCategories),
    ...otherCategories.filter((id) => id !== commonest),
  ]) {
    const { exchange } = await attempt(session, { categoryId })
    if (!isSuccess(exchange)) continue
    run.category = categoryId
    session.findings.note(
      `The target takes no pet of category ${commonest}, the most common one; it takes ${categoryId}.`,
    )
    return true
  }
  return false
}

/** Names for targets that accept no name of several words. */
const plainForms = ['Petkitten', 'petkitten']

/**
 * "Length or format limits of name: not shown": tries names in the form of a name in the catalog, and plain words.
 *
 * @throws {NotVerified} when all are rejected, and the catalog shows no name to imitate
 */
async function findOtherNames(session: Session): Promise<boolean> {
  const { names } = session.run
  const shown = session.log.catalog.first().flatMap(({ pet }) => pet.name ?? [])
  let hasForm = false
  // The letters may be the same in all names: PET-0001.
  const ways = [[shown], [shown, /\d/], ...plainForms.map((form) => [[form]] as const)] as const
  for (const [forms, only] of ways) {
    if (!names.imitate(forms, only)) continue
    hasForm ||= forms === shown
    const { exchange, sent } = await attempt(session, {})
    if (isSuccess(exchange)) {
      session.findings.note(
        `The target rejects the usual names of a run; it accepts ${JSON.stringify(sent.name)}.`,
      )
      return true
    }
  }
  names.imitate([])
  if (hasForm) return false
  throw new NotVerified(
    'the target rejects the names of a run, and shows none whose form others could take',
  )
}
