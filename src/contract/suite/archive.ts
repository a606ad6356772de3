import { toHarEntry } from '../../report/har.ts'
import { version } from '../../spec/version.ts'
import type { Content, Exchange } from '../http/exchange.ts'
import { tryParse } from '../judge/shapes.ts'
import type { HttpArchive, ReportedExchange } from '../report/report.ts'

/** Characters of all bodies of responses; of later ones, only the size is kept. */
const maxCharacters = 64_000_000
const encoder = new TextEncoder()

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
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [
        name,
        value.replaceAll(`$${keyVariable}`, '[redacted]'),
      ]),
    )
    const { content } = exchange
    const isKept = isComplete(content) && characters + response.body.length <= maxCharacters
    if (isKept) characters += response.body.length
    return toHarEntry({
      startedDateTime: toMicroseconds(startedAt, exchange.sentAt),
      durationMs: exchange.durationMs,
      request: {
        method: request.method,
        url: escapeUrl(request.url),
        headers,
        body: request.body ?? (request.method === 'POST' ? '' : undefined),
      },
      response: {
        status: response.status,
        headers: response.headers,
        content: isKept
          ? { size: encoder.encode(response.body).length, text: response.body }
          : { size: -1, comment: 'The body is not kept.' },
      },
    })
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
  return tryParse(content.text) !== undefined
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
