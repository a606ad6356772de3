import type { ServerResponse } from 'node:http'
import type { ClauseId } from '../../../src/spec/clauses.ts'
import type { TwinAnswer } from '../../support/twins/answers.ts'
import type { PetTable } from '../../support/twins/pet-table.ts'
import type { RunningTwin, Time } from '../../support/twins/running-twin.ts'
import type { TwinOptions } from '../../support/twins/settings.ts'
import type { Call } from './call.ts'

/** A server that breaks the contract at exactly one point. */
export interface BrokenServer {
  /** Never reused; `m20-` and the like stand for the number of a mutant in the catalogue of mutation research. */
  id: string
  /** The clauses that may rightly be named; one of them is enough. */
  breaks: readonly ClauseId[]
  /** What a run has to say of it. Default: `violates`. */
  verdict?: 'violates' | 'not-verified'
  /** Its fault is one of connections, which are other than a pair of streams. */
  needsSockets?: true
  /** @param time in which it runs in process, without a socket */
  start(time?: Time): Promise<RunningTwin>
}

/** An answer as bytes. */
export interface Page {
  status: number
  headers: Record<string, string>
  body: Buffer
}

/** Where a fault may sit in a lawful server. Each of them is made anew for each start, with the state that it needs. */
export interface Seams {
  /** What the lawful server around the fault is like. Default: one of several, chosen by the id. */
  shop?: TwinOptions
  /** Whether the fault is one of the connection, which it finds in the call and the response. */
  breaksConnections?: true
  /** The store with a defect. */
  store?: (table: PetTable) => PetTable
  /** What the service is made to hear. */
  hear?: (call: Call) => Call
  /** In place of the service; `serve` is the lawful one. */
  answer?: (call: Call, serve: (call: Call) => TwinAnswer) => TwinAnswer | Promise<TwinAnswer>
  /** What becomes of its answer. */
  say?: (answer: TwinAnswer, call: Call) => TwinAnswer
  /** What becomes of the bytes; undefined when it has dealt with the response itself. */
  write?: (page: Page, call: Call, response: ServerResponse) => Page | undefined
}

export type Row = readonly [id: string, breaks: readonly ClauseId[], fault: (time: Time) => Seams]

export const fault = (...row: Row): Row => row

export const ordinal = (n: number): string => (n === 3 ? '3rd' : `${n}th`)
