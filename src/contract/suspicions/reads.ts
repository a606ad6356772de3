import type { Exchange } from '../http/exchange.ts'
import { collectAll, sleep } from '../http/waiting.ts'
import {
  longestLists,
  sightingIn,
  widePaths,
  type PetList,
  type Sighting,
} from '../judge/catalog.ts'
import type { Session } from '../session/session.ts'

/** How long nothing is sent before an experiment: so often the time of a list, within limits, so that others act in it. */
const restLists = 60
const [shortestRestMs, longestRestMs] = [500, 4_000]

/** Reads the longest lists once for all checks of a stage; where one fails, the others show something, too. */
export function readWide(session: Session): ReturnType<typeof collectAll<PetList>> {
  const paths = widePaths(session.run.assumptions.isSmoke)
  return collectAll(
    paths.map((path) => session.run.once(`compare ${path}`, () => session.list(path))),
  )
}

/** Requests a pet again, and leaves out the list with the path `except`. */
export async function findElsewhere(
  session: Session,
  { pet: { id }, exchange: first }: Pick<Sighting, 'pet' | 'exchange'>,
  except = '',
): Promise<Sighting | undefined> {
  if (session.log.getWorks && !session.run.getRemoved) {
    const response = await session.get(id)
    if (response.status === 200) return sightingIn(response, id)
  }
  const paths = new Set([
    ...(first.operation === 'listPets' ? [first.plan.path] : []),
    ...longestLists,
  ])
  paths.delete(except)
  for (const path of paths) {
    const found = sightingIn((await session.list(path)).exchange, id)
    if (found) return found
  }
  return undefined
}

/** How long nothing is sent after a list, so that others act in it. */
export const restMs = ({ durationMs }: Exchange): number =>
  Math.min(longestRestMs, Math.max(shortestRestMs, restLists * durationMs))

/** Sends nothing for a while, at least for `ms`. */
export async function rest({ run }: Session, { exchange }: PetList, ms = 0): Promise<void> {
  await sleep(run.clock, Math.max(ms, restMs(exchange)), run.transport.signal)
}
