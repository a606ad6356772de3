import type { Exchange, Plan } from '../http/exchange.ts'
import type { Keys } from '../http/keys.ts'
import type { Transport } from '../http/transport.ts'
import { describe, wrongStatus } from '../judge/expect.ts'
import type { Violation } from '../judge/findings.ts'
import type { Log } from '../judge/run-log.ts'
import type { VerifyOptions } from './options.ts'

/** Lists over new connections that the key must not get before it counts as rejected: one of several servers may have an old one, and of two, all reach it in 1 of 64 cases. */
const chances = 6
/** After how many milliseconds a key that was accepted and then rejected is tried again, at least, and how often. */
const [leastPauseMs, tries] = [2_000, { smoke: 4, standard: 12, thorough: 12 }] as const

/** The part of a run that is needed here. */
interface RunPart {
  readonly keys: Keys
  readonly log: Pick<Log, 'lists'>
  readonly options: Pick<VerifyOptions, 'depth' | 'settleMs' | 'onProgress'>
  readonly transport: Transport
}

/** What a trial needs of the session whose request was rejected. */
interface Trier {
  send(plan: Plan): Promise<Exchange>
  report(violation: Violation): void
}

/**
 * What a 401 to the valid key says of it: it is never accepted, or no longer; it is accepted again, or replaced by
 * another one; or it is accepted, so that the 401 is a violation.
 */
type KeyState = 'rejected' | 'restored' | 'accepted'

/** Finds out what a 401 to the valid key means: "its lifetime and its permissions: not shown". */
export class KeyTrial {
  readonly #run: RunPart
  /** The response after which the key counts as rejected, and whether it stays so. */
  #rejection: Exchange | undefined
  #staying: Promise<boolean> | undefined

  constructor(run: RunPart) {
    this.#run = run
  }

  async stateAfter(rejection: Exchange, trier: Trier): Promise<KeyState> {
    if (await this.#isRejected(rejection, trier)) return 'rejected'
    return this.#isReplaced(rejection) || this.#rejection ? 'restored' : 'accepted'
  }

  async #isRejected(rejection: Exchange, trier: Trier): Promise<boolean> {
    const { keys, log, options } = this.#run
    for (let chance = 1; chance <= chances && !this.#rejection; chance += 1) {
      // A cache may keep a 401 to a request without the key; none was sent with these limits.
      if (this.#isReplaced(rejection) || (await isAccepted(trier, chance + 2))) return false
    }
    if (keys.mayRenew) options.onProgress?.('the key was rejected; getting another one')
    await keys.renew(rejection.keyNumber ?? 0)
    if (this.#isReplaced(rejection)) return false
    this.#rejection ??= rejection
    if (!log.lists.some(({ exchange }) => exchange.sentAt < rejection.sentAt)) return true
    this.#staying ??= this.#staysRejected(rejection, trier)
    return this.#staying
  }

  /** Whether the key that a request had has expired, and another one is in use. */
  #isReplaced({ keyNumber = 0 }: Exchange): boolean {
    return keyNumber < this.#run.keys.number
  }

  /**
   * Tries a key that was accepted before again, once a revocation has reached each server. A key that one of them still
   * accepts was rejected for another reason: a violation. Otherwise the run ends: nothing can be verified without it.
   */
  async #staysRejected(rejection: Exchange, trier: Trier): Promise<boolean> {
    const { keys, options, transport } = this.#run
    const pauseMs = Math.max(leastPauseMs, options.settleMs)
    await transport.wait(pauseMs, 'the key was rejected after it was accepted; trying it again')
    for (let nth = 1; nth <= tries[options.depth]; nth += 1) {
      if (await isAccepted(trier, 98 - nth)) {
        trier.report(keyRejectedOnce(rejection, 'the key was accepted before and after'))
        return false
      }
    }
    const { problem } = keys
    const causes =
      problem === undefined
        ? 'it may have expired, or the target rejects this address after wrong keys'
        : `it may have expired, and ${problem}`
    transport.stop(
      `the key was accepted and then rejected (401), also ${pauseMs / 1_000} s later: ${causes}`,
    )
    return true
  }
}

/** Whether the key gets a list that no other request had, over a new connection. */
async function isAccepted(trier: Trier, limit: number): Promise<boolean> {
  const plan = { method: 'GET', path: `/pets?limit=${limit}`, opensConnection: true } as const
  return (await trier.send(plan)).status !== 401
}

/** @param although how other requests show that the key is valid */
export function keyRejectedOnce(rejection: Exchange, although: string): Violation {
  const message = `${describe(rejection)}, although ${although}.`
  const expected = 'the valid key is accepted each time'
  return wrongStatus(rejection, 'auth.bearer', 200, { message, expected })
}
