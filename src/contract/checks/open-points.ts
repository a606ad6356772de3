import type { ChoiceId } from '../../spec/choices.ts'
import { petStatuses } from '../../spec/operations.ts'
import type { PetStatus } from '../../spec/types.ts'
import { attempt, expectAsSent, isConflict, rarestStatus } from '../creation.ts'
import type { Exchange } from '../exchange.ts'
import { describe, expectNotDenied, isSuccess } from '../expect.ts'
import { type CreateRequest, nameAcrossCuts } from '../request-bodies.ts'
import { optionShown, ownField } from '../observe.ts'
import type { Check, Session } from '../session.ts'
import { expectStored } from '../suspicions/fetched.ts'
import { collectAll } from '../waiting.ts'
import { expectFreeRefusal, needOrdinary } from './create-pet.ts'

/** A creation that may be accepted or refused, and the choice that its response shows. */
interface OpenCreation {
  choice: ChoiceId
  what: string
  request: CreateRequest
}

const creations: OpenCreation[] = [
  {
    choice: 'create.extra-members',
    what: 'an extra field',
    request: {
      body: ({ name, categoryId, status }) =>
        `{"name":"${name}","categoryId":${categoryId},"status":"${status}","${ownField}":"x"}`,
    },
  },
  { choice: 'create.name.empty', what: 'an empty name', request: { name: () => '' } },
  {
    choice: 'create.name.blank',
    what: 'a blank name',
    request: { name: () => '  ' },
  },
  {
    choice: 'create.name.outer-spaces',
    what: 'outer spaces in the name',
    request: { name: (unique) => `  ${unique}  ` },
  },
  {
    choice: 'create.name.long',
    what: 'a name of 1,000 characters',
    // Multibyte letters across common limits up to 255 bytes.
    request: { name: (unique) => [...nameAcrossCuts(unique, 255).padEnd(1_100, ' long')].slice(0, 1_000).join('') },
  },
  {
    choice: 'create.media-type.other',
    what: 'Content-Type: text/plain',
    request: { headers: { 'content-type': 'text/plain' } },
  },
]

export const openPointChecks: Check[] = [
  {
    id: 'open-points.creation',
    title: 'Unspecified creations are accepted, or rejected with an Error body',
    stage: 'observe',
    clauses: ['error.body'],
    writes: creations.length + 3,
    dependsOn: ['create-pet.ordinary'],
    async run(session) {
      await needOrdinary(session)
      const sent = creations.map((creation) => send(session, creation))
      const { rethrow } = await collectAll(sent)
      // Sending the same body again creates another pet or is refused; it never returns the first pet.
      const known = session.run.created.find(({ pet, exchange }) =>
        exchange.plan.body?.endsWith(`,"status":"${pet.status}"}`),
      )
      const { name = null, status, categoryId } = known?.pet ?? {}
      if (known && name !== null && status) {
        session.run.repeatedName = name
        const { body } = known.exchange.plan
        const request = { categoryId: categoryId ?? undefined, status, name: () => name, body: () => body }
        const what = 'a name that another pet has'
        const again = await send(session, { choice: 'create.name.duplicate', what, request })
        if (isSuccess(again) && session.run.hasSpareWrites) await createWithOldName(session, name, status)
      }
      await send(session, {
        choice: 'create.media-type.absent',
        what: 'no Content-Type',
        request: { headers: { 'content-type': '' } },
      })
      rethrow()
    },
  },
]

async function send(session: Session, { choice, what, request }: OpenCreation): Promise<Exchange> {
  // Names are unrestricted, so such a body is a valid NewPet; others are not described.
  const isValid = choice.startsWith('create.name')
  const clause = isValid ? 'create.success' : 'error.body'
  const result = await attempt(session, { status: rarestStatus(session.run), ...request }, what, clause)
  const { exchange, created, sent } = result
  expectNotDenied(exchange)
  if (exchange.status >= 500 && isValid) expectFreeRefusal(session, result, what)
  else if (exchange.status >= 500) session.note(`${describe(exchange)}: a server error on ${choice}.`)
  else {
    const [, shown] = optionShown(exchange) ?? []
    const option = shown ?? (isSuccess(exchange) ? 'accept' : String(exchange.status))
    // A pet of an earlier run may have an empty or blank name.
    const isOpen = isConflict(exchange.status) && sent.name.trim() === ''
    const possible = ['accept', ...(sent.name === '' ? [] : ['trim']), String(exchange.status)]
    session.observe(choice, isOpen ? possible : option, exchange)
  }
  // The target may trim a name, but not change it otherwise.
  const name = [sent.name.trim(), sent.name.trimEnd()].find((one) => one === created?.pet.name) ?? sent.name
  if (created) expectAsSent(session, { ...result, sent: { ...sent, name } })
  return exchange
}

/** Creates a pet with an old name and other fields: a lookup by name would return the first pet. */
async function createWithOldName(session: Session, name: string, status: PetStatus = 'sold'): Promise<void> {
  const request: CreateRequest = {
    status: petStatuses[(petStatuses.indexOf(status) + 1) % 3] ?? 'sold',
    name: () => name,
    body: ({ categoryId, status: other }) =>
      `{"status":"${other}","categoryId":${categoryId},"name":${JSON.stringify(name)}}`,
  }
  const result = await attempt(session, request, 'an old name and other fields')
  if (result.created) await expectStored(session, expectAsSent(session, result))
}
