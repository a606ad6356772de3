import { type JsonValue, printJson } from '../../../json.ts'
import { type Format, formats } from '../../../report/formats.ts'
import type { MockReply, MockRequest } from '../../service/message.ts'
import type { Mock } from '../../sandbox/mock.ts'
import { codeOfStatus } from '../../service/replies.ts'
import type { Inputs, Rule } from '../../schemas/schemas.gen.ts'
import type { Sandbox, SettingsPatch } from '../../sandbox/types.ts'
import type { SchemaName } from '../schemas/api-schemas.ts'
import type { QueryName } from '../schemas/input-schemas.ts'
import type { Runs, Suite } from './suite-runs.ts'

/** The path of the control API. */
export const prefix = '/_petstore'

/** Calls `route.handle` when it is time. `isKeyed`: the request has the key of the sandbox, which creates it. */
export type CarryOut = (
  route: ControlRoute,
  call: ControlCall,
  isKeyed: boolean,
) => Promise<MockReply | StreamReply | void>

/** A form of the OpenAPI document of the service. */
export interface InterfaceForm {
  /** Default: 3.1. */
  openapi?: '3.1' | '3.0' | undefined
  /** Default: JSON. */
  yaml?: boolean
  /** The base URL in the document. Default: that of `petstore mock`. */
  server?: string | undefined
}

export interface ControlOptions {
  mock: Mock
  host: string
  /** The required bearer token. Below the path of a sandbox, its key is accepted, too. Default: none, for loopback only. */
  token?: string | undefined
  /** Host names and addresses, without a port, accepted besides loopback and `host`. Default: none. */
  allowedHosts?: readonly string[]
  /** Reads the OpenAPI document of the service. */
  readInterface: (form: InterfaceForm) => Promise<string>
  /** Writes the state and returns the name of its file. Absent without a file. */
  save?: (() => Promise<string>) | undefined
  /** Loads the contract suite. Default: no runs. */
  suite?: (() => Promise<Suite>) | undefined
  /** The base URL of the service, for runs of the suite. Default: none. */
  baseUrl?: () => string
  /** The deployment behind a proxy, which only has operations about its journal. Default: none. */
  proxyOf?: string
  /** Serves the files of the console. Default: no console. */
  respondConsole?: ((target: string) => Promise<MockReply>) | undefined
  /** Awaited before the first response. */
  prepare?: () => Promise<void>
  /** Default: calls `handle` at once. */
  carryOut?: CarryOut
  /** Whether a sandbox may exist. Default: whether it does. */
  mayExist?: (name: string) => boolean
  /** Responds to probes of health. Default: 200. */
  health?: () => MockReply
  /** Why the mock responds to nothing but probes now. Default: it responds. */
  rejection?: () => string | undefined
  /** Identifies this start of the mock. Default: random. */
  instance?: string
  /** Default: always. */
  isReady?: () => boolean
  /** Metrics in the text format of Prometheus. Default: none. */
  metrics?: (isReady: boolean, isNaming: boolean) => string
}

/** The options with their defaults, and runs of the suite, if available. */
export type Controlled = ControlOptions &
  Required<
    Pick<ControlOptions, 'instance' | 'isReady' | 'health' | 'rejection' | 'baseUrl' | 'metrics'>
  > & {
    runs: { runs: Runs; suite: () => Promise<Suite> } | undefined
  }

/** The bodies that sandboxes validate themselves, by their schemas. */
interface Checked {
  Pets: JsonValue[]
  NewPets: JsonValue[] | { [field: string]: JsonValue }
  NewRules: Rule | Rule[]
  SettingsPatch: SettingsPatch
  ObservedProfile: JsonValue
}

/** The type that a schema describes. */
type Input<Name, None> = [Name] extends [never]
  ? None
  : (Inputs & Checked)[Name & keyof (Inputs & Checked)]

export interface ControlCall<Query = object, Body = undefined> {
  api: Controlled
  routes: readonly ControlRoute[]
  headers: MockRequest['headers']
  /** Whether the client has disconnected. */
  isGone: () => boolean
  /** Keeps the sandbox up to date while it is streamed. Returns a function that stops it. */
  watch?: () => () => void
  /** Open streams with their sandboxes. */
  streams: Map<object, Sandbox>
  /** The sandbox in the path, or the mock itself. */
  sandbox: Sandbox
  isThere: () => boolean
  path: Readonly<Record<string, string>>
  query: Query
  body: Body
}

type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'

export interface RouteResponse {
  description: string
  schema?: SchemaName
  /** Other media types of the body. */
  types?: readonly string[]
}

