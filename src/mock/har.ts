import { version } from '../spec/version.ts'
import type { JournalEntry } from './journal-entry.ts'

/** An HTTP archive, version 1.2. Names with an underscore are fields of the journal. */
export function toHar(entries: readonly JournalEntry[]) {
  return { log: { version: '1.2', creator: { name: 'petstore-kit', version }, entries: entries.map(toHarEntry) } }
}

function toHarEntry(entry: JournalEntry) {
  const { number, at, durationMs, operation, request, response, reason, rule, fault, bodyDropped } = entry
  const hasNoResponse = fault === 'reset' || fault === 'silence'
  const { 'content-type': type = '' } = response.headers
  return {
    startedDateTime: at,
    time: durationMs,
    request: {
      method: request.method,
      url: urlOf(request),
      ...message,
      headers: pairsOf(request.headers),
      queryString: Array.from(new URLSearchParams(/\?(.*)/s.exec(request.target)?.[1]), ([name, value]) => ({
        name,
        value,
      })),
      bodySize: sizeOf(request.body),
      ...(request.body !== '' && {
        postData: { mimeType: [request.headers['content-type'] ?? ''].flat().join(','), text: request.body },
      }),
    },
    response: {
      // Browsers write 0 when there was no response.
      status: hasNoResponse ? 0 : response.status,
      statusText: '',
      ...message,
      headers: hasNoResponse ? [] : pairsOf(response.headers),
      content: hasNoResponse
        ? { size: 0, mimeType: '' }
        : {
            size: sizeOf(response.body),
            mimeType: type,
            ...(bodyDropped ? { comment: 'The body is no longer kept.' } : { text: response.body }),
          },
      redirectURL: hasNoResponse ? '' : (response.headers['location'] ?? ''),
      bodySize: hasNoResponse ? 0 : sizeOf(response.body),
    },
    cache: {},
    timings: { send: 0, wait: durationMs, receive: 0 },
    _number: number,
    ...(operation !== undefined && { _operation: operation }),
    ...(reason !== undefined && { _reason: reason }),
    ...(rule !== undefined && { _rule: rule }),
    ...(fault !== undefined && { _fault: fault }),
  }
}

/** Required fields of each message; -1 means unknown. */
const message = { httpVersion: 'HTTP/1.1', cookies: [], headersSize: -1 }

function urlOf({ target, headers: { host } }: JournalEntry['request']): string {
  const origin = typeof host === 'string' && /^[\w.-]+(?::\d+)?$/.test(host) ? host : 'localhost'
  const url = /^https?:\/\//i.test(target) ? target : `http://${origin}${target.replace(/^(?!\/)/, '/')}`
  return url.replaceAll(/%(?![\da-f]{2})|[^\w.~:/?@!$&'()*+,;=%-]/giu, (character) =>
    Array.from(
      new TextEncoder().encode(character),
      (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    ).join(''),
  )
}

const sizeOf = (text: string): number => new TextEncoder().encode(text).length

function pairsOf(headers: JournalEntry['request']['headers']): { name: string; value: string }[] {
  return Object.entries(headers).flatMap(([name, value]) => [value].flat().map((one) => ({ name, value: one })))
}
