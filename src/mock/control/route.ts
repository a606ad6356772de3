import type { JsonValue } from '../../json.ts'
import type { MockReply, MockRequest } from '../message.ts'
import type { Sandbox, Sandboxes } from '../types.ts'
import type { SchemaName } from './api-schemas.ts'
import type { QueryName } from './input-schemas.ts'
import type { StreamReply } from './reply.ts'
import type { Runs, Suite } from './runs.ts'
import type { Scorecard } from '../scorecard/types.ts'

/**
 * Carries out a call where other mocks share the sandboxes.
 *
 * @param isKeyed whether it was sent with the key of the sandbox, which creates it.
 */
export type SharedControl = (route: Route, call: Call, isKeyed: boolean) => Promise<MockReply | StreamReply>

/** What the control API needs. */
export interface ControlOptions {
  mock: Sandbox & { readonly sandboxes: Sandboxes }
  /** The address on which the mock listens. */
  host: string
  /** Required in each request as `Authorization: Bearer TOKEN`; the path of a sandbox takes its key, too. Default: none, which only a loopback host allows. */
  token?: string | undefined
  /** Names and addresses, without a port, accepted in the Host header besides loopback and `host`. Default: none. */
  allowedHosts?: readonly string[]
  /** The text of the OpenAPI document of the service. */
  readInterface: () => Promise<string>
  /** Writes the state and returns the name of its file. Absent without a file. */
  save?: (() => Promise<string>) | undefined
  /** Loads the contract suite, for runs. Default: no runs. */
  suite?: (() => Promise<Suite>) | undefined
  /** The base URL of the interface, for runs of the suite. Default: none. */
  baseUrl?: () => string
  /** The deployment to which a proxy passes requests on: then there is only what its journal has. Default: none. */
  proxyOf?: string
  /** The scorecards of all sandboxes. */
  allScorecards: () => Promise<Scorecard[]>
  /** Responds with the files of the console, by target. Default: there is no console. */
  respondConsole?: ((target: string) => Promise<MockReply>) | undefined
  /** The version of the kit. */
  version: string
  /** Awaited before the first response: loads what the settings may name. Default: nothing. */
  prepare?: () => Promise<void>
  /** Carries out calls where other mocks share the sandboxes. */
  shared?: SharedControl | undefined
  /** How often the engine of a shared mock has lost what a sandbox had. */
  reloads?: () => number
  /** Another text in each mock that is started. Default: a random one. */
  instance?: string
  /** Whether the mock is ready. Default: always. */
  isReady?: () => boolean
  /** What is counted, in the text format of Prometheus. Default: nothing. */
  metrics?: (isReady: boolean) => string
}

/** What the control API controls: its options with their defaults, and the runs of the suite, where there is one. */
export type Controlled = ControlOptions &
  Required<Pick<ControlOptions, 'instance' | 'isReady' | 'baseUrl' | 'metrics'>> & {
    runs: { runs: Runs; suite: () => Promise<Suite> } | undefined
  }

/** A request that matches a route: its query and body fit their schemas. */
export interface Call<Query = object, Body = undefined> {
  api: Controlled
  /** All routes of the table. */
  routes: readonly Route[]
  /** Of the request. */
  headers: MockRequest['headers']
  /** Keeps the sandbox up to date while a stream shows it, where other mocks share it. Returns what ends that. */
  watch?: () => () => void
  /** Open streams, each with its sandbox. */
  streams: Map<object, Sandbox>
  /** The sandbox that the path names; the mock itself when the path names none. */
  sandbox: Sandbox
  /** Whether that sandbox still exists. */
  isThere: () => boolean
  /** The parameters in the path, decoded. */
  path: Readonly<Record<string, string>>
  query: Query
  body: Body
}

type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'

/** A response, as the OpenAPI document describes it. */
export interface RouteResponse {
  description: string
  /** The schema of a JSON body. */
  schema?: SchemaName
  /** Other media types of the body. */
  types?: readonly string[]
}

/** A row of the table: router, validation, OpenAPI document and index derive from it. */
export interface Route<Query = object, Body = undefined> {
  /** The operationId. */
  id: string
  method: Method
  /** `/_petstore/pets/{id}` */
  path: string
  /** One line, without a full stop. */
  summary: string
  description?: string
  /** The schema of the query: its properties are the parameters. */
  query?: QueryName
  body?: {
    schema: SchemaName
    optional?: true
    /** Bytes. Default: 1 MiB. */
    limit?: number
    example: JsonValue
  }
  /** By status, without those that every operation has. */
  responses: Readonly<Record<number, RouteResponse>>
  handle: (call: Call<Query, Body>) => MockReply | StreamReply | Promise<MockReply>
}

/**
 * Declares a row. Its handler sees a typed query and body, which the app has validated.
 *
 * @param endpoint the method, and the path below `/_petstore`.
 */
export function route<Body = undefined, Query = object>(
  endpoint: `${Method} /${string}`,
  id: string,
  summary: string,
  row: Omit<Route<Query, Body>, 'id' | 'method' | 'path' | 'summary'>,
): Route {
  const [method, path = ''] = endpoint.split(' ')
  return { id, method: method as Method, path: path === '/' ? '' : path, summary, ...row } as unknown as Route
}

/** A response with a JSON body, or without a body. */
export function response(description: string, schema?: SchemaName): RouteResponse {
  return { description, ...(schema !== undefined && { schema }) }
}
