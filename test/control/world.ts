import { defaultKey, type RunningMock, type Sandbox, sandboxKey } from '../../src/mock/index.ts'
import { ask, type Reply, startControlled } from './control.ts'

/** The worlds in which everything must work in the same way: where the control API has them, and a key that leads there. */
export const worlds = [
  { where: 'the mock itself', base: '', key: defaultKey },
  { where: 'a sandbox', base: '/sandboxes/team-a', key: sandboxKey('team-a') },
]

/** A world of a mock that listens. */
export interface World {
  mock: RunningMock
  /** A world beside it, which must stay as it is. */
  other: Sandbox
  /** An operation of the control API, in this world. */
  call: (method: string, path: string, body?: unknown) => Promise<Reply>
  /** A request to the interface, in this world. */
  request: (method: string, target: string, body?: unknown) => Promise<Reply>
}

/** Starts a mock with one of the worlds, for one test. */
export async function startWorld({ base, key }: { base: string; key: string }): Promise<World> {
  const { mock, call } = await startControlled()
  const other = base === '' ? mock.sandboxes.get('team-b') : mock
  if (base !== '') mock.sandboxes.get('team-a')
  return {
    mock,
    other,
    call: (method, path, body) => call(method, `${base}${path}`, body === undefined ? {} : { body }),
    request(method, target, body) {
      const headers = { authorization: `Bearer ${key}` }
      return body === undefined
        ? ask(mock.port, method, target, { headers })
        : ask(mock.port, method, target, { body, headers: { ...headers, 'content-type': 'application/json' } })
    },
  }
}
