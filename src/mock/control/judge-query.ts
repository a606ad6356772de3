import { limits, petStatuses } from '../../spec/operations.ts'
import type { PetStatus } from '../../spec/types.ts'
import { readInteger } from '../int64.ts'
import { isPetStatus, shown } from '../parameters.ts'
import type { Mark } from './marks.ts'
import { only, onlyStatus, type ParameterSet } from './scorecard-parameters.ts'

/** A parameter of a query, decoded. */
export interface Parameter {
  name: string
  value: string
}

/** What a list was asked for. */
interface AskedList {
  marks: readonly Mark[]
  /** Undefined when nobody can say. */
  limit: number | undefined
  status: PetStatus | undefined
}

const none: readonly never[] = []

/** The parameters of a query. What cannot be decoded stays as it is. */
export function readQuery(query: string): readonly Parameter[] {
  if (query === '') return none
  return query
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const equals = part.indexOf('=')
      return equals === -1
        ? { name: decode(part), value: '' }
        : { name: decode(part.slice(0, equals)), value: decode(part.slice(equals + 1)) }
    })
}

/** What is wrong with the parameters of listPets, and what it was asked for. */
export function judgeListQuery(parameters: readonly Parameter[]): AskedList {
  if (parameters.length === 0) return { marks: none, limit: limits.default, status: undefined }
  const sent = valuesOf('limit', parameters)
  const statuses = valuesOf('status', parameters)
  const marks = [
    ...judgeOnce('limit', sent),
    ...sent.flatMap(judgeLimit).slice(0, 1),
    ...judgeOnce('status', statuses),
    ...statuses.flatMap(judgeStatus).slice(0, 1),
    ...judgeUnknown(parameters.filter(({ name }) => name !== 'limit' && name !== 'status')),
  ]
  const [status] = statuses
  return { marks, limit: askedLimit(sent), status: isPetStatus(status) ? status : undefined }
}

/** "Query parameters": limit and status of listPets, and no others. */
export function judgeUnknown([first]: readonly Parameter[]): readonly Mark[] {
  if (first === undefined) return none
  const { name } = first
  const turnsPages = /^(offset|page|cursor|skip|start|after|before|per_?page|page_?size|page_?token)$/i.test(name)
  const bracketed = /^(limit|status)\[\d*\]$/.exec(name)?.[1]
  const why = turnsPages
    ? ' There is no way to turn pages.'
    : bracketed === undefined
      ? ''
      : ` The name is ${bracketed}, without brackets, and it takes one value.`
  return [{ kind: 'query.unknown-parameter', message: `There is no parameter ${shown(name)}.${why}` }]
}

/** Which parameters of listPets a query has, and whether it has others. */
export function listParametersOf(parameters: readonly Parameter[]): ParameterSet {
  let found = 0
  for (const { name, value } of parameters) {
    if (name === 'limit') found |= only.limit
    else if (name === 'status') found |= onlyStatus(isPetStatus(value) ? value : undefined)
    else found |= only.other
  }
  return found
}

function judgeOnce(name: 'limit' | 'status', values: readonly string[]): Mark[] {
  return values.length > 1 ? [{ kind: `${name}.repeated`, message: `${name} came ${values.length} times.` }] : []
}

/** "limit | integer | minimum 1, maximum 100" */
function judgeLimit(value: string): Mark[] {
  const limit = readInteger(value)
  if (limit === 'not-an-integer') {
    const message = value === '' ? 'limit had no value.' : `limit was ${shown(value)}.`
    return [{ kind: 'limit.not-an-integer', message }]
  }
  if (limit !== 'beyond-int64' && limit >= limits.minimum && limit <= limits.maximum) return []
  return [{ kind: 'limit.out-of-range', message: `limit was ${shown(value).slice(1, -1)}.` }]
}

/** "status | PetStatus | one of available, pending, sold" */
function judgeStatus(value: string): Mark[] {
  if (isPetStatus(value)) return []
  const near = petStatuses.find((status) => status === value.trim().toLowerCase())
  const why =
    near !== undefined ? ` The value is ${near}.` : /[,|;]/.test(value) ? ' It takes one value in each request.' : ''
  return [
    {
      kind: 'status.unknown',
      message: `${value === '' ? 'status had no value.' : `status was ${shown(value)}.`}${why}`,
    },
  ]
}

function askedLimit([first, ...more]: readonly string[]): number | undefined {
  if (first === undefined) return limits.default
  const limit = readInteger(first)
  return more.length === 0 && typeof limit === 'number' && limit >= limits.minimum && limit <= limits.maximum
    ? limit
    : undefined
}

function valuesOf(name: string, parameters: readonly Parameter[]): string[] {
  return parameters.filter((parameter) => parameter.name === name).map(({ value }) => value)
}

function decode(text: string): string {
  if (!/[%+]/.test(text)) return text
  const spaced = text.replaceAll('+', ' ')
  try {
    return decodeURIComponent(spaced)
  } catch {
    return spaced
  }
}
