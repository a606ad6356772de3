/** How deviations look at requests, and change them. */

import { type JsonValue, parseJson, printJson } from '../../json.ts'
import type { OperationId } from '../../spec/operations.ts'
import { createAuthenticate } from '../authenticate.ts'
import type { MockReply, MockRequest, Respond } from '../message.ts'
import type { World } from '../world.ts'
import type { Bend } from './deviation.ts'

/** The operation that a request asks for. */
export function operationOf({ method, target }: MockRequest, { settings }: World): OperationId | undefined {
  const path = target.split('?')[0] as string
  const pets = `${settings.basePath}/pets`
  if (path === pets) return method === 'GET' ? 'listPets' : method === 'POST' ? 'createPet' : undefined
  return method === 'GET' && path.startsWith(`${pets}/`) ? 'getPet' : undefined
}

/** The petId of a request for one pet. */
export function petIdOf({ target }: MockRequest): string {
  return (target.split('?')[0] as string).split('/').at(-1) as string
}

/** Whether the key of a request is missing or invalid. */
export function isRefused({ headers }: MockRequest, { settings, profile }: World): boolean {
  return createAuthenticate(settings.keys, profile)(headers['authorization']) !== undefined
}

/** The request as somebody with a valid key would send it. */
export function withKey(request: MockRequest, { settings }: World): MockRequest {
  return { ...request, headers: { ...request.headers, authorization: `Bearer ${settings.keys[0]}` } }
}

/** What follows `Bearer ` in a request, and whether there was such a header. */
export function tokenOf({ headers }: MockRequest): string | undefined {
  const { authorization } = headers
  const match = typeof authorization === 'string' ? /^bearer *(.*)$/i.exec(authorization) : null
  return match?.[1]
}

/** The value of a query parameter. */
export function parameter({ target }: MockRequest, name: string): string | undefined {
  const part = queryOf(target).find((candidate) => candidate.split('=')[0] === name)
  return part === undefined ? undefined : (part.split('=')[1] ?? '')
}

/** The request with another value of a query parameter, or without it. */
export function withParameter(request: MockRequest, name: string, value: string | number | undefined): MockRequest {
  const kept = queryOf(request.target).filter((part) => part.split('=')[0] !== name)
  const parts = value === undefined ? kept : [...kept, `${name}=${value}`]
  const path = request.target.split('?')[0] as string
  return { ...request, target: parts.length === 0 ? path : `${path}?${parts.join('&')}` }
}

function queryOf(target: string): string[] {
  return (target.split('?')[1] ?? '').split('&').filter((part) => part !== '')
}

/** The body of a request when it is a JSON object. */
export function membersOf({ body }: MockRequest): Record<string, JsonValue> | undefined {
  const value = jsonOf(body)
  return isRecord(value) ? value : undefined
}

/** The value of a JSON text, or undefined when it is none. */
export function jsonOf(text: string): JsonValue | undefined {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

export function isRecord(value: JsonValue | undefined): value is Record<string, JsonValue> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

/** The request with another body. */
export function withBody(request: MockRequest, value: JsonValue): MockRequest {
  return { ...request, body: printJson(value) }
}

/** Changes the requests of an operation before the service sees them. */
export function onRequest(
  operation: OperationId,
  change: (request: MockRequest, world: World) => MockRequest | undefined,
): Bend {
  return (respond, world) => (request) =>
    respond((operationOf(request, world) === operation ? change(request, world) : undefined) ?? request)
}

/** Changes the members of a creation before the service sees them. */
export function onMembers(change: (members: Record<string, JsonValue>) => Record<string, JsonValue> | undefined): Bend {
  return onRequest('createPet', (request) => {
    const members = membersOf(request)
    const changed = members && change(members)
    return changed && withBody(request, changed)
  })
}

/** Answers requests of an operation in place of the service, where their key is valid. */
export function inPlaceOf(
  operation: OperationId,
  answer: (request: MockRequest, world: World, respond: Respond) => MockReply | undefined,
): Bend {
  return (respond, world) => (request) =>
    (operationOf(request, world) === operation && !isRefused(request, world)
      ? answer(request, world, respond)
      : undefined) ?? respond(request)
}
