import { NotVerified, Violated } from '../judge/findings.ts'
import {
  attempt,
  categoryFor,
  create,
  expectAsSent,
  findOtherCategory,
  findOtherNames,
  isConflict,
  isQuotaUsedUp,
  isRefusal,
  rarestStatus,
  type CreateResult,
} from '../session/creation.ts'
import type { ClauseId } from '../../spec/clauses.ts'
import type { Int64, PetStatus } from '../../spec/types.ts'
import {
  type CreateRequest,
  escapeAll,
  largeCategories,
  nameAcrossCuts,
  type Valid,
} from '../http/request-bodies.ts'
import { describe, expectNotDenied, isSuccess, wrongStatus } from '../judge/expect.ts'
import type { Check, Session } from '../session/session.ts'
import { expectStored } from '../suspicions/fetched.ts'
import { awaitAll, collectAll, sleep } from '../http/waiting.ts'

/** A target that accepts both does not check categories against a list. */
const unlikelyCategories = [71_234, 2_147_483_647]
/** An id that the service would hardly choose. */
const inventedId = 1403912658

/** Bodies that the specification allows. */
export const createPetChecks: Check[] = [
  {
    id: 'create-pet.ordinary',
    title:
      'Pets created concurrently, with each status and without one, are returned as sent and can be found',
    stage: 'create',
    smoke: { writes: 2 },
    clauses: ['create.success', 'create.status', 'create.status-optional', 'create.stored'],
    writes: 4,
    run: (session) => ordinary(session),
  },
  {
    id: 'create-pet.names',
    title:
      'Letters of all scripts and widths, NUL, and characters that HTML or JSON treats specially, come back unchanged',
    stage: 'create',
    clauses: ['create.success', 'create.stored'],
    writes: 3,
    async run(session) {
      await needOrdinary(session)
      const special = (unique: string): string =>
        `${unique}  & <b>"Tom"</b> 'n' ’s \\/ %41 &amp;&nbsp; + $& {0}`
      // Composed and decomposed letters, an emoji sequence, and letters across common limits up to 64 bytes.
      const scripts = (unique: string): string =>
        `${nameAcrossCuts(`${unique} Zoe\u0308 Łód שלום`, 64)}🐾👩🏽‍🚒❤️`
      const zero = (unique: string): string => `${unique}\0b`
      const withoutZero = (sent: string, created: string): boolean =>
        ['', ' ', '\ufffd'].some((other) => created === sent.replace('\0', other))
      // The paw is sent as a pair of \u escapes.
      const escaped = ({ name, categoryId, status }: Valid): string =>
        `{"categoryId":${categoryId},"name":${JSON.stringify(name).replace('🐾', '\\ud83d\\udc3e')},"status":"${status}"}`
      const requests = [
        [{ name: special }, 'a name of characters that HTML or JSON treats specially'],
        [{ name: scripts, body: escaped }, 'a name in letters of all scripts'],
        [{ name: zero, mayChangeName: withoutZero }, 'a name with NUL', true],
      ] as const
      await awaitAll(
        requests.map(async ([request, what, mayFail = false]) => {
          const result = await attempt(
            session,
            { ...request, status: rarestStatus(session.run) },
            what,
          )
          // Few databases can store NUL, and how a service rejects it is unspecified.
          if (mayFail && result.exchange.status >= 500)
            session.note(`${describe(result.exchange)} to ${what}: a server error.`)
          else await expectStoredOrRefused(session, result, `the name ${result.sent.name}`)
        }),
      )
    },
  },
  {
    id: 'create-pet.int64',
    title: 'A categoryId beyond 2^53, a negative one and 0 come back exactly',
    stage: 'create',
    clauses: ['create.exact', 'create.stored'],
    writes: 4,
    async run(session) {
      await needOrdinary(session)
      const { clock, transport } = session.run
      const status = rarestStatus(session.run)
      // Sent while creations are under way, a list must succeed, too; the check of limits judges it.
      const list = (): Promise<unknown> => session.read('/pets?limit=2', 'list.limit.honoured')
      void sleep(clock, 1, transport.signal)
        .then(list)
        .catch(() => undefined)
      const { results, rethrow } = await collectAll(
        // A store that guesses types would turn the last name into a number, which neither int64 nor a double can hold.
        [
          ...largeCategories,
          { categoryId: 0, name: () => `1${session.run.uniqueNumber}9876543` },
        ].map(async (request) => {
          const { categoryId } = request
          const what = `categoryId ${categoryId} and an unusual name`
          const result = await attempt(session, { ...request, status }, what, 'create.exact')
          if (!isRefusal(result.exchange.status)) return result
          // It may have been refused for its name.
          const plain = await attempt(
            session,
            { categoryId, status },
            `categoryId ${categoryId}`,
            'create.exact',
          )
          if (isSuccess(plain.exchange))
            session.note(`The target rejects ${wordsOf(result)} with ${result.exchange.status}.`)
          return plain
        }),
      )
      const stored = await collectAll(
        results.map((result) => expectStoredOrRefused(session, result, wordsOf(result))),
      )
      const accepted = results.find(({ exchange }) => isSuccess(exchange))
      if (accepted) session.observe('create.unknown-category', 'accept', accepted.exchange)
      await expectKnownCategoriesOnly(session, results)
      rethrow()
      stored.rethrow()
    },
  },
  {
    id: 'create-pet.json-spelling',
    title:
      'White space, another order of fields, \\u escapes and a charset do not change the request',
    stage: 'observe',
    clauses: ['http.json-request', 'create.stored'],
    writes: 1,
    async run(session) {
      await needOrdinary(session)
      const request: CreateRequest = {
        status: rarestStatus(session.run),
        headers: { 'content-type': 'application/json; charset=utf-8', accept: '*/*' },
        body: ({ name, categoryId, status = '' }) =>
          `\r\n\t{ "status" :\n"${escapeAll(status.slice(0, 1))}${status.slice(1)}",\t"categoryId"  : ${categoryId} , "n\\u0061me":"${escapeAll(name)}" }\n`,
      }
      const what = 'POST /pets with white space, \\u escapes and status before name in its body'
      const result = await create(session, request, 'http.json-request', what).catch(
        (error: unknown) => findRefusedSpelling(session, error),
      )
      await expectStored(session, expectAsSent(session, result))
    },
  },
  {
    id: 'create-pet.client-id',
    title: 'An id sent by the client is never used',
    // Refusals, beside these creations and before those of the check above, must not undo or refuse what is valid.
    stage: 'refuse',
    clauses: ['create.id-assigned'],
    writes: 2,
    async run(session) {
      await needOrdinary(session)
      const [own] = session.log.created
      if (!own) throw new NotVerified('createPet does not respond with a Pet')
      for (const id of [own.pet.id, inventedId]) {
        const request: CreateRequest = {
          status: rarestStatus(session.run),
          body: ({ name, categoryId, status }) =>
            `{"id":${id},"name":"${name}","categoryId":${categoryId},"status":"${status}"}`,
        }
        const send = (): Promise<CreateResult> =>
          attempt(session, request, `the id ${id} in the body`, 'error.body')
        const first = await send()
        // Others may have removed the pet, so that its id was the next one. By now it is not.
        const result = id === own.pet.id && first.created?.pet.id === id ? await send() : first
        const { exchange, created } = result
        session.observe(
          'create.client-id',
          isSuccess(exchange) ? 'ignore' : String(exchange.status),
          exchange,
        )
        // An id that pets get without a client's id was not adopted.
        const isUsual = session.log.repeatedIds.length > 2
        if (created !== undefined && BigInt(created.pet.id) === BigInt(id) && !isUsual) {
          session.report({
            clause: 'create.id-assigned',
            message: `The new pet got the id ${id}, which the client had sent.`,
            pointer: '/id',
            expected: 'an id that the service chose',
            actual: String(id),
            exchanges: [exchange],
          })
        } else if (isSuccess(exchange)) expectAsSent(session, result)
        else expectFreeRefusal(session, result, 'an id in the body')
      }
    },
  },
]

