import type { JsonValue } from '../../json.ts'
import type { ClauseId } from '../../spec/clauses.ts'
import { operations } from '../../spec/operations.ts'
import type { Exchange } from '../http/exchange.ts'
import { maxElements, nameOf } from './expect.ts'
import { errorDefects, kindOf, petDefects, show, shorten } from './shapes.ts'
import type { Defect } from './findings.ts'

export interface Judged {
  /** The clauses that this response could violate. */
  clauses: ClauseId[]
  defects: Defect[]
}

/** Judges one response of an operation; others are not judged. */
export function judgeResponse(exchange: Exchange): Judged {
  const { plan, operation, status, content } = exchange
  if (operation === undefined || (status >= 300 && status < 400))
    return { clauses: [], defects: [] }
  const form = judgeForm(exchange)
  if (form.defects.length > 0 && content.kind !== 'json') return form
  if (content.kind === 'unjudged') return form
  const errors = (): Defect[] =>
    content.kind === 'json' ? errorDefects(content.value, status, nameOf(plan)) : []
  const meaning =
    status < 400 ? judgeSuccess(exchange) : { clauses: errorClauses, defects: errors() }
  return {
    clauses: [...form.clauses, ...meaning.clauses],
    defects: [...form.defects, ...meaning.defects],
  }
}

function judgeForm({ plan, status, headers, content }: Exchange): Judged {
  const request = nameOf(plan)
  if (content.kind === 'empty') {
    if (status < 400) return { clauses: [], defects: [] }
    const expected = 'an Error object with code, message and status'
    const message = `The ${status} of ${request} has an empty body, not an Error object.`
    return {
      clauses: ['error.body'],
      defects: [{ clause: 'error.body', message, expected, actual: 'an empty body' }],
    }
  }
  const defects: Defect[] = []
  const mediaType = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  if (mediaType !== 'application/json') {
    const actual =
      mediaType === undefined ? 'no Content-Type' : `Content-Type: ${headers['content-type']}`
    const message = `${request} responded ${status} with ${shorten(actual)}, must be application/json.`
    defects.push({
      clause: 'http.media-type',
      message,
      expected: 'Content-Type: application/json',
      actual,
    })
  }
  if (content.kind === 'unjudged') return { clauses: ['http.media-type'], defects }
  if (content.kind === 'broken') {
    const { problem, text, near } = content
    const actual = `${problem}: ${near ?? text.slice(0, 160)}`
    const shown = near ?? shorten(text)
    const message = `${request}: ${problem}${shown === '' ? '' : `: ${shown}`}`.replace(
      /[^…]$/,
      '$&.',
    )
    // An HTML page in place of an Error is one violation, best described by the clause about errors.
    const clause =
      status >= 400 && mediaType !== 'application/json' ? 'error.body' : 'http.json-body'
    defects.push({ clause, message, expected: 'one JSON text in UTF-8 and nothing else', actual })
  }
  const ofErrors = status < 400 ? [] : (['error.body'] as const)
  return { clauses: ['http.media-type', 'http.json-body', ...ofErrors], defects }
}

const errorClauses: ClauseId[] = [
  'error.code',
  'error.message',
  'error.status',
  'error.status-repeats-http',
]
const petClauses: ClauseId[] = ['pet.fields', 'pet.id', 'pet.name', 'pet.category-id', 'pet.status']

function judgeSuccess({ plan, operation, status, content }: Exchange): Judged {
  if (operation === undefined || status !== operations[operation].successStatus)
    return { clauses: [], defects: [] }
  const { success: clause, returns } = operations[operation]
  const isList = returns === 'Pets'
  const request = nameOf(plan)
  const wrong = (expected: string, value?: JsonValue): Judged => {
    const message = `${request} returns ${kindOf(value)}, not ${expected}.`
    const actual = value === undefined ? 'an empty body' : show(value)
    const alsoBreaks: ClauseId[] = value === undefined ? ['http.json-body'] : []
    return { clauses: [clause], defects: [{ clause, alsoBreaks, message, expected, actual }] }
  }
  if (content.kind !== 'json') return wrong(isList ? 'an array of Pet' : 'a Pet')
  const { value } = content
  if (isList && !Array.isArray(value)) return wrong('an array of Pet', value)
  const isError = (): boolean =>
    errorDefects(value, status).every((defect) => defect.clause === 'error.status-repeats-http')
  if (!isList && (typeof value !== 'object' || value === null || Array.isArray(value) || isError()))
    return wrong('one Pet object', value)
  const pets = Array.isArray(value) ? value.slice(0, maxElements) : [value]
  const judge = (pet: JsonValue, index: number): Defect[] =>
    isList
      ? petDefects(pet, `/${index}`, `Pet ${index + 1} of ${request}`)
      : petDefects(pet, '', `Pet of ${request}`)
  const defects = pets.flatMap(judge).map((defect): Defect => ({ ...defect, alsoBreaks: [clause] }))
  const clauses: ClauseId[] = pets.length > 0 ? [clause, ...petClauses] : [clause]
  if (pets.length > 1) clauses.push('pet.id.unique')
  return { clauses, defects: [...defects, ...repeatedIds(pets, request)] }
}

function repeatedIds(pets: readonly JsonValue[], request: string): Defect[] {
  const first = new Map<number | bigint, number>()
  return pets.flatMap((pet, index): Defect[] => {
    const { id } = (pet ?? {}) as { id?: unknown }
    if (typeof id !== 'number' && typeof id !== 'bigint') return []
    const known = first.get(id)
    if (known === undefined) first.set(id, index)
    if (known === undefined) return []
    const expected = `an id that no other pet has; /${known} has it too`
    const message = `${request} shows id ${id} twice.`
    return [
      { clause: 'pet.id.unique', message, pointer: `/${index}/id`, expected, actual: String(id) },
    ]
  })
}
