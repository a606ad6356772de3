import { Buffer, isUtf8 } from 'node:buffer'
import { UsageError } from '../../errors.ts'
import type { JsonValue } from '../../json.ts'
import { isJsonObject, tryParseJson } from '../../validate.ts'
import { readJsonFile } from '../json-file.ts'
import type { Passed } from '../../proxy/forward.ts'
import { notRecorded } from '../../proxy/sanitizer.ts'

/** An exchange of an HTTP archive, and the URL of its request. */
interface ArchivedExchange {
  url: URL
  passed: Passed
  /** False where the list of the request's headers was not recorded, or only in part. */
  hasHeaders: boolean
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
  const { entries, creator, _baseUrl: baseUrl } = fieldsOf(fieldsOf(value)['log'])
  if (!Array.isArray(entries))
    throw new UsageError(
      `${file} is not an HTTP archive (HAR): it has no log with entries. Save one in the network panel of a browser, or with petstore scorecard --har FILE`,
    )
  // The kit replaces the key alone.
  const isExact = fieldsOf(creator)['name'] === 'petstore-kit'
  const exchanges = entries.flatMap((entry) => toExchange(fieldsOf(entry), isExact) ?? [])
  // Browsers leave credentials out of an archive by default: then none of them says that a request had no key.
  const isStripped = exchanges.every(({ passed: { request } }) => !hasCredential(request.headers))
  for (const { passed, hasHeaders } of exchanges)
    if (isStripped || (!hasHeaders && !hasCredential(passed.request.headers)))
      passed.request.headers = { ...passed.request.headers, authorization: notRecorded }
  return {
    exchanges: exchanges.toSorted((one, other) => one.passed.at - other.passed.at),
    baseUrl: typeof baseUrl === 'string' ? baseUrl : undefined,
  }
}

const hasCredential = (headers: object): boolean =>
  'authorization' in headers || 'cookie' in headers

