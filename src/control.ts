/** A client of the control API of a running mock: a function for each operation, typed by its OpenAPI document. */
import {
  type ControlOperations,
  type ControlSchemas,
  endpoints,
  type SandboxOperation,
} from './control.gen.ts'
import { expectObject, fail, formatValue } from './errors.ts'
import { type JsonValue, parseJson, printJson } from './json.ts'
import { definedIn } from './option-checks.ts'
import { tryParseJson } from './validate.ts'

export type { ControlOperations, ControlSchemas, SandboxOperation }

export interface ControlClientOptions {
  /** The URL of the mock: `http://127.0.0.1:4010`. Its path is ignored. */
  baseUrl: string
  /** Default: none. */
  token?: string | undefined
  /** Sends requests. Default: the global `fetch`. */
  fetch?: ((url: string, options: RequestInit) => Promise<Response>) | undefined
}

/** The operations by their ids. Parameters and body are properties of one object; integers are exact. */
export type ClientOf<Id extends keyof ControlOperations> = {
  readonly [Name in Id]: (
    ...parameters: ControlOperations[Name]['parameters']
  ) => Promise<ControlOperations[Name]['result']>
}

/** The operations on the mock itself, and on its sandboxes. */
export interface ControlClient extends ClientOf<keyof ControlOperations> {
  /** The operations on an existing sandbox; `makeSandbox` creates one. */
  readonly sandbox: (name: string) => ClientOf<SandboxOperation>
}

/** An error response of the control API. */
export class ControlError extends Error {
  override readonly name = 'ControlError'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/**
 * A client of the control API. Each operation rejects with a `ControlError`, whose message lists all mistakes.
 *
 * @example
 * const control = createControl({ baseUrl: 'http://127.0.0.1:4010' })
 * await control.addRules({ body: { when: { operation: 'listPets' }, reply: { status: 503 }, times: 2 } })
 * const { entries } = await control.sandbox('team-a').listJournal({ limit: 10 })
 */
export function createControl(options: ControlClientOptions): ControlClient {
  expectObject(options)
  const { baseUrl, token, fetch = globalThis.fetch } = options
  if (!URL.canParse(baseUrl))
    fail(`baseUrl must be the URL of a mock, but was ${formatValue(baseUrl)}.`)
  const { origin } = new URL(baseUrl)

  async function call(
    endpoint: string,
    base: string,
    input: Record<string, unknown>,
  ): Promise<unknown> {
    const [method = '', template = ''] = endpoint.split(' ')
    const { body, ...parameters } = input
    const path = template.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
      const value = toSegment(String(parameters[name]))
      delete parameters[name]
      return value
    })
    const query = new URLSearchParams(
      Object.entries(definedIn(parameters)).map(([name, value]): [string, string] => [
        name,
        String(value),
      ]),
    ).toString()
    const response = await fetch(
      `${origin}${path.replace(/^\/_petstore/, `/_petstore${base}`)}${query && `?${query}`}`,
      {
        method,
        // Do not send the token to another host.
        redirect: 'manual',
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: printJson(body) }),
      },
    )
    const type = response.headers.get('content-type') ?? ''
    if (response.ok && type.startsWith('text/event-stream')) return response.body
    const text = await response.text()
    if (!response.ok)
      throw new ControlError(
        response.status,
        messageOf(text) ?? `The control API returned ${response.status}.`,
      )
    if (text === '') return undefined
    return type.startsWith('application/json') ? parseJson(text) : text
  }

  function clientAt(base: string): ClientOf<keyof ControlOperations> {
    const operations = Object.entries(endpoints).map(([id, endpoint]) => [
      id,
      (input: Record<string, unknown> = {}) => call(endpoint, base, input),
    ])
    return Object.fromEntries(operations) as ClientOf<keyof ControlOperations>
  }
  return { ...clientAt(''), sandbox: (name) => clientAt(`/sandboxes/${toSegment(name)}`) }
}

function toSegment(name: string): string {
  // A URL would drop it, and what was meant for a sandbox would reach the mock itself.
  if (name === '.' || name === '..')
    fail(`Nothing in the control API can have the name ${formatValue(name)}.`)
  return encodeURIComponent(name)
}

function messageOf(text: string): string | undefined {
  const { message } = (tryParseJson(text) ?? {}) as { message?: JsonValue }
  return typeof message === 'string' ? message : undefined
}
