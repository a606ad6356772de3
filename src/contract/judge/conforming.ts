import type { JsonValue } from '../../json.ts'
import { count } from '../../report/text.ts'
import type { HttpReply, HttpRequest } from '../../spec/http.ts'
import type { ExactPet, Int64 } from '../../spec/types.ts'
import type { Content, Exchange } from '../http/exchange.ts'
import type { Difference, Report } from '../report/report.ts'
import { isWhole } from './catalog.ts'
import { judgeResponse } from './every-response.ts'
import { compareShown, maxElements, pageOf, petsOf } from './expect.ts'
import { brokenBy, type Mismatch, type Violation } from './findings.ts'
import {
  errorMismatches,
  field,
  isInt64,
  isObject,
  kindOf,
  petFieldNames,
  petMismatches,
  seenIn,
  show,
  tryParse,
} from './shapes.ts'

/**
 * What a conforming service says to the last request of a violation, and where the deployment differs. Only what the
 * specification demands is a difference: ids, codes, messages, the order of a list and the like are free.
 */

/** A request to a service that keeps the specification, and what is known of that service. */
export interface ConformingRequest extends HttpRequest {
  /** The key that it accepts: a placeholder. */
  key: string
  /** Its pets; lists show them in this order. */
  pets: readonly ExactPet[]
  /** Its options for unspecified behavior, as a report has them. */
  profile: Pick<Report, 'profile' | 'candidates'>
  /** The day that decides whether getPet is removed. */
  now: Date
}

/** `reason`: the requirement, or the behavior and its option, from which the response follows. */
export type Conforming = (
  request: ConformingRequest,
) => Promise<Pick<HttpReply, 'status' | 'headers' | 'body'> & { reason?: string | undefined }>

/** A pet that is known, and the response that showed it first. */
export interface KnownPet {
  pet: ExactPet
  exchange: Exchange
  /** Whether it was there before the run created any. */
  isOld?: boolean
}

/** The pets of a conforming service when the last request of a violation arrives. */
export interface Beside {
  pets: ExactPet[]
  /** Whether they are enough for its response, if that shows pets, or that it has none. */
  areEnough: boolean
}

/** Whether a violation is about the status of its response, or about a pet that should not be there. */
export const isAboutStatus = (violation: Violation): boolean =>
  violation.kind === 'status' ||
  violation.kind === 'silence' ||
  brokenBy(violation).includes('get.not-found') ||
  namesLeft(violation).size > 0

/** The names of the creations that were rejected before the last request: no pet has them. */
function namesLeft({ exchanges }: Violation): Set<string> {
  const rejected = exchanges
    .slice(0, -1)
    .filter(({ operation, status }) => operation === 'createPet' && status >= 400 && status < 500)
  return new Set(rejected.flatMap(({ plan }) => plan.creation?.names ?? []))
}

/** The pets that the earlier responses of a violation show, as they were last. */
const shownBefore = ({ exchanges }: Violation): Map<Int64, ExactPet> =>
  new Map(
    exchanges
      .slice(0, -1)
      .flatMap((exchange) => petsOf(exchange).filter(isWhole))
      .map((pet) => [pet.id, pet]),
  )

const wasThere = ({ exchange, isOld }: KnownPet, at: number): boolean =>
  isOld === true || exchange.sentAt < at

/** The pets that the last request of a violation is about. */
export function petsBeside(violation: Violation, known: readonly KnownPet[]): Beside {
  const exchange = violation.exchanges.at(-1)
  if (exchange?.operation === 'listPets') return petsOfList(violation, exchange, known)
  if (exchange?.operation !== 'getPet') return { pets: [], areEnough: true }
  const left = namesLeft(violation)
  const [, digits = ''] = /^\/pets\/(-?\d+)(?:\?|$)/.exec(exchange.plan.path) ?? []
  const id = tryParse(digits) as Int64
  const isUnknown = brokenBy(violation).includes('get.not-found')
  // Of a pet that is shown, a later response says what it is as well.
  const other = known.find(
    (one) =>
      one.pet.id === id &&
      one.exchange !== exchange &&
      (exchange.status === 200 || wasThere(one, exchange.sentAt)),
  )?.pet
  const pet = shownBefore(violation).get(id) ?? (isUnknown ? undefined : other)
  if (pet && !left.has(pet.name)) return { pets: [pet], areEnough: true }
  return { pets: [], areEnough: isUnknown || left.size > 0 }
}

