import type { Context, Expected, Scenario, Step } from './scenario.ts'

type Header = readonly [name: string, value: string]

/** A request in parts; what is left out is ordinary. */
export interface Parts {
  method?: string
  target?: string
  version?: string
  /** In front of the others. */
  headers?: readonly Header[]
  /** The Authorization header; undefined leaves it out. */
  authorization?: string | undefined
  host?: string | undefined
  body?: string | Buffer
  /** The Content-Length; that of the body by default. */
  length?: string | undefined
}

export const petsPath = '/v1/pets'
/** The pet that is asked for at the end of a conversation, to see whether both sides agree on where they are. */
const lastPetId = 7

/** The bytes of a request. Text of the head is latin1, a byte each; text of the body is UTF-8. */
export function toRequest(context: Context, parts: Parts = {}): Buffer {
  const { method = parts.body === undefined ? 'GET' : 'POST', target = petsPath, version = 'HTTP/1.1' } = parts
  const headers: Header[] = [...(parts.headers ?? [])]
  const host = 'host' in parts ? parts.host : 'x'
  const authorization = 'authorization' in parts ? parts.authorization : `Bearer ${context.key}`
  if (host !== undefined) headers.push(['Host', host])
  if (authorization !== undefined) headers.push(['Authorization', authorization])
  const body = Buffer.from(parts.body ?? '')
  const length = 'length' in parts ? parts.length : parts.body === undefined ? undefined : String(body.length)
  if (length !== undefined) headers.push(['Content-Length', length])
  const head = [`${method} ${target} ${version}`, ...headers.map(([name, value]) => `${name}: ${value}`)]
  return Buffer.concat([latin1(`${head.join('\r\n')}\r\n\r\n`), body])
}

/** A POST with a JSON body. */
export function toCreation(context: Context, body: string | Buffer, parts: Parts = {}): Buffer {
  return toRequest(context, {
    ...parts,
    body,
    headers: [['Content-Type', 'application/json'], ...(parts.headers ?? [])],
  })
}

/** A body that creates a pet. */
export function ordinaryBody(name: string): string {
  return JSON.stringify({ name, categoryId: 1 })
}

export function latin1(text: string): Buffer {
  return Buffer.from(text, 'latin1')
}

/** Requests that are answered one after the other, and a last one that shows that nothing was left over. */
export function answered(context: Context, requests: readonly Buffer[], replies: readonly Expected[]): Scenario {
  return {
    steps: [{ send: Buffer.concat([...requests, lastRequest(context)]) }],
    replies: [...replies, lastReply(context)],
  }
}

/** Bytes that are answered in one of these ways. The connection may end behind the reply, or serve the last request. */
export function answeredOrEnded(context: Context, bytes: Buffer, ...replies: readonly Expected[]): Scenario {
  return {
    steps: [{ send: Buffer.concat([bytes, lastRequest(context)]) }],
    replies: [...replies, { ...lastReply(context), optional: true }],
  }
}

/** Bytes whose end nobody can know: one reply, and whatever follows them is not taken for a request. */
export function refused(bytes: Buffer, statuses: readonly number[], more: readonly Step[] = []): Scenario {
  return { steps: [{ send: bytes }, ...more], replies: [{ method: 'GET', statuses }] }
}

/** The reply to a request that shows the pet with this id from the start. */
export function showsPet(context: Context, id: number): Expected {
  const expected = context.seeded[id - 1]?.text
  return {
    method: 'GET',
    statuses: [200],
    body: (text) => (text === expected ? undefined : `it should show pet ${id}: ${expected}`),
  }
}

/** The reply to a request for so many pets from the start, in the order of creation. */
export function showsPets(context: Context, limit: number, status?: string): Expected {
  const fitting = context.seeded.filter((pet) => status === undefined || pet.status === status)
  const expected = `[${fitting
    .slice(0, limit)
    .map(({ text }) => text)
    .join()}]`
  return {
    method: 'GET',
    statuses: [200],
    body: (text) => (text === expected ? undefined : `it should show ${Math.min(limit, fitting.length)} pets`),
  }
}

export function lastRequest(context: Context): Buffer {
  return toRequest(context, { target: `${petsPath}/${lastPetId}`, headers: [['Connection', 'close']] })
}

export function lastReply(context: Context): Expected {
  return showsPet(context, lastPetId)
}

/** An Error, whatever the method. */
export function isError(...statuses: readonly number[]): Expected {
  return { method: 'GET', statuses }
}
