import { decode, decompress, tooLong, unjudged } from '../contract/http/response-body.ts'
import type { Content } from '../contract/http/exchange.ts'
import { type JsonValue, printJson } from '../json.ts'
import type { MockRequest } from '../mock/service/message.ts'
import {
  credentialsOf,
  decoded,
  isSecretName,
  otherKeyHeaders,
  publicTexts,
  unsetWords,
} from '../report/credentials.ts'
import { createGrowingRedactor } from '../report/redact.ts'
import { interfaceWords, operations, queryParameters } from '../spec/operations.ts'
import { suiteUserAgent } from '../spec/version.ts'
import { isJsonObject } from '../validate.ts'
import { type Copied, maxCopied } from './forward.ts'

/**
 * Sanitizes what a proxy keeps. It is an allow-list: only headers and fields of the interface, words and numbers are kept,
 * and credentials in them are redacted in every spelling.
 */

/** Placeholders for credentials and for other text. */
const hidden = '[redacted]'
const unknown = '[not kept]'

/** With the separator before it. */
const isParameter = new RegExp(String.raw`^.(?:${queryParameters.join('|')})\b`)

/** The header of a request whose credentials an archive does not show. */
export const notRecorded = `Bearer ${hidden}`

const requestHeaders =
  /^(?:accept|(?:accept|content|transfer)-encoding|content-(?:type|length)|access-control-request-method|x-(?:http-)?method-override|x-http-method)$/
const responseHeaders =
  /^(?:content-(?:type|length|encoding)|date|www-authenticate|allow|retry-after|deprecation|sunset|(?:x-)?rate-?limit(?:-(?:limit|remaining|reset|policy))?)$/

/** Headers whose presence matters, but whose values may identify people, hosts or sessions. */
const presence = /^(?:user-agent|origin|range|if-none-match|location|access-control-allow-origin)$/

/** A word, such as `utf-8`, or a number. A credential is longer, or mixes letters and digits. */
const plain = /^(?:[a-z_][a-z_.+-]{0,23}\d{0,2}|[+-]?\d[\d.]{0,39})$/i

/** A parameter whose equals sign a client has escaped. */
const escapedPair = /^(?:limit|status)%3D[a-z\d]{1,9}$/i

type Headers = MockRequest['headers']

/** Known credentials of earlier requests, which responses may repeat: the latest 500 to 1,000. */
const maxCredentials = 500
const maxKeys = 1_000
/** Shorter values of headers are no secrets, and parts of other words. */
const minSecretLength = 6

type Learned = ReturnType<typeof learned>

/** A redactor of the credentials that are added to it. */
const learned = (isPublic: RegExp) => ({
  known: new Set<string>(),
  ...createGrowingRedactor(hidden, isPublic),
})

/** Learns the credentials of a proxy's clients, and redacts them from everything that is kept. */
export class Sanitizer {
  readonly #basePath: string
  readonly #names = new Map<string, string>()
  readonly #public: RegExp
  /** The redactors of the latest credentials, and of those before. */
  #latest: Learned
  #earlier: Learned
  /** The redactor of what the proxy itself sends. */
  readonly #own: Learned

  /** @param secrets values that the proxy itself sends, which responses may repeat */
  constructor(basePath: string, secrets: readonly string[] = []) {
    this.#basePath = basePath
    this.#public = publicTexts(interfaceWords, [basePath])
    this.#latest = learned(this.#public)
    this.#earlier = this.#latest
    this.#own = learned(this.#public)
    for (const secret of secrets) if (secret.length >= minSecretLength) this.#own.add(secret)
  }

