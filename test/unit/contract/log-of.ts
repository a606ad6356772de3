import type { Exchange, Plan } from '../../../src/contract/http/exchange.ts'
import { Log } from '../../../src/contract/judge/run-log.ts'
import { toExchange } from './exchange.ts'

/** A request, its response, and what the suite knows of the request. `at` is a time of the run. Default: 10 ms after the one before. */
export type Row = [
  request: string,
  status: number,
  body?: unknown,
  plan?: Partial<Plan> & { at?: number; purpose?: string; headers?: Record<string, string> },
]

/** The names of the run in the tests begin with `Petkit`. */
const names = {
  owns: (name: string | null) => name?.startsWith('Petkit') === true,
  repeated: undefined,
}

/** Creates a log as a run does, from literals. */
export function logOf(...rows: readonly Row[]): Log {
  const log = new Log(names)
  for (const row of rows) addTo(log, row)
  return log
}

export function addTo(log: Log, [request, status, body, more = {}]: Row): Exchange {
  const { at, purpose, headers = {}, ...plan } = more
  const sentAt = at ?? 10 * log.exchanges.length
  const exchange = toExchange(request, status, body, { sentAt })
  const pet = /^GET \/pets\/(\d+)$/.exec(request)?.[1]
  const known = pet !== undefined && log.catalog.of(Number(pet)).length > 0 && { pet: Number(pet) }
  const sent: Exchange = {
    ...exchange,
    ...(purpose !== undefined && { purpose }),
    headers: { ...exchange.headers, ...headers },
    plan: { ...exchange.plan, ...known, ...plan },
  }
  log.add(sent)
  return sent
}

/** A creation that must succeed, and one that must be rejected. */
export const creating = (name: string) => ({ creation: { names: [name], mustFail: false } })
export const invalid = (name: string) => ({ creation: { names: [name], mustFail: true } })
