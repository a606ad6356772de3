import type { MockReply, MockRequest } from './message.ts'
import { createEngine, type Mock } from './mock.ts'
import { readSettings } from './settings.ts'
import type { LoggedRequest } from './types.ts'

/** A journal and a scorecard of requests that somebody else responded to. */
export interface Recorder {
  /** For the control API. It has no pets, and no other sandboxes. */
  mock: Mock
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
  const { mock, enter, afterResponse } = createEngine(settings, { table: { deviations: [] } })
  const own = enter(null)
  return {
    mock,
    keys,
    record(request, reply, { at, microseconds, isAbandoned }) {
      const entry = own.journal.record(request, reply, { at, microseconds, changes: [] })
      entry.abandoned = isAbandoned
      afterResponse(own)
      return () => {
        const [shown] = own.journal.list({ after: entry.number - 1, before: entry.number + 1 })
        return shown && { ...shown, sandbox: undefined }
      }
    },
  }
}
