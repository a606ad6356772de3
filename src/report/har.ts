/** The parts of HTTP archives (HAR 1.2) that the journal of a mock and the log of a run share. */

/** A request and its response, with what is unknown left out. */
interface HarExchange {
  /** An ISO date. */
  startedDateTime: string
  durationMs: number
  /** `url` has only characters that a URL may have. Readers take no body for an unknown one, and an empty one for none. */
  request: HarMessage & { method: string; url: string; body: string | undefined }
  response: HarMessage & {
    status: number
    /** `size` in bytes; a comment stands for a body that is not kept. */
    content: { size: number; text: string } | { size: number; comment: string } | { size: number }
  }
}

interface HarMessage {
  headers: Readonly<Record<string, string | string[]>>
  /** In bytes. */
  bodySize?: number
}

/** Required fields of each message; -1 means unknown. */
const message = { httpVersion: 'HTTP/1.1', cookies: [], headersSize: -1 }

export function toHarEntry({ startedDateTime, durationMs, request, response }: HarExchange) {
  const { method, url, body } = request
  const { status, content } = response
  return {
    startedDateTime,
    time: durationMs,
    request: {
      method,
      url,
      ...message,
      headers: pairsOf(Object.entries(request.headers)),
      queryString: pairsOf(new URLSearchParams(/\?(.*)/s.exec(url)?.[1])),
      bodySize: request.bodySize ?? -1,
      ...(body !== undefined && {
        postData: { mimeType: headerOf(request, 'content-type'), text: body },
      }),
    },
    response: {
      status,
      statusText: '',
      ...message,
      headers: pairsOf(Object.entries(response.headers)),
      content: { ...content, mimeType: headerOf(response, 'content-type') },
      redirectURL: headerOf(response, 'location'),
      bodySize: response.bodySize ?? -1,
    },
    cache: {},
    timings: { send: 0, wait: durationMs, receive: 0 },
  }
}

const headerOf = ({ headers }: HarMessage, name: string): string =>
  [headers[name] ?? ''].flat().join(',')

function pairsOf(
  entries: Iterable<[name: string, value: string | string[]]>,
): { name: string; value: string }[] {
  return [...entries].flatMap(([name, value]) =>
    [value].flat().map((one) => ({ name, value: one })),
  )
}
