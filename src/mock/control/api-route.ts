import type { JsonValue } from '../../json.ts'
import type { MockReply, MockRequest } from '../message.ts'
import type { Sandbox, Sandboxes } from '../sandbox.ts'
import type { ControlStream } from './control.ts'
import type { SchemaName } from './api-schemas.ts'
import type { Scorecard } from './scorecard.ts'
import type { Streams } from './api-stream.ts'

/** What the control API controls. */
export interface Controlled {
  mock: Sandbox & { readonly sandboxes: Sandboxes }
  /** Of the kit. */
  version: string
  /** Whether the mock answers as it should. */
  isReady: () => boolean
  /** Of all worlds. */
  allScorecards: () => Scorecard[]
  /** Writes the state to its file, and tells which; undefined when there is no file. */
  save: (() => Promise<string>) | undefined
  streams: Streams
  /** The table. */
  routes: readonly Route[]
}

/** One request that has found its route. */
export interface Call {
  api: Controlled
  /** The world that the path names. */
  world: Sandbox
  /** Whether that world is still there. */
  isWorldThere: () => boolean
  /** The parameters in the path, decoded. */
  path: Readonly<Record<string, string>>
  query: Readonly<Record<string, string | undefined>>
  headers: MockRequest['headers']
  /** Undefined where the route takes none. */
  body: JsonValue | undefined
}

export type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'

/** A reply, as the OpenAPI document describes it. */
export interface RouteReply {
  description: string
  /** The schema of a JSON body. */
  schema?: SchemaName
  /** Other types of the body. */
  types?: readonly string[]
}

/** A parameter in the query or in a header, as the OpenAPI document describes it. */
export interface RouteParameter {
  name: string
  in?: 'header'
  description: string
  schema: object
}

/** A row of the table: what the router, the OpenAPI document and the index know of an operation. */
export interface Route {
  /** The operationId. */
  id: string
  method: Method
  /** `/_petstore/pets/{id}` */
  path: string
  /** One line, without a full stop. */
  summary: string
  description?: string
  parameters?: readonly RouteParameter[]
  body?: {
    schema: SchemaName
    /** Bytes: 1 MiB by default. */
    limit?: number
    example: JsonValue
  }
  /** By status, those that every operation may answer left out. */
  replies: Readonly<Record<number, RouteReply>>
  handle: (call: Call) => MockReply | ControlStream | Promise<MockReply>
}

/** Where the control API is found. */
export const prefix = '/_petstore'

/** Bytes of a body that the largest operation reads, an import of pets: 64 MiB. */
export const largestBody = 64 * 1_048_576
