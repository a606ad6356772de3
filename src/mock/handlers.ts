import { operations } from '../spec/operations.ts'
import { readInteger } from './int64.ts'
import type { MockReply, MockRequest } from './message.ts'
import { readNewPet } from './new-pet.ts'
import { shown } from './parameters.ts'
import type { StoredPet } from './pet-text.ts'
import { bodyLimit } from './problems.ts'
import type { World } from './world.ts'

/** `GET /pets`: "returns a paginated list of animals." */
export function listPets(world: World, query: string): MockReply {
  const asked = world.readListQuery(query)
  if ('refused' in asked) return world.problems.refused(asked.refused, asked.message)
  return world.pageOf(asked.limit, asked.status)
}

/** `POST /pets`: "201: body is the created Pet, including its assigned `id`." */
export function createPet(world: World, request: MockRequest): MockReply {
  const { profile, problems, replies, store } = world
  if (profile['auth.write-permission'] === '403') {
    return problems.refused('403', 'The API key may not create pets.')
  }
  if (request.bodyFault === 'too-large' || isLongerThan(bodyLimit, request.body)) return problems.bodyTooLarge()
  const mediaType = request.body === '' ? 'accept' : mediaTypeOption(request, profile)
  if (mediaType !== 'accept') return problems.refused(mediaType, 'The body must be declared as application/json.')
  if (request.bodyFault === 'not-utf8') return problems.badRequest('The body is not UTF-8.')

  const sent = readNewPet(request.body)
  if (typeof sent === 'string') return problems.badRequest(sent)
  const ruled = world.applyCreationRules(sent)
  if ('refused' in ruled) return problems.refused(ruled.refused, ruled.message)

  const { name, categoryId, status, others } = ruled.pet
  const pet: StoredPet = { id: store.assignId(), name, categoryId, status }
  if (others !== undefined) pet.others = others
  const body = world.visibility.add(pet)
  const location = locationOf(pet, world, request)
  return location === undefined
    ? replies.json(201, body)
    : { status: 201, headers: { ...world.createdHeaders, location }, body }
}

/** `GET /pets/{petId}`: "Fetch one animal by its identifier. This operation is deprecated." */
export function getPet(world: World, petId: string): MockReply {
  const { profile, petHeaders } = world
  const refused = (status: string, message: string): MockReply => {
    const reply = world.problems.getRefused(status, message)
    return { ...reply, headers: { ...reply.headers, ...petHeaders } }
  }
  const removed = profile['get.after-removal']
  if (removed !== 'works' && world.settings.now() >= removal) {
    return refused(removed, 'The operation was removed on 5 December 2030. Use GET /pets with the status filter.')
  }
  const id = readInteger(petId)
  if (id === 'not-an-integer' || id === 'beyond-int64') {
    return refused(profile[`get.id.${id}`], `petId must be an integer within int64, and was ${shown(petId)}.`)
  }
  const body = world.store.text(id)
  if (body === undefined) return refused('404', `There is no pet with the id ${id}.`)
  return { status: 200, headers: petHeaders, body }
}

const removal = Date.parse(operations.getPet.removalDate)

/** "Request and response bodies are JSON (`application/json`)": with any parameters, in any letter case. */
function mediaTypeOption({ headers }: MockRequest, profile: World['profile']): string {
  const type = headers['content-type']
  if (type === undefined || type === '') return profile['create.media-type.absent']
  if (typeof type === 'string' && /^application\/json\s*(;|$)/i.test(type)) return 'accept'
  return profile['create.media-type.other']
}

function locationOf(pet: StoredPet, world: World, { headers }: MockRequest): string | undefined {
  const option = world.profile['create.location']
  if (option === 'absent') return undefined
  const path = `${world.settings.basePath}/pets/${pet.id}`
  if (option === 'relative') return path
  const { host } = headers
  return `http://${typeof host === 'string' && /^[\w.:[\]-]+$/.test(host) ? host : 'localhost'}${path}`
}

/** A character takes at most three bytes in UTF-8; only a text near the limit is worth counting. */
function isLongerThan(bytes: number, text: string): boolean {
  return text.length * 3 > bytes && new TextEncoder().encode(text).length > bytes
}
