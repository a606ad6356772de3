import type { PetList } from './run.ts'
import { settleAll } from './session.ts'
import type { Session } from './session.ts'

export const statuses = ['available', 'pending', 'sold'] as const

/** The lists in which every pet must be found, as far as they are not full. */
export const wide = ['/pets?limit=100', ...statuses.map((status) => `/pets?status=${status}&limit=100`)]

/** Reads the widest lists once for all checks of this stage. */
export async function readWide(session: Session): Promise<PetList[]> {
  const { memory } = session.run
  return settleAll(
    wide.map((path) => {
      const key = `compare ${path}`
      const list = memory.get(key) ?? session.list(path)
      memory.set(key, list)
      return list
    }),
  )
}

/** The moment of the run from which no lag explains what was just seen. */
export const settledAt = (session: Session): number => session.run.transport.elapsed() + session.run.options.settleMs
