import type { JsonValue } from '../../json.ts'
import type { RequirementId } from '../../spec/requirements.ts'
import { operations } from '../../spec/operations.ts'
import { isRedirect, mediaTypeOf, type Exchange } from '../http/exchange.ts'
import { maxElements, nameOf } from './expect.ts'
import {
  errorMismatches,
  isObject,
  kindOf,
  petMismatches,
  show,
  shorten,
  tryParse,
} from './shapes.ts'
import type { Mismatch } from './findings.ts'

export interface Judged {
  /** The requirements that this response could violate. */
  requirements: RequirementId[]
  mismatches: Mismatch[]
}

/** Judges one response of an operation; others are not judged. */
export function judgeResponse(exchange: Exchange): Judged {
  const { plan, operation, status, content } = exchange
  if (operation === undefined || isRedirect(status)) return { requirements: [], mismatches: [] }
  const form = judgeForm(exchange)
  if (form.mismatches.length > 0 && content.kind !== 'json') return form
  if (content.kind === 'unjudged') return form
  const errors = (): Mismatch[] =>
    content.kind === 'json' ? errorMismatches(content.value, status, nameOf(plan)) : []
  const meaning =
    status < 400
      ? judgeSuccess(exchange)
      : { requirements: errorRequirements, mismatches: errors() }
  return {
    requirements: [...form.requirements, ...meaning.requirements],
    mismatches: [...form.mismatches, ...meaning.mismatches],
  }
}

function judgeForm(exchange: Exchange): Judged {
  const { plan, operation, status, headers, content } = exchange
  const request = nameOf(plan)
  if (content.kind === 'empty') {
    if (status < 400) return { requirements: [], mismatches: [] }
    const expected = 'an Error object with code, message and status'
    const message = `The ${status} of ${request} has an empty body, not an Error object.`
    return {
      requirements: ['error.body'],
      mismatches: [{ requirement: 'error.body', message, expected, actual: 'an empty body' }],
    }
  }
  const mismatches: Mismatch[] = []
  const mediaType = mediaTypeOf(exchange)
  if (mediaType !== 'application/json') {
    const actual =
      mediaType === undefined ? 'no Content-Type' : `Content-Type: ${headers['content-type']}`
    // A comma separates the values of a header that is repeated.
    const once = mediaType?.includes(',') ? ', once: the header was sent several times' : ''
    const message = `${request} responded ${status} with ${shorten(actual)}, must be application/json${once}.`
    mismatches.push({
      requirement: 'http.media-type',
      message,
      way: `${operation ?? plan.method} ${status} with ${shorten(mediaType ?? actual)}`,
      expected: 'Content-Type: application/json',
      actual,
    })
  }
  if (content.kind === 'unjudged') return { requirements: ['http.media-type'], mismatches }
  if (content.kind === 'broken') {
    const { problem, text, near } = content
    const actual = `${problem}: ${near ?? text.slice(0, 160)}`
    const shown = near ?? shorten(text)
    const message = `${request}: ${problem}${shown === '' ? '' : `: ${shown}`}`.replace(
      /[^…]$/,
      '$&.',
    )
    // An HTML page instead of an Error is one violation, best described by the requirement about errors.
    const requirement =
      status >= 400 && mediaType !== 'application/json' ? 'error.body' : 'http.json-body'
    mismatches.push({
      requirement,
      message,
      way: `${operation ?? plan.method} ${status}: ${problem}`,
      expected: 'one JSON text in UTF-8 and nothing else',
      actual,
    })
  }
  const ofErrors = status < 400 ? [] : (['error.body'] as const)
  return { requirements: ['http.media-type', 'http.json-body', ...ofErrors], mismatches }
}

const errorRequirements: RequirementId[] = [
  'error.code',
  'error.message',
  'error.status',
  'error.status-repeats-http',
]
const petRequirements: RequirementId[] = [
  'pet.fields',
  'pet.id',
  'pet.name',
  'pet.category-id',
  'pet.status',
]

