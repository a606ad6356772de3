import type { ClauseId } from '../../spec/clauses.ts'
import { withAcceptHeader, type Exchange } from '../exchange.ts'
import { NotVerified } from '../findings.ts'
import { categoryFor, isQuotaUsedUp, rarestStatus, sendInvalid } from '../creation.ts'
import { expectNotDenied, nameOf, notRefused, petsOf, type Demand } from '../expect.ts'
import type { Check, Session } from '../session.ts'
import { readWide } from '../suspicions/lists.ts'
import { awaitAll, collectAll } from '../waiting.ts'
import { needOrdinary } from './create-pet.ts'

/** The fields of a NewPet as JSON texts; undefined leaves one out. */
type Fields = Partial<Record<'name' | 'categoryId' | 'status', string | undefined>>
/** A body, or its differences from a valid one, made from a valid one and a unique number. */
type Body = Fields | ((valid: Required<Fields>, number: string) => Fields | string | undefined)

const toText = (fields: Fields): string =>
  `{${Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `"${name}":${value}`)
    .join(',')}}`

function makeBody(body: Body, valid: Required<Fields>, number: string): string | undefined {
  const made = typeof body === 'function' ? body(valid, number) : body
  return typeof made === 'object' ? toText({ ...valid, ...made }) : made
}

const withoutRequired: Record<string, Body> = {
  'no name': { name: undefined },
  'no categoryId': { categoryId: undefined },
  'an empty object': () => '{}',
}

const withInvalidValues: Record<string, Body> = {
  'name null': { name: 'null' },
  'name a number': (_, number) => ({ name: number }),
  'name a boolean': { name: 'true' },
  'name an array': { name: '["Rex"]' },
  'name an object': { name: '{"first":"Rex"}' },
  'categoryId a string': ({ categoryId }) => ({ categoryId: `"${categoryId}"` }),
  'categoryId an empty string': { categoryId: '""' },
  'categoryId a word': { categoryId: '"dogs"' },
  'categoryId a fraction': { categoryId: '1.5' },
  'categoryId null': { categoryId: 'null' },
  'categoryId a boolean': { categoryId: 'true' },
  'categoryId an array': ({ categoryId }) => ({ categoryId: `[${categoryId}]` }),
  'categoryId 2^63': { categoryId: '9223372036854775808' },
  'categoryId below -2^63': { categoryId: '-9223372036854775809' },
  // Its beginning is a valid status.
  'status of another word': { status: '"soldout"' },
  'status in other letter case': { status: '"Available"' },
  'status null': { status: 'null' },
  'status a number': { status: '1' },
  'status empty': { status: '""' },
}

const withoutObject: Record<string, Body> = {
  'no body': () => undefined,
  'JSON cut short': ({ name, categoryId }) => `{"name":${name},"categoryId":${categoryId}`,
  'text after the JSON': (valid) => `${toText(valid)} x`,
  'a comma too many': ({ name, categoryId }) => `{"name":${name},"categoryId":${categoryId},}`,
  'an array': (valid) => `[${toText(valid)}]`,
  'a string': ({ name }) => name,
  null: () => 'null',
}

/** Every invalid body with the requirement that it violates. `make` takes valid fields as JSON texts. */
export const invalidBodies = (
  [
    ['create.required-fields', withoutRequired],
    ['create.invalid-values', withInvalidValues],
    ['create.body-required', withoutObject],
  ] as const
).flatMap(([clause, bodies]) =>
  Object.entries(bodies).map(([what, body]) => ({
    what,
    clause,
    make: (valid: Required<Fields>): string | undefined => makeBody(body, valid, '90210'),
  })),
)

