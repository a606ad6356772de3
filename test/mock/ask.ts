import { defaultKey, type Mock, type MockReply } from '../../src/mock/index.ts'

/** A request with a valid key, and JSON where it has a body. Headers that are given come instead. */
export async function ask(
  mock: Mock,
  method: string,
  target: string,
  options: { body?: string; headers?: Record<string, string | string[]> } = {},
): Promise<MockReply & { json: any }> {
  const { body = '', headers } = options
  const json = body === '' ? {} : { 'content-type': 'application/json' }
  const reply = await mock.handle({
    method,
    target,
    headers: headers ?? { authorization: `Bearer ${defaultKey}`, ...json },
    body,
  })
  return { ...reply, json: reply.body === '' ? undefined : JSON.parse(reply.body) }
}

/** Creates a pet with these members. */
export function create(mock: Mock, members: object | string): Promise<MockReply & { json: any }> {
  return ask(mock, 'POST', '/v1/pets', { body: typeof members === 'string' ? members : JSON.stringify(members) })
}