function judgeSuccess({ plan, operation, status, content }: Exchange): Judged {
  if (operation === undefined || status !== operations[operation].successStatus)
    return { requirements: [], mismatches: [] }
  const { success: requirement, returns } = operations[operation]
  // Another form of a success is a mistake of the types here.
  const isList = { Pets: true, Pet: false }[returns]
  const request = nameOf(plan)
  const wrong = (expected: string, value?: JsonValue): Judged => {
    const message = `${request} returns ${kindOf(value)}, not ${expected}.`
    const actual = value === undefined ? 'an empty body' : show(value)
    const alsoBreaks: RequirementId[] = value === undefined ? ['http.json-body'] : []
    return {
      requirements: [requirement],
      mismatches: [{ requirement, alsoBreaks, message, expected, actual }],
    }
  }
  if (content.kind !== 'json') return wrong(isList ? 'an array of Pet' : 'a Pet')
  const { value } = content
  if (isList && !Array.isArray(value)) return wrong('an array of Pet', value)
  const isError = (): boolean =>
    errorMismatches(value, status).every(
      (mismatch) => mismatch.requirement === 'error.status-repeats-http',
    )
  if (!isList && (typeof value !== 'object' || value === null || Array.isArray(value) || isError()))
    return wrong('one Pet object', value)
  const pets = Array.isArray(value) ? value.slice(0, maxElements) : [value]
  const judge = (pet: JsonValue, index: number): Mismatch[] =>
    isList
      ? petMismatches(pet, `/${index}`, `The ${ordinal(index + 1)} pet of ${request}`)
      : petMismatches(pet, '', `Pet of ${request}`)
  const mismatches = pets
    .flatMap(judge)
    .map((mismatch): Mismatch => ({ ...mismatch, alsoBreaks: [requirement] }))
  const requirements: RequirementId[] =
    pets.length > 0 ? [requirement, ...petRequirements] : [requirement]
  if (pets.length > 1) requirements.push('pet.id.unique')
  return { requirements, mismatches: [...mismatches, ...repeatedIds(pets, request)] }
}

/** `20th`: "Pet 20" would be the one with that id. */
const ordinal = (number: number): string =>
  `${number}${(/1.$/.test(String(number % 100)) ? '' : ['', 'st', 'nd', 'rd'][number % 10]) || 'th'}`

function repeatedIds(pets: readonly JsonValue[], request: string): Mismatch[] {
  const first = new Map<number | bigint, number>()
  return pets.flatMap((pet, index): Mismatch[] => {
    const { id } = (pet ?? {}) as { id?: unknown }
    if (typeof id !== 'number' && typeof id !== 'bigint') return []
    const known = first.get(id)
    if (known === undefined) first.set(id, index)
    if (known === undefined) return []
    const expected = `an id that no other pet has; /${known} has it too`
    const message = `${request} shows id ${id} twice.`
    return [
      {
        requirement: 'pet.id.unique',
        message,
        pointer: `/${index}/id`,
        expected,
        actual: String(id),
      },
    ]
  })
}

/**
 * Whether a response has anything of the interface: a list, the fields of a Pet or an Error in any envelope, or a body that
 * is declared as JSON. A defective service must not be mistaken for a wrong address.
 */
export function looksLikeTheInterface({ status, headers, content }: Exchange): boolean {
  if (status === 404 || isRedirect(status)) return false
  if (status === 401 || content.kind === 'unjudged') return true
  if (content.kind === 'empty') return false
  if (content.kind === 'broken') {
    const isPage = content.text.trimStart().startsWith('<')
    return hasList(content.text) || (!isPage && /\bjson\b/i.test(headers['content-type'] ?? ''))
  }
  const { value } = content
  return typeof value === 'string' ? hasList(value) : Array.isArray(value) || hasPart(value)
}

/** Whether a text ends with a list, perhaps within a call: after a warning, or in a string of JSON. */
function hasList(text: string): boolean {
  const end = text.lastIndexOf(']') + 1
  const value = tryParse(text.slice(text.indexOf('['), end))
  return Array.isArray(value) && value.every(isObject) && !/[\w<]/.test(text.slice(end))
}

function hasPart(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.length === 0 || value.some(hasPart)
  if (!isObject(value)) return false
  const hasTwo = (...names: string[]): boolean =>
    names.filter((name) => Object.hasOwn(value, name)).length > 1
  return (
    hasTwo('id', 'name', 'categoryId') ||
    // GraphQL errors have their code in a nested object.
    hasTwo('code', 'message', 'status') ||
    Object.values(value).some(hasPart)
  )
}