/** Each changes one thing in an ordinary creation. */
const spellings: Readonly<Record<string, CreateRequest>> = {
  'a charset': { headers: { 'content-type': 'application/json; charset=utf-8' } },
  'white space in its body': {
    body: ({ name, categoryId, status }) =>
      `\r\n\t{ "name" :\n${JSON.stringify(name)},\t"categoryId"  : ${categoryId} , "status": "${status}" }\n`,
  },
  'status before name in its body': {
    body: ({ name, categoryId, status }) =>
      `{"status":"${status}","categoryId":${categoryId},"name":${JSON.stringify(name)}}`,
  },
  '\\u escapes in its body': {
    body: ({ name, categoryId, status }) =>
      `{"n\\u0061me":"${escapeAll(name)}","categoryId":${categoryId},"status":"${status}"}`,
  },
}

/** After a refusal of a creation that changes all of them: throws what one of them alone shows, or the same error. */
async function findRefusedSpelling(session: Session, refusal: unknown): Promise<never> {
  if (!(refusal instanceof Violated)) throw refusal
  const status = rarestStatus(session.run)
  for (const [difference, request] of Object.entries(spellings)) {
    const what = `POST /pets with ${difference}`
    try {
      const result = await create(session, { status, ...request }, 'http.json-request', what)
      expectAsSent(session, result)
    } catch (error) {
      throw error instanceof Violated ? error : refusal
    }
  }
  throw refusal
}

/** Ordinary creations, sent once for all checks that need them. */
const ordinary = (session: Session): Promise<void> =>
  session.run.once('ordinary creations', () => createOrdinary(session))

