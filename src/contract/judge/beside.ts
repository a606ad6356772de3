import { printJson, type JsonValue } from '../../json.ts'
import { count } from '../../report/text.ts'
import type { HttpReply, HttpRequest } from '../../spec/http.ts'
import type { ExactPet, Int64 } from '../../spec/types.ts'
import type { Content, Exchange } from '../http/exchange.ts'
import type { Difference, Report } from '../report/report.ts'
import { isWhole } from './catalog.ts'
import { judgeResponse } from './every-response.ts'
import { compareShown, isRejection, maxElements, pageOf, petsOf } from './expect.ts'
import { allBroken, type Violation } from './findings.ts'
import { field, isObject, plain, seenIn, show, tryParse, valueAt } from './shapes.ts'

/** What a conforming service says to the last request of a violation: its pets, and the place of the violation. */

/** A request to a service that keeps the specification, and what is known of that service. */
interface ConformingRequest extends HttpRequest {
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
  allBroken(violation).includes('get.not-found') ||
  rejectedNames(violation).size > 0

/** The names of the creations that were rejected before the last request: no pet has them. */
function rejectedNames({ exchanges }: Violation): Set<string> {
  const rejected = exchanges
    .slice(0, -1)
    .filter(({ operation, status }) => operation === 'createPet' && isRejection(status))
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
  const left = rejectedNames(violation)
  const [, digits = ''] = /^\/pets\/(-?\d+)(?:\?|$)/.exec(exchange.plan.path) ?? []
  const id = tryParse(digits) as Int64
  const isUnknown = allBroken(violation).includes('get.not-found')
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
  const { atMost, matches } = pageOf(plan.path)
  const [shown, left] = [shownBefore(violation), rejectedNames(violation)]
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
 * The place of a violation in its last response, and what a conforming one has there: its value, or a description where the
 * service may choose it. Undefined for what neither response shows.
 */
export function differenceIn(conforming: Shown, violation: Violation): Difference | undefined {
  const { exchanges, requirement, kind, pointer = '', expected, actual: words } = violation
  const actual = exchanges.at(-1)
  if (actual === undefined) return undefined
  if (actual.status !== conforming.status) {
    const shown = actual.status === 0 ? 'no response' : String(actual.status)
    return { part: 'status', conforming: String(conforming.status), actual: shown }
  }
  if (requirement === 'http.media-type') {
    const [wanted = '', shown = 'none'] = [conforming, actual].map(
      ({ headers }) => headers['content-type'],
    )
    return { part: 'content-type', conforming: wanted, actual: shown }
  }
  const name = pointer.split('/').at(-1) ?? ''
  const described = expected.replace(`${name}: `, '').replace(/;.*/, '')
  const [here, wanted] = [valueOf(actual), valueOf(conforming)]
  if (here !== undefined && printJson(here) === printJson(wanted ?? null)) return undefined
  if (pointer === '' && (!isObject(here) || !isObject(wanted) || actual.status !== 200)) {
    const areLists = Array.isArray(here) && Array.isArray(wanted)
    if (!areLists || kind === 'missing' || rejectedNames(violation).size > 0)
      return { part: 'body', conforming: described, actual: words }
    // Which pets a list shows is free, as far as the violation does not name them.
    if (here.length === wanted.length) return undefined
    const [most, shown] = [wanted, here].map(({ length }) => count(length, 'pet')) as [
      string,
      string,
    ]
    return { part: 'body', conforming: most, actual: kind === 'excess' ? words : shown }
  }
  const conformingPointer = facing(pointer, here, wanted)
  const [shown, other] = [valueAt(here, pointer), valueAt(wanted, conformingPointer)]
  // Others may have changed a pet that no response of the violation shows.
  const id = isObject(shown) ? seenIn(shown).id : undefined
  if (id !== undefined && (!other || !shownBefore(violation).has(id))) return undefined
  const isSame = shown !== undefined && other !== undefined && show(shown) === show(other)
  // Neither shows it, unless an id is wrong that another pet has.
  if (isSame && name !== 'id') return undefined
  const isChosen =
    isSame || actual.status >= 400 || (actual.operation === 'createPet' && name === 'id')
  return {
    part: 'body',
    ...(pointer !== '' && { pointer }),
    ...(pointer !== '' && conformingPointer !== undefined && { conformingPointer }),
    conforming: isChosen || other === undefined ? described : show(other),
    actual: shown === undefined ? 'missing' : show(shown),
  }
}

const valueOf = ({ content }: Shown): JsonValue | undefined =>
  content.kind === 'json' ? content.value : undefined

/** The same place in a conforming body: of a list, that of the pet with the same id, if it shows one. */
function facing(
  pointer: string,
  here: JsonValue | undefined,
  wanted: JsonValue | undefined,
): string | undefined {
  if (!Array.isArray(here) || !Array.isArray(wanted)) return pointer
  const [, place = '', rest = ''] = /^\/(\d+)(.*)/.exec(pointer) ?? []
  const element = here[Number(place)] ?? null
  const id = isObject(element) ? likelyPet(element)?.id : undefined
  const index = wanted.findIndex((pet) => id !== undefined && seenIn(pet).id === id)
  return index < 0 ? undefined : `/${index}${rest}`
}
