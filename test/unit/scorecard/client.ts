import {
  createMock,
  defaultKey,
  type Mock,
  type MockOptions,
  type MockReply,
} from '../../../src/mock/index.ts'
import type { Scorecard } from '../../../src/mock/scorecard/scorecard.gen.ts'

/** Optional parts of a request. */
export interface Sent {
  headers?: Record<string, string | string[] | undefined>
  body?: string
  /** Undefined sends no Authorization header. */
  key?: string | undefined
}

const json = { 'content-type': 'application/json' }

/** A client with its own mock. */
export interface Client {
  mock: Mock
  send: (method: string, target: string, sent?: Sent) => Promise<MockReply>
  /** Sends a creation with the content type JSON. */
  create: (body: string | object) => Promise<MockReply>
  card: () => Promise<Scorecard>
  /** The ids of the issues of its requests. */
  kinds: () => Promise<string[]>
}

/** Creates a mock without a server, and its client. */
export function createClient(options: MockOptions = {}): Client {
  const mock = createMock(options)
  const send: Client['send'] = (method, target, sent = {}) => {
    const key = 'key' in sent ? sent.key : (options.keys?.[0] ?? defaultKey)
    const headers = {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...sent.headers,
    }
    return mock.handle({ method, target, headers, body: sent.body ?? '' })
  }
  const card = async (): Promise<Scorecard> => (await mock.scorecards())[0]!
  return {
    mock,
    send,
    create: (body) =>
      send('POST', '/v1/pets', {
        headers: json,
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    card,
    kinds: async () => (await card()).issues.map(({ id }) => id),
  }
}
