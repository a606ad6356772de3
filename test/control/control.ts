import { request as send } from 'node:http'
import { expect, onTestFinished } from 'vitest'
import { type RunningMock, startMock, type StartOptions } from '../../src/mock/index.ts'
import { describedAt, mistakesBy } from './document.ts'

/** A reply of the control API. */
export interface Reply {
  status: number
  headers: Record<string, string>
  text: string
  json: any
}

export interface CallOptions {
  /** Sent as JSON; a text is sent as it is. */
  body?: unknown
  /** In place of those that are sent otherwise; undefined leaves one out. */
  headers?: Record<string, string | string[] | undefined>
}

/** A mock that listens, and a way to call its control API. */
export interface Controlled {
  mock: RunningMock
  /** Calls an operation, and checks that its answer is as the OpenAPI document says. The path is that behind `/_petstore`. */
  call: (method: string, path: string, options?: CallOptions) => Promise<Reply>
}

/** Starts a mock for one test. */
export async function startControlled(options: StartOptions = {}): Promise<Controlled> {
  const mock = await startMock({ pets: 5, ...options })
  onTestFinished(() => mock.close())
  return {
    mock,
    async call(method, path, options = {}) {
      const reply = await ask(mock.port, method, `/_petstore${path}`, options)
      checkReply(method, `/_petstore${path}`, reply)
      return reply
    },
  }
}

/** Sends one request, with any headers, also those that `fetch` does not let through. */
export function ask(
  port: number,
  method: string,
  target: string,
  { body, headers = {} }: CallOptions = {},
): Promise<Reply> {
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)
  const all = {
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(text !== '' && { 'content-length': String(Buffer.byteLength(text)) }),
    ...headers,
  }
  const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >
  return new Promise((resolve, reject) => {
    const request = send({ port, host: '127.0.0.1', method, path: target, headers: sent, agent: false }, (message) => {
      let received = ''
      message.setEncoding('utf8').on('data', (chunk: string) => {
        received += chunk
      })
      message.on('error', reject).on('end', () => {
        const isJson = message.headers['content-type'] === 'application/json' && received !== ''
        resolve({
          status: message.statusCode ?? 0,
          headers: message.headers as Record<string, string>,
          text: received,
          json: isJson ? JSON.parse(received) : undefined,
        })
      })
    })
    request.on('error', reject).end(text)
  })
}

/** What holds for each answer: no other origin may read it, nothing keeps it, and the document describes it. */
export function checkReply(method: string, target: string, { status, headers, text, json }: Reply): void {
  const told = `${method} ${target} ${status} ${text.slice(0, 300)}`
  expect(headers, told).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
  expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
  if (method === 'HEAD' || status === 204) return expect(text, told).toBe('')
  const operation = describedAt(method, target)
  const described = operation?.responses[status] ?? operation?.responses.default
  const schema = described?.content?.['application/json']?.schema.$ref?.split('/').at(-1)
  if (status >= 400) {
    expect(mistakesBy('Error', json), told).toEqual([])
    expect(json.status, told).toBe(status)
  } else if (headers['content-type'] === 'application/json') {
    expect(operation?.responses[status], `${told} is described`).toBeDefined()
    expect(mistakesBy(schema, json), told).toEqual([])
  } else expect(Object.keys(described.content), told).toContain(headers['content-type']?.split(';')[0])
}