/** The pets of a list in its own order, which is free, then others as far as the list must show them. */
function petsOfList(
  violation: Violation,
  { content, plan, status: httpStatus, sentAt }: Exchange,
  known: readonly KnownPet[],
): Beside {
  const { atMost, status } = pageOf(plan.path)
  const [shown, left] = [shownBefore(violation), namesLeft(violation)]
  const byId = new Map(known.map(({ pet }) => [pet.id, pet]))
  const elements = httpStatus < 300 ? elementsIn(content) : undefined
  const pets = new Map<Int64, ExactPet>()
  let areEnough = true
  for (const element of elements?.slice(0, maxElements) ?? []) {
    if (!isObject(element)) continue
    const seen = likelyPet(element)
    const pet = seen && (shown.get(seen.id) ?? (isWhole(seen) ? seen : byId.get(seen.id)))
    // Several elements that are no pets need not mean the same one.
    const isAnother = pet !== undefined && pets.has(pet.id) && seenIn(element).id === undefined
    if (pet === undefined || isAnother) areEnough = false
    else if (!pets.has(pet.id) && !left.has(pet.name)) pets.set(pet.id, pet)
  }
  const matches = (pet: ExactPet): boolean => status === undefined || pet.status === status
  const add = (more: Iterable<ExactPet>, most: number): void => {
    for (const pet of more) {
      if ([...pets.values()].filter(matches).length >= most) return
      if (!pets.has(pet.id) && matches(pet) && !left.has(pet.name)) pets.set(pet.id, pet)
    }
  }
  // What is wrong with a list as a whole may be that it lacks pets of the other responses.
  if ((violation.pointer ?? '') === '') add(shown.values(), atMost)
  add(
    known.flatMap((one) => (wasThere(one, sentAt) ? [one.pet] : [])),
    Math.min(atMost, elements?.length ?? atMost),
  )
  const isEmpty = httpStatus === 204 || isNull(content) || elements?.length === 0
  return { pets: [...pets.values()], areEnough: areEnough && (pets.size > 0 || isEmpty) }
}

const isNull = (content: Content): boolean => content.kind === 'json' && content.value === null

/** The elements of a list, also in an envelope, in a text, and between other characters. */
function elementsIn(content: Content): JsonValue[] | undefined {
  if (content.kind === 'empty' || content.kind === 'unjudged') return undefined
  const value = content.kind === 'json' ? content.value : content.text
  if (isObject(value)) return Object.values(value).find((one) => Array.isArray(one))
  if (typeof value !== 'string') return Array.isArray(value) ? value : undefined
  const array = tryParse(value.slice(value.indexOf('['), value.lastIndexOf(']') + 1))
  return Array.isArray(array) ? array : undefined
}

/** The pet that an element means: in an envelope, with other spellings of its fields, and with numbers as texts. */
function likelyPet(element: { [name: string]: JsonValue }) {
  const pet = Object.values(element).find((one) => field(one, 'name') !== undefined) ?? element
  const plain = (name: string): string => name.replaceAll(/[_-]/g, '').toLowerCase()
  const parts: [string, JsonValue][] = isObject(pet) ? Object.entries(pet) : []
  const fields = new Map(parts.map(([name, value]) => [plain(name), value]))
  const integer = (name: string): JsonValue => {
    const value = fields.get(name) ?? null
    return typeof value === 'string' ? (tryParse(value) ?? null) : value
  }
  const status = fields.get('status')
  const { id, ...seen } = seenIn({
    id: integer('id'),
    name: fields.get('name') ?? null,
    categoryId: integer('categoryid'),
    ...(status !== undefined && {
      status: typeof status === 'string' ? status.trim().toLowerCase() : status,
    }),
  })
  return id === undefined ? undefined : { ...seen, id }
}

