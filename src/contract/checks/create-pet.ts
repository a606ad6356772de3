import { NotVerified, Violated } from '../judge/findings.ts'
import {
  attempt,
  create,
  expectAsSent,
  isQuotaUsedUp,
  rarestStatus,
  type CreateResult,
} from '../session/creation.ts'
import type { Int64 } from '../../spec/types.ts'
import {
  type CreateRequest,
  escapeAll,
  mayLoseControls,
  nameAcrossCuts,
  type Valid,
} from '../http/request-bodies.ts'
import {
  describe,
  expectNotDenied,
  isConflict,
  isRejection,
  isSuccess,
  wrongStatus,
} from '../judge/expect.ts'
import type { Check, Session } from '../session/session.ts'
import { expectStored } from './stored.ts'
import { awaitAll, collectAll } from '../http/waiting.ts'
import { createOrdinary, needOrdinary } from './ordinary.ts'

/** A target that accepts both does not check categories against a list. */
const unlikelyCategories = [71_234, 2_147_483_647]
/** An id that the service would hardly choose. */
const inventedId = 1403912658

/** What templates, format strings, Markdown, SQL, shells and URLs treat specially. */
const symbols =
  '{{1}} ${x} %s %d %% %20 \\n \\u0041 [a](b) *c* _d_ `e` #f; -- ~|^!?=@,.: $1 :dog: (i)...'
const invisible = '\u0001\t\n\u007f\u0085\u00a0\u00ad\u200b\u2028\u202e\u202c\ue000\ufeff\ufffd'

/** Beyond 2^53, where a double rounds; and the ends of int64: with names that a store may take for something else. */
const largeCategories: readonly (CreateRequest & { categoryId: Int64 })[] = [
  { categoryId: -9007199254740993n, name: () => 'null' },
  {
    categoryId: 9223372036854775807n,
    name: (unique) => `${unique} ${invisible}–“ＡﬁёİZ`,
    mayChangeName: mayLoseControls,
  },
  { categoryId: -9223372036854775808n, name: (unique) => `${unique} ${symbols}` },
]

