/** Checks responses, and the pets that must exist. */
import { JsonNumber, type JsonValue, parseJson, printJson } from '../../../src/json.ts'
import {
  converse,
  readResponses,
  type Received,
  type Response,
  type Step,
  valuesOf,
} from './wire.ts'

/** The expectation for a response. */
export interface Expected {
  /** Method of the request. Default: GET. A response to HEAD has no body. */
  method?: string
  /** The statuses that the specification, the RFCs and the documented defaults of the mock allow. */
  statuses: readonly number[]
  /** The initial pets, or the pet with this id, in a body of 200. */
  page?: { limit: number; status?: string }
  pet?: number
  /** The pet in a body of 201. */
  created?: NewPet
  /** Prefix of header names that must be absent. */
  never?: string
  /** The connection may be closed before this response. */
  optional?: true
}

export interface NewPet {
  name: string
  categoryId: bigint
  status?: string | undefined
}

export interface Known {
  port: number
  key: string
  seeded: readonly { text: string; status?: string }[]
  ledger: { confirm: (text: string) => void }
}

/** Traces of an internal error: a stack frame, a source file. */
const trace =
  /\n\s+at |node:internal|\.[jt]s:\d+|\b(?:Type|Range|Reference|Syntax|URI)Error\b|\[object /

export function faultsOfConversation(
  steps: readonly Step[],
  expected: readonly Expected[],
  received: Received,
  known: Known,
): string[] {
  if (received.end === 'rejected') return ['No connection.']
  const abandoned = steps.some((step) => 'abandon' in step)
  const finished = steps.some((step) => 'finish' in step)
  const methods = expected.map(({ method = 'GET' }) => method)
  const { responses, fault } = readResponses(received.bytes, methods)
  const faults: string[] = []
  if (fault !== undefined && !abandoned) faults.push(`It sent ${fault}.`)
  if (received.end === 'time-limit') faults.push('It was not over within the time limit.')
  if (received.end === 'reset') faults.push('The connection was reset.')
  for (const [index, response] of responses.entries()) {
    const wanted = expected[index]
    const wrong = [
      ...faultsOfAny(response, known.key),
      ...(wanted === undefined
        ? ['no request was sent for it']
        : faultsOf(response, wanted, known)),
    ]
    if (response.status === 201) known.ledger.confirm(response.body)
    faults.push(...wrong.map((what) => `Response ${index + 1} (${response.status}): ${what}.`))
  }
  const missing = expected[responses.length]
  if (missing !== undefined && !abandoned && received.end !== 'time-limit') {
    const last = responses.at(-1)
    if (missing.optional !== true)
      faults.push(`Response ${responses.length + 1} of ${expected.length} is missing.`)
    else if (
      last !== undefined &&
      !finished &&
      !/\bclose\b/i.test(valuesOf(last, 'connection').join())
    ) {
      faults.push('The connection was closed without Connection: close.')
    }
  }
  return faults
}

function faultsOfAny(response: Response, key: string): string[] {
  const { status, body, headers } = response
  const head = headers.map((header) => header.join(': ')).join('\n')
  const faults: string[] = []
  if (`${head}\n${body}`.includes(key)) faults.push('it shows the key')
  if (trace.test(head) || trace.test(body)) faults.push('it shows the inside of the mock')
  if (valuesOf(response, 'date').length !== 1)
    faults.push('it has not one Date (RFC 9110 section 6.6.1)')
  if (status === 405 && valuesOf(response, 'allow').length !== 1)
    faults.push('no Allow (RFC 9110 section 15.5.6)')
  if (status < 400 || body === '') return faults
  const [type = ''] = valuesOf(response, 'content-type')
  if (!/^application\/json\s*(;|$)/i.test(type))
    faults.push(`an Error declared as ${JSON.stringify(type)}`)
  const error = parsed(body)
  if (typeof error !== 'object' || error === null || Array.isArray(error))
    return [...faults, 'no JSON object']
  const { code, message, status: shown = null } = error as { [name: string]: JsonValue }
  if (typeof code !== 'string' || code === '') faults.push('the Error has no code')
  if (typeof message !== 'string' || message === '') faults.push('the Error has no message')
  if (shown !== status) faults.push(`the Error has the status ${printJson(shown)}`)
  return faults
}

function faultsOf(
  { status, body, headers }: Response,
  wanted: Expected,
  { seeded }: Known,
): string[] {
  const { statuses, never, method, page, pet, created } = wanted
  const faults: string[] = []
  const isExpected = statuses.includes(status)
  if (!isExpected) faults.push(`the status should be ${statuses.join(' or ')}`)
  if (never !== undefined && headers.some(([name]) => name.startsWith(never)))
    faults.push(`it has a header ${never}...`)
  if (method === 'HEAD') return faults
  if (status >= 400 && body === '') faults.push('there is no Error body')
  if (status !== 200 && status !== 201) return faults
  if (parsed(body) === undefined) return [...faults, 'the body is not JSON']
  if (!isExpected) return faults
  if (page !== undefined && status === 200) {
    const fitting = seeded
      .filter((one) => page.status === undefined || one.status === page.status)
      .slice(0, page.limit)
    if (body !== `[${fitting.map(({ text }) => text).join()}]`)
      faults.push(`it should show ${fitting.length} pets`)
  }
  if (pet !== undefined && status === 200 && body !== seeded[pet - 1]?.text)
    faults.push(`it should show pet ${pet}`)
  if (created !== undefined && status === 201) {
    const shown = readNewPet(Buffer.from(body))
    const isSame =
      created.name === shown?.name &&
      created.categoryId === shown.categoryId &&
      (created.status === undefined || created.status === shown.status)
    if (!isSame) faults.push(`it should show ${printJson({ ...created }).slice(0, 300)}`)
  }
  return faults
}

/** Parses a body according to the specification; undefined if it must be rejected with 400. */
export function readNewPet(bytes: Buffer): NewPet | undefined {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
  const value = parsed(text)
  if (
    typeof value !== 'object' ||
    value === null ||
    Array.isArray(value) ||
    value instanceof JsonNumber
  )
    return undefined
  const own = (name: string): JsonValue | undefined =>
    Object.hasOwn(value, name) ? value[name] : undefined
  const [name, category, status] = [own('name'), own('categoryId'), own('status')]
  if (typeof name !== 'string' || (typeof category !== 'bigint' && !Number.isInteger(category)))
    return undefined
  const categoryId = BigInt(category as number | bigint)
  if (categoryId !== BigInt.asIntN(64, categoryId)) return undefined
  if (status !== undefined && !['available', 'pending', 'sold'].includes(status as string))
    return undefined
  return { name, categoryId, status: status as string | undefined }
}

function parsed(text: string): JsonValue | undefined {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** Pets with this name (as long as Rex) may exist without a 201: their client closed the connection. */
export const doubtfulName = 'Doe'
/** Number of ids above the highest confirmed one that are also requested. */
const beyond = 20

/**
 * Checks that exactly the pets confirmed by a 201 exist, unchanged. The mock starts with the seeded pets, whose ids are
 * 1, 2, 3 and so on.
 */
export function createLedger(port: number, key: string, seeded: readonly string[]) {
  const confirmed = new Map(seeded.map((text, index) => [index + 1, text]))
  const early: string[] = []
  let [highest, audited, bytes] = [seeded.length, 0, 0]
  const keep = (id: number, text: string): void => {
    confirmed.set(id, text)
    highest = Math.max(highest, id)
    bytes += text.length
  }
  return {
    confirm(text: string): void {
      const { id, key } = (parsed(text) ?? {}) as { id?: number; key?: string }
      // A created sandbox of the control API.
      if (key !== undefined) return
      if (!Number.isSafeInteger(id) || id === undefined || id < 1)
        early.push(`A pet was confirmed with an invalid id: ${text.slice(0, 200)}`)
      else if (confirmed.has(id)) early.push(`The id ${id} was given twice: ${text.slice(0, 200)}`)
      else keep(id, text)
    },
    bytes: () => bytes,
    /** Requests the pets since the last audit, or all of them, and adds faults. */
    async audit(which: 'new' | 'all', faults: string[]): Promise<'no response' | 'done'> {
      faults.push(...early.splice(0))
      for (let first = which === 'all' ? 1 : audited + 1; first <= highest + beyond; first += 100) {
        const last = Math.min(first + 99, highest + beyond)
        const pets = await requestPets(port, key, first, last)
        if (pets.length !== last - first + 1) {
          faults.push(`The pets from ${first} on cannot be requested.`)
          return 'no response'
        }
        for (const [index, text] of pets.entries()) {
          const id = first + index
          const promised = confirmed.get(id)
          if (promised === text) continue
          if (promised !== undefined)
            faults.push(
              `Pet ${id} was confirmed as ${promised.slice(0, 200)} and is ${text?.slice(0, 200) ?? 'missing'}`,
            )
          else if ((parsed(text ?? '') as { name?: string }).name === doubtfulName)
            keep(id, text ?? '')
          else faults.push(`This pet was never confirmed: ${text?.slice(0, 200)}`)
        }
      }
      audited = highest
      return 'done'
    },
  }
}

/** The texts of pets in the order of ids; undefined for no pet. Fewer if a response is neither 200 nor 404. */
export async function requestPets(
  port: number,
  key: string,
  first: number,
  last: number,
): Promise<(string | undefined)[]> {
  const requests = Array.from({ length: last - first + 1 }, (_, index) => {
    const close = first + index === last ? 'Connection: close\r\n' : ''
    return `GET /v1/pets/${first + index} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${close}\r\n`
  })
  const { bytes } = await converse(port, [{ send: Buffer.from(requests.join('')) }])
  const { responses } = readResponses(bytes, [])
  return responses
    .filter(({ status }) => status === 200 || status === 404)
    .map(({ status, body }) => (status === 200 ? body : undefined))
}
