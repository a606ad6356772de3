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

/** Undefined for an entry without a URL, such as that of a page. */
function toExchange(entry: Fields): ArchivedExchange | undefined {
  const [request, response] = [fieldsOf(entry['request']), fieldsOf(entry['response'])]
  const address = textOf(request['url'])
  if (!URL.canParse(address)) return undefined
  const url = new URL(address)
  const at = timeOf(textOf(entry['startedDateTime']))
  const sent = textOf(fieldsOf(request['postData'])['text'])
  const content = fieldsOf(response['content'])
  const status = Number(response['status'] ?? 0)
  const headers = headersOf(response['headers'])
  // The text is no longer compressed.
  for (const name of ['content-encoding', 'content-length', 'transfer-encoding'])
    delete headers[name]
  const text = content['text']
  const isKept = typeof text === 'string' || !(Number(content['size'] ?? 0) > 0)
  const coding = textOf(content['encoding']) === 'base64' ? 'base64' : 'utf8'
  return {
    url,
    passed: {
      request: {
        method: textOf(request['method']),
        target: address.slice(url.origin.length),
        headers: { host: url.host, ...headersOf(request['headers']) },
        body: '',
      },
      sent: { bytes: Buffer.from(sent), isPart: false },
      at,
      durationMs: Math.max(0, Number(entry['time'] ?? 0)) || 0,
      // Without a response, browsers write 0.
      ...(status > 0 && {
        response: {
          status,
          headers,
          body: { bytes: Buffer.from(textOf(text), coding), isPart: !isKept },
          isCut: false,
        },
      }),
      isAbandoned: status <= 0,
      release() {},
    },
  }
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
