import { int64Max, int64Min } from './exact-json.ts'
import {
  deprecation,
  showPet,
  toVariantResponse,
  toProblem,
  type VariantResponse,
  type VariantRequest,
} from './responses.ts'
import { createPet } from './create-pet.ts'
import { readListQuery } from './list-query.ts'
import type { PetTable } from './pet-table.ts'
import type { Settings } from './settings.ts'

/** Handles a request: first authentication, then the path, the method and the operation. */
export function respond(
  request: VariantRequest,
  table: PetTable,
  settings: Settings,
): VariantResponse {
  const { method } = request
  const route = findRoute(request.path, settings)
  // A browser sends a preflight without the key; it is not an operation of the API.
  const isPreflight =
    method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined
  if (isPreflight && settings.cors === 'full' && route.kind !== 'other') return { status: 204 }
  const keyIsNeeded = route.kind !== 'other' || settings.unknownPathsNeedKey
  if (keyIsNeeded && !isAuthorized(request, settings)) return rejectKey(settings)
  if (route.kind === 'other') return rejectPath(settings)
  if (route.kind === 'redirect') {
    const query = request.query === '' ? '' : `?${request.query}`
    return { status: 308, headers: { location: route.location + query } }
  }
  if (settings.accept === 406 && !acceptsJson(request))
    return toProblem(406, 'Only JSON is spoken here.', settings)

  const allow = route.kind === 'list' ? 'GET, HEAD, POST, OPTIONS' : 'GET, HEAD, OPTIONS'
  if (method === 'OPTIONS' && settings.options < 300)
    return { status: settings.options, headers: { allow } }
  if (method === 'OPTIONS')
    return toProblem(settings.options, 'OPTIONS is not answered.', settings, { allow })
  if (method === 'HEAD' && settings.head !== 'answered') {
    return toProblem(settings.head, 'HEAD is not answered.', settings, { allow })
  }
  const isRead = method === 'GET' || method === 'HEAD'
  if (route.kind === 'list' && isRead) return listPets(request, table, settings)
  if (route.kind === 'list' && method === 'POST') return createPet(request, table, settings)
  if (route.kind === 'pet' && isRead) return getPet(route.petId, table, settings)
  return toProblem(settings.otherMethods, 'There is no such method here.', settings, { allow })
}

function listPets(request: VariantRequest, table: PetTable, settings: Settings): VariantResponse {
  const query = readListQuery(request.query, settings)
  if ('rejection' in query)
    return toProblem(query.rejection, 'The query is not understood.', settings)
  const { pets, matching } = table.page(query.limit, query.statuses)
  const more = matching > pets.length ? '<?limit=20&cursor=bmV4dA>; rel="next", ' : ''
  const paging = {
    none: {},
    link: { link: `${more}</v1/pets>; rel="first"` },
    total: { 'X-Total-Count': String(matching), 'X-Page-Size': String(pets.length) },
  }
  return toVariantResponse(
    200,
    pets.map((pet) => showPet(pet, settings)),
    paging[settings.pagingHeaders],
  )
}

function getPet(petId: string, table: PetTable, settings: Settings): VariantResponse {
  if (settings.getPet !== 'works')
    return toProblem(settings.getPet, 'This operation was removed.', settings, { allow: '' })
  const headers = deprecation[settings.deprecationHeaders]
  const reject = (status: number): VariantResponse =>
    toProblem(status, 'There is no such pet.', settings, headers)
  const integer = (settings.loosePetIds ? /^[ +]?(-?\d+)(?:\.0+)?$/ : /^(-?(?:0|[1-9]\d*))$/).exec(
    petId,
  )?.[1]
  if (integer === undefined) return reject(settings.petIdNotInteger)
  const id = BigInt(integer)
  if (id < int64Min || id > int64Max) return reject(settings.petIdBeyondInt64)
  const pet = table.find(id)
  if (pet !== undefined) return toVariantResponse(200, showPet(pet, settings), headers)
  return reject(table.find(id - 1n) === undefined ? 404 : settings.nextId)
}

type Route =
  | { kind: 'list' }
  | { kind: 'pet'; petId: string }
  | { kind: 'redirect'; location: string }
  | { kind: 'other' }

function findRoute(wholePath: string, { prefix, pathCase, trailingSlash }: Settings): Route {
  if (!wholePath.startsWith(prefix)) return { kind: 'other' }
  const path = wholePath.slice(prefix.length)
  const normalized = pathCase === 'any' ? path.toLowerCase() : path
  const slashed = /^(\/v1\/pets(?:\/[^/]+)?)\/$/.exec(normalized)?.[1]
  if (slashed !== undefined && trailingSlash === 308)
    return { kind: 'redirect', location: prefix + slashed }
  const [, petId, isList] = /^\/v1\/pets(?:\/([^/]+)|())$/.exec(
    slashed !== undefined && trailingSlash === 'same' ? slashed : normalized,
  ) ?? [undefined, undefined, undefined]
  if (isList !== undefined) return { kind: 'list' }
  return petId === undefined ? { kind: 'other' } : { kind: 'pet', petId: decode(petId) }
}

/** Returns a petId that cannot be decoded as it is: it is not an integer in either form. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function rejectPath(settings: Settings): VariantResponse {
  if (settings.unknownPaths === 'error')
    return toProblem(404, 'There is nothing at this path.', settings)
  return {
    status: 404,
    page: { contentType: 'text/html', text: '<!doctype html><title>404</title><h1>Not Found</h1>' },
  }
}

/** Whether the request carries exactly the key, case-sensitively. */
function isAuthorized({ headers }: VariantRequest, { key, schemeCase }: Settings): boolean {
  const [, scheme, token] = /^(\S+) +(\S+)$/.exec(headers['authorization']?.toString() ?? '') ?? []
  const isBearer = schemeCase === 'any' ? scheme?.toLowerCase() === 'bearer' : scheme === 'Bearer'
  return isBearer && token === key
}

function rejectKey(settings: Settings): VariantResponse {
  const challenges: Record<Settings['challenge'], Record<string, string>> = {
    absent: {},
    bearer: { 'WWW-Authenticate': 'Bearer' },
    'bearer-with-error': {
      'WWW-Authenticate': 'Bearer realm="pets", error="invalid_token", Basic realm="staff"',
    },
    'other-header': { 'X-Auth-Failure': 'unknown-key', connection: 'close' },
  }
  return toProblem(
    401,
    'The API key is missing or invalid.',
    settings,
    challenges[settings.challenge],
  )
}

function acceptsJson({ headers }: VariantRequest): boolean {
  const accept = String(headers['accept'] ?? '*/*')
  return accept
    .split(',')
    .some((range) =>
      /^\s*(\*\/\*|application\/(\*|json))\s*(;(?!\s*q=0(\.0*)?\s*(;|$))|$)/i.test(range),
    )
}
