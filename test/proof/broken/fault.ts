import type { ServerResponse } from 'node:http'
import type { RequirementId } from '../../../src/spec/requirements.ts'
import type { VariantResponse } from '../../support/variants/responses.ts'
import type { PetTable } from '../../support/variants/pet-table.ts'
import type { RunningVariant, Time } from '../../support/variants/running-variant.ts'
import type { VariantOptions } from '../../support/variants/settings.ts'
import type { Call } from './call.ts'

/** A server that violates the contract at exactly one point. */
export interface BrokenServer {
  /** Never reused. A prefix such as `m20-` is the number of a mutant in the catalog of mutation research. */
  id: string
  /** The violated requirements; a run must report at least one of them. */
  breaks: readonly RequirementId[]
  /** The expected verdict. Default: `violates`. */
  verdict?: 'violates' | 'not-verified'
  /** The fault depends on real connections, which differ from a pair of streams. */
  needsSockets?: true
  /** @param time the clock for a run in process, without a socket */
  start(time?: Time): Promise<RunningVariant>
}

/** A serialized response. */
export interface Page {
  status: number
  headers: Record<string, string>
  body: Buffer
}

/** The seams of a conforming server for faults. They are created for each start, with their state. */
export interface Seams {
  /** The options of the conforming server. Default: one of several, chosen by the id. */
  shop?: VariantOptions
  /** Whether the fault breaks connections, through the socket of the call or the response. */
  breaksConnections?: true
  /** Wraps the store. */
  store?: (table: PetTable) => PetTable
  /** Changes the request before the service. */
  hear?: (call: Call) => Call
  /** Replaces the service; `serve` is the conforming one. */
  respond?: (
    call: Call,
    serve: (call: Call) => VariantResponse,
  ) => VariantResponse | Promise<VariantResponse>
  /** Changes the response of the service. */
  say?: (reply: VariantResponse, call: Call) => VariantResponse
  /** Changes the serialized response; undefined if it has handled the response itself. */
  write?: (page: Page, call: Call, response: ServerResponse) => Page | undefined
}

export type Row = readonly [
  id: string,
  breaks: readonly RequirementId[],
  fault: (time: Time) => Seams,
]

export const fault = (...row: Row): Row => row

export const ordinal = (n: number): string => (n === 3 ? '3rd' : `${n}th`)
