import type { BehaviorId } from '../../spec/behaviors.ts'
import { operations, petStatuses } from '../../spec/operations.ts'
import type { PetStatus } from '../../spec/types.ts'
import { attempt, expectAsSent, rarestStatus } from '../session/creation.ts'
import { lowerCaseScheme, noHeader } from '../http/credentials.ts'
import {
  isRedirect,
  withAcceptHeader,
  NoResponse,
  type Exchange,
  type Plan,
} from '../http/exchange.ts'
import {
  type Demand,
  describe,
  expectNotDenied,
  isConflict,
  isSuccess,
  petsOf,
  wrongStatus,
} from '../judge/expect.ts'
import { corsOption, optionShown, ownField } from '../judge/observe.ts'
import { type CreateRequest, nameAcrossCuts, type Valid } from '../http/request-bodies.ts'
import type { Check, Session } from '../session/session.ts'
import { errorMismatches } from '../judge/shapes.ts'
import { expectStored } from './stored.ts'
import { awaitAll, collectAll } from '../http/waiting.ts'
import { expectFreeRejection } from './create-pet.ts'
import { needOrdinary } from './ordinary.ts'

/** A creation that may be accepted or rejected, in words, and the behavior that its response shows. */
type OpenCreation = readonly [behavior: BehaviorId, what: string, request: CreateRequest]

const withExtraField = ({ name, categoryId, status }: Valid): string =>
  `{"name":"${name}","categoryId":${categoryId},"status":"${status}","${ownField}":"x"}`
/** Multibyte letters across common limits up to 255 bytes. */
const longName = (unique: string): string =>
  [...nameAcrossCuts(unique, 255).padEnd(1_100, ' long')].slice(0, 1_000).join('')

const creations: readonly OpenCreation[] = [
  ['create.extra-fields', 'an extra field', { body: withExtraField }],
  ['create.name.empty', 'an empty name', { name: () => '' }],
  ['create.name.blank', 'a blank name', { name: () => '  ' }],
  ['create.name.outer-spaces', 'outer spaces in the name', { name: (unique) => `  ${unique}  ` }],
  ['create.name.long', 'a name of 1,000 characters', { name: longName }],
  [
    'create.media-type.other',
    'Content-Type: text/plain',
    { headers: { 'content-type': 'text/plain' } },
  ],
]

type Read = readonly [path: string, behavior?: BehaviorId]

const oddLists: readonly Read[] = [
  ['/pets?limit=0', 'list.limit.below-minimum'],
  ['/pets?limit=101', 'list.limit.above-maximum'],
  // A target may reject 101 but accept larger limits.
  ['/pets?limit=1000'],
  ['/pets?limit=-1'],
  ['/pets?limit=1.5'],
  ['/pets?limit='],
  // An overflow may disable the limit.
  ['/pets?limit=92233720368547758070'],
  ['/pets?status='],
  ['/pets?status=sold&status=pending'],
  ['/pets?limit=abc%22', 'list.limit.not-an-integer'],
  ['/pets?limit=1&petkit=1', 'list.unknown-parameter'],
  ['/pets?status=lost', 'list.status.unknown'],
  ['/pets?limit=2&limit=3', 'list.limit.repeated'],
]

const oddIds: readonly Read[] = [
  ['/pets/abc', 'get.id.not-an-integer'],
  ['/pets/9223372036854775808', 'get.id.beyond-int64'],
]

/** The behavior that a read shows. */
export const observedBy = (read: string): BehaviorId | undefined =>
  [...oddLists, ...oddIds].find(([path]) => path === read)?.[1]

