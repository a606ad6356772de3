import type { Exchange } from '../http/exchange.ts'
import type { PetList } from '../judge/catalog.ts'
import {
  findLonger,
  findMissing,
  isWithin,
  judgeMissing,
  judgeShort,
  missingRequirements,
  shortRequirements,
  type Whose,
} from '../judge/lists.ts'
import { brokenBy, type Violation } from '../judge/findings.ts'
import type { Session } from '../session/session.ts'
import { decide } from './questions.ts'

/** Whether getPet returned the pet of another id: then it is no witness. */
const isByGet = (violation: Violation): boolean => {
  const { operation, status } = violation.exchanges.at(-1) as Exchange
  return operation === 'getPet' && status === 200 && brokenBy(violation).includes('get.by-id')
}

/** Looks for known pets that are missing from a list that is not full. */
export function suspectIncomplete(session: Session, list: PetList, whose: Whose): void {
  const { log, run } = session
  const missing = findMissing(list, whose, log)
  if (!missing) return
  const of = `${list.exchange.plan.path} ${whose}`
  session.suspect(
    {
      kind: 'missing',
      of,
      requirements: missingRequirements(list, whose),
      again: async (later, key) => {
        const isUnsure = missing.exchange.operation === 'getPet'
        if (isUnsure && run.findings.violations.some(isByGet)) return undefined
        return decide(later, () => judgeMissing(key, list, missing, log, run.assumptions))
      },
    },
    log.isOld(missing.pet.id) ? -Infinity : undefined,
  )
}

/** Looks for pages with fewer pets than were known before. */
export function suspectShort(session: Session, isMeant: (list: PetList) => boolean): void {
  const { log, run } = session
  const { catalog, lists } = log
  // The plainest request stands for all.
  const lengthOf = ({ exchange }: PetList): number => exchange.plan.path.length
  for (const list of lists.filter(isMeant).sort((a, b) => lengthOf(a) - lengthOf(b))) {
    const known = Math.min(list.atMost, catalog.count(list.status, list.exchange.sentAt))
    if (list.length >= known) continue
    const { path } = list.exchange.plan
    // New pets take the place of old ones on a page.
    const newestAt = log.created.at(-1)?.exchange.sentAt ?? -Infinity
    const isMeanwhile = (one: PetList): boolean =>
      one.exchange.sentAt > newestAt && isWithin(one, list)
    const oldOn = ({ pets }: PetList): number => pets.filter(({ id }) => log.isOld(id)).length
    const old = Math.max(0, ...lists.filter(isMeanwhile).map(oldOn))
    session.suspect(
      {
        kind: 'short',
        of: path,
        requirements: shortRequirements(list, lists),
        again(later, key) {
          const longer = findLonger(list, lists)
          return decide(later, () => judgeShort(key, path, known, log, run.assumptions, longer))
        },
      },
      list.length < Math.min(list.atMost, old) ? -Infinity : undefined,
    )
  }
}
