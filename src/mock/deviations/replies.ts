/** How deviations change replies. */

import { type JsonValue, parseJson, printJson } from '../../json.ts'
import type { OperationId } from '../../spec/operations.ts'
import type { PetStatus } from '../../spec/types.ts'
import { isFields } from '../../validate.ts'
import { parsePet, type StoredPet } from '../catalog.ts'
import type { Context } from '../context.ts'
import type { MockReply, SandboxRequest, SandboxRespond } from '../message.ts'
import type { Apply } from './deviation.ts'
import { type Fields, inPlaceOf, operationOf, type When } from './requests.ts'

/** Changes a reply, or leaves it. It may call the service again. */
export type ReplyChange = (
  reply: MockReply,
  request: SandboxRequest,
  context: Context,
  respond: SandboxRespond,
) => MockReply | void

const always: When = () => true

function onReplies(
  isMeant: (reply: MockReply, operation: OperationId | undefined) => boolean,
  change: ReplyChange,
  when = always,
): Apply {
  return (respond, context) => (request) => {
    const reply = respond(request)
    const isChanged = isMeant(reply, operationOf(request, context)) && when(request, context)
    return (isChanged ? change(reply, request, context, respond) : undefined) ?? reply
  }
}

/** Changes the replies of an operation that have a status. */
export const onReply = (operation: OperationId, status: number, change: ReplyChange, when?: When): Apply =>
  onReplies((reply, own) => own === operation && reply.status === status, change, when)

/** Changes the replies to requests without a valid key. */
export const onRejected = (change: ReplyChange, when?: When): Apply =>
  onReplies(({ status }) => status === 401, change, when)

/** Changes every error reply. */
export const onError = (change: ReplyChange): Apply => onReplies(({ status }) => status >= 400, change)

/** Changes the replies of operations that are no errors. */
export const onSuccess = (change: ReplyChange): Apply =>
  onReplies(({ status }, operation) => operation !== undefined && status < 300, change)

/** Changes the Error body of every error reply. */
export const onErrorBody = (change: (body: Fields) => JsonValue): Apply =>
  onError(json((body) => (isFields(body) ? change(body) : body)))

/** Changes the pets of every list. */
export const onList = (
  change: (pets: Fields[], request: SandboxRequest, context: Context) => JsonValue,
  when?: When,
): Apply =>
  onReply(
    'listPets',
    200,
    (reply, request, context) => withJson(reply, (pets) => change(pets as Fields[], request, context)),
    when,
  )

/** Changes each pet wherever it is shown. */
export const onPet = (change: (pet: Fields) => JsonValue): Apply =>
  onSuccess(json((body) => (Array.isArray(body) ? (body as Fields[]).map(change) : change(body as Fields))))

/** Does something with each pet that was created, before the 201 is sent. */
export const onCreated = (change: (pet: StoredPet, context: Context, reply: MockReply) => MockReply | void): Apply =>
  onReply('createPet', 201, (reply, _request, context) => change(parsePet(reply.body), context, reply))

/** Another status with the same body. */
export const status =
  (status: number): ReplyChange =>
  (reply) => ({ ...reply, status })

/** An Error reply. */
export const error =
  (status: number): ReplyChange =>
  (_reply, _request, context) =>
    errorOf(context, status)

/** Another JSON body. */
export const json =
  (change: (body: JsonValue) => JsonValue): ReplyChange =>
  (reply) =>
    withJson(reply, change)

/** Another text in place of the body. */
export const text =
  (change: (body: string) => string): ReplyChange =>
  (reply) => ({ ...reply, body: change(reply.body) })

/** Another media type, or none. */
export const mediaType =
  (type: string | undefined): ReplyChange =>
  (reply) =>
    withText(reply, reply.body, type)

/** Another status without a body. */
export const empty =
  (status: number, location?: string): ReplyChange =>
  (_reply, _request, { replies }) =>
    replies.empty(status, location === undefined ? undefined : { location })

/** No body. */
export const bodiless: ReplyChange = (reply) => withText(reply, '', undefined)

/** Gives an object another value of a field. */
export const set =
  (field: string, value: JsonValue | ((before: JsonValue) => JsonValue)) =>
  (object: Fields): Fields => ({
    ...object,
    [field]: typeof value === 'function' ? value(object[field] ?? null) : value,
  })

/** Takes a field from an object. */
export const drop =
  (field: string) =>
  (object: Fields): Fields =>
    Object.fromEntries(Object.entries(object).filter(([name]) => name !== field))

/** Changes each pet of a list, or the one at a place of its own: the first is 0, the last is -1. */
export const each =
  (change: (pet: Fields) => JsonValue, place?: number) =>
  (pets: readonly Fields[]): JsonValue[] =>
    pets.map((pet, index) =>
      place === undefined || index === (place < 0 ? pets.length + place : place) ? change(pet) : pet,
    )

/** The reply with another JSON body. */
export function withJson(reply: MockReply, change: (body: JsonValue) => JsonValue): MockReply {
  return { ...reply, body: reply.body === '' ? '' : printJson(change(parseJson(reply.body))) }
}

/** The reply with another text and media type, or none. */
export function withText(reply: MockReply, body: string, mediaType: string | undefined): MockReply {
  const { 'content-type': _type, ...headers } = reply.headers
  return { ...reply, headers: mediaType === undefined ? headers : { 'content-type': mediaType, ...headers }, body }
}

/** The reply with an HTML page as many frameworks show it. */
export function withPage(reply: MockReply): MockReply {
  const title = `Error ${reply.status}`
  const body = `<!DOCTYPE html><html><head><title>${title}</title></head><body>${title}</body></html>`
  return withText(reply, body, 'text/html')
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

/** Refuses requests of an operation whose key is valid. */
export function refuses(operation: OperationId, status: number, when = always): Apply {
  return inPlaceOf(operation, (request, context) => (when(request, context) ? errorOf(context, status) : undefined))
}

/** The Error reply of a deviation. */
export function errorOf(context: Context, status: number): MockReply {
  return context.problems.refused(status, 'The request was refused.')
}
