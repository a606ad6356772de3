import { type JsonValue, parseJson, printJson } from '../../json.ts'
import { shellQuote, shellWord } from '../../report/shell.ts'
import { cell, remembered } from './store.ts'

/** `http://127.0.0.1:4010`, or its URL behind a proxy. */
export const mockUrl = new URL('../../..', location.href).href.replace(/\/$/, '')

/** The token of the control API, until this tab is closed. */
export const token = remembered(sessionStorage, 'petstore-token', '')
/** Whether the API rejected the token, or requires one. */
export const tokenIsMissing = cell(false)
/** The sandbox that all screens show, from the URL; empty for the sandbox of the mock's own keys. */
export const sandbox = cell('')

/** The sandbox whose key is used as the token: it gives access to this sandbox only. */
export const sandboxOfToken = (): string =>
  /^petstore_sandbox_([a-z0-9-]+)_[0-9a-f]{8}$/.exec(token.get())?.[1] ?? ''

/** An error response of the control API. */
export class ApiError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The full path of an operation in the current sandbox. */
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
  const response = await fetch(`${mockUrl}/_petstore${path}`, {
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
    ...(body === undefined
      ? []
      : ['-H', shellQuote('Content-Type: application/json'), '-d', shellQuote(printJson(body))]),
    shellWord(`${mockUrl}/_petstore${pathOf(path)}`),
  ]
  return parts.join(' ')
}
