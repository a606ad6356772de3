import { type InvalidFields, invalidBodies, makeInvalid } from '../http/request-bodies.ts'
import { withAcceptHeader, type Exchange } from '../http/exchange.ts'
import { NotVerified, OutOfReach } from '../judge/findings.ts'
import { categoryFor, isQuotaUsedUp, rarestStatus, sendInvalid } from '../session/creation.ts'
import { expectNotDenied, nameOf, notRejected, type Demand } from '../judge/expect.ts'
import { isStoredAsSent } from '../session/leftovers.ts'
import type { Check, Session } from '../session/session.ts'
import { findRejected, hasStrays } from '../claims/strays.ts'
import { awaitAll, collectAll } from '../http/waiting.ts'
import { needOrdinary } from './ordinary.ts'

const common = {
  stage: 'reject',
  smoke: { writes: 0 },
  sendsInvalidBodies: true,
} satisfies Partial<Check>

/** Bodies that must be rejected with exactly 400, and leave no pet. */
export const rejectionChecks: Check[] = [
  {
    id: 'reject.required-fields',
    title: 'A body without a required field is rejected with 400',
    requirements: ['create.required-fields'],
    ...common,
    run: (session) => rejectAll(session, 'create.required-fields', ['no name']),
  },
  {
    id: 'reject.invalid-values',
    title: 'A value of a wrong type, outside int64 or with another status is rejected with 400',
    requirements: ['create.invalid-values'],
    ...common,
    run: (session) =>
      rejectAll(session, 'create.invalid-values', [
        'categoryId a string',
        'status with a line break',
      ]),
  },
  {
    id: 'reject.no-object',
    title:
      'A missing body, a body that is not JSON, or JSON that is not an object is rejected with 400',
    requirements: ['create.body-required'],
    ...common,
    run: (session) => rejectAll(session, 'create.body-required', ['JSON cut short']),
  },
]

export const leavesNothingCheck: Check = {
  id: 'reject.leaves-nothing',
  title: 'Rejected creations have created no pet',
  stage: 'remain',
  requirements: ['create.rejected-leaves-nothing', 'auth.required'],
  sendsInvalidBodies: true,
  async run(session) {
    const { run } = session
    if (run.log.rejected.size === 0) throw new NotVerified('no creation was rejected')
    const status = rarestStatus(run)
    const { results, rethrow } = await session.readWide()
    const list = results.find((one) => one.status === status)
    const gaps = await fetchGaps(session)
    for (const exchange of [...run.log.lists.map((known) => known.exchange), ...gaps])
      expectNoRejected(session, exchange)
    if (run.options.depth !== 'smoke' && hasStrays(run.log))
      // Fits into 32 bits.
      session.claim('stray', 1_000_000_000 + (Number(run.uniqueNumber) % 1_000_000_000))
    rethrow()
    if (!list?.complete && gaps.length === 0) {
      const reason = `the list of the status ${status} is full, so a pet that was left behind need not be in it`
      throw list ? new OutOfReach(reason) : new NotVerified(reason)
    }
  },
}

/** Demands that a response shows no pet by the name of a rejected creation. */
export function expectNoRejected(session: Session, exchange: Exchange): void {
  const left = findRejected(exchange, session.log)
  if (left) session.report(left)
}

/** @param atSmoke the bodies that the depth `smoke` sends */
async function rejectAll(
  session: Session,
  requirement: keyof typeof invalidBodies,
  atSmoke: readonly string[],
): Promise<void> {
  await needOrdinary(session)
  const { run } = session
  const rejected: (() => void)[] = []
  // What is stored as sent stays, and breaks lists for all clients: one pet of a kind shows the fault.
  const stored = new Map<string, Promise<boolean>>()
  const isTried = ([what]: readonly [string, unknown]): boolean =>
    run.options.depth !== 'smoke' || atSmoke.includes(what)
  const tried = Object.entries<InvalidFields>(invalidBodies[requirement]).filter(isTried)
  const { rethrow } = await collectAll(
    tried.map(([what, body], index) => {
      const valid = {
        name: run.nextName(),
        categoryId: categoryFor(run).id,
        status: rarestStatus(run),
      }
      const text = makeInvalid(body, valid, run.uniqueNumber)
      const plan = {
        method: 'POST',
        path: '/pets',
        headers: { 'content-type': 'application/json' },
        body: text,
      }
      const demand = { requirement, what: `POST /pets with ${what}`, expected: 400 }
      const send = async (isKnown: boolean): Promise<boolean> => {
        if (isKnown) return true
        const response = await sendInvalid(session, withAcceptHeader(plan, index), demand)
        if (response.status > 400 && response.status < 500)
          rejected.push(() => expect400(session, demand, response))
        else expect400(session, demand, response)
        return isStoredAsSent(response)
      }
      const kind = storableIn(body)
      if (kind === undefined) return send(false)
      const sent = (stored.get(kind) ?? Promise.resolve(false)).then(send)
      stored.set(
        kind,
        sent.catch(() => false),
      )
      return sent
    }),
  )
  // With a quota used up, the target need not validate bodies.
  if (rejected.length > 0 && (await isQuotaUsedUp(session))) {
    throw new NotVerified('the target now rejects what it accepted before')
  }
  for (const report of rejected) report()
  rethrow()
}

/** The field with an invalid value that a column of the right type could hold: an integer, or a status in letters. */
function storableIn(body: InvalidFields): 'categoryId' | 'status' | undefined {
  if (typeof body === 'function') return undefined
  if (/^-?\d+$/.test(body.categoryId ?? '')) return 'categoryId'
  return body.status?.startsWith('"') === true ? 'status' : undefined
}

export function expect400(
  session: Session,
  { requirement, what }: Demand,
  response: Exchange,
): void {
  const { status } = response
  // A 401 to the valid key is reported where it is received.
  if (status === 400 || status === 401) return
  // A 403 is no excuse for a key that has created pets.
  if (status !== 403 || session.log.created.length === 0) expectNotDenied(response)
  session.report(notRejected(response, requirement, what ?? nameOf(response.plan)))
}

/** With none, nothing shows what was left behind where all lists are full. Two find each broken server of the proof; more, one that keeps some. */
const maxGaps = 12

/** Fetches ids between those of created pets: with sequential ids, rejected pets would be there. */
async function fetchGaps(session: Session): Promise<Exchange[]> {
  const { created, getWorks } = session.log
  if (!getWorks || session.run.getRemoved) return []
  const ids = created.map(({ pet }) => BigInt(pet.id)).sort((a, b) => (a < b ? -1 : 1))
  const [first, last] = [ids[0], ids.at(-1)]
  if (first === undefined || last === undefined || last - first > 60n) return []
  const gaps: bigint[] = []
  for (let id = first; id <= last + 1n; id += 1n) if (!ids.includes(id)) gaps.push(id)
  return awaitAll(
    gaps.slice(0, maxGaps).map((id) => {
      const demand = { requirement: 'get.not-found', expected: 404 } as const
      return session.send({ method: 'GET', path: `/pets/${id}` }, demand)
    }),
  )
}
