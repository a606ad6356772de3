/** How deviations change replies. */

import { type JsonValue, parseJson, printJson } from '../../json.ts'
import type { OperationId } from '../../spec/operations.ts'
import type { PetStatus } from '../../spec/types.ts'
import type { MockReply, SandboxRequest } from '../message.ts'
import type { Context } from '../context.ts'
import type { Apply } from './deviation.ts'
import { inPlaceOf, isRecord, operationOf } from './requests.ts'

type Fields = Record<string, JsonValue>

/** Changes the replies of an operation that have a status. */
export function onReply(
  operation: OperationId,
  status: number,
  change: (reply: MockReply, request: SandboxRequest, context: Context) => MockReply | undefined,
): Apply {
  return (respond, context) => (request) => {
    const reply = respond(request)
    if (operationOf(request, context) !== operation || reply.status !== status) return reply
    return change(reply, request, context) ?? reply
  }
}

/** Changes every error reply. */
export function onError(change: (reply: MockReply) => MockReply): Apply {
  return (respond) => (request) => {
    const reply = respond(request)
    return reply.status >= 400 ? change(reply) : reply
  }
}

/** Changes the Error body of every error reply. */
export function onErrorBody(change: (body: Fields) => JsonValue): Apply {
  return onError((reply) => withJson(reply, (body) => (isRecord(body) ? change(body) : body)))
}

/** Changes the pets of every list. */
export function onList(change: (pets: Fields[], request: SandboxRequest, context: Context) => JsonValue): Apply {
  return onReply('listPets', 200, (reply, request, context) =>
    withJson(reply, (pets) => change(pets as Fields[], request, context)),
  )
}

/** Changes each pet wherever it is shown. */
export function onPet(change: (pet: Fields) => JsonValue): Apply {
  return (respond, context) => (request) => {
    const reply = respond(request)
    if (operationOf(request, context) === undefined || reply.status >= 300) return reply
    return withJson(reply, (body) => (Array.isArray(body) ? (body as Fields[]).map(change) : change(body as Fields)))
  }
}

/** The reply with another JSON body. */
export function withJson(reply: MockReply, change: (body: JsonValue) => JsonValue): MockReply {
  return { ...reply, body: reply.body === '' ? '' : printJson(change(parseJson(reply.body))) }
}

/** The reply with another text and media type, or none. */
export function withText(reply: MockReply, body: string, mediaType: string | undefined): MockReply {
  const { 'content-type': _type, ...headers } = reply.headers
  return { ...reply, headers: mediaType === undefined ? headers : { 'content-type': mediaType, ...headers }, body }
}

/** An HTML page as many frameworks show it. */
export function withPage(reply: MockReply): MockReply {
  const title = `Error ${reply.status}`
  return withText(
    reply,
    `<!DOCTYPE html><html><head><title>${title}</title></head><body>${title}</body></html>`,
    'text/html',
  )
}

/** An object without one of its fields. */
export function without(object: Fields, field: string): Fields {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== field))
}

/** A JSON value as text: a string is it already. */
export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : printJson(value)
}

/** A list of the pets that the store holds, as many as there are. */
export function listOf(context: Context, status?: string, most = Number.POSITIVE_INFINITY): MockReply {
  const pets = context.firstPets(most, status as PetStatus | undefined)
  return context.replies.json(200, `[${pets.map(context.print).join(',')}]`)
}

/** The first pets of the list. */
export function petsOf(context: Context, status: string | undefined, most: number): Fields[] {
  return parseJson(listOf(context, status, most).body) as Fields[]
}

/** Refuses requests of an operation where a condition holds and their key is valid. */
export function refuses(
  operation: OperationId,
  status: number,
  condition: (request: SandboxRequest) => boolean,
): Apply {
  return inPlaceOf(operation, (request, context) => (condition(request) ? errorOf(context, status) : undefined))
}

/** The Error reply of a deviation. */
export function errorOf(context: Context, status: number): MockReply {
  return context.problems.refused(status, 'The request was refused.')
}
