import {
  arrivalOf,
  isRedirect,
  mediaTypeOf,
  NoResponse,
  type Exchange,
  type Plan,
} from './exchange.ts'
import type { Attempt, Failed } from './failure.ts'
import type { Throttle } from './waiting.ts'

/** How often the valid key must get a list beside a kind of page that counts as the service's, and the rest before the next time: limiters count by the second. */
const [pageProofs, pageRestMs] = [2, 1_000]
/** Requests with the valid key, one after another, that must get a page where a limiter or a firewall blocks it. */
const knownTries = 2

/**
 * Distinguishes the pages of a limiter or a firewall from those of the service: one that the valid key gets at the same moment as
 * well is no verdict on the service, and a reason to wait.
 */
export function createFirewall(throttle: Throttle, attempt: (plan: Plan) => Promise<Attempt>) {
  /** How often the valid key got a list beside a kind of page, and when last: then the service itself sends it. */
  const ownPages = new Map<string, { proofs: number; at: number }>()
  const { isTight } = throttle.pace
  /** A list that the valid key got. Whether it still gets it distinguishes a limiter or a firewall from the service. */
  let known: Plan | undefined

  /** Requests the known list, again where it gets a page: a limiter that blocks it does not let the next one pass. */
  async function tryKnown(list: Plan, status: number): Promise<Attempt> {
    for (let tries = isTight ? 1 : knownTries; ; tries -= 1) {
      await throttle.turn(0)
      const control = await attempt(list)
      const isPage = control.exchange?.status === status && !isList(control.exchange)
      if (!isPage || tries <= 1) return control
    }
  }

  const isOwnPage = (kind: string): boolean =>
    (ownPages.get(kind)?.proofs ?? 0) >= (isTight ? 1 : pageProofs)

  /** Counts that the valid key got a list beside a page. Pages of concurrent requests show the same moment. */
  function countProof(kind: string, now: number): void {
    const { proofs, at } = ownPages.get(kind) ?? { proofs: 0, at: -Infinity }
    if (now - at < pageRestMs) return
    ownPages.set(kind, { proofs: proofs + 1, at: now })
    // What was taken for a limiter may have been the same page.
    if (isOwnPage(kind)) throttle.goOn()
  }

  function blocked(status: number): Failed {
    throttle.sendOneByOne()
    throttle.slowDown(true)
    const what = `a rate limit or a firewall responds ${status}, also to the valid key`
    const failure = new NoResponse('rate-limit', what)
    return { failure, fatal: false, unprocessed: true, status, blocksValidKey: true }
  }

  return {
    /** Remembers a list that the valid key got. */
    see(exchange: Exchange): void {
      if (exchange.plan.credential === undefined && isList(exchange)) known = exchange.plan
    },

    /** What an attempt gave, or that the valid key is blocked. Pages of a kind are the service's own once the valid key got a list beside them, twice. */
    async unlessBlocked(result: Attempt, again: () => Promise<Attempt>): Promise<Attempt> {
      for (let latest = result; ; latest = await again()) {
        if (latest.failure || latest.isCut || !known || !mayBeOfFirewall(latest.exchange))
          return latest
        const kind = kindOfPage(latest.exchange)
        if (isOwnPage(kind)) return latest
        const { status, plan } = latest.exchange
        const control = await tryKnown(known, status)
        if (control.failure) return control
        if (isList(control.exchange)) countProof(kind, arrivalOf(control.exchange))
        // A page that is known as the service's own shows no limiter.
        else if (control.exchange.status === status && !isOwnPage(kindOfPage(control.exchange)))
          return blocked(status)
        else return latest
        const isRepeatable = plan.method === 'GET' || status >= 400
        if (!isRepeatable || isOwnPage(kind)) return latest
        await throttle.sleep(pageRestMs)
        await throttle.turn()
      }
    },
  }
}

export const isList = ({ operation, status, content }: Exchange): boolean =>
  operation === 'listPets' &&
  status === 200 &&
  (content.kind === 'unjudged' || (content.kind === 'json' && Array.isArray(content.value)))

/** Whether a response to an operation may be one of a limiter or a firewall: a 403, a redirect, or a page. */
export function mayBeOfFirewall({ operation, status, headers, content }: Exchange): boolean {
  if (operation === undefined) return false
  if (status === 403 || isRedirect(status)) return true
  return content.kind === 'broken' && !/\bjson\b/i.test(headers['content-type'] ?? '')
}

/** The same for pages in response to similar requests, whatever they say: their text may change each time. */
function kindOfPage(page: Exchange): string {
  const key = page.plan.credential === undefined ? 'valid' : 'no'
  return `${page.operation}, ${key} key, ${page.status} ${mediaTypeOf(page)}`
}
