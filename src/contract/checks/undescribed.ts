import type { ChoiceId } from '../../spec/choices.ts'
import { operations } from '../../spec/operations.ts'
import { lowerCaseScheme, noHeader } from '../credentials.ts'
import { withAcceptHeader, NoResponse, type Exchange, type Plan } from '../exchange.ts'
import { describe, petsOf, wrongStatus, type Demand } from '../expect.ts'
import { errorDefects } from '../shapes.ts'
import { corsOption, optionShown } from '../observe.ts'
import type { Check, Session } from '../session.ts'
import { awaitAll } from '../waiting.ts'

const get = (path: string): Plan => ({ method: 'GET', path })

/** "Every error response carries an Error body"; a closed connection carries none. */
const demand: Demand = { clause: 'error.body', expected: 'a success, or an Error body' }

/** Sends an unspecified request; a server error is only noted. */
async function observe(session: Session, plan: Plan, choice?: ChoiceId, known = 0): Promise<void> {
  const response = await session.send(plan, demand)
  if (response.status >= 500) {
    session.note(`${describe(response)}: a server error on a request that the specification does not describe.`)
  }
  const [shown, option] = optionShown(response, known) ?? []
  if (shown === choice && choice && option) session.observe(choice, option, response)
}

const status = (response: Exchange): string => String(response.status)

const ofSlash = (response: Exchange): string => {
  if (response.status === 200) return 'same'
  return response.status >= 300 && response.status < 400 ? 'redirect' : status(response)
}

/** "Every error response carries an Error body" does not say whether that includes requests outside the operations. */
function noteFormless(session: Session, response: Exchange): void {
  const { content, plan, status: got } = response
  if (got < 400 || plan.method === 'HEAD') return
  if (content.kind === 'json' && errorDefects(content.value, got).length === 0) return
  session.note(
    `${describe(response)} without an Error body; that errors outside the operations carry one is not stated.`,
  )
}

/** Observes a request outside the operations; notes when it gets no response, or an error without an Error body. */
async function observeOutside(
  session: Session,
  choice: ChoiceId,
  plan: Plan,
  option: (response: Exchange) => string,
): Promise<void> {
  try {
    const response = await session.send(plan)
    session.observe(choice, option(response), response)
    noteFormless(session, response)
  } catch (error) {
    if (!(error instanceof NoResponse)) throw error
    if (error.kind !== 'silent') session.note(`${plan.method} ${plan.path}: ${error.message}.`)
  }
}

/** However a target reads another spelling of a path, it shows no pets without a key. */
async function expectClosed(session: Session, path: string, operation: 'listPets' | 'getPet'): Promise<void> {
  const plan = { ...get(path), credential: noHeader }
  let open: Exchange
  try {
    session.run.silence.expectUnknown({ plan, demand: { clause: 'list.401', expected: 'status 401' } })
    // A request that gets no response shows nothing: it is not repeated.
    open = session.judge(await session.run.transport.send(plan, { tries: 1 }))
  } catch (error) {
    if (error instanceof NoResponse) return
    throw error
  }
  if (petsOf({ ...open, operation }).every(({ id }) => session.run.catalog.of(id).length === 0)) return
  const clause = operations[operation].unauthorized
  session.report(
    wrongStatus(open, clause, '401, or no pets', {
      alsoBreaks: ['auth.missing-key', 'auth.required'],
      message: `${describe(open)}, and shows pets without a key.`,
      cause: `${clause}, accepted by auth.missing-key`,
    }),
  )
}

/** Unspecified requests: their responses are observed, and only malformed ones fail. */
export const undescribedChecks: Check[] = [
  {
    id: 'undescribed.list-parameters',
    title: 'Parameters outside the specification get a page of at most 100 pets or an Error body',
    stage: 'observe',
    smoke: { writes: 0 },
    clauses: ['error.body', 'list.limit.max'],
    async run(session) {
      const known = (await session.read('/pets?limit=100')).length
      const requests: [path: string, choice?: ChoiceId][] = [
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
      await awaitAll(
        session
          .sample(requests, [0])
          .map(([path, choice], index) => observe(session, withAcceptHeader(get(path), index), choice, known)),
      )
    },
  },
  {
    id: 'undescribed.pet-id',
    title: 'A petId that is not an int64 gets an Error body',
    stage: 'observe',
    clauses: ['error.body'],
    async run(session) {
      if (session.run.getRemoved) return
      // No other pet may be shown instead.
      await awaitAll([
        observe(session, withAcceptHeader(get('/pets/abc'), 0), 'get.id.not-an-integer'),
        observe(session, withAcceptHeader(get('/pets/9223372036854775808'), 1), 'get.id.beyond-int64'),
      ])
    },
  },
  {
    id: 'undescribed.scheme-case',
    title: 'The scheme in lower case is accepted, or rejected with 401 and an Error body',
    stage: 'observe',
    clauses: ['error.body'],
    async run(session) {
      const plan = { ...get('/pets?limit=1'), credential: lowerCaseScheme }
      await observe(session, withAcceptHeader(plan, 1), 'auth.scheme-case')
    },
  },
  {
    id: 'undescribed.http',
    title: 'Paths and methods outside the operations are observed',
    stage: 'observe',
    clauses: [],
    async run(session) {
      const cors = { ...get('/pets?status=pending&limit=100'), headers: { origin: 'https://petstore-kit.example' } }
      const [known] = session.run.catalog.first()
      await awaitAll<unknown>([
        observeOutside(session, 'http.unknown-path', get('/petkit-no-such-path'), status),
        observeOutside(session, 'http.trailing-slash', get('/pets/'), ofSlash),
        ...['/pets/', '/PETS', '//pets', '/%70ets'].map((path) => expectClosed(session, path, 'listPets')),
        ...(known === undefined ? [] : [expectClosed(session, `/pets/${known.pet.id}/`, 'getPet')]),
        observeOutside(session, 'http.head', { method: 'HEAD', path: '/pets?limit=1' }, status),
        observeOutside(session, 'http.options', { method: 'OPTIONS', path: '/pets', credential: noHeader }, status),
        observeOutside(session, 'http.cors', cors, corsOption),
        // PATCH without a body on the collection is harmless on any server.
        ...(session.run.options.readOnly
          ? []
          : [observeOutside(session, 'http.unknown-method', { method: 'PATCH', path: '/pets' }, status)]),
      ])
    },
  },
]
