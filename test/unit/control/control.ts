import { request as send } from 'node:http'
import { expect } from 'vitest'
import {
  createMock,
  defaultKey,
  type RunningMock,
  type Sandbox,
  sandboxKey,
  type StartOptions,
} from '../../../src/mock/index.ts'
import { readInterface } from '../../../src/mock/http/interface-document.ts'
import { createControlApi } from '../../../src/mock/control/control-api.ts'
import type { ControlOptions } from '../../../src/mock/control/routes/route.ts'
import { byLevel } from '../../support/level.ts'
import { describedAt, mistakesBy } from './document.ts'
import { serveMock } from '../../support/serve-mock.ts'

export interface Reply {
  status: number
  headers: Record<string, string>
  text: string
  json: any
}

export interface CallOptions {
  /** Sent as JSON; a string is sent unchanged. */
  body?: unknown
  /** Override the default headers; undefined omits one. */
  headers?: Record<string, string | string[] | undefined>
}

/** A running mock and its control API. */
export interface Controlled {
  mock: RunningMock
  /** Calls an operation, and checks the response against the OpenAPI document. The path is relative to `/_petstore`. */
  call: (method: string, path: string, options?: CallOptions) => Promise<Reply>
}

export async function startControlled(options: StartOptions = {}): Promise<Controlled> {
  const mock = await serveMock({ pets: 5, ...options })
  return {
    mock,
    async call(method, path, options = {}) {
      const reply = await sendTo(mock.port, method, `/_petstore${path}`, options)
      checkReply(method, `/_petstore${path}`, reply)
      return reply
    },
  }
}

const own = { where: 'the mock itself', base: '', key: defaultKey }
const sandbox = { where: 'a sandbox', base: '/sandboxes/team-a', key: sandboxKey('team-a') }
/**
 * The default sandbox and a named one, by path below `/_petstore` and key. Both share their routes, so `npm test` tries
 * only one.
 */
export const scopes = byLevel({ usual: [sandbox], slow: [own, sandbox], all: [own, sandbox] })

/** Starts a mock for one test, and calls operations in one of its sandboxes. `other` is a sandbox that must not change. */
export async function startIn({ base, key }: { base: string; key: string }) {
  const { mock, call } = await startControlled()
  const other: Sandbox = base === '' ? mock.sandboxes.get('team-b') : mock
  if (base !== '') mock.sandboxes.get('team-a')
  return {
    mock,
    other,
    call: (method: string, path: string, body?: unknown) =>
      call(method, `${base}${path}`, body === undefined ? {} : { body }),
    request: (method: string, target: string, body?: unknown) =>
      sendTo(mock.port, method, target, {
        ...(body !== undefined && { body }),
        headers: {
          authorization: `Bearer ${key}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
      }),
  }
}

export function controlInProcess(options: Partial<ControlOptions> = {}) {
  const mock = createMock({ pets: 3 })
  const control = createControlApi({ mock, host: '127.0.0.1', readInterface, ...options })
  const get = (path: string, isGone?: () => boolean) =>
    control.respond(
      { method: 'GET', target: `/_petstore${path}`, headers: { host: '127.0.0.1' }, body: '' },
      isGone,
    )
  return { mock, control, get }
}

/** The body of a reply; a long one comes in pieces. */
export const bodyOf = async (
  reply: Awaited<ReturnType<ReturnType<typeof controlInProcess>['get']>>,
): Promise<string> => ('stream' in reply ? new Response(reply.stream).text() : reply.body)

/** Sends a request with any headers, including those that `fetch` forbids. */
export function sendTo(
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
  const sent = Object.fromEntries(
    Object.entries(all).filter(([, value]) => value !== undefined),
  ) as Record<string, string>
  return new Promise((resolve, reject) => {
    const request = send(
      { port, host: '127.0.0.1', method, path: target, headers: sent, agent: false },
      (message) => {
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
      },
    )
    request.on('error', reject).end(text)
  })
}

/** Checks a response: no CORS, no caching, and conforming to the OpenAPI document. */
export function checkReply(
  method: string,
  target: string,
  { status, headers, text, json }: Reply,
): void {
  const shown = `${method} ${target} ${status} ${text.slice(0, 300)}`
  expect(headers, shown).toMatchObject({
    'cache-control': expect.stringMatching(/^no-store/),
    'x-content-type-options': 'nosniff',
  })
  expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
  if (method === 'HEAD' || status === 204) return expect(text, shown).toBe('')
  const operation = describedAt(method, target)
  const described = operation?.responses[status] ?? operation?.responses.default
  const schema = described?.content?.['application/json']?.schema.$ref?.split('/').at(-1)
  if (status >= 400) {
    expect(mistakesBy('Error', json), shown).toEqual([])
    expect(json.status, shown).toBe(status)
  } else if (headers['content-type'] === 'application/json') {
    expect(operation?.responses[status], `${shown} is described`).toBeDefined()
    expect(mistakesBy(schema, json), shown).toEqual([])
  } else
    expect(Object.keys(described.content), shown).toContain(headers['content-type']?.split(';')[0])
}