/** Unspecified requests: their responses are observed, and only malformed ones fail. */
export const unspecifiedChecks: Check[] = [
  {
    id: 'undescribed.list-parameters',
    title: 'Parameters outside the specification get a page of at most 100 pets or an Error body',
    stage: 'observe',
    smoke: { writes: 0 },
    requirements: ['error.body', 'list.limit.max'],
    async run(session) {
      const known = (await session.read('/pets?limit=100')).length
      await awaitAll(
        session
          .sample(oddLists, [0])
          .map(([path, behavior], index) =>
            observe(session, withAcceptHeader(get(path), index), behavior, known),
          ),
      )
    },
  },
  {
    id: 'undescribed.pet-id',
    title: 'A petId that is not an int64 gets an Error body',
    stage: 'observe',
    requirements: ['error.body'],
    async run(session) {
      if (session.run.getRemoved) return
      // No other pet may be shown instead.
      await awaitAll(
        oddIds.map(([path, behavior], index) =>
          observe(session, withAcceptHeader(get(path), index), behavior),
        ),
      )
    },
  },
  {
    id: 'undescribed.scheme-case',
    title: 'The scheme in lower case is accepted, or rejected with 401 and an Error body',
    stage: 'observe',
    requirements: ['error.body'],
    async run(session) {
      const plan = { ...get('/pets?limit=1'), credential: lowerCaseScheme }
      await observe(session, withAcceptHeader(plan, 1), 'auth.scheme-case')
    },
  },
  {
    id: 'undescribed.http',
    title: 'Paths and methods outside the operations are observed',
    stage: 'observe',
    requirements: [],
    async run(session) {
      const cors = {
        ...get('/pets?status=pending&limit=100'),
        headers: { origin: 'https://petstore-kit.example' },
      }
      const [known] = session.log.catalog.first()
      await awaitAll<unknown>([
        observeOutside(session, 'http.unknown-path', get('/petkit-no-such-path'), statusOf),
        observeOutside(session, 'http.trailing-slash', get('/pets/'), slashOption),
        ...['/pets/', '/PETS', '//pets', '/%70ets'].map((path) =>
          expectClosed(session, path, 'listPets'),
        ),
        ...(known === undefined ? [] : [expectClosed(session, `/pets/${known.pet.id}/`, 'getPet')]),
        observeOutside(session, 'http.head', { method: 'HEAD', path: '/pets?limit=1' }, statusOf),
        observeOutside(
          session,
          'http.options',
          { method: 'OPTIONS', path: '/pets', credential: noHeader },
          statusOf,
        ),
        observeOutside(session, 'http.cors', cors, corsOption),
        // PATCH without a body on the collection is harmless on any server.
        ...(session.run.options.readOnly
          ? []
          : [
              observeOutside(
                session,
                'http.unknown-method',
                { method: 'PATCH', path: '/pets' },
                statusOf,
              ),
            ]),
      ])
    },
  },
  {
    id: 'open-points.creation',
    title: 'Unspecified creations are accepted, or rejected with an Error body',
    stage: 'observe',
    requirements: ['error.body'],
    writes: creations.length + 3,
    async run(session) {
      await needOrdinary(session)
      const sent = creations.map((creation) => sendOpen(session, creation))
      const { rethrow } = await collectAll(sent)
      // An old name with other fields, twice at once, creates other pets or is rejected; it never returns an earlier one.
      const known = session.log.created.find(({ pet, exchange }) =>
        exchange.plan.body?.endsWith(`,"status":"${pet.status}"}`),
      )
      const { name = null, status } = known?.pet ?? {}
      if (name !== null && status) {
        session.run.names.repeated = name
        const request = withOldName(name, status)
        const what = 'a name that another pet has'
        await awaitAll<unknown>([
          sendOpen(session, ['create.name.duplicate', what, request]),
          ...(session.run.hasSpareWrites ? [createEqual(session, request, what)] : []),
        ])
        const equals = session.log.created.filter((one) => one !== known && one.pet.name === name)
        await awaitAll(equals.map((one) => expectStored(session, one)))
      }
      await sendOpen(session, [
        'create.media-type.absent',
        'no Content-Type',
        { headers: { 'content-type': '' } },
      ])
      rethrow()
    },
  },
]

const get = (path: string): Plan => ({ method: 'GET', path })

/** "Every error response carries an Error body"; a closed connection carries none. */
const demand: Demand = { requirement: 'error.body', expected: 'a success, or an Error body' }

/** Sends an unspecified request; a server error is only noted. */
async function observe(
  session: Session,
  plan: Plan,
  behavior?: BehaviorId,
  known = 0,
): Promise<void> {
  const response = await session.send(plan, demand)
  if (response.status >= 500) {
    session.findings.note(
      `${describe(response)}: a server error on a request that the specification does not describe.`,
    )
  }
  const [shown, option] = optionShown(response, known) ?? []
  if (shown === behavior && behavior && option) session.findings.observe(behavior, option, response)
}

const statusOf = ({ status }: Exchange): string => String(status)

const slashOption = ({ status }: Exchange): string =>
  status === 200 ? 'same' : isRedirect(status) ? 'redirect' : String(status)

