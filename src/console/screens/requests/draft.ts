import { printJson } from '../../../json.ts'
import type { JournalEntry } from '../../../mock/journal/entry.ts'
import { type OperationId, operations } from '../../../spec/operations.ts'
import type { ExactPet } from '../../../spec/types.ts'
import { headersOf } from './detail/copy-as.ts'

/** A request in the form, as text. */
export interface Draft {
  method: string
  /** With the base path: `/v1/pets?limit=3`. */
  target: string
  /** Lines such as `Content-Type: application/json`, without the key. */
  headers: string
  body: string
}

/** The header by which the journal entry of a request is found. */
export const idHeader = 'x-request-id'
/** Headers that a page cannot send, and those that the form adds. */
const added = /^(?:authorization|cookie|origin|referer|te|upgrade|dnt|x-request-id)$/i

/** A request of an operation, with ids of the pets of the sandbox. */
export function draftOf(operation: OperationId, basePath: string, pet?: ExactPet): Draft {
  const { id = 1, categoryId = 1 } = pet ?? {}
  const { method, path, body } = operations[operation]
  const target = `${basePath}${path.replace('{petId}', String(id))}${operation === 'listPets' ? '?limit=3' : ''}`
  if (body === undefined) return { method, target, headers: '', body: '' }
  return {
    method,
    target,
    headers: 'Content-Type: application/json',
    body: printJson({ name: 'Rex', categoryId, status: 'available' }, 2),
  }
}

/** A recorded request, to be edited. */
export function draftFrom(entry: JournalEntry): Draft {
  const { method, target, body } = entry.request
  const lines = headersOf(entry)
    .filter(([name]) => !added.test(name))
    .map(([name, value]) => `${name}: ${value}`)
  return { method, target, headers: lines.join('\n'), body }
}

/** Splits lines into headers. @throws {TypeError} for a line without a colon. */
export function readHeaders(text: string): [name: string, value: string][] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const at = line.indexOf(':')
      if (at < 1) throw new TypeError(`The header "${line}" has no colon; write Name: value.`)
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()]
    })
}

/**
 * The request to the origin of the mock.
 *
 * @throws {RangeError | TypeError} when it has no path, or a browser cannot send it
 */
export function toRequest(
  { method, target, headers, body }: Draft,
  { mockUrl, key, id }: { mockUrl: string; key: string; id: string },
): Request {
  // Anything else would become part of the host.
  if (!target.startsWith('/')) throw new RangeError('The target must begin with a slash.')
  const sent = new Headers(readHeaders(headers))
  if (key !== '') sent.set('authorization', `Bearer ${key}`)
  sent.set(idHeader, id)
  return new Request(mockUrl + target, {
    method: method.trim(),
    headers: sent,
    ...(body !== '' && { body }),
  })
}