/** Undefined for an entry that is no HTTP request, such as that of a page or a WebSocket. */
function toExchange(entry: Fields, isExact: boolean): ArchivedExchange | undefined {
  const [request, response] = [fieldsOf(entry['request']), fieldsOf(entry['response'])]
  const address = addressOf(request)
  if (!URL.canParse(address)) return undefined
  const url = new URL(address)
  if (!/^https?:$/.test(url.protocol)) return undefined
  // Without a response, browsers write 0.
  const given = Number(response['status'] ?? 0)
  const status = Number.isInteger(given) ? given : 0
  const method = textOf(request['method']).toUpperCase()
  const { headers: sentHeaders, ...sent } = sentOf(request, method, isExact)
  const { authorization = '' } = sentHeaders
  if ('authorization' in sentHeaders && !isExact && isMaskedKey(authorization, status))
    sentHeaders['authorization'] = notRecorded
  const names = listOf(request['headers']).map((header) => textOf(fieldsOf(header)['name']))
  return {
    url,
    // Each request has headers, such as Host. The kit does not list those that its connection adds.
    hasHeaders: isExact || (names.length > 0 && names.every((name) => name !== '')),
    passed: {
      request: {
        method,
        // As it was sent: a URL changes spellings of the path, and leaves out a default port.
        target: address.replace(/^[^/?#]*\/\/[^/?#]*/, '') || '/',
        headers: { host: url.host, ...sentHeaders },
        body: '',
      },
      sent,
      at: timeOf(textOf(entry['startedDateTime'])),
      durationMs: Math.max(0, Number(entry['time'] ?? 0)) || 0,
      ...(status > 0 && {
        response: { status, ...receivedOf(response, method, isExact), isCut: false },
      }),
      isAbandoned: false,
      release() {},
    },
  }
}

/** The URL; some recorders keep its query apart from it, others a fragment, which is never sent. */
function addressOf(request: Fields): string {
  const [address = ''] = textOf(request['url']).split('#')
  const pairs = listOf(request['queryString']).map((pair) => {
    const { name, value } = fieldsOf(pair)
    return `${encodeURIComponent(textOf(name))}=${encodeURIComponent(textOf(value))}`
  })
  return address.includes('?') || pairs.length === 0 ? address : `${address}?${pairs.join('&')}`
}

function sentOf(
  request: Fields,
  method: string,
  isExact: boolean,
): Passed['sent'] & { headers: Headers } {
  const { text, mimeType, encoding } = fieldsOf(request['postData'])
  const { headers, isTypeHidden } = headersOf(request['headers'], isExact)
  const bytes = bytesOf(textOf(text), encoding)
  const type = textOf(mimeType)
  if (isTypeHidden ? type.includes('/') : isJsonType(type)) headers['content-type'] ??= type
  const length = headers['content-length']
  // Browsers record no body that is a file or a stream, and give it the size 0; most other methods have none.
  const isEmpty =
    headers['transfer-encoding'] === undefined &&
    (text === '' || length === '0' || method !== 'POST')
  const isWhole = bytes.length >= Math.max(sizeOf(length), sizeOf(request['bodySize']))
  const isUntyped = isTypeHidden && bytes.length > 0 && headers['content-type'] === undefined
  return { headers, bytes, isPart: !isWhole || isUntyped || (bytes.length === 0 && !isEmpty) }
}

function receivedOf(
  response: Fields,
  method: string,
  isExact: boolean,
): { headers: Headers; body: Passed['sent'] } {
  const { text, mimeType, encoding, size } = fieldsOf(response['content'])
  const { headers, isTypeHidden } = headersOf(response['headers'], isExact)
  const bytes = bytesOf(textOf(text), encoding, sizeOf(size))
  const isJson = tryParseJson(bytes.toString()) !== undefined
  const type = textOf(mimeType)
  if (isTypeHidden)
    headers['content-type'] = type.includes('/') && !isJson ? type : 'application/json'
  else if (isJsonType(type)) headers['content-type'] ??= type
  // The text is usually no longer compressed. Bytes that still are were kept as they came, and a text of them is lost.
  const isCoded = headers['content-encoding'] !== undefined && !isJson && bytes.length > 0
  // A body is optional in an archive: without a text it is unknown, and a shorter text is a part of it, or stands for none.
  const length = headers['content-length']
  // Some recorders drop the text, and keep the bytes that came, which may count the headers.
  const { _transferSize: transferSize } = response
  const transferred = sizeOf(transferSize) - Math.max(0, sizeOf(response['headersSize']))
  const came = length === '0' ? 0 : Math.max(sizeOf(response['bodySize']), transferred)
  const isBodiless = method === 'HEAD' || response['status'] === 204
  const isKept =
    typeof text === 'string' &&
    bytes.length >= sizeOf(size) &&
    (text !== '' || isBodiless || (sizeOf(length) === 0 && came <= 0)) &&
    !(isCoded && isUtf8(bytes))
  for (const name of ['content-length', 'transfer-encoding']) delete headers[name]
  if (!isCoded) delete headers['content-encoding']
  return { headers, body: { bytes, isPart: !isKept } }
}

const isJsonType = (type: string): boolean => /^application\/json\s*(?:;|$)/i.test(type)

/** The bytes of a text. Some recorders say base64 of plain text, and others do not say it, but give the size of the bytes. */
function bytesOf(text: string, encoding: JsonValue | undefined, size = 0): Buffer {
  const plain = Buffer.from(text)
  const code = text.replaceAll(/[\r\n]/g, '')
  if (code === '' || code.length % 4 > 0 || !/^[\w+/-]*={0,2}$/.test(code)) return plain
  const bytes = Buffer.from(code, 'base64')
  if (encoding === 'base64') return bytes
  const isJson = /^\s*[[{]/.test(bytes.toString()) && tryParseJson(bytes.toString()) !== undefined
  return isJson && size !== text.length ? bytes : plain
}

/** What tools that clean archives write instead of a value. */
const mask =
  /^[^a-z\d]*(?:redacted|removed|masked|filtered|hidden|stripped|sanitized|sanitised|scrubbed|censored|omitted|obfuscated|anonymized|anonymised|deleted|value)[^a-z\d]*$|^\*{3,}$|^x{3,}$|^[•●█…]+$/i

/**
 * Whether a header does not show the credentials of its request: it is empty, a mask, or holds characters that no token has. Nor does one without the scheme, where the response is a success: such a request may have been masked as a whole.
 */
function isMaskedKey(value: string, status: number): boolean {
  const token = /^\s*Bearer\s+(\S[^]*)$/i.exec(value)?.[1]
  const isSuccess = status >= 200 && status < 300
  return (
    (token === undefined && isSuccess) ||
    /^\s*(?:Bearer\s*)?$/i.test(value) ||
    mask.test((token ?? value).trim()) ||
    /[*•●█…]|\.{3}/.test(value)
  )
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

/**
 * In lower case; those of one name are joined. Names with a colon are part of HTTP/2, and a masked value is not known. The
 * media type is hidden where its header is masked, or where no header was recorded: it does not show that there was none.
 */
function headersOf(
  value: JsonValue | undefined,
  isExact: boolean,
): { headers: Headers; isTypeHidden: boolean } {
  const found = new Map<string, string>()
  const hidden = new Set<string>()
  for (const header of listOf(value)) {
    const { name, value: text } = fieldsOf(header)
    const key = textOf(name).toLowerCase()
    if (key === '' || key.startsWith(':')) continue
    const shown = textOf(text)
    const isHidden = !isExact && (shown.trim() === '' || mask.test(shown.trim()))
    if (isHidden && key !== 'authorization') hidden.add(key)
    else found.set(key, found.has(key) ? `${found.get(key)}, ${shown}` : shown)
  }
  const headers: Headers = Object.fromEntries(found)
  const isBare = Object.keys(headers).length === 0
  return { headers, isTypeHidden: isBare || hidden.has('content-type') }
}

type Headers = Record<string, string>
