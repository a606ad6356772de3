import { credentialsOf, hideCredential, hideInUrls, isSecretName } from '../../report/credentials.ts'
import { createRedactor, type Redact } from '../../report/redact.ts'
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

const redacted = '[redacted]'
/** Redacting shorter keys would redact half of the text. */
const shortestKey = 4
const anySandboxKey = /petstore_sandbox_[a-z0-9-]{1,40}_[0-9a-f]{8}/gi

/**
 * Shows exchanges without secrets: neither keys and tokens of this mock, nor what the request presents as a credential,
 * wherever in the exchange they stand.
 *
 * @param secrets the keys that lead to this sandbox, and whatever else no entry may show
 */
export function createToEntry(findRoute: FindRoute, secrets: readonly string[]): ToEntry {
  const own = [...new Set(secrets)].filter(({ length }) => length >= shortestKey)
  let usual: Redact | undefined
  return ({ number, at, method, target, headers, body, reply, rule, delivery }) => {
    const foreign = credentialsOf({ target, headers }).filter((credential) => !own.includes(credential))
    const hide =
      foreign.length === 0
        ? (usual ??= createRedactor({ [redacted]: [...own, anySandboxKey] }))
        : createRedactor({ [redacted]: [...own, ...foreign, anySandboxKey] })
    const cut = (text: string): string => {
      // Redaction shortens the text, so that more of it is read than is shown.
      const hidden = hide(text.slice(0, 2 * longestBody))
      const isCut = hidden.length > longestBody || text.length > 2 * longestBody
      return isCut ? `${hidden.slice(0, longestBody)}... (${text.length} characters)` : hidden
    }
    return {
      number,
      at: new Date(at).toISOString(),
      operation: operationOf(method, target, findRoute),
      request: {
        method: cut(method),
        target: cut(hideInUrls(target, redacted)),
        headers: shownHeaders(headers, hide),
        body: cut(body),
      },
      response: {
        status: reply.status,
        headers: shownHeaders(reply.headers, hide) as Record<string, string>,
        body: cut(reply.body),
      },
      ...(rule !== undefined && { rule: hide(rule) }),
      ...(delivery?.abandoned === true && { abandoned: true }),
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

/** A scheme stays: `Bearer [redacted]` says more than nothing. */
function shownHeaders(headers: MockRequest['headers'], hide: Redact): JournalEntry['request']['headers'] {
  const shown: [string, string | string[]][] = []
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined) continue
    const show = (text: string): string =>
      isSecretName(name)
        ? hideCredential(text, redacted)
        : hide(hideInUrls(text.slice(0, 2 * longestHeader), redacted)).slice(0, longestHeader)
    shown.push([hide(name), typeof value === 'string' ? show(value) : value.map(show)])
  }
  return Object.fromEntries(shown)
}
