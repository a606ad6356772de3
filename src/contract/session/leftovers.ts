import type { Int64 } from '../../spec/types.ts'
import type { Exchange } from '../http/exchange.ts'
import { isWhole } from '../judge/catalog.ts'
import { isSuccess } from '../judge/expect.ts'
import type { Findings, Mismatch, Violation } from '../judge/findings.ts'
import { nameOfRun, type Log } from '../judge/run-log.ts'
import { field, idIn, petMismatches } from '../judge/shapes.ts'

/** What a deployment stores that accepts an invalid value, and how many pets a text names. */
const storedAsSent: ReadonlySet<string> = new Set(['pet.category-id', 'pet.status'])
const mostNamed = 5

interface Leftover {
  id: Int64
  name: string
  violation: Violation
}

/**
 * Pets with invalid values that runs have created and a deployment has stored as sent. They are data of the suite: a
 * deployment that accepts such values no longer, and shows other pets that conform, is not violating for them.
 */
export class Leftovers {
  readonly #ofEarlierRuns = new Map<Int64, Leftover>()
  readonly #log: Log

  constructor(log: Log) {
    this.#log = log
  }

  /** Keeps what is wrong with a pet of an earlier run. Returns false for any other pet. */
  keep(exchange: Exchange, mismatch: Mismatch): boolean {
    const { content } = exchange
    const { pointer = '', requirement } = mismatch
    const place = /^\/(\d+)\//.exec(pointer)?.[1]
    const value = content.kind === 'json' ? content.value : null
    const pet = (Array.isArray(value) ? value[Number(place)] : value) ?? null
    const [id, name] = [idIn(pet), field(pet, 'name')]
    if (id === undefined || typeof name !== 'string' || !nameOfRun.test(name)) return false
    if (this.#log.names.owns(name)) return false
    const isStored = petMismatches(pet, '').some((one) => storedAsSent.has(one.requirement))
    if (!isStored || !(storedAsSent.has(requirement) || requirement === 'list.status.filter'))
      return false
    const violation = { ...mismatch, exchanges: [exchange] }
    if (!this.#ofEarlierRuns.has(id)) this.#ofEarlierRuns.set(id, { id, name, violation })
    return true
  }

  /** Says what to do about those of earlier runs and of this one. Where no other pet conforms, the first ones are violations. */
  conclude(findings: Findings): void {
    const earlier = [...this.#ofEarlierRuns.values()]
    const others = this.#log.catalog.first().some(({ pet }) => isWhole(pet))
    for (const one of earlier) {
      const { id, name, violation } = one
      const what = `pet ${id}, ${name}, was created by an earlier run: delete it`
      const reason = `${what}. ${violation.message}`
      if (others) findings.keepOpen('every-response', [violation.requirement], reason)
      else {
        const { way = violation.message } = violation
        findings.report('every-response', {
          ...violation,
          message: reason.replace('p', 'P'),
          way,
        })
      }
    }
    if (earlier.length > 0 && others)
      findings.note(`Pets of earlier runs are invalid: ${wordsOf(earlier)}. Delete them.`)
    const own = storedInvalid(this.#log)
    if (own.length > 0)
      findings.note(
        `Pets of this run are invalid and stay: ${wordsOf(own)}. Delete them once the deployment rejects such values.`,
      )
  }
}

function wordsOf(pets: readonly Pick<Leftover, 'id' | 'name'>[]): string {
  const named = pets.slice(0, mostNamed).map(({ id, name }) => `${id} (${name})`)
  const more = pets.length - named.length
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** The pets of invalid creations that the target has accepted and returned with an invalid value. */
const storedInvalid = ({ exchanges }: Log): Pick<Leftover, 'id' | 'name'>[] =>
  exchanges.flatMap((exchange) => {
    const { plan, content } = exchange
    if (plan.creation?.mustFail !== true || !isStoredAsSent(exchange)) return []
    const pet = content.kind === 'json' ? content.value : null
    const [id, name] = [idIn(pet), field(pet, 'name')]
    return id === undefined
      ? []
      : [{ id, name: typeof name === 'string' ? name : 'without a name' }]
  })

/** Whether a creation was accepted, and returned a pet with an invalid category or status. */
export const isStoredAsSent = (exchange: Exchange): boolean =>
  isSuccess(exchange) &&
  exchange.content.kind === 'json' &&
  petMismatches(exchange.content.value, '').some(({ requirement }) => storedAsSent.has(requirement))
