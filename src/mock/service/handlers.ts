import type { Profile } from '../../spec/behaviors.ts'
import { describeValue } from '../../validate.ts'
import type { StoredPet } from '../pets/pet.ts'
import type { Context } from './context.ts'
import { type OperationId, operations } from '../../spec/operations.ts'
import { bodyLimit } from './replies.ts'
import { readInteger } from '../pets/int64.ts'
import { contentEncodingOf, exceedsBytes, type MockReply, type MockRequest } from './message.ts'
import { readNewPet } from './new-pet.ts'
import { type ErrorStatus, rejection } from './parameters.ts'
import { operationsOn, removalOfGetPet, type Route } from './route.ts'
import type { OperationCall } from '../rules/condition.ts'
import type { Store } from '../pets/store.ts'

/** A request of an operation with a valid key, with what only some adapters know. */
interface ServiceCall extends OperationCall {
  request: MockRequest
}

/** The compiler requires a handler for each operation. */
export const handlers: Readonly<
  Record<OperationId, (context: Context, call: ServiceCall) => MockReply>
> = {
  listPets,
  createPet,
  getPet,
}

/** `GET /pets`: "returns a paginated list of animals." */
function listPets(context: Context, { query }: ServiceCall): MockReply {
  const read = context.readListQuery(query)
  return 'rejected' in read ? context.problems.rejectedFor(read) : context.pageOf(read)
}

/** `POST /pets`: "201: body is the created Pet, including its assigned `id`." */
function createPet(context: Context, { request }: ServiceCall): MockReply {
  const { profile, problems, replies, store } = context
  const permission = profile['auth.write-permission']
  if (permission !== 'granted') {
    return problems.rejected(
      permission,
      'The API key may not create pets.',
      `auth.write-permission=${permission}`,
    )
  }
  if (request.bodyFault === 'too-large' || exceedsBytes(request.body, bodyLimit)) {
    return problems.rejected(413, `The body is larger than ${bodyLimit} bytes.`)
  }
  const encoding = contentEncodingOf(request.headers)
  if (encoding !== undefined && request.body !== '') return problems.encodedBody(encoding)
  const mediaType = request.body === '' ? undefined : mediaTypeBehavior(request)
  const onMediaType = mediaType === undefined ? 'accept' : profile[mediaType]
  if (mediaType !== undefined && onMediaType !== 'accept') {
    return problems.rejectedFor(
      rejection(mediaType, onMediaType, 'The body must be declared as application/json.'),
    )
  }
  if (request.bodyFault === 'not-utf8')
    return problems.rejected(400, 'The body is not UTF-8.', 'http.json-request')

  const sent = readNewPet(request.body)
  if ('mistake' in sent) return problems.rejected(400, sent.mistake, sent.reason)
  const read = context.applyBehaviors(sent)
  if ('rejected' in read) return problems.rejectedFor(read)
  if (!context.hasCapacity()) {
    return problems.rejected(507, 'There is no capacity for another pet. Reset the mock to go on.')
  }

  const { name, categoryId, status, others } = read.pet
  const pet: StoredPet = { id: store.assignId(), name, categoryId, status }
  if (others !== undefined) pet.others = others
  insertions[profile['create.visibility']](store, pet, context.clock.elapsed())
  const location = locations[profile['create.location']](
    `${context.settings.basePath}/pets/${pet.id}`,
    request,
  )
  return {
    status: 201,
    headers:
      location === undefined ? replies.jsonHeaders() : { ...context.createdHeaders, location },
    body: context.print(pet),
    reason: 'create.success',
  }
}

/** `GET /pets/{petId}`: "Fetch one animal by its identifier. This operation is deprecated." */
function getPet(context: Context, { petId = '' }: ServiceCall): MockReply {
  const { profile, petHeaders } = context
  const rejected = (status: ErrorStatus, message: string, reason: string): MockReply => {
    const reply = context.problems.rejected(status, message, reason, 'getPet')
    const allow = status === '405' && { allow: allowedOn('pet', context) }
    return context.replies.withHeaders(reply, { ...petHeaders, ...allow })
  }
  const removed = removalStatus(context)
  if (removed !== undefined) {
    const message =
      'The operation was removed on 5 December 2030. Use GET /pets with the status filter.'
    return rejected(removed, message, `get.after-removal=${removed}`)
  }
  const id = readInteger(petId)
  if (id === 'not-an-integer' || id === 'beyond-int64') {
    const option = profile[`get.id.${id}`]
    const message = `petId must be an integer within int64, but was ${describeValue(petId)}.`
    return rejected(option, message, `get.id.${id}=${option}`)
  }
  const pet = context.store.pet(id)
  if (pet === undefined)
    return rejected('404', `There is no pet with the id ${id}.`, 'get.not-found')
  return { status: 200, headers: petHeaders, body: context.print(pet), reason: 'get.by-id' }
}

/** "Request and response bodies are JSON (`application/json`)": with any parameters, in any letter case. */
function mediaTypeBehavior({
  headers,
}: MockRequest): `create.media-type.${'absent' | 'other'}` | undefined {
  const type = headers['content-type']
  if (type === 'application/json') return undefined
  if (type === undefined || type === '') return 'create.media-type.absent'
  if (typeof type === 'string' && /^application\/json\s*(;|$)/i.test(type)) return undefined
  return 'create.media-type.other'
}

/** When reads show a new pet. */
const insertions: Readonly<
  Record<Profile['create.visibility'], (store: Store, pet: StoredPet, elapsed: number) => void>
> = {
  immediate: (store, pet) => store.insertNew(pet),
  delayed: (store, pet, elapsed) => store.insertLater(pet, elapsed),
}

const locations: Readonly<
  Record<Profile['create.location'], (path: string, request: MockRequest) => string | undefined>
> = {
  absent: () => undefined,
  relative: (path) => path,
  absolute(path, { headers: { host }, scheme = 'http' }) {
    return `${scheme}://${typeof host === 'string' && /^[\w.:[\]-]+$/.test(host) ? host : 'localhost'}${path}`
  },
}

/** "The operation is marked deprecated and is to be removed on 5 December 2030": undefined until then. */
function removalStatus({
  profile,
  clock,
}: Pick<Context, 'profile' | 'clock'>): ErrorStatus | undefined {
  const option = profile['get.after-removal']
  return option === 'works' || clock.millis() < removalOfGetPet ? undefined : option
}

/** The methods on a path. After the removal of getPet, those of a single pet may be none: an empty Allow. */
export function allowedOn(at: Route['at'], context: Context): string {
  const { profile } = context
  const there = operationsOn(at).filter(
    (name) => name !== 'getPet' || removalStatus(context) === undefined,
  )
  const methods = there.flatMap((name) => {
    const { method } = operations[name]
    return method === 'GET' && profile['http.head'] === '200' ? [method, 'HEAD'] : [method]
  })
  return [
    ...methods,
    ...(['200', '204'].includes(profile['http.options']) ? ['OPTIONS'] : []),
  ].join(', ')
}
