import { type JsonValue, parseJson, printJson } from '../../json.ts'
import type { OperationId } from '../../spec/operations.ts'
import type { PetStatus } from '../../spec/types.ts'
import { isJsonObject } from '../../validate.ts'
import { parsePet, type StoredPet } from '../pets/pet.ts'
import type { MockReply, MockRequest, Respond } from '../service/message.ts'
import type { Apply, DefectContext, When } from './defect.ts'
import { type Fields, inPlaceOf, operationOf } from './requests.ts'

/** Returns another reply, or nothing to keep it. It may call the service again. */
export type ReplyChange = (
  reply: MockReply,
  request: MockRequest,
  context: DefectContext,
  respond: Respond,
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

export const onReply = (
  operation: OperationId,
  status: number,
  change: ReplyChange,
  when?: When,
): Apply => onReplies((reply, own) => own === operation && reply.status === status, change, when)

export const onRejected = (change: ReplyChange, when?: When): Apply =>
  onReplies(({ status }) => status === 401, change, when)

export const onError = (change: ReplyChange): Apply =>
  onReplies(({ status }) => status >= 400, change)

export const onSuccess = (change: ReplyChange): Apply =>
  onReplies(({ status }, operation) => operation !== undefined && status < 300, change)

export const onErrorBody = (change: (body: Fields) => JsonValue): Apply =>
  onError(json((body) => (isJsonObject(body) ? change(body) : body)))

export const onList = (
  change: (pets: Fields[], request: MockRequest, context: DefectContext) => JsonValue,
  when?: When,
): Apply =>
  onReply(
    'listPets',
    200,
    (reply, request, context) =>
      withJson(reply, (pets) => change(pets as Fields[], request, context)),
    when,
  )

export const onPet = (change: (pet: Fields) => JsonValue): Apply =>
  onSuccess(
    json((body) => (Array.isArray(body) ? (body as Fields[]).map(change) : change(body as Fields))),
  )

/** Called with each created pet before the 201 is sent. */
export const onCreated = (
  change: (pet: StoredPet, context: DefectContext, reply: MockReply) => MockReply | void,
): Apply =>
  onReply('createPet', 201, (reply, _request, context) =>
    change(parsePet(reply.body), context, reply),
  )

export const status =
  (status: number): ReplyChange =>
  (reply) => ({ ...reply, status })

export const error =
  (status: number): ReplyChange =>
  (_reply, _request, context) =>
    errorOf(context, status)

export const json =
  (change: (body: JsonValue) => JsonValue): ReplyChange =>
  (reply) =>
    withJson(reply, change)

export const text =
  (change: (body: string) => string): ReplyChange =>
  (reply) => ({ ...reply, body: change(reply.body) })

export const mediaType =
  (type: string | undefined): ReplyChange =>
  (reply) =>
    withText(reply, reply.body, type)

export const empty =
  (status: number, location?: string): ReplyChange =>
  (_reply, _request, { replies }) =>
    replies.empty(status, location === undefined ? undefined : { location })

export const bodiless: ReplyChange = (reply) => withText(reply, '', undefined)

export const set =
  (field: string, value: JsonValue | ((before: JsonValue) => JsonValue)) =>
  (object: Fields): Fields => ({
    ...object,
    [field]: typeof value === 'function' ? value(object[field] ?? null) : value,
  })

export const drop =
  (field: string) =>
  (object: Fields): Fields =>
    Object.fromEntries(Object.entries(object).filter(([name]) => name !== field))

/** Changes each pet of a list, or only the one at an index; -1 is the last. */
export const each =
  (change: (pet: Fields) => JsonValue, at?: number) =>
  (pets: readonly Fields[]): JsonValue[] =>
    pets.map((pet, index) =>
      at === undefined || index === (at < 0 ? pets.length + at : at) ? change(pet) : pet,
    )

export function withJson(reply: MockReply, change: (body: JsonValue) => JsonValue): MockReply {
  return { ...reply, body: reply.body === '' ? '' : printJson(change(parseJson(reply.body))) }
}

export function withText(reply: MockReply, body: string, mediaType: string | undefined): MockReply {
  const { 'content-type': _type, ...headers } = reply.headers
  return {
    ...reply,
    headers: mediaType === undefined ? headers : { 'content-type': mediaType, ...headers },
    body,
  }
}

export function withPage(reply: MockReply): MockReply {
  const title = `Error ${reply.status}`
  const body = `<!DOCTYPE html><html><head><title>${title}</title></head><body>${title}</body></html>`
  return withText(reply, body, 'text/html')
}

/** A string unchanged, any other value as JSON. */
export const textOf = (value: JsonValue | undefined): string =>
  typeof value === 'string' ? value : printJson(value)

/** A list of pets without a limit of 100. */
export function listOf(
  context: DefectContext,
  status?: string,
  most = Number.POSITIVE_INFINITY,
): MockReply {
  const pets = context.firstPets(most, { status: status as PetStatus | undefined })
  return context.replies.json(200, `[${pets.map(context.print).join(',')}]`)
}

export function petsOf(context: DefectContext, status: string | undefined, most: number): Fields[] {
  return parseJson(listOf(context, status, most).body) as Fields[]
}

export function rejects(operation: OperationId, status: number, when = always): Apply {
  return inPlaceOf(operation, (request, context) =>
    when(request, context) ? errorOf(context, status) : undefined,
  )
}

export function errorOf(context: DefectContext, status: number): MockReply {
  return context.problems.rejected(status, 'The request was rejected.')
}
