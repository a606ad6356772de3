import type { Check } from '../check.ts'
import { NotVerified, Violation } from '../findings.ts'
import type { PetList } from '../run.ts'
import { settleAll } from '../session.ts'
import type { Session } from '../session.ts'

/** Limits that tell a comparison of numbers from one of texts, and the default from the maximum. */
const limits = [2, 9, 10, 21, 50]
const statuses = ['available', 'pending', 'sold'] as const

/** GET /pets as the catalogue is found. What the lists say of each other is in compare-lists.ts. */
export const listPetsChecks: Check[] = [
  {
    id: 'list-pets.answers',
    title: 'GET /pets below the base URL, without parameters, answers 200 with an array of Pet',
    stage: 'read',
    clauses: ['list.success', 'auth.bearer', 'service.base-path'],
    writes: 0,
    async run(session) {
      await session.read('/pets')
      if (new URL(session.run.options.baseUrl).pathname.endsWith('/v1')) return
      const reason = 'the base URL of this run does not end in /v1; a proxy may have taken the segment away'
      session.leaveOpen('service.base-path', reason)
    },
  },
  {
    id: 'list-pets.maximum-limit',
    title: 'limit=100 is accepted',
    stage: 'survey',
    clauses: ['list.limit.max'],
    writes: 0,
    async run(session) {
      await session.read('/pets?limit=100', 'list.limit.max')
    },
  },
  {
    id: 'list-pets.minimum-limit',
    title: 'limit=1 is accepted and gives one pet',
    stage: 'read',
    clauses: ['list.limit.min'],
    writes: 0,
    async run(session) {
      const one = await session.read('/pets?limit=1', 'list.limit.min')
      if (one.length === 0 && session.run.catalogue.count(undefined, one.exchange.sentAt) > 0) {
        throw new Violation({
          clause: 'list.limit.min',
          alsoBreaks: ['list.page-full'],
          message: 'limit=1 gives no pet, although the catalogue has some.',
          expected: '1 pet',
          actual: 'an empty array',
          exchanges: [one.exchange],
        })
      }
    },
  },
  {
    id: 'list-pets.limit',
    title: 'A list never has more pets than limit',
    stage: 'compare',
    clauses: ['list.limit.honoured'],
    writes: 0,
    async run(session) {
      const lists = await settleAll(limits.map((limit) => session.read(`/pets?limit=${limit}`, 'list.limit.honoured')))
      // Where there are no more pets than the limit, nothing was limited.
      const smallest = Math.min(...lists.map(({ limit }) => limit))
      session.atLeast(smallest + 1)
    },
  },
  {
    id: 'list-pets.status-filter',
    title: 'Each status is accepted as a filter and lets no other through',
    stage: 'compare',
    clauses: ['list.status.filter'],
    writes: 0,
    async run(session) {
      await filtered(
        session,
        statuses.map((status) => `/pets?status=${status}`),
      )
    },
  },
  {
    id: 'list-pets.status-and-limit',
    title: 'status and limit work together, in either order',
    stage: 'survey',
    clauses: ['list.parameters-optional'],
    writes: 0,
    async run(session) {
      const wide = statuses.map((status) => `/pets?status=${status}&limit=100`)
      const narrow = ['/pets?limit=1&status=pending', '/pets?limit=2&status=sold']
      await settleAll(wide.map((path) => session.read(path, 'list.parameters-optional')))
      await settleAll(narrow.map((path) => session.read(path, 'list.parameters-optional')))
    },
  },
]

/** Reads filtered lists; a filter is seen to work only where it has something to leave out. */
async function filtered(session: Session, paths: string[]): Promise<PetList[]> {
  const lists = await settleAll(paths.map((path) => session.read(path, 'list.status.filter')))
  const shown = session.run.catalogue.statuses()
  if (shown.size < 2)
    throw new NotVerified('the catalogue shows no pets of different statuses, so a filter has nothing to do')
  return lists
}
