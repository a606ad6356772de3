import type { OperationId } from '../../spec/operations.ts'
import type { MockRequest } from '../message.ts'
import type { FindRoute } from '../routes.ts'
import type { JournalEntry } from '../sandbox.ts'
import type { Exchange } from './exchange.ts'

/** What the journal shows of an exchange. */
export type ToEntry = (exchange: Exchange) => JournalEntry

/** Characters of a body that are shown: 16 KiB. */
const longestBody = 16_384
const longestHeader = 2_048

const secretHeaders = new Set(['authorization', 'proxy-authorization', 'cookie', 'x-api-key'])
const redacted = '[redacted]'
/** Hiding shorter ones would hide half of the text. */
const shortestSecret = 4
/** Characters that tell a secret from any other text. */
const telling = 16
/** A scheme that is known, and what may be a secret. */
const secretValue = /^((?:Bearer|Basic|Digest|Negotiate|Token|ApiKey) )?[^]*$/i
const anySandboxKey = /petstore_sandbox_[a-z0-9-]{1,40}_[0-9a-f]{8}/g

/**
 * Shows exchanges without their secrets: neither the headers that carry some, nor the keys wherever they stand.
 *
 * @param keys that lead to this world.
 */
export function createToEntry(findRoute: FindRoute, keys: readonly string[]): ToEntry {
  return ({ number, at, method, target, headers, body, reply, rule }) => {
    const secrets = spellingsOf([...keys, ...tokensIn(headers['authorization'])])
    const hide = (text: string): string => secrets.reduce(hideSecret, text.replaceAll(anySandboxKey, redacted))
    // What is cut in the middle of a key would show the half of it.
    const cut = (text: string): string => {
      const hidden = hide(text)
      const read = withoutEscapes(hidden)
      const shown = hide(read) === read ? hidden : redacted
      return shown.length > longestBody ? `${shown.slice(0, longestBody)}... (${text.length} characters)` : shown
    }
    return {
      number,
      at: new Date(at).toISOString(),
      operation: operationOf(method, target, findRoute),
      request: { method: cut(method), target: cut(target), headers: shownHeaders(headers, hide), body: cut(body) },
      response: {
        status: reply.status,
        headers: Object.fromEntries(Object.entries(reply.headers).map(([name, value]) => [name, hide(value)])),
        body: cut(reply.body),
      },
      ...(rule !== undefined && { rule }),
    }
  }
}

/** The operation that a request is for, if any. */
function operationOf(method: string, target: string, findRoute: FindRoute): OperationId | undefined {
  const found = findRoute(target)
  const route = found.at === 'trailing-slash' ? found.without : found
  const name = method.toUpperCase()
  if (route.at === 'pets' && (name === 'GET' || name === 'HEAD')) return 'listPets'
  if (route.at === 'pets' && name === 'POST') return 'createPet'
  if (route.at === 'pet' && (name === 'GET' || name === 'HEAD')) return 'getPet'
  return undefined
}

/** How secrets may stand in a text; the longest first, so that no half of one is left. */
function spellingsOf(secrets: readonly string[]): string[] {
  const spellings = secrets.flatMap((secret) =>
    secret.length < shortestSecret
      ? []
      : [secret, encodeURIComponent(secret.toWellFormed()), JSON.stringify(secret).slice(1, -1)],
  )
  return [...new Set(spellings)].sort((left, right) => right.length - left.length)
}

/** Takes a secret out, and the beginning of one: messages cut what they quote. */
function hideSecret(text: string, secret: string): string {
  const beginning = secret.slice(0, telling)
  let shown = ''
  let from = 0
  for (let at = text.indexOf(beginning); at !== -1; at = text.indexOf(beginning, from)) {
    let length = beginning.length
    while (length < secret.length && text[at + length] === secret[length]) length += 1
    shown += text.slice(from, at) + redacted
    from = at + length
  }
  return shown + text.slice(from)
}

/** The text with the escapes of URLs and of JSON read: a key may be written with them. */
function withoutEscapes(text: string): string {
  return text.replace(/(?:%|\\u00)([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

/** A scheme stays: `Bearer [redacted]` says more than nothing. */
function shownHeaders(
  headers: MockRequest['headers'],
  hide: (text: string) => string,
): JournalEntry['request']['headers'] {
  const shown: [string, string | string[]][] = []
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined) continue
    const show = (text: string): string =>
      secretHeaders.has(name) ? text.replace(secretValue, `$1${redacted}`) : hide(text).slice(0, longestHeader)
    shown.push([hide(name), typeof value === 'string' ? show(value) : value.map(show)])
  }
  return Object.fromEntries(shown)
}

/** What stands behind the scheme, or all of a header that has none. */
function tokensIn(authorization: string | string[] | undefined): string[] {
  const values = authorization === undefined ? [] : typeof authorization === 'string' ? [authorization] : authorization
  return values.map((value) => value.replace(/^[A-Za-z]+ +/, '').trim())
}