  learn(request: MockRequest): void {
    const own = credentialsOf(request).filter((credential) => !schemes.test(credential))
    for (const credential of own) {
      if (this.#latest.known.has(credential)) continue
      if (this.#latest.known.size >= maxCredentials) {
        this.#earlier = this.#latest
        this.#latest = learned(this.#public)
      }
      this.#latest.known.add(credential)
      this.#latest.add(credential)
    }
  }

  redact(text: string): string {
    if (text === '') return text
    const redacted = this.#latest.redact(this.#own.redact(text))
    return this.#earlier === this.#latest ? redacted : this.#earlier.redact(redacted)
  }

  /** A placeholder for the bearer token of a request, such as `key-1`; undefined without one. */
  keyOf({ authorization }: Headers): string | undefined {
    const [, token] =
      (typeof authorization === 'string' && /^\s*Bearer\s+(\S+)\s*$/i.exec(authorization)) || []
    if (token === undefined || isNoKey(token)) return undefined
    const known = this.#names.get(token)
    if (known !== undefined || (this.#names.size >= maxKeys && token !== hidden)) return known
    const name = `key-${this.#names.size + 1}`
    this.#names.set(token, name)
    return name
  }

  /** The request target, with the values of the query parameters alone. */
  target(target: string): string {
    const isOwn = target.startsWith(`${this.#basePath}/`)
    const base = isOwn ? this.#basePath : ''
    const rest = target
      .slice(base.length)
      .replace(/([?&][^=&?]*)=([^&]+)/g, (_, name: string, value: string) => {
        // An escaped letter does not make another word of it.
        if (isParameter.test(name))
          return `${name}=${plain.test(decoded(value)) ? decoded(value) : value}`
        return `${name}=${isSecretName(name) ? hidden : 'other'}`
      })
    return this.redact(base) + this.#words(rest)
  }

  requestHeaders(headers: Headers): Record<string, string> {
    const keys = otherKeyHeaders
      .filter((name) => headers[name] !== undefined)
      .map((name) => [name, hidden] as const)
    return {
      ...(headers['authorization'] !== undefined && {
        authorization: this.#authorization(headers),
      }),
      ...Object.fromEntries(keys),
      ...this.#pick(headers, requestHeaders),
    }
  }

  responseHeaders(headers: Headers): Record<string, string> {
    return this.#pick(headers, responseHeaders)
  }

  #pick(headers: Headers, names: RegExp): Record<string, string> {
    return Object.fromEntries(
      Object.entries(headers).flatMap(([name, value = '']) => {
        const text = [value].flat().join(', ')
        if (names.test(name)) return [[name, this.#words(text)]]
        return presence.test(name) ? [[name, this.#interfaceValue(text)]] : []
      }),
    )
  }

  /** `*`, the suite's name, or the location of a pet; a placeholder for any other value. */
  #interfaceValue(value: string): string {
    const [, origin = '', path = ''] = /^(https?:\/\/[^/?#]*)?([^]*)$/.exec(value) ?? []
    const pets = `${this.#basePath}${operations.listPets.path}/`
    const isPet = path.startsWith(pets) && /^\d{1,20}$/.test(path.slice(pets.length))
    if (isPet) return this.redact(origin === '' ? path : `http://deployment${path}`)
    return value === '*' || value === suiteUserAgent ? value : unknown
  }

  /** A text of which only words and numbers are kept, whatever separates them. */
  #words(text: string): string {
    return this.redact(
      text.replaceAll(/[^\s,;:=/?&"'()<>[\]{}@*|]+/g, (word) =>
        plain.test(word) || escapedPair.test(word) ? word : 'other',
      ),
    )
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
      return unread(
        body.bytes,
        'it is in a content coding that the proxy does not read, or too large',
      )
    }
    const bytes = decompress(body.bytes, coding)
    if (typeof bytes !== 'string')
      return this.#body({ bytes, isPart: bytes.length > maxCopied }, noJson)
    if (bytes.startsWith(tooLong)) return unread(body.bytes, bytes)
    return { kind: 'broken', text: '', problem: bytes, size: body.bytes.length }
  }

  /** @param describe makes the placeholder of a body that is not JSON */
  #body({ bytes, isPart }: Copied, describe: (bytes: Buffer) => string): Content {
    if (isPart) {
      return {
        ...unjudged(bytes, 'it is larger than 512 KiB, or too many bodies passed at once'),
        text: '',
      } as Content
    }
    const content = decode(bytes)
    if (content.kind === 'empty') return content
    // What is not JSON does not belong to the interface; its kind is enough.
    if (content.kind !== 'json') {
      const nameOf = (quoted: string): string =>
        fields.has(quoted.slice(1, -1)) ? quoted : unknown
      return {
        ...content,
        text: describe(bytes),
        problem: content.problem.replace(
          /^([^"]*)("[^]*")(?= twice$)/,
          (_, before: string, quoted: string) => before + nameOf(quoted),
        ),
      }
    }
    // The whole, since the text of a long one is cut.
    const whole = bytes.toString()
    const text = this.redact(cleanJson(whole, content.value))
    const cleaned = text === whole ? content : decode(Buffer.from(text))
    return cleaned.kind === 'json'
      ? cleaned
      : unread(bytes, 'it contains a credential that cannot be removed', unknown)
  }

  #authorization(headers: Headers): string {
    const values = [headers['authorization'] ?? ''].flat()
    const each = values.flatMap((value) => value.split(/,(?=\s*Bearer\s)/i))
    if (each.length > 1) return each.map(() => `Bearer ${hidden}`).join(', ')
    const [, scheme = '', rest = ''] = /^(\S*)\s*([^]*)$/.exec(values[0]?.trim() ?? '') ?? []
    const shown = rest === '' ? '' : ` ${this.keyOf(headers) ?? (isNoKey(rest) ? rest : hidden)}`
    if (scheme === '' || schemes.test(scheme)) return scheme + shown
    return rest === '' ? hidden : `other ${hidden}`
  }
}

const schemes = /^(basic|bearer|digest|token|apikey|api-key|key|negotiate|jwt|hmac|oauth)$/i

/** A placeholder of a program without a key, or the name of a variable. */
const isNoKey = (token: string): boolean =>
  unsetWords.includes(token.toLowerCase()) ||
  /^\$[{(]?[A-Z_]{1,40}[})]?$|^%[A-Z_]{1,40}%$|^Bearer$/i.test(token)

const isPlain = ({ 'content-encoding': coding = '' }: Headers): boolean =>
  coding === '' || coding === 'identity'

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

/** The text of a body, printed again without the values of other fields if it has any. */
function cleanJson(whole: string, body: JsonValue): string {
  let hasOthers = false
  const clean = (value: JsonValue, isKept: boolean, depth: number): JsonValue => {
    if (Array.isArray(value)) return value.map((item) => clean(item, false, depth))
    if (isJsonObject(value)) {
      const named = Object.entries(value).map(([name, field], index) => {
        const isField = fields.has(name)
        hasOthers ||= !isField
        return [
          isField || plain.test(name) ? name : `other-${index}`,
          clean(field, isField && depth === 0, depth + 1),
        ]
      })
      return Object.fromEntries(named) as JsonValue
    }
    if (isKept || value === null || typeof value === 'boolean') return value
    hasOthers = true
    return typeof value === 'string' ? unknown : 0
  }
  const cleaned = clean(body, false, 0)
  return hasOthers ? printJson(cleaned) : whole
}
