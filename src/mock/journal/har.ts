import { version } from '../../spec/version.ts'
import type { JournalEntry } from './entry.ts'

/** An HTTP archive, version 1.2. Names with an underscore are fields of the journal. */
export function toHar(entries: readonly JournalEntry[]) {
  return {
    log: {
      version: '1.2',
      creator: { name: 'petstore-kit', version },
      entries: entries.map(toHarEntry),
    },
  }
}

export function toHarEntry(entry: JournalEntry) {
  const { number, at, durationMs, operation, request, response, reason, rule, fault, bodyDropped } =
    entry
  const isLost = fault === 'reset' || fault === 'silence'
  // Browsers write 0 when there was no response.
  const { status, headers, body } = isLost ? lost : response
  return {
    startedDateTime: at,
    time: durationMs,
    request: {
      method: request.method,
      url: urlOf(request),
      ...message,
      headers: pairsOf(Object.entries(request.headers)),
      queryString: pairsOf(new URLSearchParams(/\?(.*)/s.exec(request.target)?.[1])),
      bodySize: sizeOf(request.body),
      ...(request.body !== '' && {
        postData: {
          mimeType: [request.headers['content-type'] ?? ''].flat().join(','),
          text: request.body,
        },
      }),
    },
    response: {
      status,
      statusText: '',
      ...message,
      headers: pairsOf(Object.entries(headers)),
      content: {
        size: sizeOf(body),
        mimeType: headers['content-type'] ?? '',
        ...(!isLost && (bodyDropped ? { comment: 'The body is no longer kept.' } : { text: body })),
      },
      redirectURL: headers['location'] ?? '',
      bodySize: sizeOf(body),
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

const lost: JournalEntry['response'] = { status: 0, headers: {}, body: '' }

/** Required fields of each message; -1 means unknown. */
const message = { httpVersion: 'HTTP/1.1', cookies: [], headersSize: -1 }

function urlOf({ target, headers: { host } }: JournalEntry['request']): string {
  const origin = typeof host === 'string' && /^[\w.-]+(?::\d+)?$/.test(host) ? host : 'localhost'
  const url = /^https?:\/\//i.test(target)
    ? target
    : `http://${origin}${target.replace(/^(?!\/)/, '/')}`
  return url.replaceAll(/%(?![\da-f]{2})|[^\w.~:/?@!$&'()*+,;=%-]/giu, (character) =>
    encodeURIComponent(character.toWellFormed()),
  )
}

const sizeOf = (text: string): number => new TextEncoder().encode(text).length

function pairsOf(
  entries: Iterable<[name: string, value: string | string[]]>,
): { name: string; value: string }[] {
  return [...entries].flatMap(([name, value]) =>
    [value].flat().map((one) => ({ name, value: one })),
  )
}
