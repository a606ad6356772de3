import { decode, decompress, tooLong, unjudged } from '../contract/body.ts'
import type { Content } from '../contract/exchange.ts'
import { type JsonValue, parseJson } from '../json.ts'
import { credentialsOf, isSecretName, otherKeyHeaders, unsetWords } from '../report/credentials.ts'
import { createRedactor, type Redact } from '../report/redact.ts'
import { operations } from '../spec/operations.ts'
import {
  type CleanHeaders,
  cleanOrigin,
  type Headers,
  pick,
  requestRules,
  responseRules,
  text,
  unknown,
} from './proxy-allowed.ts'

/**
 * What of a request and a response may be kept: an allow-list. Of headers, parameters, paths and fields, nothing is kept
 * that is not of the interface; whatever a client presents as a credential is redacted in the rest, in every spelling.
 */

/** What stands where a credential was. */
const hidden = '[redacted]'

/** Credentials that are known at the same time, for responses that show one of another request. */
const mostCredentials = 20
/** Keys that have a name of their own. */
const mostKeys = 1_000

/** Names that no credential has: words. A credential has digits, or is longer. */
const isWord = (text: string): boolean => /^[a-z][a-z_.-]{0,23}$/i.test(text)

/** Knows the credentials of a proxy's clients for as long as it runs, and keeps them from all that it writes. */
export class Cleaner {
  readonly #basePath: string
  readonly #credentials = new Set<string>()
  readonly #names = new Map<string, string>()
  #redact: Redact | undefined

  constructor(basePath: string) {
    this.#basePath = basePath
  }

