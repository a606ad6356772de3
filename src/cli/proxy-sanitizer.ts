import { decode, decompress, nameIn, tooLong, unjudged } from '../contract/response-body.ts'
import type { Content } from '../contract/exchange.ts'
import type { JsonValue } from '../json.ts'
import type { MockRequest } from '../mock/message.ts'
import { credentialsOf, isSecretName, unsetWords } from '../report/credentials.ts'
import { createRedactor, type Redact } from '../report/redact.ts'
import { operations } from '../spec/operations.ts'
import { type Copied, maxCopied } from './proxy-forward.ts'
import { cleanOrigin, hidden, pick, requestRules, responseRules, unknown } from './proxy-headers.ts'

/**
 * Sanitizes what a proxy keeps. It is an allow-list: only headers, parameters, paths and fields of the interface are
 * kept, and credentials in them are redacted in every spelling.
 */

type Headers = MockRequest['headers']

/** Known credentials of earlier requests; responses may repeat them. */
const maxCredentials = 20
const maxKeys = 1_000

/** Learns the credentials of a proxy's clients, and redacts them from everything that is kept. */
export class Sanitizer {
  readonly #basePath: string
  #credentials: readonly string[] = []
  readonly #names = new Map<string, string>()
  #redact: Redact | undefined

  constructor(basePath: string) {
    this.#basePath = basePath
  }

