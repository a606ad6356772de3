import { type JsonValue, parseJson, printJson } from '../json.ts'
import { cell, remembered } from './store.ts'

/** `http://127.0.0.1:4010/_petstore`, wherever a proxy has put it. */
const controlUrl = new URL('..', location.href).href.replace(/\/$/, '')

/** The token of the control API, for as long as this tab is open. */
export const token = remembered(sessionStorage, 'petstore-token', '')
/** Whether the API wants another token than this one. */
export const tokenIsMissing = cell(false)
/** The sandbox that all screens show, as the address names it; empty for that of the mock's own keys. */
export const sandbox = cell('')

/** The sandbox whose key is in the place of the token: nothing else can be seen then. */
export const sandboxOfToken = (): string => /^petstore_sandbox_([a-z0-9-]+)_[0-9a-f]{8}$/.exec(token.get())?.[1] ?? ''

/** A response that says what is wrong. */
export class ApiError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The whole path of an operation in the sandbox that is shown. */
export function pathOf(path: string): string {
  const isOfMock = /^\/(?:sandboxes|openapi)\b/.test(path)
  return isOfMock || sandbox.get() === '' ? path : `/sandboxes/${sandbox.get()}${path}`
}

/** Sends a request to the control API. */
export async function send(
  method: string,
  path: string,
  body?: object | string,
  { headers, signal }: { headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<Response> {
  const response = await fetch(controlUrl + path, {
    method,
    headers: {
      ...headers,
      ...(token.get() !== '' && { authorization: `Bearer ${token.get()}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : printJson(body) }),
    ...(signal !== undefined && { signal }),
  })
  if (response.ok) return response
  if (response.status === 401) tokenIsMissing.set(true)
  const error = parseJson((await response.text()) || '{}') as { message?: string }
  throw new ApiError(response.status, error.message ?? `The mock responded ${response.status}.`)
}

/** The curl line that does the same. */
export function curlOf(method: string, path: string, body?: JsonValue | object): string {
  const parts = [
    'curl',
    ...(method === 'GET' ? [] : ['-X', method]),
    ...(token.get() === '' ? [] : ['-H', '"Authorization: Bearer $PETSTORE_CONTROL_TOKEN"']),
    ...(body === undefined ? [] : ['-H', quote('Content-Type: application/json'), '-d', quote(printJson(body))]),
    quote(controlUrl + pathOf(path)),
  ]
  return parts.join(' ')
}

/** A word of a shell. */
export const quote = (text: string): string => (/^[\w./:=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)
