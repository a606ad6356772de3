import type { MockRequest } from '../message.ts'
import { bodyLimit } from '../problems.ts'

/** The body of a request, as far as it could be read. */
export type ReadBody = Pick<MockRequest, 'body' | 'bodyFault'>

/** The plain data of a request. As behind a server, only POST has a body that is read. */
export async function toMockRequest(request: Request, target: string): Promise<MockRequest> {
  const { host, protocol } = new URL(request.url)
  const headers: Record<string, string> = { host }
  for (const [name, value] of request.headers) headers[name] = value
  const read = request.method === 'POST' ? await readRequest(request) : { body: '' }
  return { method: request.method, target, headers, scheme: protocol === 'https:' ? 'https' : 'http', ...read }
}

async function readRequest(request: Request): Promise<ReadBody> {
  // Firefox shows no stream of a request's body; null says that there is none.
  const stream = request.body as ReadableStream<Uint8Array> | null | undefined
  return stream === undefined ? toText([new Uint8Array(await request.arrayBuffer())]) : readBody(stream)
}

/** The text of a body, read as far as the limit and a little beyond. */
export async function readBody(stream: Pick<ReadableStream<Uint8Array>, 'getReader'> | null): Promise<ReadBody> {
  if (stream === null) return { body: '' }
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = stream.getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    // Whatever else comes out of a stream is refused by every fetch.
    if (!ArrayBuffer.isView(next.value)) throw new TypeError('The stream of a body must give bytes: Uint8Array.')
    chunks.push(next.value)
    size += next.value.length
    if (size > bodyLimit) {
      // Whoever fails while it is told to stop has nothing to say to the client.
      reader.cancel().catch(() => {})
      break
    }
  }
  return toText(chunks)
}

/** The text of a body that came in chunks. Bytes that are not UTF-8 are told, and so is a body beyond the limit. */
function toText(chunks: readonly Uint8Array[]): ReadBody {
  const bytes = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.length, 0))
  if (bytes.length > bodyLimit) return { body: '', bodyFault: 'too-large' }
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  try {
    return { body: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch {
    return { body: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), bodyFault: 'not-utf8' }
  }
}