/** An operation: the source of router, validation, OpenAPI document and index. */
export interface ControlRoute<Query = object, Body = undefined> {
  id: string
  /** Below the path of a sandbox: the id of the same operation of the whole mock. */
  ofMock?: string
  method: Method
  /** `/_petstore/pets/{id}` */
  path: string
  /** One line, without a full stop. */
  summary: string
  description?: string
  /** What must be up to date before. Default: the state of the sandbox. */
  needs?: 'nothing' | 'journal' | 'stream' | 'suite'
  /** The schema whose properties are the parameters. */
  query?: QueryName
  body?: {
    schema: SchemaName
    optional?: true
    /** Bytes. Default: 1 MiB. */
    limit?: number
    example: JsonValue
  }
  /** By status, without those that all operations have. */
  responses: Readonly<Record<number, RouteResponse>>
  /** Without a reply, the response is 204. */
  handle: (
    call: ControlCall<Query, Body>,
  ) => MockReply | StreamReply | Promise<MockReply | StreamReply> | void
}

type Row<Query extends QueryName, Body extends SchemaName> = Omit<
  ControlRoute<Input<Query, object>, Input<Body, undefined>>,
  'id' | 'method' | 'path' | 'summary' | 'query' | 'body'
> & { query?: Query; body?: ControlRoute['body'] & { schema: Body } }

/** Declares an operation below `/_petstore`. Its handler gets a validated query and body. */
export function route<Query extends QueryName = never, Body extends SchemaName = never>(
  endpoint: `${Method} /${string}`,
  id: string,
  summary: string,
  row: Row<Query, Body>,
): ControlRoute {
  const [method, path = ''] = endpoint.split(' ')
  return {
    id,
    method: method as Method,
    path: path === '/' ? '' : path,
    summary,
    ...row,
  } as unknown as ControlRoute
}

export function response(description: string, schema?: SchemaName): RouteResponse {
  return { description, ...(schema !== undefined && { schema }) }
}

/** Server-Sent Events, or a long body. The adapter cancels the stream when its client or the server closes. */
export interface StreamReply extends Pick<MockReply, 'status' | 'headers'> {
  stream: ReadableStream<Uint8Array>
}

/** Loads something at the first call, and after a failure at the next one. */
export function onceLoaded<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loaded: Promise<Value> | undefined
  return () =>
    (loaded ??= load().catch((error: unknown) => {
      loaded = undefined
      throw error
    }))
}

/** Responds to one request. Never rejects. `isGone`: whether the client has disconnected. */
export type RespondToControl = (
  request: MockRequest,
  isGone?: () => boolean,
) => Promise<MockReply | StreamReply>

/** Headers of each response. Deliberately without CORS: no page of another origin may read it. */
const always = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
} as const

/** Keeps proxies from buffering events. */
const unbuffered = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
} as const

export function json(status: number, value: object, headers?: MockReply['headers']): MockReply {
  return text(status, 'application/json', `${printJson(value, 2)}\n`, headers)
}

export const empty = (headers: MockReply['headers'] = {}): MockReply => ({
  status: 204,
  headers: { ...always, ...headers },
  body: '',
})

export function text(
  status: number,
  type: string,
  body: string,
  headers: MockReply['headers'] = {},
): MockReply {
  return { status, headers: { 'content-type': type, ...always, ...headers }, body }
}

/** A body in pieces, as fast as the client reads them. */
export function streamed(type: string, pieces: readonly string[]): StreamReply {
  const encoder = new TextEncoder()
  const rest = pieces.values()
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      const { value, done } = rest.next()
      if (done === true) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
  })
  return { status: 200, headers: { 'content-type': type, ...always }, stream }
}

export function events(stream: StreamReply['stream']): StreamReply {
  return { status: 200, headers: { ...always, ...unbuffered }, stream }
}

/** The media types of formats, besides JSON. */
export const reportTypes = (names: readonly Format[]): string[] =>
  [...new Set<string>(names.map((name) => formats[name]))].filter(
    (type) => type !== 'application/json',
  )

/** A report in the format of a reporter. The policy of an HTML page allows only the stylesheet of reports. */
export async function report(reporter: Format, body: string): Promise<MockReply> {
  const type = formats[reporter].replace(/^text\/.*/, '$&; charset=utf-8')
  if (reporter !== 'html') return text(200, type, body)
  const { styleHash } = await import('../../../report/style.gen.ts')
  const policy = `default-src 'none'; style-src '${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
  const headers = { 'content-security-policy': policy, 'referrer-policy': 'no-referrer' }
  return text(200, type, body, headers)
}

export function problem(
  status: number,
  message: string,
  headers?: MockReply['headers'],
): MockReply {
  return json(
    status,
    { code: status === 503 ? 'unavailable' : codeOfStatus(status), message, status },
    headers,
  )
}

/** @param reloads how often the mock had to load a sandbox again. */
export function health(reloads?: number): MockReply {
  return json(200, { status: 'ok', reloads })
}

export function readiness(isReady: boolean): MockReply {
  return isReady ? json(200, { status: 'ready' }) : problem(503, 'The mock is not ready.')
}
