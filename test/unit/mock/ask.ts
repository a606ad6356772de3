import { defaultKey, type Mock, type MockReply } from '../../../src/mock/index.ts'

export const rex = { name: 'Rex', categoryId: 1 }

interface SendOptions {
  body?: string
  /** Replace the default headers. */
  headers?: Record<string, string | string[]>
  /** Added to the default headers. */
  also?: Record<string, string | string[]>
  key?: string
}

export type Answer = MockReply & { json: any }

/** Sends a request with a valid key, and as JSON if it has a body. */
export async function sendTo(
  mock: Pick<Mock, 'handle'>,
  method: string,
  target: string,
  options: SendOptions = {},
): Promise<Answer> {
  const { body = '', headers, also, key = defaultKey } = options
  const json = body === '' ? {} : { 'content-type': 'application/json' }
  const reply = await mock.handle({
    method,
    target,
    headers: headers ?? { authorization: `Bearer ${key}`, ...json, ...also },
    body,
  })
  const isJson = reply.body !== '' && reply.headers['content-type'] === 'application/json'
  return { ...reply, json: isJson ? JSON.parse(reply.body) : undefined }
}

export function create(
  mock: Pick<Mock, 'handle'>,
  fields: object | string,
  key?: string,
): Promise<Answer> {
  const body = typeof fields === 'string' ? fields : JSON.stringify(fields)
  return sendTo(mock, 'POST', '/v1/pets', { body, ...(key !== undefined && { key }) })
}

/** Requests the list several times, and returns the statuses. */
export async function statuses(
  mock: Pick<Mock, 'handle'>,
  times: number,
  options?: SendOptions,
): Promise<number[]> {
  const seen: number[] = []
  for (let time = 0; time < times; time += 1)
    seen.push((await sendTo(mock, 'GET', '/v1/pets', options)).status)
  return seen
}