/** Whether a response keeps the specification, as far as one response shows it. */
export const conforms = (response: Exchange): boolean =>
  judgeResponse(response).mismatches.length === 0 && compareShown(response).length === 0

type Shown = Pick<Exchange, 'status' | 'headers' | 'content'>

/**
 * Where the last response of a violation differs from a conforming one in what the specification demands, as far as the
 * violation is about it.
 */
export function differencesFrom(conforming: Shown, violation: Violation): Difference[] {
  const actual = violation.exchanges.at(-1)
  if (actual === undefined) return []
  if (actual.status !== conforming.status) {
    const shown = actual.status === 0 ? 'no response' : String(actual.status)
    return [{ part: 'status', conforming: String(conforming.status), actual: shown }]
  }
  const { pointer: at = '' } = violation
  const all = [...mediaTypes(conforming, actual), ...bodies(conforming, actual, violation)]
  const isOfField = ({ pointer = '' }: Difference): boolean => /[a-z]/i.test(pointer)
  const whole = all.filter((one) => !isOfField(one))
  if (at === '') return whole.length > 0 ? whole : all
  const nameIn = (pointer: string): string => pointer.replace(/^\/\d+/, '')
  return all.filter(
    ({ pointer = '' }) =>
      pointer === at ||
      pointer.startsWith(`${at}/`) ||
      (pointer !== '' && nameIn(pointer) !== '' && nameIn(pointer) === nameIn(at)),
  )
}

/** @param pointer into both bodies */
const inBody = (conforming: string, actual: string, pointer?: string): Difference => ({
  part: 'body',
  ...(pointer !== undefined && { pointer, conformingPointer: pointer }),
  conforming,
  actual,
})

function mediaTypes({ headers: wanted }: Shown, { headers, content }: Shown): Difference[] {
  const { 'content-type': conforming = '' } = wanted
  const { 'content-type': actual = 'none' } = headers
  const isJson = /^application\/json\s*(?:;|$)/i.test(headers['content-type'] ?? '')
  return content.kind === 'empty' || isJson ? [] : [{ part: 'content-type', conforming, actual }]
}

function bodies(wanted: Shown, actual: Exchange, violation: Violation): Difference[] {
  const { content, status } = actual
  if (wanted.content.kind !== 'json' || content.kind === 'unjudged') return []
  const { value } = wanted.content
  const kind =
    status >= 400 ? 'an Error object' : Array.isArray(value) ? 'an array of Pet' : 'a Pet object'
  if (content.kind === 'empty') return [inBody(kind, 'an empty body')]
  if (content.kind === 'broken') {
    const problem = content.problem.replace(/^the body is /, '')
    const [first = ''] = problem.endsWith(')') ? problem.split(' (', 1) : [problem]
    return [inBody(kind, first)]
  }
  const shown = content.value
  if (status >= 400 && isObject(shown))
    return errorMismatches(shown, status).map((one) => ofMismatch(one, value, shown))
  if (Array.isArray(value) && Array.isArray(shown)) return lists(value, shown, actual, violation)
  if (Array.isArray(value) || !isObject(shown)) return [inBody(kind, kindOf(shown))]
  return fields(value, shown, '', demandedFields(actual, violation), violation)
}

/** An invalid value. What a service may choose is described, not shown. */
function ofMismatch(
  mismatch: Mismatch,
  wanted: JsonValue,
  actual: JsonValue,
  free: readonly string[] = ['code', 'message'],
): Difference {
  const { pointer = '', expected } = mismatch
  const name = pointer.split('/').at(-1) ?? ''
  const value = field(wanted, name)
  // The service chooses codes, messages, and the id of a new pet.
  const isFree = free.includes(name) || value === undefined
  return inBody(
    isFree ? expected.replace(`${name}: `, '') : show(value),
    isObject(actual) ? shownField(actual, name) : show(actual),
    pointer,
  )
}

function shownField(value: JsonValue, name: string): string {
  const found = field(value, name)
  return found === undefined ? 'missing' : show(found)
}

