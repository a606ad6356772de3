import type { ClauseId } from '../../spec/clauses.ts'
import type { Check } from '../check.ts'
import { asClient } from '../exchange.ts'
import type { Exchange } from '../exchange.ts'
import { NotVerified } from '../findings.ts'
import { categoryFor, isFull, rarestStatus, sendInvalid } from '../creation.ts'
import { expectNotDenied, petsOf } from '../expect.ts'
import type { Demand } from '../expect.ts'
import type { Session } from '../session.ts'
import { readWide } from '../suspicions/lists.ts'
import { settle, settleAll } from '../waiting.ts'
import { needOrdinary } from './create-pet.ts'

/** Makes a body from a name that no other pet has, a category that exists, a status, and a number of the run's own. */
type Body = (name: string, category: string, status: string, number: string) => string | undefined

const withName =
  (name: string): Body =>
  (_, category, status) =>
    `{"name":${name},"categoryId":${category},"status":"${status}"}`
const withCategory =
  (category: string): Body =>
  (name, _, status) =>
    `{"name":"${name}","categoryId":${category},"status":"${status}"}`
const withStatus =
  (status: string): Body =>
  (name, category) =>
    `{"name":"${name}","categoryId":${category},"status":${status}}`

const withoutRequired: Record<string, Body> = {
  'no name': (_, category, status) => `{"categoryId":${category},"status":"${status}"}`,
  'no categoryId': (name, _, status) => `{"name":"${name}","status":"${status}"}`,
  'an empty object': () => '{}',
}

const withInvalidValues: Record<string, Body> = {
  'name null': withName('null'),
  'name a number': (name, category, status, number) => withName(number)(name, category, status, number),
  'name a boolean': withName('true'),
  'name an array': withName('["Rex"]'),
  'name an object': withName('{"first":"Rex"}'),
  'categoryId a string': (name, category, status) =>
    `{"name":"${name}","categoryId":"${category}","status":"${status}"}`,
  'categoryId an empty string': withCategory('""'),
  'categoryId a word': withCategory('"dogs"'),
  'categoryId a fraction': withCategory('1.5'),
  'categoryId null': withCategory('null'),
  'categoryId a boolean': withCategory('true'),
  'categoryId an array': (name, category, status) =>
    `{"name":"${name}","categoryId":[${category}],"status":"${status}"}`,
  'categoryId 2^63': withCategory('9223372036854775808'),
  'categoryId below -2^63': withCategory('-9223372036854775809'),
  'status of another word': withStatus('"lost"'),
  'status in other letter case': withStatus('"Available"'),
  'status null': withStatus('null'),
  'status a number': withStatus('1'),
  'status empty': withStatus('""'),
}

const withoutObject: Record<string, Body> = {
  'no body': () => undefined,
  'JSON cut short': (name, category) => `{"name":"${name}","categoryId":${category}`,
  'text after the JSON': (name, category, status) => `${withName(`"${name}"`)(name, category, status, '')} x`,
  'a comma too many': (name, category) => `{"name":"${name}","categoryId":${category},}`,
  'an array': (name, category, status) => `[${withName(`"${name}"`)(name, category, status, '')}]`,
  'a string': (name) => `"${name}"`,
  null: () => 'null',
}

/** POST /pets with bodies that the specification refuses: exactly 400, and no pet left behind. */
export const refusalChecks: Check[] = [
  {
    id: 'refuse.required-fields',
    title: 'A body without a required field is refused with 400',
    stage: 'refuse',
    clauses: ['create.required-fields'],
    writes: 0,
    sendsInvalidBodies: true,
    dependsOn: ['create-pet.ordinary'],
    run: (session) => refuseAll(session, 'create.required-fields', withoutRequired),
  },
  {
    id: 'refuse.invalid-values',
    title: 'A value of a wrong type, outside int64 or outside the three statuses is refused with 400',
    stage: 'refuse',
    clauses: ['create.invalid-values'],
    writes: 0,
    sendsInvalidBodies: true,
    dependsOn: ['create-pet.ordinary'],
    run: (session) => refuseAll(session, 'create.invalid-values', withInvalidValues),
  },
  {
    id: 'refuse.no-object',
    title: 'No body, no JSON, or JSON that is no object is refused with 400',
    stage: 'refuse',
    clauses: ['create.body-required'],
    writes: 0,
    sendsInvalidBodies: true,
    dependsOn: ['create-pet.ordinary'],
    run: (session) => refuseAll(session, 'create.body-required', withoutObject),
  },
]

