import type { ChoiceId } from '../../spec/choices.ts'
import { changes, samePet, type Created, type PetList } from '../catalog.ts'
import { expectNoRefused } from '../checks/refusals.ts'
import { sendInvalid } from '../creation.ts'
import { emptyHeader, emptyToken, noHeader, type Credential } from '../credentials.ts'
import type { Exchange, Plan } from '../exchange.ts'
import { describe, isAbsent, petsOf, wrongStatus, type Demand } from '../expect.ts'
import { Violated } from '../findings.ts'
import type { Session } from '../session.ts'
import { mayHaveMoved } from '../suspicions/excuses.ts'
import { expectNoMoves } from '../suspicions/lists.ts'

/** The choices that these queries and ids observe. */
export const observedBy: Readonly<Record<string, ChoiceId>> = {
  'limit=0': 'list.limit.below-minimum',
  'limit=101': 'list.limit.above-maximum',
  'limit=abc': 'list.limit.not-an-integer',
  'status=lost': 'list.status.unknown',
  abc: 'get.id.not-an-integer',
  '9223372036854775808': 'get.id.beyond-int64',
}

const missing: ReadonlySet<Credential> = new Set([noHeader, emptyHeader, emptyToken])

/** Demands 401. */
export async function expectDenied(session: Session, plan: Plan & { credential: Credential }): Promise<void> {
  const { credential, method } = plan
  if (credential.header(session.run.options.apiKey) === `Bearer ${session.run.options.apiKey}`) return
  const clause = method === 'POST' ? 'create.401' : plan.path.startsWith('/pets/') ? 'get.401' : 'list.401'
  const demand: Demand = { clause, expected: 'status 401' }
  const response = await (method === 'POST' ? sendInvalid(session, plan, demand) : session.send(plan, demand))
  if (response.status === 401) return
  const broken = missing.has(credential) ? 'auth.missing-key' : 'auth.invalid-key'
  const alsoBreaks = [broken, ...(response.status < 400 ? (['auth.required'] as const) : [])] as const
  session.report(wrongStatus(response, clause, 401, { alsoBreaks, cause: `with ${credential.name}` }))
}

/** Compares a list with the pets that the run created. */
export async function expectOwn(session: Session, list: PetList): Promise<void> {
  const { exchange, pets, status, complete, length } = list
  expectNoRefused(session, exchange)
  const shown = new Map(pets.map((pet) => [String(pet.id), pet]))
  for (const own of session.run.created) {
    const found = shown.get(String(own.pet.id))
    if (found) await expectSame(session, own, found, exchange)
    const isMissing = !found && complete && pets.length === length && mustBeSeen(session, own, exchange)
    if (!isMissing || (status !== undefined && own.pet.status !== status)) continue
    // Another status than it was created with would take it from this list by right.
    if (status !== undefined && !session.run.getRemoved && !own.hasMoved) await expectFetched(session, own)
    if (own.hasMoved) continue
    if (status !== undefined) expectNoMoves(session.run)
    throw new Violated({
      clause: 'create.listed',
      alsoBreaks: status === undefined ? ['service.catalogue'] : ['list.status.complete', 'create.status'],
      message: `${describe(exchange)} is not full but lacks pet ${own.pet.id}, which createPet returned with 201.`,
      expected: `a pet with id ${own.pet.id} among the ${length}`,
      actual: 'it is not there',
      exchanges: [own.exchange, exchange],
      cause: 'own pet not listed',
    })
  }
}

/** Whether the consistency window of a pet was over when a request was sent. */
const mustBeSeen = ({ run }: Session, { at }: Created, { sentAt }: Exchange): boolean => at + run.windowMs <= sentAt

async function expectSame(session: Session, own: Created, found: Created['pet'], exchange: Exchange): Promise<void> {
  if (samePet(own.pet, found)) {
    own.wasRead = true
    return
  }
  if (await mayHaveMoved(session, own, found)) return
  const changed = changes(own.pet, found) ?? ''
  throw new Violated({
    clause: 'create.stored',
    alsoBreaks: [
      'service.catalogue',
      'state.reads-change-nothing',
      ...(exchange.operation === 'getPet' ? (['get.by-id'] as const) : []),
    ],
    message: `${describe(exchange)} and shows pet ${own.pet.id} not as createPet returned it: ${changed}.`,
    expected: 'the Pet that createPet returned',
    actual: changed,
    exchanges: [own.exchange, exchange],
    cause: 'own pet shown differently',
  })
}

/** Demands that getPet shows a created pet unchanged, at the latest after its consistency window. */
export async function expectFetched(session: Session, own: Created): Promise<void> {
  const response = await session.get(own.pet.id)
  if (isAbsent(response.status)) {
    if (!mustBeSeen(session, own, response)) return
    const alsoBreaks = ['get.success', 'get.by-id'] as const
    const message = `${describe(response)}, although createPet returned a pet with that id.`
    const exchanges = [own.exchange, response]
    const cause = 'own pet not found'
    throw new Violated(
      wrongStatus(response, 'create.stored', '200 and the Pet', { alsoBreaks, message, exchanges, cause }),
    )
  }
  const [found] = response.status === 200 ? petsOf(response) : []
  if (found) await expectSame(session, own, found, response)
}