/** Bodies that the specification allows. */
export const createPetChecks: Check[] = [
  {
    id: 'create-pet.ordinary',
    title:
      'Pets created concurrently, with each status and without one, are returned as sent and can be found',
    stage: 'create',
    smoke: { writes: 2 },
    requirements: ['create.success', 'create.status', 'create.status-optional', 'create.stored'],
    writes: 4,
    run: (session) => createOrdinary(session),
  },
  {
    id: 'create-pet.names',
    title:
      'Letters of all scripts and widths, NUL, and characters that HTML or JSON treats specially, come back unchanged',
    stage: 'create',
    requirements: ['create.success', 'create.stored'],
    writes: 3,
    async run(session) {
      await needOrdinary(session)
      const special = (unique: string): string =>
        `${unique}  & <b>"Tom"</b> 'n' ’s \\/ %41 &amp;&nbsp; + $& {0}`
      // Composed and decomposed letters, an emoji sequence, and letters across common limits up to 64 bytes.
      const scripts = (unique: string): string =>
        `${nameAcrossCuts(`${unique} Zoe\u0308 Łód שלום`, 64)}🐾👩🏽‍🚒❤️`
      const zero = (unique: string): string => `${unique}\0b`
      // The paw is sent as a pair of \u escapes.
      const escaped = ({ name, categoryId, status }: Valid): string =>
        `{"categoryId":${categoryId},"name":${JSON.stringify(name).replace('🐾', '\\ud83d\\udc3e')},"status":"${status}"}`
      const requests = [
        [{ name: special }, 'a name of characters that HTML or JSON treats specially'],
        [{ name: scripts, body: escaped }, 'a name in letters of all scripts'],
        [{ name: zero, mayChangeName: mayLoseControls }, 'a name with NUL', true],
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
            session.findings.note(`${describe(result.exchange)} to ${what}: a server error.`)
          else await expectStoredOrRejected(session, result, `the name ${result.sent.name}`)
        }),
      )
    },
  },
  {
    id: 'create-pet.int64',
    title: 'A categoryId beyond 2^53, a negative one and 0 come back exactly',
    stage: 'create',
    requirements: ['create.exact', 'create.stored'],
    writes: 4,
    async run(session) {
      await needOrdinary(session)
      const status = rarestStatus(session.run)
      // Sent while creations are under way, a list must succeed, too; the check of limits judges it.
      const list = (): Promise<unknown> => session.read('/pets?limit=2', 'list.limit.respected')
      void session.run.transport
        .wait(1)
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
          if (!isRejection(result.exchange.status)) return result
          // It may have been rejected for its name.
          const plain = await attempt(
            session,
            { categoryId, status },
            `categoryId ${categoryId}`,
            'create.exact',
          )
          if (isSuccess(plain.exchange))
            session.findings.note(
              `The target rejects ${wordsOf(result)} with ${result.exchange.status}.`,
            )
          return plain
        }),
      )
      const stored = await collectAll(
        results.map((result) => expectStoredOrRejected(session, result, wordsOf(result))),
      )
      const accepted = results.find(({ exchange }) => isSuccess(exchange))
      if (accepted) session.findings.observe('create.unknown-category', 'accept', accepted.exchange)
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
    requirements: ['http.json-request', 'create.stored'],
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
        (error: unknown) => findRejectedSpelling(session, error),
      )
      await expectStored(session, expectAsSent(session, result))
    },
  },
  {
    id: 'create-pet.client-id',
    title: 'An id sent by the client is never used',
    // Rejections, beside these creations and before those of the check above, must not undo or reject what is valid.
    stage: 'reject',
    requirements: ['create.id-assigned'],
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
        session.findings.observe(
          'create.client-id',
          isSuccess(exchange) ? 'ignore' : String(exchange.status),
          exchange,
        )
        // An id that pets get without a client's id was not adopted.
        const isUsual = session.log.repeatedIds.length > 2
        if (created !== undefined && BigInt(created.pet.id) === BigInt(id) && !isUsual) {
          session.report({
            requirement: 'create.id-assigned',
            message: `The new pet got the id ${id}, which the client had sent.`,
            pointer: '/id',
            expected: 'an id that the service chose',
            actual: String(id),
            exchanges: [exchange],
          })
        } else if (isSuccess(exchange)) expectAsSent(session, result)
        else expectFreeRejection(session, result, 'an id in the body')
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

/** After a rejection of a creation that changes all of them: throws what one of them alone shows, or the same error. */
async function findRejectedSpelling(session: Session, rejection: unknown): Promise<never> {
  if (!(rejection instanceof Violated)) throw rejection
  const status = rarestStatus(session.run)
  for (const [difference, request] of Object.entries(spellings)) {
    const what = `POST /pets with ${difference}`
    try {
      const result = await create(session, { status, ...request }, 'http.json-request', what)
      expectAsSent(session, result)
    } catch (error) {
      throw error instanceof Violated ? error : rejection
    }
  }
  throw rejection
}

async function expectStoredOrRejected(
  session: Session,
  result: CreateResult,
  what: string,
): Promise<void> {
  if (isSuccess(result.exchange)) await expectStored(session, expectAsSent(session, result))
  else expectFreeRejection(session, result, what)
}

/** A rejection of what is unrestricted must be a client error (4xx), not a server error. */
export function expectFreeRejection(
  session: Session,
  { exchange }: CreateResult,
  what: string,
): void {
  expectNotDenied(exchange)
  if (isRejection(exchange.status)) {
    session.findings.note(`The target rejects ${what} with ${exchange.status}.`)
    return
  }
  const message = `${describe(exchange)} to a valid NewPet with ${what}.`
  session.report(
    wrongStatus(exchange, 'create.success', '201, or a rejection with an Error body', { message }),
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
  // A 401 to the valid key is reported where it is received.
  const rejected = results.filter(({ exchange }) => !isSuccess(exchange) && exchange.status !== 401)
  const takesNegative = results.some(
    ({ exchange, sent }) => isSuccess(exchange) && sent.categoryId < 0,
  )
  const rejection =
    rejected.find(({ sent }) => sent.categoryId > 0) ?? (takesNegative ? rejected[0] : undefined)
  if (rejection === undefined) {
    if (rejected.length > 0)
      session.cannotVerify('create.exact', 'the target rejects negative categories')
    return
  }
  const { categoryId } = rejection.sent
  const attemptWith = (id: Int64): Promise<CreateResult> =>
    attempt(session, { categoryId: id, status: rarestStatus(session.run) }, `categoryId ${id}`)
  const controls = await awaitAll(unlikelyCategories.map(attemptWith))
  const control = controls.find(({ exchange }) => !isSuccess(exchange))
  if (control) {
    expectNotDenied(control.exchange)
    if (await isQuotaUsedUp(session)) throw new NotVerified('a quota seems to be used up')
    session.findings.observe(
      'create.unknown-category',
      String(control.exchange.status),
      control.exchange,
    )
    const reason =
      'the target takes only categories that it knows; name a large one with --category-id'
    return session.cannotVerify('create.exact', reason)
  }
  // Another creation may have been under way each time.
  const last = isConflict(rejection.exchange.status)
    ? await create(session, { categoryId }, 'create.exact')
    : undefined
  if (last) return expectStored(session, expectAsSent(session, last))
  const others = controls.map(({ sent }) => sent.categoryId).join(' and ')
  const { status } = rejection.exchange
  const outcome = status < 500 ? 'rejects' : `responds ${status} to`
  const message = `createPet ${outcome} categoryId ${categoryId}, an int64, but accepts ${others}.`
  const exchanges = [...controls.map(({ exchange }) => exchange), rejection.exchange]
  session.report(
    wrongStatus(rejection.exchange, 'create.exact', 201, {
      message,
      exchanges,
      cause: 'int64 rejected',
    }),
  )
}