/** "Every error response carries an Error body" does not say whether that includes requests outside the operations. */
function noteErrorWithoutBody(session: Session, response: Exchange): void {
  const { content, plan, status } = response
  // Each response of an operation is judged.
  if (status < 400 || plan.method === 'HEAD' || response.operation !== undefined) return
  if (content.kind === 'json' && errorMismatches(content.value, status).length === 0) return
  const lacks = content.kind === 'json' ? 'with an invalid Error body' : 'without an Error body'
  session.findings.note(
    `${describe(response)} ${lacks}. The specification does not say whether errors outside the operations have one.`,
  )
}

/** Observes a request outside the operations; notes when it gets no response, or an error without an Error body. */
async function observeOutside(
  session: Session,
  behavior: BehaviorId,
  plan: Plan,
  option: (response: Exchange) => string,
): Promise<void> {
  try {
    const response = await session.send(plan)
    session.findings.observe(behavior, option(response), response)
    noteErrorWithoutBody(session, response)
  } catch (error) {
    if (!(error instanceof NoResponse)) throw error
    if (error.kind !== 'silent')
      session.findings.note(`${plan.method} ${plan.path}: ${error.message}.`)
  }
}

/** However a target reads another spelling of a path, it shows no pets without a key. */
async function expectClosed(
  session: Session,
  path: string,
  operation: 'listPets' | 'getPet',
): Promise<void> {
  const plan = { ...get(path), credential: noHeader }
  let open: Exchange
  try {
    session.run.silence.expectNotSilent({
      plan,
      demand: { requirement: 'list.401', expected: 401 },
    })
    // A request that gets no response shows nothing: it is not repeated.
    open = session.judge(await session.run.transport.send(plan, { tries: 1 }))
  } catch (error) {
    if (error instanceof NoResponse) return
    throw error
  }
  if (petsOf({ ...open, operation }).every(({ id }) => session.log.catalog.of(id).length === 0))
    return
  const requirement = operations[operation].unauthorized
  session.report(
    wrongStatus(open, requirement, '401, or no pets', {
      alsoBreaks: ['auth.missing-key', 'auth.required'],
      message: `${describe(open)}, and shows pets without a key.`,
      cause: `${requirement}, accepted by auth.missing-key`,
    }),
  )
}

async function sendOpen(
  session: Session,
  [behavior, what, request]: OpenCreation,
): Promise<Exchange> {
  // Names are unrestricted, so such a body is a valid NewPet; others are not described.
  const isValid = behavior.startsWith('create.name')
  const requirement = isValid ? 'create.success' : 'error.body'
  const result = await attempt(
    session,
    { status: rarestStatus(session.run), ...request },
    what,
    requirement,
  )
  const { exchange, created, sent } = result
  expectNotDenied(exchange)
  if (exchange.status >= 500 && isValid) expectFreeRejection(session, result, what)
  else if (exchange.status >= 500)
    session.findings.note(`${describe(exchange)}: a server error on ${behavior}.`)
  else {
    const [, shown] = optionShown(exchange) ?? []
    const option = shown ?? (isSuccess(exchange) ? 'accept' : String(exchange.status))
    // A pet of an earlier run may have an empty or blank name.
    const isOpen = isConflict(exchange.status) && sent.name.trim() === ''
    const possible = ['accept', ...(sent.name === '' ? [] : ['trim']), String(exchange.status)]
    session.findings.observe(behavior, isOpen ? possible : option, exchange)
  }
  // The target may trim a name, but not change it otherwise.
  const name =
    [sent.name.trim(), sent.name.trimEnd()].find((one) => one === created?.pet.name) ?? sent.name
  if (created) expectAsSent(session, { ...result, sent: { ...sent, name } })
  return exchange
}

/** A look-up by name would return the first pet, or change it. */
const withOldName = (name: string, status: PetStatus): CreateRequest => ({
  status: petStatuses[(petStatuses.indexOf(status) + 1) % 3] ?? 'sold',
  name: () => name,
  body: ({ categoryId, status: other }) =>
    `{"status":"${other}","categoryId":${categoryId},"name":${JSON.stringify(name)}}`,
})

/** Creates a pet beside another one with the same body: a guard against double clicks would take them for one. */
async function createEqual(session: Session, request: CreateRequest, what: string): Promise<void> {
  const result = await attempt(session, request, what)
  if (result.exchange.status >= 500) expectFreeRejection(session, result, what)
  else if (result.created) expectAsSent(session, result)
}
