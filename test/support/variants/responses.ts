import { toObject, type Writable } from './exact-json.ts'
import type { StoredPet } from './pet-table.ts'
import type { Settings } from './settings.ts'

export interface VariantRequest {
  method: string
  path: string
  query: string
  headers: Record<string, string | string[] | undefined>
  body: Uint8Array
}

/** A response of the service (`json`) or of a gateway in front of it (`page`). */
export interface VariantResponse {
  status: number
  headers?: Record<string, string>
  json?: Writable
  page?: { contentType: string; text: string }
}

export function toVariantResponse(
  status: number,
  json: Writable,
  headers: Record<string, string> = {},
): VariantResponse {
  return { status, json, headers }
}

const removal = 'Thu, 05 Dec 2030 00:00:00 GMT'

/** The headers of getPet, according to RFC 9745 and RFC 8594 or to earlier drafts. */
export const deprecation: Record<Settings['deprecationHeaders'], Record<string, string>> = {
  none: {},
  rfc: { deprecation: '@1735689600', sunset: removal, link: '</v1/pets>; rel="successor-version"' },
  draft: {
    deprecation: 'true',
    sunset: 'Wed, 04 Dec 2030 23:59:59 GMT',
    warning: '299 - "Deprecated API"',
  },
}

export function showPet(pet: StoredPet, { petExtras }: Settings): Writable {
  const shown = toObject({ id: pet.id, name: pet.name, categoryId: pet.categoryId })
  if (pet.status !== undefined) shown.set('status', pet.status)
  if (petExtras === 'flat') {
    shown.set('createdAt', '2026-11-20T12:00:00Z').set('tags', ['new', 'café']).set('owner', null)
    shown.set('vaccinated', true)
  }
  if (petExtras === 'nested') {
    const self = toObject({ href: `/v1/pets/${pet.id}` })
    shown.set('_links', toObject({ self }))
    shown.set('category', toObject({ id: pet.categoryId, name: 'A category' }))
    shown.set('parents', [toObject({ id: 'not an integer', status: 'retired' })])
  }
  // A stored field never replaces a field of the service.
  for (const [key, value] of pet.extras) if (!shown.has(key)) shown.set(key, value)
  return shown
}

const words: Record<number, string> = {
  400: 'invalid_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  406: 'not_acceptable',
  409: 'conflict',
  410: 'gone',
  413: 'too_large',
  415: 'unsupported_media_type',
  422: 'unprocessable',
  429: 'too_many_requests',
  501: 'not_implemented',
}

/** Creates an error response with an Error body. */
export function toProblem(
  status: number,
  message: string,
  settings: Settings,
  headers: Record<string, string> = {},
): VariantResponse {
  const word = words[status] ?? 'error'
  const codes = {
    snake: word,
    upper: word.toUpperCase(),
    numeric: `${status}0`,
    uri: `https://pets.example/errors#${word}`,
  }
  const messages = {
    english: message,
    empty: '',
    'other-language': '申し訳ありません 🐾 — запрос отклонён',
  }
  const body = toObject({
    code: codes[settings.errorCodes],
    message: messages[settings.errorMessages],
    status: BigInt(status),
  })
  if (settings.errorExtras === 'flat') {
    body
      .set('requestId', '7c9e6679-7425-40de-944b-e07fc1f90ae7')
      .set('timestamp', '2026-11-20T12:00:00Z')
      .set('details', null)
  }
  if (settings.errorExtras === 'nested') {
    const cause = toObject({ code: 17n, message: null, status: 'nested' })
    body.set('details', [cause]).set('error', toObject({ status: 500n }))
  }
  return toVariantResponse(status, body, headers)
}
