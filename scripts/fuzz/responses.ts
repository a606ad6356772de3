/** A reply as it came over the wire. */
export interface Reply {
  status: number
  /** Names in lower case. */
  headers: (readonly [name: string, value: string])[]
  body: string
}

/** What came over a connection: final replies, and the reason why the rest is none. */
export interface Received {
  replies: Reply[]
  /** Interim replies: 100 Continue. */
  interim: number
  fault?: string
}

const statusLine = /^HTTP\/1\.1 ([1-5]\d\d) ([\x20-\x7e]*)$/
const field = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x20-\x7e\x80-\xff]*?)[ \t]*$/

/**
 * Reads what a server sent, strictly: no byte may be left over.
 *
 * @param methods those of the requests, in order; GET where there are none.
 */
export function readReplies(bytes: Buffer, methods: readonly string[]): Received {
  const received: Received = { replies: [], interim: 0 }
  let at = 0
  while (at < bytes.length) {
    const end = bytes.indexOf('\r\n\r\n', at)
    if (end === -1) return { ...received, fault: `bytes that are no reply: ${JSON.stringify(sample(bytes, at))}` }
    const head = readHead(bytes.toString('latin1', at, end))
    if (typeof head === 'string') return { ...received, fault: head }
    at = end + 4
    if (head.status < 200) {
      received.interim += 1
      continue
    }
    const length = lengthOf(head, methods[received.replies.length] ?? 'GET')
    if (typeof length === 'string') return { ...received, fault: length }
    if (bytes.length - at < length) {
      return { ...received, fault: `a body of ${bytes.length - at} bytes that should have ${length}` }
    }
    const text = bytes.subarray(at, at + length)
    received.replies.push({ ...head, body: text.toString('utf8') })
    at += length
  }
  return received
}

/** The values of a header. */
export function valuesOf({ headers }: Pick<Reply, 'headers'>, name: string): string[] {
  return headers.filter((header) => header[0] === name).map((header) => header[1])
}

/** Whether a reply says that the connection ends behind it. */
export function saysClose(reply: Reply): boolean {
  return valuesOf(reply, 'connection').some((value) => /(^|[,\s])close($|[,\s])/i.test(value))
}

/** How many final replies have come whole so far. */
export function countReplies(bytes: Buffer, methods: readonly string[]): number {
  return readReplies(bytes, methods).replies.length
}

function readHead(text: string): Omit<Reply, 'body'> | string {
  const [first = '', ...lines] = text.split('\r\n')
  const [, status] = statusLine.exec(first) ?? []
  if (status === undefined) return `a status line that is none: ${JSON.stringify(first.slice(0, 200))}`
  const headers: Reply['headers'] = []
  for (const line of lines) {
    const [, name, value = ''] = field.exec(line) ?? []
    if (name === undefined) return `a header that is none: ${JSON.stringify(line.slice(0, 200))}`
    headers.push([name.toLowerCase(), value])
  }
  return { status: Number(status), headers }
}

/** The bytes of the body. Of the three ways to tell, the mock uses one. */
function lengthOf(head: Omit<Reply, 'body'>, method: string): number | string {
  if (valuesOf(head, 'transfer-encoding').length > 0) return 'a Transfer-Encoding, which nobody asked for'
  const [length, ...more] = valuesOf(head, 'content-length')
  if (more.length > 0) return 'two Content-Lengths'
  if (length !== undefined && !/^\d{1,9}$/.test(length)) return `a Content-Length of ${length}`
  if (method === 'HEAD' || head.status === 204 || head.status === 304) return 0
  return length === undefined ? 'no Content-Length' : Number(length)
}

function sample(bytes: Buffer, at: number): string {
  return bytes.toString('latin1', at, at + 200)
}
