import { parseJson } from '../../json.ts'
import { version } from '../../spec/version.ts'
import type { Content, Exchange } from '../http/exchange.ts'
import type { HttpArchive, ReportedExchange } from '../report/report.ts'

/** Characters of all bodies of responses; of later ones, only the size is kept. */
const maxCharacters = 64_000_000

/** Required fields of each message; -1 means unknown. */
const message = { httpVersion: 'HTTP/1.1', cookies: [], headersSize: -1, bodySize: -1 }

/**
 * Writes exchanges as an HTTP archive, in the order in which they were sent.
 *
 * @param print removes secrets, and keeps bodies whole
 */
export function toArchive(
  exchanges: readonly Exchange[],
  { baseUrl, keyVariable }: { baseUrl: string; keyVariable: string },
  startedAt: Date,
  print: (exchange: Exchange) => ReportedExchange,
): HttpArchive {
  let characters = 0
  const toEntry = (exchange: Exchange): object => {
    const { request, response } = print(exchange)
    // To a reader, the name of a variable would be a client without a key.
    const headers = Object.entries(request.headers).map(
      ([name, value]) => [name, value.replaceAll(`$${keyVariable}`, '[redacted]')] as const,
    )
    const { content } = exchange
    const isKept = isComplete(content) && characters + response.body.length <= maxCharacters
    if (isKept) characters += response.body.length
    const mimeType = exchange.headers['content-type'] ?? ''
    const size = content.kind === 'empty' ? 0 : content.size
    return {
      startedDateTime: toMicroseconds(startedAt, exchange.sentAt),
      time: exchange.durationMs,
      request: {
        method: request.method,
        url: escapeUrl(request.url),
        ...message,
        headers: pairsOf(headers),
        queryString: pairsOf(new URLSearchParams(/\?(.*)/s.exec(request.url)?.[1])),
        ...(request.body !== undefined && {
          postData: { mimeType: request.headers['content-type'] ?? '', text: request.body },
        }),
      },
      response: {
        status: response.status,
        statusText: '',
        ...message,
        headers: pairsOf(Object.entries(response.headers)),
        content: {
          size,
          mimeType,
          ...(isKept ? { text: response.body } : { comment: 'The body is not kept.' }),
        },
        redirectURL: response.headers['location'] ?? '',
      },
      cache: {},
      timings: { send: 0, wait: exchange.durationMs, receive: 0 },
    }
  }
  const inOrder = exchanges.toSorted((one, other) => one.sentAt - other.sentAt)
  return {
    log: {
      version: '1.2',
      creator: { name: 'petstore-kit', version },
      entries: inOrder.map(toEntry),
      _baseUrl: baseUrl,
    },
  }
}

/** Whether the text of a body is the whole body: long ones are not kept, nor bytes that are no text. */
function isComplete(content: Content): boolean {
  if (content.kind === 'empty') return true
  if (content.kind !== 'json') return new TextEncoder().encode(content.text).length === content.size
  try {
    parseJson(content.text)
    return true
  } catch {
    return false
  }
}

/** Milliseconds would not show which of two requests came first. */
function toMicroseconds(startedAt: Date, sentAt: number): string {
  const whole = Math.floor(sentAt)
  const rest = Math.floor((sentAt - whole) * 1_000)
  return new Date(startedAt.getTime() + whole)
    .toISOString()
    .replace('Z', `${String(rest).padStart(3, '0')}Z`)
}

const escapeUrl = (url: string): string =>
  url.replaceAll(/[^\u{21}-\u{7e}]/gu, (character) => encodeURIComponent(character.toWellFormed()))

const pairsOf = (
  values: Iterable<readonly [name: string, value: string]>,
): { name: string; value: string }[] => [...values].map(([name, value]) => ({ name, value }))
