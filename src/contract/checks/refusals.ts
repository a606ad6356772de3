import type { ClauseId } from '../../spec/clauses.ts'
import type { Check } from '../check.ts'
import { asClient } from '../exchange.ts'
import type { Exchange } from '../exchange.ts'
import { NotVerified } from '../findings.ts'
import { expectNotDenied } from '../session.ts'
import type { Session } from '../session.ts'
import { isFull } from '../creation.ts'
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
    refusedWrites: true,
    leansOn: ['create-pet.ordinary'],
    run: (session) => refuseAll(session, 'create.required-fields', withoutRequired),
  },
  {
    id: 'refuse.invalid-values',
    title: 'A value of a wrong type, outside int64 or outside the three statuses is refused with 400',
    stage: 'refuse',
    clauses: ['create.invalid-values'],
    writes: 0,
    refusedWrites: true,
    leansOn: ['create-pet.ordinary'],
    run: (session) => refuseAll(session, 'create.invalid-values', withInvalidValues),
  },
  {
    id: 'refuse.no-object',
    title: 'No body, no JSON, or JSON that is no object is refused with 400',
    stage: 'refuse',
    clauses: ['create.body-required'],
    writes: 0,
    refusedWrites: true,
    leansOn: ['create-pet.ordinary'],
    run: (session) => refuseAll(session, 'create.body-required', withoutObject),
  },
]

async function refuseAll(session: Session, clause: ClauseId, bodies: Record<string, Body>): Promise<void> {
  await needOrdinary(session)
  const { run } = session
  const refused: { what: string; answer: Exchange }[] = []
  const settled = await Promise.allSettled(
    Object.entries(bodies).map(async ([what, body], index) => {
      const text = body(run.nextName(), String(run.category().id), run.rarestStatus(), run.ownNumber)
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
  const failed = settled.find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
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
  return session.sendRefusable(plan, { clause, what: `POST /pets with ${what}`, expected: 'status 400' })
}

function expectRefused(session: Session, clause: ClauseId, what: string, answer: Exchange): void {
  // A key that has created pets may do so; room can run out.
  if (answer.status !== 403 || session.run.created.length === 0) expectNotDenied(answer)
  const accepted = answer.status < 300
  session.breach({
    clause,
    message: `POST /pets with ${what} ${accepted ? 'is accepted' : 'is answered'} with ${answer.status} instead of 400.`,
    expected: 'status 400 and an Error body',
    actual: `status ${answer.status}`,
    exchanges: [answer],
    cause: accepted ? `accepts ${what}` : `answers ${answer.status}`,
  })
}
