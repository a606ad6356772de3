import { createControls } from './controls.ts'
import { shrinkJournals } from './journal.ts'
import type { MockReply, MockRequest } from './message.ts'
import { createSandboxes } from './sandboxes.ts'
import { readSettings } from './settings.ts'
import type { LoggedRequest, Sandbox, Sandboxes } from './types.ts'

/** A journal and a scorecard of requests that somebody else responded to. */
export interface Recorder {
  /** For the control API. It has no pets, and no other sandboxes. */
  mock: Sandbox & { readonly sandboxes: Sandboxes }
  /** Keys that were accepted: those of the scorecards, one each. Further ones may be added. */
  keys: string[]
  /**
   * Keeps a request and its response.
   *
   * @param at milliseconds since 1970.
   * @param microseconds how long the response took.
   * @param isAbandoned whether the client was gone before all of the response was sent.
   * @returns what shows the entry, for a log.
   */
  record: (
    request: MockRequest,
    reply: MockReply,
    work: { at: number; microseconds: number; isAbandoned: boolean },
  ) => () => LoggedRequest | undefined
}

/** @param basePath of the interface: `/v1`. */
export function createRecorder(basePath: string): Recorder {
  const keys: string[] = []
  const settings = { ...readSettings({ pets: 0, sandboxes: false }, []), keys, basePath }
  const budget = { used: 0 }
  const shared = { table: { deviations: [] }, Collection: undefined, secrets: [], budget, capacity: 0 }
  const again = (): never => {
    throw new TypeError('A recorder does not respond.')
  }
  const { sandbox, journal } = createControls({ name: undefined, settings, start: () => [], again, ...shared })
  const { sandboxes } = createSandboxes({
    create: again,
    enabled: false,
    capacity: 0,
    onNotice: undefined,
    isShared: false,
  })
  const mock = Object.defineProperties({ sandboxes }, Object.getOwnPropertyDescriptors(sandbox)) as Recorder['mock']
  return {
    mock,
    keys,
    record(request, reply, { at, microseconds, isAbandoned }) {
      const entry = journal.record(request, reply, { at, microseconds, changes: [] })
      entry.abandoned = isAbandoned
      shrinkJournals(() => [journal], budget)
      return () => {
        const [shown] = journal.list({ after: entry.number - 1, before: entry.number + 1 })
        return shown && { ...shown, sandbox: undefined }
      }
    },
  }
}
