import type { ChoiceId } from '../../spec/choices.ts'
import { lowerCaseScheme, noHeader } from '../credentials.ts'
import type { Exchange, Plan } from '../exchange.ts'
import { asClient, Unanswered } from '../exchange.ts'
import { describe, petsOf, wrongStatus } from '../expect.ts'
import type { Demand, Shown } from '../expect.ts'
import type { Check, Session } from '../session.ts'
import { settleAll } from '../waiting.ts'

const get = (path: string): Plan => ({ method: 'GET', path })

/** Whatever becomes of such a request: "Every error response carries an Error body", and a connection that ends carries none. */
const demand = (what: string, shows: Shown = {}): Demand => ({
  clause: 'error.body',
  what,
  expected: 'a success, or an Error body',
  shows,
})

/** Whatever becomes of a limit that the specification does not describe: "maximum 100". */
const atMost100: Shown = { atMost: 100, clause: 'list.limit.max' }
/** Without limit: "default 20". */
const atMost20: Shown = { atMost: 20, clause: 'list.limit.default' }

/** Requests that the specification does not describe: what they show is observed, and only an answer without form fails. */
export const undescribedChecks: Check[] = [
  {
    id: 'undescribed.list-parameters',
    title: 'Parameters outside the specification get a page of at most 100 pets or an Error body',
    stage: 'observe',
    clauses: ['error.body', 'list.limit.max'],
    writes: 0,
    async run(session) {
      let nth = 0
      const send = (path: string, shows: Shown): Promise<Exchange> =>
        session.send(asClient(get(path), nth++), demand(`GET ${path}`, shows))
      const usual = (await session.read('/pets?limit=100', { atMost: 100 })).length
      const see = async (
        choice: ChoiceId,
        path: string,
        shows: Shown,
        name: (length: number) => string | undefined,
      ): Promise<void> => {
        const response = await send(path, shows)
        noteServerError(session, response)
        const { content } = response
        const length = content.kind === 'json' && Array.isArray(content.value) ? content.value.length : 0
        const option = response.status === 200 ? name(length) : String(response.status)
        if (option !== undefined) session.observe(choice, option, response)
      }
      // A page tells what was made of the limit only where the catalogue holds enough to tell the options apart.
      const page = (length: number): string | undefined =>
        length === 0 && usual > 0 ? 'empty' : usual <= 20 ? undefined : length === 20 ? 'default' : 'clamp'
      await settleAll<unknown>([
        see('list.limit.below-minimum', '/pets?limit=0', atMost100, page),
        see('list.limit.above-maximum', '/pets?limit=101', atMost100, page),
        // What is an error at 101 and 0 may still be no limit at all here.
        send('/pets?limit=1000&status=available', { ...atMost100, status: 'available' }),
        send('/pets?limit=-1', atMost100),
        send('/pets?limit=', atMost100),
        // What overflows may be no limit either.
        send('/pets?limit=92233720368547758070', atMost100),
        send('/pets?status=', atMost20),
        send('/pets?status=sold&status=pending', atMost20),
        see('list.limit.not-an-integer', '/pets?limit=abc', atMost100, page),
        see('list.limit.repeated', '/pets?limit=2&limit=3', atMost100, (length) =>
          usual < 3 ? undefined : length === 2 ? 'first' : length === 3 ? 'last' : 'default',
        ),
        see('list.status.unknown', '/pets?status=lost', atMost20, (length) =>
          usual === 0 ? undefined : length === 0 ? 'empty' : 'ignore',
        ),
        see('list.unknown-parameter', '/pets?limit=1&petkit=1', { atMost: 1 }, () => 'ignore'),
      ])
    },
  },
  {
    id: 'undescribed.pet-id',
    title: 'A petId that is no int64 gets an Error body',
    stage: 'observe',
    clauses: ['error.body'],
    writes: 0,
    async run(session) {
      if (session.run.getRemoved) return
      const see = async (choice: ChoiceId, path: string, shows: Shown, nth: number): Promise<void> => {
        const response = await session.send(asClient(get(path), nth), demand(`GET ${path}`, shows))
        noteServerError(session, response)
        if (response.status >= 400) session.observe(choice, String(response.status), response)
      }
      // No other pet is shown in its place.
      await settleAll<unknown>([
        see('get.id.not-an-integer', '/pets/abc', {}, 0),
        see('get.id.beyond-int64', '/pets/9223372036854775808', { id: '9223372036854775808' }, 1),
      ])
    },
  },
  {
    id: 'undescribed.scheme-case',
    title: 'The scheme in lower case is let in, or refused with 401 and an Error body',
    stage: 'observe',
    clauses: ['error.body'],
    writes: 0,
    async run(session) {
      const answer = await session.send(
        asClient({ ...get('/pets?limit=1'), credential: lowerCaseScheme }, 1),
        demand(`GET /pets?limit=1 with ${lowerCaseScheme.name}`, { atMost: 1 }),
      )
      noteServerError(session, answer)
      session.observe('auth.scheme-case', answer.status === 200 ? 'accept' : String(answer.status), answer)
    },
  },
  {
    id: 'undescribed.http',
    title: 'Paths and methods outside the three operations are observed',
    stage: 'observe',
    clauses: [],
    writes: 0,
    async run(session) {
      const ask = async (choice: ChoiceId, plan: Plan, name: (answer: Exchange) => string): Promise<void> => {
        try {
          const answer = await session.send(plan)
          session.observe(choice, name(answer), answer)
        } catch (error) {
          if (!(error instanceof Unanswered)) throw error
          if (error.kind !== 'silent') session.note(`${plan.method} ${plan.path}: ${error.message}.`)
        }
      }
      const status = (answer: Exchange): string => String(answer.status)
      const origin = { origin: 'https://petstore-kit.example' }
      /** Where the path with a slash at its end is listPets, too, it takes a key like any other. */
      const askWithSlash = async (): Promise<void> => {
        let isSame = false
        await ask('http.trailing-slash', get('/pets/'), (answer) => {
          isSame = answer.status === 200
          return isSame ? 'same' : answer.status >= 300 && answer.status < 400 ? 'redirect' : status(answer)
        })
        if (!isSame) return
        const open = await session.send({ ...get('/pets/'), credential: noHeader })
        if (petsOf({ ...open, operation: 'listPets' }).length === 0) return
        session.report(
          wrongStatus(open, 'auth.required', '401, or no pets', {
            alsoBreaks: ['list.401', 'auth.missing-key'],
            message: `${describe(open)}, and shows pets without a key.`,
          }),
        )
      }
      await settleAll<unknown>([
        ask('http.unknown-path', get('/petkit-no-such-path'), status),
        askWithSlash(),
        ask('http.head', { method: 'HEAD', path: '/pets?limit=1' }, status),
        ask('http.options', { method: 'OPTIONS', path: '/pets', credential: noHeader }, status),
        ask('http.cors', { ...get('/pets?limit=1'), headers: origin }, ({ headers }) =>
          ['*', origin.origin].includes(headers['access-control-allow-origin'] ?? '') ? 'any-origin' : 'none',
        ),
        // Without a body, and on the collection, a method that no server gives a destructive meaning.
        ...(session.run.options.readOnly
          ? []
          : [ask('http.unknown-method', { method: 'PATCH', path: '/pets' }, status)]),
      ])
    },
  },
]

/** The form of an answer is judged as that of every answer; that the server failed is worth telling, and no more. */
function noteServerError(session: Session, answer: Exchange): void {
  if (answer.status >= 500) {
    session.note(`${describe(answer)}: a server error on a request that the specification does not describe.`)
  }
}