/** The fields whose values in a Pet are certain: those that were sent, or that an earlier response shows. */
function demandedFields({ operation, plan }: Exchange, violation: Violation): readonly string[] {
  if (operation !== 'createPet')
    return shownBefore(violation).size > 0 ? petFieldNames : petFieldNames.slice(0, 1)
  const sent = tryParse(plan.body ?? '') ?? null
  return petFieldNames.filter((name) => name !== 'id' && field(sent, name) !== undefined)
}

/** The fields of a Pet that are invalid, or have another value than they must have. */
function fields(
  wanted: JsonValue,
  actual: JsonValue,
  at: string,
  demanded: readonly string[],
  { pointer, expected }: Violation,
): Difference[] {
  const [pet, shown] = [seenIn(wanted), seenIn(actual)]
  const free = at === '' && !demanded.includes('id') ? ['id'] : []
  const invalid = petMismatches(actual, at)
  const changed = petFieldNames.filter((name) => {
    const [value, other] = [pet[name], shown[name]]
    const isOther = String(value).normalize() !== String(other).normalize()
    const isInvalid = other === null || invalid.some((one) => one.pointer === `${at}/${name}`)
    return demanded.includes(name) && value !== undefined && isOther && !isInvalid
  })
  const isTaken =
    pointer === `${at}/id` && changed.length === 0 && isInt64(field(actual, 'id') ?? null)
  return [
    ...invalid.map((one) => ofMismatch(one, wanted, actual, free)),
    ...changed.map((name) =>
      inBody(show(field(wanted, name)), shownField(actual, name), `${at}/${name}`),
    ),
    ...(isTaken ? [inBody(expected.replace(/;.*/, ''), shownField(actual, 'id'), pointer)] : []),
  ]
}

/** Pets that a list lacks are named up to this number. */
const maxNamed = 3
/** More than a page has. */
const maxDifferences = 100

function lists(
  wanted: readonly JsonValue[],
  actual: readonly JsonValue[],
  { plan }: Exchange,
  violation: Violation,
): Difference[] {
  const { atMost, status } = pageOf(plan.path)
  const certain = shownBefore(violation)
  const places = new Map(wanted.map((pet, index) => [seenIn(pet).id, index]))
  const left = namesLeft(violation)
  const ids = new Set<Int64 | undefined>()
  /** Points into the conforming list to the pet with the same id, if there is one. */
  const facing = ({ part, pointer, conforming, actual }: Difference, index?: number) => ({
    part,
    ...(pointer !== undefined && { pointer }),
    ...(index !== undefined && {
      conformingPointer: pointer?.replace(/^\/\d+/, `/${index}`) ?? `/${index}`,
    }),
    conforming,
    actual,
  })
  const elements = actual.slice(0, maxElements).flatMap((element, index): Difference[] => {
    const at = `/${index}`
    const { id, name } = (isObject(element) && likelyPet(element)) || seenIn(element)
    ids.add(id)
    if (left.has(name ?? ''))
      return [facing(inBody('no pet of a rejected creation', show(element), at))]
    const place = places.get(id)
    const pet = wanted[place ?? -1] ?? null
    const demanded = pet !== null && id !== undefined && certain.has(id) ? petFieldNames : []
    const pointer = `${at}/status`
    const isOther = status !== undefined && isObject(element) && field(element, 'status') !== status
    const found = fields(pet, element, at, demanded, violation)
    const others = isOther ? found.filter((one) => one.pointer !== pointer) : found
    const filtered = isOther ? [inBody(show(status), shownField(element, 'status'), pointer)] : []
    return [...others, ...filtered].map((one) => facing(one, place))
  })
  const missing = [...places].filter(([id]) => !ids.has(id))
  // Which pets a full page shows is free.
  const isNamed =
    missing.length <= maxNamed && actual.length < wanted.length && wanted.length < atMost
  const named = isNamed
    ? missing.map(([id, place]) => facing(inBody(`pet ${id}`, 'missing'), place))
    : []
  const isOther =
    (actual.length > atMost || actual.length < wanted.length) && named.length + left.size === 0
  const length = isOther ? [inBody(count(wanted.length, 'pet'), count(actual.length, 'pet'))] : []
  return [...length, ...named, ...elements].slice(0, maxDifferences)
}