async function createOrdinary(session: Session): Promise<void> {
  const statuses = session.sample([undefined, 'available', 'pending', 'sold'] as const, [0, 3])
  const createAll = (): Promise<PromiseSettledResult<CreateResult>[]> =>
    Promise.allSettled(statuses.map((status) => create(session, { status })))
  let outcomes = await createAll()
  if (
    outcomes.every(isRefused) &&
    ((await findOtherCategory(session)) || (await findOtherNames(session)))
  ) {
    outcomes = await createAll()
  }
  const isEach = outcomes.every(({ status }) => status === 'rejected')
  const results = outcomes.flatMap((one, index) =>
    one.status === 'fulfilled'
      ? [one.value]
      : reportRefused(session, one.reason, statuses[index], isEach),
  )
  const { results: created, rethrow } = await collectAll(
    results.map(async (result) => {
      const { status } = result.sent
      const clause = status === undefined ? 'create.status-optional' : 'create.status'
      // Another creation may have shown that the category exists.
      const isFinal = isSuccess(result.exchange) || !categoryFor(session.run).known
      return expectAsSent(session, isFinal ? result : await create(session, { status }, clause))
    }),
  )
  await awaitAll(created.map((one) => expectStored(session, one)))
  rethrow()
}

/** Waits for the ordinary creations, right or wrong. Throws NotVerified when the target accepts none. */
export async function needOrdinary(session: Session): Promise<void> {
  try {
    await ordinary(session)
  } catch (error) {
    if (session.log.accepted === undefined)
      throw error instanceof Violated ? new NotVerified('ordinary pets cannot be created') : error
  }
}

function isRefused(result: PromiseSettledResult<CreateResult>): boolean {
  if (result.status === 'fulfilled' || !(result.reason instanceof Violated)) return false
  return [400, 404, 409, 413, 422].includes(result.reason.violation.exchanges.at(-1)?.status ?? 0)
}

/** A refused ordinary creation: if others are accepted, the clause about its status is broken. */
function reportRefused(
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
  session.run.refusedStatuses.add(status)
  const clause: ClauseId = status === undefined ? 'create.status-optional' : 'create.status'
  const what = status === undefined ? 'without status' : `with status "${status}"`
  const words = message.replace('POST /pets', `POST /pets ${what}`)
  session.report({ ...error.violation, message: words, clause, alsoBreaks: ['create.success'] })
  return []
}

async function expectStoredOrRefused(
  session: Session,
  result: CreateResult,
  what: string,
): Promise<void> {
  if (isSuccess(result.exchange)) await expectStored(session, expectAsSent(session, result))
  else expectFreeRefusal(session, result, what)
}

/** A refusal of what is unrestricted must be a client error (4xx), not a server error. */
export function expectFreeRefusal(
  session: Session,
  { exchange }: CreateResult,
  what: string,
): void {
  expectNotDenied(exchange)
  if (isRefusal(exchange.status)) {
    session.note(`The target rejects ${what} with ${exchange.status}.`)
    return
  }
  const message = `${describe(exchange)} to a valid NewPet with ${what}.`
  session.report(
    wrongStatus(exchange, 'create.success', '201, or a refusal with an Error body', { message }),
  )
}

const wordsOf = ({ sent: { categoryId, name } }: CreateResult): string =>
  `categoryId ${categoryId} and the name ${JSON.stringify(name)}`

/**
 * A target that accepts small unknown categories but no large one does not support int64. One that accepts unknown
 * categories beyond 2^53 of either sign has no list of categories, so it must accept every other int64, 0 included.
 */
async function expectKnownCategoriesOnly(
  session: Session,
  results: readonly CreateResult[],
): Promise<void> {
  const refused = results.filter(({ exchange }) => !isSuccess(exchange))
  const takesNegative = results.some(
    ({ exchange, sent }) => isSuccess(exchange) && sent.categoryId < 0,
  )
  const refusal =
    refused.find(({ sent }) => sent.categoryId > 0) ?? (takesNegative ? refused[0] : undefined)
  if (refusal === undefined) {
    if (refused.length > 0)
      session.cannotVerify('create.exact', 'the target rejects negative categories')
    return
  }
  const { categoryId } = refusal.sent
  const attemptWith = (id: Int64): Promise<CreateResult> =>
    attempt(session, { categoryId: id, status: rarestStatus(session.run) }, `categoryId ${id}`)
  const controls = await awaitAll(unlikelyCategories.map(attemptWith))
  const control = controls.find(({ exchange }) => !isSuccess(exchange))
  if (control) {
    expectNotDenied(control.exchange)
    if (await isQuotaUsedUp(session)) throw new NotVerified('a quota seems to be used up')
    session.observe('create.unknown-category', String(control.exchange.status), control.exchange)
    const reason =
      'the target takes only categories that it knows; name a large one with --category-id'
    return session.cannotVerify('create.exact', reason)
  }
  // Another creation may have been under way each time.
  const last = isConflict(refusal.exchange.status)
    ? await create(session, { categoryId }, 'create.exact')
    : undefined
  if (last) return expectStored(session, expectAsSent(session, last))
  const others = controls.map(({ sent }) => sent.categoryId).join(' and ')
  const message = `createPet rejects categoryId ${categoryId}, an int64, but accepts ${others}.`
  const exchanges = [...controls.map(({ exchange }) => exchange), refusal.exchange]
  session.report(
    wrongStatus(refusal.exchange, 'create.exact', 201, {
      message,
      exchanges,
      cause: 'int64 refused',
    }),
  )
}