/** Bodies that must be refused with exactly 400, and leave no pet. */
export const refusalChecks: Check[] = [
  {
    id: 'refuse.required-fields',
    title: 'A body without a required field is rejected with 400',
    stage: 'refuse',
    smoke: { writes: 0 },
    clauses: ['create.required-fields'],
    sendsInvalidBodies: true,
    dependsOn: ['create-pet.ordinary'],
    run: (session) => refuseAll(session, 'create.required-fields', withoutRequired, ['no name']),
  },
  {
    id: 'refuse.invalid-values',
    title: 'A value of a wrong type, outside int64 or with another status is rejected with 400',
    stage: 'refuse',
    smoke: { writes: 0 },
    clauses: ['create.invalid-values'],
    sendsInvalidBodies: true,
    dependsOn: ['create-pet.ordinary'],
    run: (session) =>
      refuseAll(session, 'create.invalid-values', withInvalidValues, ['categoryId a string', 'status of another word']),
  },
  {
    id: 'refuse.no-object',
    title: 'A missing body, a body that is not JSON, or JSON that is not an object is rejected with 400',
    stage: 'refuse',
    smoke: { writes: 0 },
    clauses: ['create.body-required'],
    sendsInvalidBodies: true,
    dependsOn: ['create-pet.ordinary'],
    run: (session) => refuseAll(session, 'create.body-required', withoutObject, ['JSON cut short']),
  },
]

export const leavesNothingCheck: Check = {
  id: 'refuse.leaves-nothing',
  title: 'Rejected creations have created no pet',
  stage: 'remain',
  clauses: ['create.refused-leaves-nothing', 'auth.required'],
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

/** @param atSmoke the bodies that the depth `smoke` sends */
async function refuseAll(
  session: Session,
  clause: ClauseId,
  bodies: Record<string, Body>,
  atSmoke: readonly string[],
): Promise<void> {
  await needOrdinary(session)
  const { run } = session
  const rejected: (() => void)[] = []
  const isSmoke = run.options.depth === 'smoke'
  const tried = Object.entries(bodies).filter(([what]) => !isSmoke || atSmoke.includes(what))
  const { rethrow } = await collectAll(
    tried.map(async ([what, body], index) => {
      const name = `"${run.nextName()}"`
      const valid = { name, categoryId: String(categoryFor(run).id), status: `"${rarestStatus(run)}"` }
      const text = makeBody(body, valid, run.uniqueNumber)
      const headers = { 'content-type': 'application/json' }
      const plan = { method: 'POST', path: '/pets', headers, ...(text !== undefined && { body: text }) }
      const demand = { clause, what: `POST /pets with ${what}`, expected: 'status 400' }
      const response = await sendInvalid(session, withAcceptHeader(plan, index), demand)
      if (response.status > 400 && response.status < 500) rejected.push(() => expect400(session, demand, response))
      else expect400(session, demand, response)
    }),
  )
  // With a quota used up, the target need not validate bodies.
  if (rejected.length > 0 && (await isQuotaUsedUp(session))) {
    throw new NotVerified('the target refuses by now what it has taken before')
  }
  for (const report of rejected) report()
  rethrow()
}

/** Demands 400 for an invalid creation. */
export function expect400(session: Session, { clause, what }: Demand, response: Exchange): void {
  const { status } = response
  if (status === 400) return
  // A 403 is no excuse for a key that has created pets.
  if (status !== 403 || session.run.created.length === 0) expectNotDenied(response)
  session.report(notRefused(response, clause, what ?? nameOf(response.plan)))
}

const maxGaps = 12

/** Fetches ids between those of created pets: with sequential ids, refused pets would be there. */
async function fetchGaps(session: Session): Promise<Exchange[]> {
  const { created, getWorks, getRemoved } = session.run
  if (!getWorks || getRemoved) return []
  const ids = created.map(({ pet }) => BigInt(pet.id)).sort((a, b) => (a < b ? -1 : 1))
  const [first, last] = [ids[0], ids.at(-1)]
  if (first === undefined || last === undefined || last - first > 60n) return []
  const gaps: bigint[] = []
  for (let id = first; id <= last + 1n; id += 1n) if (!ids.includes(id)) gaps.push(id)
  return awaitAll(
    gaps.slice(0, maxGaps).map((id) => {
      const demand = { clause: 'get.not-found', expected: 'status 404, or a Pet' } as const
      return session.send({ method: 'GET', path: `/pets/${id}` }, demand)
    }),
  )
}

/** Demands that a response shows no refused pet. */
export function expectNoRefused(session: Session, exchange: Exchange): void {
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
