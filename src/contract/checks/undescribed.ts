import type { ChoiceId } from '../../spec/choices.ts'
import type { Check } from '../check.ts'
import { lowerCaseScheme, noHeader } from '../credentials.ts'
import type { Exchange, Plan } from '../exchange.ts'
import { asClient, Unanswered } from '../exchange.ts'
import { describe, petsOf, settleAll } from '../session.ts'
import type { Session } from '../session.ts'
import type { Demand } from '../silence.ts'

const get = (path: string): Plan => ({ method: 'GET', path })

/** Whatever becomes of such a request: "Every error response carries an Error body", and a connection that ends carries none. */
const demand = (what: string): Demand => ({ clause: 'error.body', what, expected: 'a success, or an Error body' })

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
      const send = (path: string): Promise<Exchange> => session.send(asClient(get(path), nth++), demand(`GET ${path}`))
      const usual = (await session.read('/pets?limit=100')).length
      const ask = async (
        choice: ChoiceId,
        path: string,
        name: (length: number) => string | undefined,
      ): Promise<void> => {
        const answer = await send(path)
        noteServerError(session, answer)
        const length =
          answer.content.kind === 'json' && Array.isArray(answer.content.value) ? answer.content.value.length : 0
        const option = answer.status === 200 ? name(length) : String(answer.status)
        if (option !== undefined) session.observe(choice, option, answer)
      }
      // A page tells what was made of the limit only where the catalogue holds enough to tell the options apart.
      const page = (length: number): string | undefined =>
        length === 0 && usual > 0 ? 'empty' : usual <= 20 ? undefined : length === 20 ? 'default' : 'clamp'
      await settleAll<unknown>([
        ask('list.limit.below-minimum', '/pets?limit=0', page),
        ask('list.limit.above-maximum', '/pets?limit=101', page),
        // What is an error at 101 and 0 may still be no limit at all here.
        send('/pets?limit=1000&status=available'),
        send('/pets?limit=-1'),
        send('/pets?limit='),
        // What overflows may be no limit either.
        send('/pets?limit=92233720368547758070'),
        send('/pets?status='),
        send('/pets?status=sold&status=pending'),
        ask('list.limit.not-an-integer', '/pets?limit=abc', page),
        ask('list.limit.repeated', '/pets?limit=2&limit=3', (length) =>
          usual < 3 ? undefined : length === 2 ? 'first' : length === 3 ? 'last' : 'default',
        ),
        ask('list.status.unknown', '/pets?status=lost', (length) =>
          usual === 0 ? undefined : length === 0 ? 'empty' : 'ignore',
        ),
        ask('list.unknown-parameter', '/pets?limit=1&petkit=1', () => 'ignore'),
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
      // That no other pet is shown in its place is judged in every answer.
      const ask = async (choice: ChoiceId, id: string, nth: number): Promise<void> => {
        const answer = await session.send(asClient(get(`/pets/${id}`), nth), demand(`GET /pets/${id}`))
        noteServerError(session, answer)
        if (answer.status >= 400) session.observe(choice, String(answer.status), answer)
      }
      await settleAll<unknown>([
        ask('get.id.not-an-integer', 'abc', 0),
        ask('get.id.beyond-int64', '9223372036854775808', 1),
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
        demand(`GET /pets?limit=1 with ${lowerCaseScheme.name}`),
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
        session.breach({
          clause: 'auth.required',
          alsoBreaks: ['list.401', 'auth.missing-key'],
          message: `${describe(open)}, and shows pets to whoever has no key.`,
          expected: 'status 401, or no pets',
          actual: `status ${open.status}`,
          exchanges: [open],
          cause: 'open behind a slash',
        })
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
