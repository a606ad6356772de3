import { Buffer } from 'node:buffer'
import { UsageError } from '../../errors.ts'
import type { JsonValue } from '../../json.ts'
import { isJsonObject } from '../../validate.ts'
import { readJsonFile } from '../json-file.ts'
import type { Passed } from '../../proxy/forward.ts'

/** An exchange of an HTTP archive, and the URL of its request. */
interface ArchivedExchange {
  url: URL
  passed: Passed
}

type Fields = Readonly<Record<string, JsonValue>>

const fieldsOf = (value: JsonValue | undefined): Fields => (isJsonObject(value) ? value : {})
const listOf = (value: JsonValue | undefined): JsonValue[] => (Array.isArray(value) ? value : [])
const textOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '')

/**
 * Reads an HTTP archive (HAR 1.2), as browsers, proxies, `petstore verify --log` and `petstore scorecard --har` write it, in the order of time.
 *
 * @throws {UsageError} when the file is no HTTP archive
 */
export async function readArchive(
  file: string,
): Promise<{ exchanges: ArchivedExchange[]; baseUrl: string | undefined }> {
  const { value } = await readJsonFile(file, 'an HTTP archive')
  const { entries, _baseUrl: baseUrl } = fieldsOf(fieldsOf(value)['log'])
  if (!Array.isArray(entries))
    throw new UsageError(
      `${file} is not an HTTP archive (HAR): it has no log with entries. Save one in the network panel of a browser, or with petstore scorecard --har FILE`,
    )
  const exchanges = entries.flatMap((entry) => toExchange(fieldsOf(entry)) ?? [])
  // Browsers leave credentials out of an archive by default: then none of them says that a request had no key.
  const isStripped = exchanges.every(({ passed: { request } }) => !hasCredential(request.headers))
  for (const { passed } of isStripped ? exchanges : [])
    passed.request.headers = { ...passed.request.headers, authorization: 'Bearer [redacted]' }
  return {
    exchanges: exchanges.toSorted((one, other) => one.passed.at - other.passed.at),
    baseUrl: typeof baseUrl === 'string' ? baseUrl : undefined,
  }
}

const hasCredential = (headers: object): boolean =>
  'authorization' in headers || 'cookie' in headers

/** Undefined for an entry that is no HTTP request, such as that of a page or a WebSocket. */
function toExchange(entry: Fields): ArchivedExchange | undefined {
  const [request, response] = [fieldsOf(entry['request']), fieldsOf(entry['response'])]
  const address = textOf(request['url'])
  if (!URL.canParse(address)) return undefined
  const url = new URL(address)
  if (!/^https?:$/.test(url.protocol)) return undefined
  const method = textOf(request['method'])
  const at = timeOf(textOf(entry['startedDateTime']))
  const { text: sent } = fieldsOf(request['postData'])
  const sentHeaders = headersOf(request['headers'])
  // Browsers record no body that is a file or a stream, and give it the size 0; most other methods have none.
  const isAnnounced =
    sizeOf(sentHeaders['content-length']) > 0 || sentHeaders['transfer-encoding'] !== undefined
  const isSentKnown =
    textOf(sent) !== '' ||
    (!isAnnounced && (sent === '' || sentHeaders['content-length'] === '0' || method !== 'POST'))
  const content = fieldsOf(response['content'])
  const status = Number(response['status'] ?? 0)
  const headers = headersOf(response['headers'])
  const type = textOf(content['mimeType'])
  // Each response has headers: where there are none, they were left out, except for the media type.
  if (Object.keys(headers).length === 0)
    headers['content-type'] = type.includes('/') ? type : 'application/json'
  const text = textOf(content['text'])
  const coding = textOf(content['encoding']) === 'base64' ? 'base64' : 'utf8'
  const bytes = Buffer.from(text, coding)
  // A body is optional in an archive: without a text it is unknown, and a shorter text is a part of it, or stands for none.
  const isKept =
    typeof content['text'] === 'string' &&
    bytes.length >= sizeOf(content['size']) &&
    (text !== '' || sizeOf(headers['content-length']) === 0 || method === 'HEAD')
  // The text is no longer compressed.
  for (const name of ['content-encoding', 'content-length', 'transfer-encoding'])
    delete headers[name]
  return {
    url,
    passed: {
      request: {
        method,
        // As it was sent: a URL changes spellings of the path, and leaves out a default port.
        target: address.replace(/^[^/?#]*\/\/[^/?#]*/, '') || '/',
        headers: { host: url.host, ...sentHeaders },
        body: '',
      },
      sent: { bytes: Buffer.from(textOf(sent)), isPart: !isSentKnown },
      at,
      durationMs: Math.max(0, Number(entry['time'] ?? 0)) || 0,
      // Without a response, browsers write 0.
      ...(status > 0 && {
        response: {
          status,
          headers,
          body: { bytes, isPart: !isKept },
          isCut: false,
        },
      }),
      isAbandoned: status <= 0,
      release() {},
    },
  }
}

const sizeOf = (value: JsonValue | undefined): number => Number(value ?? 0) || 0

/**
 * The base URL to which an archive has requests for pets: the only one, or the only one with the version segment `/v1`,
 * since a page of the front end may be called /pets, too. A base URL that a client ended in a slash is the same one.
 *
 * @throws {UsageError} when there are none or several
 */
export function baseUrlOf(exchanges: readonly { url: URL }[], file: string): string {
  const found = new Set(
    exchanges.flatMap(({ url: { origin, pathname } }) => {
      const [, base] = /^(.*)\/pets(?:\/[^/]*)?$/.exec(pathname.replaceAll(/\/{2,}/g, '/')) ?? []
      return base === undefined ? [] : [origin + base]
    }),
  )
  const versioned = [...found].filter((baseUrl) => baseUrl.endsWith('/v1'))
  const [first, other] = versioned.length > 0 ? versioned : found
  if (first === undefined)
    throw new UsageError(`${file} has no request to /pets; give the base URL with --base-url`)
  if (other === undefined) return first
  throw new UsageError(
    `${file} has requests to several deployments; give one with --base-url: ${[...found].slice(0, 5).join(', ')}`,
  )
}

/** In milliseconds, with what a text has beyond them: it decides which of two requests came first. */
function timeOf(text: string): number {
  const [, beyond = ''] = /\.\d{3}(\d+)/.exec(text) ?? []
  return (Date.parse(text) || 0) + Number(`0.${beyond}`)
}

/** In lower case; those of one name are joined. Names with a colon are part of HTTP/2. */
function headersOf(value: JsonValue | undefined): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const header of listOf(value)) {
    const { name, value: text } = fieldsOf(header)
    const key = textOf(name).toLowerCase()
    if (key === '' || key.startsWith(':')) continue
    headers[key] = key in headers ? `${headers[key]}, ${textOf(text)}` : textOf(text)
  }
  return headers
}