/** What was refused is not there. */
export const leavesNothingCheck: Check = {
  id: 'refuse.leaves-nothing',
  title: 'Creations that were refused have left no pet',
  stage: 'remain',
  clauses: ['create.refused-leaves-nothing', 'auth.required'],
  writes: 0,
  sendsInvalidBodies: true,
  dependsOn: [
    'refuse.required-fields',
    'refuse.invalid-values',
    'refuse.no-object',
    'access.create-pet',
    'open-points.creation',
  ],
  async run(session) {
    const { run } = session
    if (run.refused.size === 0) throw new NotVerified('no creation was sent that must be refused')
    const status = rarestStatus(run)
    const list = (await readWide(session)).find((one) => one.status === status)
    const gaps = await fetchGaps(session)
    for (const exchange of [...run.lists.map((known) => known.exchange), ...gaps]) expectNoRefused(session, exchange)
    if (!list?.complete && gaps.length === 0) {
      throw new NotVerified(`the list of the status ${status} is full, so a pet that was left behind need not be in it`)
    }
  },
}

async function refuseAll(session: Session, clause: ClauseId, bodies: Record<string, Body>): Promise<void> {
  await needOrdinary(session)
  const { run } = session
  const refused: { what: string; answer: Exchange }[] = []
  const { expectAll } = await settle(
    Object.entries(bodies).map(async ([what, body], index) => {
      const text = body(run.nextName(), String(categoryFor(run).id), rarestStatus(run), run.ownNumber)
      const answer = await refuse(session, clause, what, text, index)
      if (answer.status === 400) return
      if (isClientError(answer)) refused.push({ what, answer })
      else expectRefused(session, clause, what, answer)
    }),
  )
  // Whoever takes no pet from this key any more need not look at the body.
  if (refused.length > 0 && (await isFull(session))) {
    throw new NotVerified('the target refuses by now what it has taken before')
  }
  for (const { what, answer } of refused) expectRefused(session, clause, what, answer)
  expectAll()
}

const isClientError = ({ status }: Exchange): boolean => status > 400 && status < 500

/** Sends a body that must be refused. */
function refuse(
  session: Session,
  clause: ClauseId,
  what: string,
  body: string | undefined,
  index: number,
): Promise<Exchange> {
  const headers = { 'content-type': 'application/json' }
  const plan = asClient({ method: 'POST', path: '/pets', headers, ...(body === undefined ? {} : { body }) }, index)
  return sendInvalid(session, plan, { clause, what: `POST /pets with ${what}`, expected: 'status 400' })
}

function expectRefused(session: Session, clause: ClauseId, what: string, answer: Exchange): void {
  // A key that has created pets may do so; room can run out.
  if (answer.status !== 403 || session.run.created.length === 0) expectNotDenied(answer)
  const accepted = answer.status < 300
  session.report({
    clause,
    message: `POST /pets with ${what} ${accepted ? 'is accepted' : 'is answered'} with ${answer.status} instead of 400.`,
    expected: 'status 400 and an Error body',
    actual: `status ${answer.status}`,
    exchanges: [answer],
    cause: accepted ? `accepts ${what}` : `answers ${answer.status}`,
  })
}

/** So many ids between two of the run's own are looked at for a pet that should not be there. */
const mostGaps = 12

/** The pets whose ids lie between those of the run's own: where ids are given in order, a refused one would be there. */
async function fetchGaps(session: Session): Promise<Exchange[]> {
  const { created, getWorks, getRemoved } = session.run
  if (!getWorks || getRemoved) return []
  const ids = created.map(({ pet }) => BigInt(pet.id)).sort((a, b) => (a < b ? -1 : 1))
  const [first, last] = [ids[0], ids.at(-1)]
  if (first === undefined || last === undefined || last - first > 60n) return []
  const gaps: bigint[] = []
  for (let id = first; id <= last + 1n; id += 1n) if (!ids.includes(id)) gaps.push(id)
  return settleAll(
    gaps.slice(0, mostGaps).map((id) => {
      const path = `/pets/${id}`
      const demand: Demand = {
        clause: 'get.not-found',
        what: `GET ${path}`,
        expected: 'status 404, or a Pet',
        shows: { id: String(id) },
      }
      return session.send({ method: 'GET', path }, demand)
    }),
  )
}

function expectNoRefused(session: Session, exchange: Exchange): void {
  const { refused } = session.run
  const left = petsOf(exchange).find(({ name }) => refused.has(name))
  const refusal = left && refused.get(left.name)
  if (!refusal) return
  const unauthorised = refusal.status === 401
  session.report({
    clause: unauthorised ? 'auth.required' : 'create.refused-leaves-nothing',
    alsoBreaks: unauthorised ? ['create.refused-leaves-nothing'] : [],
    message: `Pet ${left.id} (${left.name}) is there, although its creation was refused with ${refusal.status}.`,
    expected: 'no pet of a refused creation',
    actual: `a pet named ${left.name}`,
    exchanges: [refusal, exchange],
    cause: 'left behind',
  })
}
