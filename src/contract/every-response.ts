import type { ClauseId } from '../spec/clauses.ts'
import type { Exchange } from './exchange.ts'
import { errorDefects, mostElements, petDefects, show } from './expect.ts'
import type { Defect } from './expect.ts'

/** What holds for each response of the three operations, whatever the check that requested it. */
export interface Judgement {
  /** The clauses that this response was able to break. */
  clauses: ClauseId[]
  defects: Defect[]
}

/** Judges one response. Responses to requests that call no operation of the specification are not judged. */
export function judgeResponse(exchange: Exchange): Judgement {
  if (exchange.operation === undefined || (exchange.status >= 300 && exchange.status < 400)) {
    return { clauses: [], defects: [] }
  }
  const form = judgeForm(exchange)
  if (form.defects.length > 0 && exchange.content.kind !== 'json') return form
  if (exchange.content.kind === 'unjudged') return form
  const meaning = exchange.status >= 400 ? judgeError(exchange) : judgeSuccess(exchange)
  return { clauses: [...form.clauses, ...meaning.clauses], defects: [...form.defects, ...meaning.defects] }
}

function judgeForm({ status, headers, content }: Exchange): Judgement {
  if (content.kind === 'empty') {
    if (status < 400) return { clauses: [], defects: [] }
    const expected = 'an Error object with code, message and status'
    return {
      clauses: ['error.body'],
      defects: [{ clause: 'error.body', pointer: '', expected, actual: 'an empty body' }],
    }
  }
  const defects: Defect[] = []
  const mediaType = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  if (mediaType !== 'application/json') {
    const actual =
      headers['content-type'] === undefined ? 'no Content-Type' : `Content-Type: ${headers['content-type']}`
    defects.push({ clause: 'http.media-type', pointer: '', expected: 'Content-Type: application/json', actual })
  }
  if (content.kind === 'unjudged') return { clauses: ['http.media-type'], defects }
  if (content.kind === 'broken') {
    const actual = `${content.problem}: ${content.text.slice(0, 160)}`
    // A page of HTML in place of an Error is one violation, and the clause about errors names it best.
    const clause = status >= 400 && mediaType !== 'application/json' ? 'error.body' : 'http.json-body'
    defects.push({ clause, pointer: '', expected: 'one JSON text in UTF-8 and nothing else', actual })
  }
  return {
    clauses:
      status >= 400 ? ['http.media-type', 'http.json-body', 'error.body'] : ['http.media-type', 'http.json-body'],
    defects,
  }
}

function judgeError({ status, content }: Exchange): Judgement {
  const clauses: ClauseId[] = ['error.body', 'error.code', 'error.message', 'error.status', 'error.status-repeats-http']
  return { clauses, defects: content.kind === 'json' ? errorDefects(content.value, status) : [] }
}

const petClauses: ClauseId[] = ['pet.fields', 'pet.id', 'pet.name', 'pet.category-id', 'pet.status']

function judgeSuccess(exchange: Exchange): Judgement {
  const { operation, status, content } = exchange
  if (operation === 'listPets' && status === 200) return judgeList(exchange)
  if ((operation === 'getPet' && status === 200) || (operation === 'createPet' && status === 201)) {
    const clause = operation === 'getPet' ? 'get.success' : 'create.success'
    if (content.kind !== 'json') {
      const defect: Defect = {
        clause,
        alsoBreaks: ['http.json-body'],
        pointer: '',
        expected: 'a Pet',
        actual: 'an empty body',
      }
      return { clauses: [clause], defects: [defect] }
    }
    const { value } = content
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return { clauses: [clause], defects: [{ clause, pointer: '', expected: 'one Pet object', actual: show(value) }] }
    }
    const defects = petDefects(value, '').map((defect): Defect => ({ ...defect, alsoBreaks: [clause] }))
    return { clauses: [clause, ...petClauses], defects }
  }
  return { clauses: [], defects: [] }
}

function judgeList({ content }: Exchange): Judgement {
  if (content.kind !== 'json' || !Array.isArray(content.value)) {
    const actual = content.kind === 'json' ? show(content.value) : 'an empty body'
    const alsoBreaks: ClauseId[] = content.kind === 'json' ? [] : ['http.json-body']
    const defect: Defect = { clause: 'list.success', alsoBreaks, pointer: '', expected: 'an array of Pet', actual }
    return { clauses: ['list.success'], defects: [defect] }
  }
  const pets = content.value.slice(0, mostElements)
  const clauses: ClauseId[] = ['list.success']
  const defects: Defect[] = pets
    .flatMap((pet, index) => petDefects(pet, `/${index}`))
    .map((defect): Defect => ({ ...defect, alsoBreaks: ['list.success'] }))
  if (pets.length > 0) clauses.push(...petClauses)
  if (pets.length > 1) clauses.push('pet.id.unique')

  const ids = new Map<string, number>()
  for (const [index, pet] of pets.entries()) {
    const { id } = (pet ?? {}) as { id?: unknown }
    if (typeof id !== 'number' && typeof id !== 'bigint') continue
    const first = ids.get(String(id))
    if (first === undefined) ids.set(String(id), index)
    else {
      const expected = `an id that no other pet has; /${first} has it too`
      defects.push({ clause: 'pet.id.unique', pointer: `/${index}/id`, expected, actual: String(id) })
    }
  }
  return { clauses, defects }
}
