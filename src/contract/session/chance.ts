import { operations } from '../../spec/operations.ts'
import type { RequirementId } from '../../spec/requirements.ts'
import { mediaTypeOf, type Exchange } from '../http/exchange.ts'
import { mayBeOfFirewall } from '../http/firewall.ts'
import { judgeResponse } from '../judge/every-response.ts'
import { isSuccess, type Demand } from '../judge/expect.ts'
import type { Findings } from '../judge/findings.ts'
import type { Depth } from './limits.ts'

/** How often each request with an odd response is sent again at most: what comes by chance for one in ten stays in one of 1,000 cases. */
export const secondTries = 2
/** So many requests with odd responses of a kind alone, three each, show that the target always responds so: where one in ten is odd, two do by chance in one of a million cases. */
const enoughAlike = { smoke: 1, standard: 2, thorough: 2 }
/** Fewer responses than these that are no server errors may come from a gateway that is being changed. */
const leastOfGateway = 3

/** What a run needs for it. */
interface RunPart {
  readonly findings: Findings
  readonly options: { depth: Depth }
  readonly transport: { readonly requests: number }
}

interface Odd {
  exchange: Exchange
  /** Whether the same request succeeded when it was sent again; undefined if it was not. */
  succeedsAgain: boolean | undefined
  requirement: RequirementId
  during: string
}

/**
 * One response is no rule. A response that an operation does not have (a server error, a page, a redirect, a 403) makes the
 * suite send its request again; where that then gets another one, the first was one of chance, which says nothing about the request.
 */
export class Chance {
  readonly #run: RunPart
  readonly #odd: Odd[] = []
  readonly #usual = new Map<string, number>()

  constructor(run: RunPart) {
    this.#run = run
  }

  /**
   * Whether a response may be one of chance.
   *
   * @param isAgain whether the request got such a response before
   */
  isOdd(exchange: Exchange, demand: Demand | undefined, isAgain: boolean): boolean {
    const { operation, status } = exchange
    if (operation === undefined) return false
    const isUnknown = status >= 500 || (status === 404 && operation === 'listPets')
    const known = this.#usual.get(kindOf(exchange, demand)) ?? 0
    const isKnown = !isAgain && known >= enoughAlike[this.#run.options.depth]
    return (isUnknown || mayBeOfFirewall(exchange)) && !isKnown
  }

  /** Whether such a response came by chance before. */
  isKnown(exchange: Exchange): boolean {
    const { status } = exchange
    return this.#odd.some(
      (one) =>
        one.exchange.status === status && mediaTypeOf(one.exchange) === mediaTypeOf(exchange),
    )
  }

  /** Counts a request that only gets odd responses. */
  countUsual(exchange: Exchange, demand?: Demand): void {
    const kind = kindOf(exchange, demand)
    this.#usual.set(kind, (this.#usual.get(kind) ?? 0) + 1)
  }

  /** Counts an odd response to a request that got another one when it was sent again, if it was. */
  count(exchange: Exchange, again: Exchange | undefined, during: string, demand?: Demand): void {
    // A server error is allowed where nothing is specified, as long as it carries an Error body.
    if (demand?.requirement === 'error.body' && judgeResponse(exchange).mismatches.length === 0)
      return
    const succeedsAgain = again && isSuccess(again)
    const { success } = operations[exchange.operation ?? 'listPets']
    const isDescribed = demand?.requirement !== 'error.body'
    const requirement = succeedsAgain && isDescribed ? success : (demand?.requirement ?? success)
    this.#odd.push({ exchange, succeedsAgain, requirement, during })
    this.report()
  }

  /** Reports all of them as one violation, which leads; at the end of the run, with the final number of requests. */
  report(isEnd = false): void {
    const [first] = this.#odd
    if (first === undefined) return
    const { findings, transport } = this.#run
    const all = this.#odd.map(({ exchange }) => exchange)
    const again = this.#odd.every(({ succeedsAgain }) => succeedsAgain !== false)
      ? 'succeed'
      : 'get another response'
    const verb = all.length === 1 ? 'is' : 'are'
    const message = `${all.length} of ${transport.requests} responses ${verb} ${wordsFor(all)}, on requests that ${again} when sent again.`
    const isServerError = all.some(({ status }) => status >= 500)
    if (!isServerError && all.length < leastOfGateway) {
      if (isEnd) findings.note(message)
      return
    }
    // What succeeds otherwise leads.
    const lead = this.#odd.find(({ succeedsAgain }) => succeedsAgain) ?? first
    const { exchange, requirement } = lead
    findings.lead(
      {
        requirement,
        alsoBreaks: this.#odd.map((one) => one.requirement),
        message,
        expected: 'the same response each time',
        actual: `status ${exchange.status}`,
        kind: 'status',
        exchanges: [exchange],
      },
      lead.during,
    )
  }
}

const kindOf = (exchange: Exchange, demand?: Demand): string =>
  `${exchange.operation} ${demand?.requirement} ${exchange.status} ${mediaTypeOf(exchange)}`

/** `server errors (500, 503)`, `404 with text/plain` */
function wordsFor(all: readonly Exchange[]): string {
  if (all.every(({ status }) => status >= 500))
    return `server errors (${[...new Set(all.map(({ status }) => status))].join(', ')})`
  return [
    ...new Set(all.map((one) => `${one.status} with ${mediaTypeOf(one) ?? 'no Content-Type'}`)),
  ].join(', ')
}