  learn(request: MockRequest): void {
    const own = credentialsOf(request).filter((credential) => !schemes.test(credential))
    if (own.every((credential) => this.#credentials.includes(credential))) return
    const earlier = this.#credentials.filter((credential) => !own.includes(credential))
    this.#credentials = [...earlier.slice(-maxCredentials), ...own]
    this.#redact = undefined
  }

  redact(text: string): string {
    if (this.#credentials.length === 0 || text === '') return text
    this.#redact ??= createRedactor({ [hidden]: this.#credentials })
    return this.#redact(text)
  }

  /** A placeholder for the bearer token of a request, such as `key-1`; undefined without one. */
  keyOf({ authorization }: Headers): string | undefined {
    const [, token] = (typeof authorization === 'string' && /^\s*Bearer\s+(\S+)\s*$/i.exec(authorization)) || []
    if (token === undefined || isNoKey(token)) return undefined
    const known = this.#names.get(token)
    if (known !== undefined || this.#names.size >= maxKeys) return known
    const name = `key-${this.#names.size + 1}`
    this.#names.set(token, name)
    return name
  }

  /** The request target: paths and parameters of the interface, and plain words. */
  target(target: string): string {
    const [path = '', ...query] = target.split('?')
    const own = path === this.#basePath || path.startsWith(`${this.#basePath}/`)
    const rest = own ? path.slice(this.#basePath.length) : path
    const parameters = query.join('?').split('&').map(cleanParameter)
    const search = query.length === 0 ? '' : `?${parameters.join('&')}`
    return this.redact((own ? this.#basePath : '') + rest.split('/').map(cleanSegment).join('/')) + this.redact(search)
  }

  requestHeaders(headers: Headers): Record<string, string> {
    const { authorization } = headers
    return {
      ...(authorization !== undefined && { authorization: this.#authorization(headers) }),
      ...pick(headers, requestRules),
    }
  }

  responseHeaders(headers: Headers, { origin }: Headers): Record<string, string> {
    return pick(headers, {
      ...responseRules,
      location: (value) => this.#location(value),
      'access-control-allow-origin': (value) => (value === '*' ? '*' : value === origin ? cleanOrigin(value) : unknown),
    })
  }

  /** The body of a request. Whether a server decodes content codings is unspecified. */
  sent(body: Copied, headers: Headers): Content {
    return isPlain(headers) || body.bytes.length === 0
      ? this.#body(body, kindOf)
      : unread(body.bytes, 'it is in a content coding', unknown)
  }

  received(body: Copied, headers: Headers): Content {
    if (isPlain(headers)) return this.#body(body, noJson)
    const coding = String(headers['content-encoding'])
    // A client may accept codings that the kit cannot decode.
    if (body.isPart || !/^(?:[\s,]|x-gzip|gzip|deflate|br|identity)*$/i.test(coding)) {
      return unread(body.bytes, 'it is in a content coding that the proxy does not read, or too large')
    }
    const bytes = decompress(body.bytes, coding)
    if (typeof bytes !== 'string') return this.#body({ bytes, isPart: bytes.length > maxCopied }, noJson)
    if (bytes.startsWith(tooLong)) return unread(body.bytes, bytes)
    return { kind: 'broken', text: '', problem: bytes, size: body.bytes.length }
  }

  /** @param describe makes the placeholder of a body that is not JSON */
  #body({ bytes, isPart }: Copied, describe: (bytes: Buffer) => string): Content {
    if (isPart) {
      return { ...unjudged(bytes, 'it is larger than 512 KiB, or too many bodies passed at once'), text: '' } as Content
    }
    const content = decode(bytes)
    if (content.kind === 'empty') return content
    // What is not JSON does not belong to the interface; its kind is enough.
    if (content.kind !== 'json') {
      const nameOf = (quoted: string): string => (fields.has(quoted.slice(1, -1)) ? quoted : unknown)
      return { ...content, text: describe(bytes), problem: content.problem.replace(/"[^]*"(?= twice$)/, nameOf) }
    }
    // The whole, since the text of a long one is cut.
    const whole = bytes.toString()
    const text = this.redact(isOfInterface(content.value) ? whole : cleanJson(whole))
    const cleaned = text === whole ? content : decode(Buffer.from(text))
    return cleaned.kind === 'json' ? cleaned : unread(bytes, 'it contains a credential that cannot be removed', unknown)
  }

  #authorization(headers: Headers): string {
    const values = [headers['authorization'] ?? ''].flat()
    if (values.length > 1) return values.map(() => `Bearer ${hidden}`).join(', ')
    const [, scheme = '', rest = ''] = /^(\S*)\s*([^]*)$/.exec(values[0]?.trim() ?? '') ?? []
    const shown = rest === '' ? '' : ` ${this.keyOf(headers) ?? (isNoKey(rest) ? rest : hidden)}`
    if (scheme === '' || schemes.test(scheme)) return scheme + shown
    return rest === '' ? hidden : `other ${hidden}`
  }

  #location(location: string): string {
    const [, origin = '', path = ''] = /^([a-z]+:\/\/[^/?#]*)?([^?#]*)/i.exec(location) ?? []
    const isPet = path.startsWith(`${this.#basePath}${operations.listPets.path}/`) && /\/\d{1,20}$/.test(path)
    return this.redact((origin === '' ? '' : 'http://deployment') + (isPet ? path : `/${unknown}`))
  }
}

const schemes = /^(basic|bearer|digest|token|apikey|api-key|key|negotiate|jwt|hmac|oauth)$/i

/** A placeholder of a program without a key, or the name of a variable. */
const isNoKey = (token: string): boolean =>
  unsetWords.includes(token.toLowerCase()) || /^\$[{(]?[A-Z_]{1,40}[})]?$|^%[A-Z_]{1,40}%$|^Bearer$/i.test(token)

/** Plain words; a credential has digits or is longer. */
const isWord = (text: string): boolean => /^[a-z][a-z_.-]{0,23}$/i.test(text)

function cleanSegment(segment: string): string {
  const isKept = /^(?:-?\d{1,40}|v\d{1,3}|)$/.test(segment) || isWord(segment)
  return isKept || unsetWords.includes(segment.toLowerCase()) ? segment : unknown.replace(' ', '-')
}

function cleanParameter(parameter: string): string {
  if (parameter === '') return ''
  // An escape of a letter or a digit means the same.
  const plain = parameter.replaceAll(/%(?:3\d|[46][1-9a-f]|[57][\da])/gi, decodeURIComponent)
  const [name = '', ...rest] = plain.split('=')
  const value = rest.length === 0 ? '' : `=${cleanValue(name, rest.join('='))}`
  return (isWord(name) || /^(limit|status)(\[\d{0,3}\]|%5B\d{0,3}%5D)$/i.test(name) ? name : 'other') + value
}

function cleanValue(name: string, value: string): string {
  const isKept = name === 'limit' ? /^(?:[+-]?\d{1,20}(?:\.\d{1,3})?|[a-z]{1,12})$/i.test(value) : name === 'status'
  if (value === '' || (isKept && (name === 'limit' || isWord(value)))) return value
  return isSecretName(name) ? hidden : 'other'
}

const isPlain = ({ 'content-encoding': coding = '' }: Headers): boolean => coding === '' || coding === 'identity'

const unread = ({ length: size }: Buffer, problem: string, text = ''): Content => ({
  kind: 'unjudged',
  text,
  problem,
  size,
})

const noJson = ({ length }: Buffer): string => `[${length} bytes that are not JSON]`

/** The kinds of non-JSON bodies that a scorecard distinguishes. */
function kindOf(bytes: Buffer): string {
  const begin = bytes.toString('utf8', 0, 200)
  if (begin.startsWith('\uFEFF')) return `\uFEFF${unknown}`
  if (begin.startsWith('[object ')) return '[object Object]'
  if (/^\w+=[^{]*(&|$)/.test(begin)) return `form=${hidden}`
  return /^\s*<|^--/.test(begin) ? '<' : unknown
}

/** Fields of Pet and Error, whose values are kept. */
const fields = new Set(['id', 'name', 'categoryId', 'status', 'code', 'message'])
const token = /"(?:[^"\\]|\\.)*"(\s*:)?|-?\d[\d.eE+-]*|[{}]/g

/** The usual case: only fields of the interface, so nothing to clean. */
const isOfInterface = (value: JsonValue): boolean =>
  [value]
    .flat()
    .every(
      (item) =>
        typeof item === 'object' &&
        item?.constructor === Object &&
        Object.entries(item).every(
          ([name, field]) => fields.has(name) && (typeof field !== 'object' || field === null),
        ),
    )

/** Masks the values of other fields. White space and the notation of numbers stay. */
function cleanJson(json: string): string {
  const open: string[] = []
  let others = 0
  return json.replace(token, (found, colon?: string) => {
    if (found === '{') open.push('')
    else if (found === '}') open.pop()
    else if (colon !== undefined) {
      const name = nameIn(found.slice(0, found.length - colon.length))
      open[open.length - 1] = name
      if (!fields.has(name) && !isWord(name)) return `"other-${(others += 1)}"${colon}`
    } else if (open.length !== 1 || !fields.has(open[0] ?? '')) {
      return found.startsWith('"') ? `"${unknown}"` : '0'
    }
    return found
  })
}