  /** Notes what a request presents as a credential; everything is cleaned of it from now on. */
  learn(target: string, headers: Headers): void {
    for (const credential of credentialsOf({ target, headers })) {
      if (this.#credentials.has(credential) || schemes.test(credential)) continue
      this.#credentials.add(credential)
      const [oldest] = this.#credentials.size > mostCredentials ? this.#credentials : []
      if (oldest !== undefined) this.#credentials.delete(oldest)
      this.#redact = undefined
    }
  }

  /** A text without credentials. */
  redact(text: string): string {
    this.#redact ??= createRedactor({ [hidden]: [...this.#credentials] })
    return this.#credentials.size === 0 || text === '' ? text : this.#redact(text)
  }

  /** The name that stands for the bearer token of a request, such as `key-1`; undefined without one. */
  keyOf({ authorization }: Headers): string | undefined {
    const [, token] = (typeof authorization === 'string' && /^\s*Bearer\s+(\S+)\s*$/i.exec(authorization)) || []
    if (token === undefined || isNoKey(token)) return undefined
    const known = this.#names.get(token)
    if (known !== undefined || this.#names.size >= mostKeys) return known
    const name = `key-${this.#names.size + 1}`
    this.#names.set(token, name)
    return name
  }

  /** The target of a request: the paths and parameters of the interface, and words. */
  target(target: string): string {
    const [path = '', ...query] = target.split('?')
    const own = path === this.#basePath || path.startsWith(`${this.#basePath}/`)
    const rest = own ? path.slice(this.#basePath.length) : path
    const segments = rest.split('/').map(cleanSegment)
    const parameters = query.join('?').split('&').map(cleanParameter)
    const search = query.length === 0 ? '' : `?${parameters.join('&')}`
    return this.redact((own ? this.#basePath : '') + segments.join('/')) + this.redact(search)
  }

  /** The headers of a request that the interface, its scorecard and browsers know. */
  requestHeaders(headers: Headers): CleanHeaders {
    const clean: CleanHeaders = {}
    const { authorization } = headers
    if (authorization !== undefined) clean['authorization'] = this.#authorization(headers)
    for (const name of otherKeyHeaders) if (headers[name] !== undefined) clean[name] = hidden
    return { ...clean, ...pick(headers, requestRules) }
  }

  /** The headers of a response that the suite reads, in the forms that it distinguishes. */
  responseHeaders(headers: Headers, sent: Headers): CleanHeaders {
    const clean = pick(headers, responseRules)
    const location = text(headers['location'])
    if (location !== undefined) clean['location'] = this.#location(location)
    const origin = text(headers['access-control-allow-origin'])
    if (origin !== undefined) {
      const isSame = origin === text(sent['origin'])
      clean['access-control-allow-origin'] = origin === '*' ? '*' : isSame ? cleanOrigin(origin) : unknown
    }
    for (const name of Object.keys(headers)) {
      if (/^(x-)?rate-?limit(-(limit|remaining|reset|policy))?$/.test(name)) {
        clean[name] = /^[\d.]{1,20}$/.test(text(headers[name]) ?? '') ? (text(headers[name]) as string) : unknown
      }
    }
    return clean
  }

  /** The body of a request as the scorecard and the suite read it. */
  sentBody(bytes: Buffer, coding: string | undefined): { text: string; content: Content | undefined; isUtf8: boolean } {
    if (coding !== undefined && coding !== '' && coding !== 'identity') {
      return { text: bytes.length === 0 ? '' : unknown, content: undefined, isUtf8: true }
    }
    const content = this.#clean(decode(bytes))
    const isUtf8 = content.kind !== 'broken' || content.problem !== 'the bytes are not valid UTF-8'
    if (content.kind === 'empty') return { text: '', content, isUtf8 }
    return { text: content.kind === 'json' ? content.text : kindOf(bytes), content, isUtf8 }
  }

  /** The body of a response as the suite reads it. */
  content(bytes: Buffer, coding: string | undefined): Content {
    const plain = decompress(bytes, coding)
    if (typeof plain !== 'string') return this.#clean(decode(plain))
    const kind = plain.startsWith(tooLong) ? 'unjudged' : 'broken'
    return { kind, text: '', problem: plain, size: bytes.length }
  }

  /** The beginning of a body that is too large to be judged whole. */
  beginning(bytes: Buffer, problem: string): Content {
    return { ...unjudged(bytes, problem), text: '' } as Content
  }

  #clean(content: Content): Content {
    if (content.kind === 'empty') return content
    if (content.kind !== 'json') {
      // What is no JSON is nothing of the interface: how much it is says enough.
      return { ...content, text: `[${content.size} bytes that are no JSON]` }
    }
    const cleaned = this.redact(isPlain(content.value) ? content.text : cleanJson(content.text))
    if (cleaned === content.text) return content
    try {
      return { ...content, text: cleaned, value: parseJson(cleaned) }
    } catch {
      const problem = 'a credential stands where it cannot be taken out'
      return { kind: 'unjudged', text: unknown, problem, size: content.size }
    }
  }

  #authorization(headers: Headers): string {
    const values = [headers['authorization'] ?? ''].flat()
    if (values.length > 1) return values.map(() => `Bearer ${hidden}`).join(', ')
    const [, scheme = '', rest = ''] = /^\s*(\S*)\s*([^]*?)\s*$/.exec(values[0] ?? '') ?? []
    if (scheme === '') return ''
    const named = this.keyOf(headers)
    if (named !== undefined) return `${scheme} ${named}`
    const isScheme = schemes.test(scheme)
    if (isScheme) return rest === '' ? scheme : `${scheme} ${isNoKey(rest) ? rest : hidden}`
    return rest === '' ? hidden : `other ${hidden}`
  }

  #location(location: string): string {
    const [, origin = '', path = ''] = /^([a-z]+:\/\/[^/?#]*)?([^?#]*)/i.exec(location) ?? []
    const isPet = path.startsWith(`${this.#basePath}${operations.listPets.path}/`) && /\/\d{1,20}$/.test(path)
    return (origin === '' ? '' : 'http://deployment') + (isPet ? path : `/${unknown}`)
  }
}

/** Schemes that can be named without naming a key. */
const schemes = /^(basic|bearer|digest|token|apikey|api-key|key|negotiate|jwt|hmac|oauth)$/i

/** A word that stands where a program had no key, or the name of a variable. */
const isNoKey = (token: string): boolean =>
  unsetWords.includes(token.toLowerCase()) || /^\$[{(]?[A-Z_]{1,40}[})]?$|^%[A-Z_]{1,40}%$|^Bearer$/i.test(token)

function cleanSegment(segment: string): string {
  const isKept = /^-?\d{1,40}$/.test(segment) || isWord(segment) || /^v\d{1,3}$/.test(segment) || segment === ''
  return isKept || unsetWords.includes(segment.toLowerCase()) ? segment : unknown.replace(' ', '-')
}

function cleanParameter(parameter: string): string {
  if (parameter === '') return ''
  const [name = '', ...rest] = parameter.split('=')
  const sent = rest.join('=')
  const value = rest.length === 0 ? '' : `=${cleanValue(name, sent)}`
  return (isWord(name) || /^(limit|status)(\[\d{0,3}\]|%5B\d{0,3}%5D)$/i.test(name) ? name : 'other') + value
}

function cleanValue(name: string, value: string): string {
  if (value === '') return ''
  const isKept = name === 'limit' ? /^[+-]?\d{1,20}(\.\d{1,3})?$/.test(value) : name === 'status' && isWord(value)
  if (isKept || (name === 'limit' && /^[a-z]{1,12}$/i.test(value))) return value
  return isSecretName(name) ? hidden : 'other'
}

/** What a body is that is no JSON, in the forms that a scorecard distinguishes. */
function kindOf(bytes: Buffer): string {
  const begin = bytes.toString('utf8', 0, 200)
  if (begin.startsWith('\uFEFF')) return `\uFEFF${unknown}`
  if (begin.startsWith('[object ')) return '[object Object]'
  if (/^\w+=[^{]*(&|$)/.test(begin)) return `form=${hidden}`
  return /^\s*<|^--/.test(begin) ? '<' : unknown
}

/** Fields of a Pet and an Error, whose values are kept. */
const fields = new Set(['id', 'name', 'categoryId', 'status', 'code', 'message'])
const token = /"(?:[^"\\]|\\.)*"(\s*:)?|-?\d[\d.eE+-]*|[{}]/g

/** Whether a value holds the fields of the interface alone: then there is nothing to clean. */
function isPlain(value: JsonValue): boolean {
  return (Array.isArray(value) ? value : [value]).every(
    (one) =>
      typeof one === 'object' &&
      one !== null &&
      !Array.isArray(one) &&
      Object.entries(one).every(([name, field]) => fields.has(name) && (typeof field !== 'object' || field === null)),
  )
}

/** A JSON text in which only the fields of the interface have their values. Spaces and the spelling of numbers stay. */
function cleanJson(json: string): string {
  const open: string[] = []
  let others = 0
  return json.replace(token, (found, colon?: string) => {
    if (found === '{') open.push('')
    else if (found === '}') open.pop()
    else if (colon !== undefined) {
      const name = unquoted(found.slice(0, found.length - colon.length))
      open[open.length - 1] = name
      if (!fields.has(name) && !isWord(name)) return `"other-${(others += 1)}"${colon}`
    } else if (open.length !== 1 || !fields.has(open[0] ?? '')) {
      return found.startsWith('"') ? `"${unknown}"` : '0'
    }
    return found
  })
}

function unquoted(quoted: string): string {
  try {
    return JSON.parse(quoted) as string
  } catch {
    return ''
  }
}
