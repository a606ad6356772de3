import { toHarEntry as toEntry } from '../../report/har.ts'
import { isLost } from '../schemas/faults.ts'
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
  const hasNone = isLost(fault)
  // Browsers write 0 when there was no response.
  const { status, headers, body, bodyCut } = hasNone ? lost : response
  const size = bodyCut ? -1 : sizeOf(body)
  // A part of a body would be sent or judged as if it were the whole.
  const why = bodyDropped ? 'no longer kept' : bodyCut ? 'too long to be kept' : undefined
  const kept = why === undefined ? { text: body } : { comment: `The body is ${why}.` }
  return {
    ...toEntry({
      startedDateTime: at,
      durationMs,
      request: {
        method: request.method,
        url: urlOf(request),
        headers: request.headers,
        body:
          request.bodyCut || (request.body === '' && request.method !== 'POST')
            ? undefined
            : request.body,
        bodySize: request.bodyCut ? -1 : sizeOf(request.body),
      },
      response: {
        status,
        headers,
        content: hasNone ? { size } : { size, ...kept },
        bodySize: size,
      },
    }),
    _number: number,
    _operation: operation,
    _reason: reason,
    _rule: rule,
    _fault: fault,
  }
}

const lost: JournalEntry['response'] = { status: 0, headers: {}, body: '' }

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
