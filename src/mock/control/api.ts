import { UsageError } from '../../errors.ts'
import type { MockReply, MockRequest } from '../message.ts'
import type { Sandbox, Sandboxes } from '../sandbox.ts'
import type { Control, ControlStream } from './control.ts'
import { isControlTarget } from './api-find.ts'
import { createGuard } from './api-guard.ts'
import { isHostName, isLoopbackHost } from './api-hosts.ts'
import { problem } from './api-replies.ts'
import { largestBody } from './api-route.ts'
import type { Answer } from './api-answer.ts'
import type { Scorecard } from './scorecard.ts'

/** What the control API needs to know. */
export interface ControlOptions {
  mock: Sandbox & { readonly sandboxes: Sandboxes }
  /** The address on which the mock listens. */
  host: string
  /** Must come with each request, as `Authorization: Bearer TOKEN`. None by default, which only a loopback host allows. */
  token?: string
  /** Names and addresses, without a port, by which the mock may be called besides loopback and `host`. None by default. */
  allowedHosts?: readonly string[]
  /** Writes the state, and tells to which file. Left out where there is no file. */
  save?: () => Promise<string>
  /** The scorecards of all worlds. */
  allScorecards: () => Scorecard[]
  /** The version of the kit. */
  version: string
  /** Awaited before the first answer: loads what the settings may name. Nothing by default. */
  prepare?: () => Promise<void>
  /** Whether the mock answers as it should. Always, by default. */
  isReady?: () => boolean
}

/**
 * The control API of a mock that listens: reads and changes what the interface has no operation for, under `/_petstore`.
 *
 * It answers only requests that name this machine, and none that come from pages of other origins; beyond loopback, only
 * those with the token. What it does is loaded at its first request.
 *
 * @throws {UsageError} that tells all that is wrong: a host beyond loopback without a token, a token that no header can
 * carry, a name with a port, a base path that is its own.
 */
export function createControl(options: ControlOptions): Control {
  const { mock, host, token, allowedHosts = [], save, allScorecards, version, isReady = () => true, prepare } = options
  checkOptions(options)
  const guard = createGuard({ host, allowedHosts, token })
  let answer: Answer | undefined

  async function respond(request: MockRequest): Promise<MockReply | ControlStream> {
    try {
      const refusal = guard(request)
      if (refusal !== undefined) return refusal
      if (answer === undefined) {
        const [{ createAnswer }] = await Promise.all([import('./api-answer.ts'), prepare?.()])
        answer ??= createAnswer({ mock, version, isReady, allScorecards, save })
      }
      return await answer(request)
    } catch {
      return problem(500, 'The control API failed at this request.')
    }
  }
  return { matches: isControlTarget, bodyLimit: largestBody, refuse: guard, respond }
}

function checkOptions({ mock, host, token, allowedHosts = [] }: ControlOptions): void {
  const mistakes: string[] = []
  if (token === undefined && !isLoopbackHost(host)) {
    mistakes.push(
      `The control API needs a token when the mock listens on ${host}, where other machines can reach it: ` +
        '`--control-token TOKEN` or PETSTORE_CONTROL_TOKEN sets one, `--no-control` turns the control API off.',
    )
  }
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) {
    mistakes.push('The token of the control API must be printable ASCII without spaces, and at least one character.')
  }
  for (const name of allowedHosts) {
    if (!isHostName(name))
      mistakes.push(`${JSON.stringify(name)} is no host: give a name or an address, without a port.`)
  }
  const { basePath } = mock.settings
  if (isControlTarget(basePath)) {
    mistakes.push(
      `The base path ${basePath} is where the control API is. Choose another one, or turn the control API off.`,
    )
  }
  if (mistakes.length > 0) throw new UsageError(mistakes.join('\n'))
}
