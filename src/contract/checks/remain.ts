import type { Check } from '../check.ts'
import { expectStored } from '../creation.ts'
import type { Exchange } from '../exchange.ts'
import { NotVerified } from '../findings.ts'
import type { Breach } from '../findings.ts'
import { readWide } from '../wide-lists.ts'
import { petsOf, settleAll } from '../session.ts'
import type { Session } from '../session.ts'
import type { Demand } from '../silence.ts'

/** So many of the run's pets are fetched again at its end. */
const revisited = 4
/** So many ids between two of the run's own are looked at for a pet that should not be there. */
const mostGaps = 12

/** What must still be so, or must not have come to be, at the end of a run. */
export const remainChecks: Check[] = [
  {
    id: 'create-pet.stays',
    title: 'The pets that the run created are still there at its end',
    stage: 'remain',
    clauses: ['create.stored', 'state.reads-change-nothing'],
    writes: 0,
    leansOn: ['create-pet.ordinary', 'create-pet.client-id', 'get-pet.listed'],
    async run(session) {
      const { created, getRemoved } = session.run
      if (created.length === 0) throw new NotVerified('no pet could be created')
      if (getRemoved) throw new NotVerified('getPet has been removed')
      await settleAll(created.slice(0, revisited).map((one) => expectStored(session, one)))
    },
  },
  {
    id: 'refuse.leaves-nothing',
    title: 'Creations that were refused have left no pet',
    stage: 'remain',
    clauses: ['create.refused-leaves-nothing', 'auth.required'],
    writes: 0,
    refusedWrites: true,
    leansOn: [
      'refuse.required-fields',
      'refuse.invalid-values',
      'refuse.no-object',
      'access.create-pet',
      'open-points.creation',
    ],
    async run(session) {
      const { run } = session
      if (run.refused.size === 0) throw new NotVerified('no creation was sent that must be refused')
      const status = run.rarestStatus()
      const list = (await readWide(session)).find((one) => one.status === status)
      const gaps = await fetchGaps(session)
      for (const exchange of [...run.lists.map((known) => known.exchange), ...gaps]) expectNoRefused(session, exchange)
      if (!list?.complete && gaps.length === 0) {
        throw new NotVerified(
          `the list of the status ${status} is full, so a pet that was left behind need not be in it`,
        )
      }
    },
  },
]

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
      const demand: Demand = { clause: 'get.not-found', what: `GET ${path}`, expected: 'status 404, or a Pet' }
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
  const breach: Breach = {
    clause: unauthorised ? 'auth.required' : 'create.refused-leaves-nothing',
    alsoBreaks: unauthorised ? ['create.refused-leaves-nothing'] : [],
    message: `Pet ${left.id} (${left.name}) is there, although its creation was refused with ${refusal.status}.`,
    expected: 'no pet of a refused creation',
    actual: `a pet named ${left.name}`,
    exchanges: [refusal, exchange],
    cause: 'left behind',
  }
  session.breach(breach)
}
