import type { OperationId } from '../../spec/operations.ts'
import type { PetStatus } from '../../spec/types.ts'
import type { Exchange } from './exchange.ts'
import { type JudgeClock, soonMs } from './judge-clock.ts'
import { Creations } from './judge-creations.ts'
import { countPets, firstIdOf, hasMoreThanOne, noId } from './judge-page.ts'
import type { Mark } from './marks.ts'
import type { Reading } from './judge.ts'
import { Retries } from './judge-retries.ts'
import { createWaits, type Waits } from './judge-waits.ts'

/** So many pages, each larger by the first, are no accident any more; nor are so many pets that came first. */
const leastPages = 3
const leastStep = 5
const leastPicks = 3

/** What the requests of one client say together. It keeps next to nothing of them. */
export class Trail {
  #waits: Waits | undefined
  #creations: Creations | undefined
  readonly #retries = new Retries()
  /** The last list that was asked for: its limit, its filter, and the how many-th page of a size that grows it was. */
  #limit = 0
  #status: PetStatus | undefined
  #pages = 0
  /** The pet that came first in the last list, unless another one was fetched since; and whether it was asked for alone. */
  #firstId = noId
  #wasAlone = false
  /** How many pets were fetched that came first in a list before, and how many others. */
  #firstPicked = 0
  #othersPicked = 0

  /** What is wrong with a request for what came before it. It costs next to nothing where there is no reason to look. */
  follow(reading: Reading, exchange: Exchange, clock: JudgeClock): Mark[] | undefined {
    const { operation } = reading
    if (operation === undefined) {
      this.#creations?.turnTo('other')
      return undefined
    }
    const early = this.#waits?.judge(operation, exchange, clock)
    const { status } = exchange.reply
    if (status === 429 || status === 503) this.#wait(operation, exchange, clock)
    const again = this.#retries.judge(exchange, clock)
    const found = this.#followOperation(operation, reading, exchange, clock)
    if (early === undefined && again === undefined) return found
    return [...(early === undefined ? [] : [early]), ...(again === undefined ? [] : [again]), ...(found ?? [])]
  }

  #wait(operation: OperationId, exchange: Exchange, clock: JudgeClock): void {
    this.#waits ??= createWaits()
    this.#waits.note(operation, exchange, clock)
  }

  #followOperation(
    operation: OperationId,
    reading: Reading,
    exchange: Exchange,
    clock: JudgeClock,
  ): Mark[] | undefined {
    if (operation === 'listPets') return this.#followList(reading, exchange, clock)
    if (operation === 'getPet') return this.#followGet(exchange)
    this.#creations ??= new Creations()
    return this.#creations.judge(exchange, clock)
  }

  #followList(asked: Reading, { reply }: Exchange, clock: JudgeClock): Mark[] | undefined {
    const fresh = this.#creations?.turnTo('list')
    if (reply.status !== 200) return undefined
    const { limit, status } = asked
    const { body } = reply
    this.#wasAlone = limit === 1
    // A single pet of a longer page says nothing of the order.
    this.#firstId = this.#wasAlone || hasMoreThanOne(body) ? firstIdOf(body) : noId

    const isGrown = limit !== this.#limit || status !== this.#status ? this.#grow(limit, status, body) : undefined
    if (fresh === undefined || limit === undefined || clock.elapsed() - fresh.at > soonMs) return isGrown
    const isMeant = status === undefined || status === fresh.status
    if (!isMeant || countPets(body) < limit) return isGrown
    const held = body.includes(`{"id":${fresh.id},`) ? 'and held it' : 'and did not hold it'
    const message = `Pet ${fresh.id} was created; the next request was a list, whose page of ${limit} was full, ${held}.`
    return [{ kind: 'order.new-pet-in-page', message }, ...(isGrown ?? [])]
  }

  /** Limits of 20, 40, 60 and so on, with the same filter, in a row. */
  #grow(limit: number | undefined, status: PetStatus | undefined, body: string): Mark[] | undefined {
    const step = this.#pages === 0 ? 0 : this.#limit / this.#pages
    const isNext = limit !== undefined && step >= leastStep && status === this.#status && limit === this.#limit + step
    this.#limit = limit ?? 0
    this.#status = status
    this.#pages = isNext ? this.#pages + 1 : 1
    // The former pages were full when this one has more.
    if (!isNext || this.#pages < leastPages || countPets(body) <= limit - step) return undefined
    const limits = Array.from({ length: this.#pages }, (_, index) => String(step * (index + 1)))
    return [{ kind: 'order.growing-limits', message: `The limits were ${limits.join(', ')}.` }]
  }

  #followGet({ target }: Exchange): Mark[] | undefined {
    this.#creations?.turnTo('other')
    const id = this.#firstId
    if (id === noId) return undefined
    this.#firstId = noId
    const [path = ''] = target.includes('?') ? target.split('?', 1) : [target]
    const isFirst = path.endsWith(String(id)) && path.charAt(path.length - String(id).length - 1) === '/'
    if (this.#wasAlone) {
      const message = `A list with limit=1 showed pet ${id}, and pet ${id} was fetched.`
      return isFirst ? [{ kind: 'order.first-pet', message }] : undefined
    }
    if (isFirst) this.#firstPicked += 1
    else this.#othersPicked += 1
    if (!isFirst || this.#othersPicked > 0 || this.#firstPicked < leastPicks) return undefined
    const message = `Behind ${this.#firstPicked} lists the pet was fetched that came first, and never another one.`
    return [{ kind: 'order.first-pet', message }]
  }
}
