import { type JsonValue, printJson } from '../../json.ts'
import { limits, type OperationId, type QueryParameter } from '../../spec/operations.ts'
import { isJsonObject, tryParseJson } from '../../validate.ts'
import { accepted, authenticate } from '../service/authenticate.ts'
import type { MockReply, MockRequest, Respond } from '../service/message.ts'
import { operationOf as operationOn } from '../service/route.ts'
import type { Apply, DefectContext, When } from './defect.ts'

export type Fields = Record<string, JsonValue>

export function operationOf(
  { method, target }: MockRequest,
  { findRoute }: DefectContext,
): OperationId | undefined {
  return operationOn(findRoute(target), method)
}

export function petIdOf({ target }: MockRequest): string {
  return (target.split('?')[0] as string).split('/').at(-1) as string
}

export function isRejected(
  request: MockRequest,
  { credentialOf, profile }: DefectContext,
): boolean {
  return authenticate(credentialOf(request), profile) !== undefined
}

export const withKey = (request: MockRequest): MockRequest => ({
  ...request,
  credential: accepted,
})

export function parameter({ target }: MockRequest, name: QueryParameter): string | undefined {
  return new URLSearchParams(target.split('?')[1] ?? '').get(name) ?? undefined
}

/** NaN when the limit is not a number. */
export const limitOf = (request: MockRequest): number =>
  Number(parameter(request, 'limit') ?? limits.default)

export function withParameter(
  request: MockRequest,
  name: QueryParameter,
  value: string | number | undefined,
) {
  const kept = queryOf(request.target).filter((part) => part.split('=')[0] !== name)
  const parts = value === undefined ? kept : [...kept, `${name}=${value}`]
  const path = request.target.split('?')[0] as string
  return { ...request, target: parts.length === 0 ? path : `${path}?${parts.join('&')}` }
}

const queryOf = (target: string): string[] =>
  (target.split('?')[1] ?? '').split('&').filter((part) => part !== '')

export function fieldsOf({ body }: MockRequest): Fields | undefined {
  const value = tryParseJson(body)
  return isJsonObject(value) ? value : undefined
}

export const isMalformed: When = ({ body }) => body !== '' && tryParseJson(body) === undefined

export function withBody(request: MockRequest, value: JsonValue): MockRequest {
  return { ...request, body: printJson(value) }
}

export function onRequest(
  operation: OperationId,
  change: (request: MockRequest, context: DefectContext) => MockRequest | undefined,
  when: When = () => true,
): Apply {
  return (respond, context) => (request) => {
    const isChanged = operationOf(request, context) === operation && when(request, context)
    return respond((isChanged ? change(request, context) : undefined) ?? request)
  }
}

/** Sets a query parameter of listPets, or removes it. */
export function sets(name: QueryParameter, value: string | number | undefined, when: When): Apply {
  return onRequest('listPets', (request) => withParameter(request, name, value), when)
}

/** Uses the parameter of an earlier request when a request lacks it. */
export function remembers(name: QueryParameter, pattern: RegExp): Apply {
  return onRequest('listPets', (request, { memory }) => {
    const value = parameter(request, name)
    if (value === undefined) return withParameter(request, name, memory[name] as string | undefined)
    if (pattern.test(value)) memory[name] = value
    return undefined
  })
}

/** Changes the fields of a creation before the service sees them. */
export function onFields(change: (fields: Fields) => Fields | undefined): Apply {
  return onRequest('createPet', (request) => {
    const fields = fieldsOf(request)
    const changed = fields && change(fields)
    return changed && withBody(request, changed)
  })
}

/** Replaces the handler of an operation for requests with a valid key. */
export function inPlaceOf(
  operation: OperationId,
  handle: (request: MockRequest, context: DefectContext, respond: Respond) => MockReply | undefined,
): Apply {
  return (respond, context) => (request) =>
    (operationOf(request, context) === operation && !isRejected(request, context)
      ? handle(request, context, respond)
      : undefined) ?? respond(request)
}
