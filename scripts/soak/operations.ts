import { parseJson } from '../../src/json.ts'
import { converse } from '../fuzz/conversation.ts'
import { readReplies } from '../fuzz/responses.ts'
import type { Outcome } from './client.ts'
import { ask, control, type World } from './world.ts'

/** One thing that a client does. */
type Operation = (world: World) => Promise<void>

/** What clients do, each as often as its weight says. */
export const operations: readonly (readonly [weight: number, operation: Operation])[] = [
  [20, listPets],
  [20, getKnownPet],
  [4, getMissingPet],
  [20, createPet],
  [4, createInvalidPet],
  [3, useWrongKey],
  [3, preferError],
  [2, preferFault],
  [2, preferDelay],
  [3, pipeline],
  [3, abortCreation],
  [1, readJournal],
  [1, followJournal],
]

/** Whether an outcome may be what a rule made of an ordinary one. */
function isSpoilt(world: World, outcome: Outcome): boolean {
  const spoilt = world.troubled && ('failed' in outcome || [418, 429, 503].includes(outcome.status))
  if (spoilt) world.tally.spoilt += 1
  return spoilt
}

function expectStatus(
  world: World,
  what: string,
  outcome: Outcome,
  ...statuses: number[]
): outcome is Exclude<Outcome, { failed: string }> {
  if (isSpoilt(world, outcome)) return false
  if ('failed' in outcome) world.fault(`${what} failed: ${outcome.failed}`)
  else if (!statuses.includes(outcome.status)) {
    world.fault(
      `${what} was answered ${outcome.status} in place of ${statuses.join(' or ')}: ${outcome.text.slice(0, 300)}`,
    )
  } else return true
  return false
}

async function listPets(world: World): Promise<void> {
  const { chance, known } = world
  const limit = chance.between(1, 100)
  const status = chance.pick([undefined, 'available', 'pending', 'sold'])
  const path = `/pets?limit=${limit}${status === undefined ? '' : `&status=${status}`}`
  const outcome = await ask(world, 'GET', path)
  if (!expectStatus(world, path, outcome, 200)) return
  const pets = parseJson(outcome.text) as { id: number; status?: string }[]
  if (pets.length > limit) world.fault(`${path} shows ${pets.length} pets.`)
  if (new Set(pets.map(({ id }) => id)).size !== pets.length) world.fault(`${path} shows a pet twice.`)
  if (status !== undefined && pets.some((pet) => pet.status !== status)) world.fault(`${path} shows another status.`)
  for (const pet of pets) {
    const fault = known.compare(pet)
    if (fault !== undefined) world.fault(`${path}: ${fault}`)
  }
}

async function getKnownPet(world: World): Promise<void> {
  const ids = [...world.known.texts.keys()]
  const id = world.chance.pick(ids)
  const expected = world.known.texts.get(id)
  const outcome = await ask(world, 'GET', `/pets/${id}`)
  if (!expectStatus(world, `Pet ${id}`, outcome, world.removed ? 410 : 200) || world.removed) return
  if (outcome.text !== expected) world.fault(`Pet ${id} was ${expected} and is ${outcome.text}`)
}

async function getMissingPet(world: World): Promise<void> {
  const id = world.chance.pick(['0', '999999999', '9223372036854775807', 'none'])
  expectStatus(world, `Pet ${id}`, await ask(world, 'GET', `/pets/${id}`), world.removed ? 410 : 404)
}

async function createPet(world: World): Promise<void> {
  const { chance, known, tally } = world
  const name = world.petName()
  const categoryId = chance.pick([1n, 0n, -1n, 9_007_199_254_740_993n, -(2n ** 63n), 2n ** 63n - 1n])
  const status = chance.pick(['', ',"status":"pending"', ',"status":"sold"'])
  known.doubted.add(name)
  const body = `{"name":${JSON.stringify(name)},"categoryId":${categoryId}${status}}`
  const outcome = await ask(world, 'POST', '/pets', { body })
  if (!expectStatus(world, 'A creation', outcome, 201)) {
    // An error leaves no pet behind; a lost answer may.
    if ('status' in outcome) known.doubted.delete(name)
    return
  }
  tally.created += 1
  const fault = known.confirm(outcome.text, { name, categoryId })
  if (fault !== undefined) world.fault(fault)
}

async function createInvalidPet(world: World): Promise<void> {
  const body = world.chance.pick(['', '{', '[]', '{"name":1,"categoryId":1}', '{"name":"x","categoryId":1.5}'])
  expectStatus(world, `The body ${body}`, await ask(world, 'POST', '/pets', { body }), 400)
}

async function useWrongKey(world: World): Promise<void> {
  const headers = { authorization: world.chance.pick(['Bearer x', `Bearer ${world.key}x`, `Basic ${world.key}`]) }
  const outcome = await ask(world, 'GET', '/pets', { headers })
  if (!('status' in outcome) || outcome.status !== 401) world.fault('A wrong key was not answered 401.')
}

async function preferError(world: World): Promise<void> {
  const name = world.petName()
  const body = JSON.stringify({ name, categoryId: 1 })
  const outcome = await ask(world, 'POST', '/pets', { body, headers: { prefer: 'code=418' } })
  world.tally.spoilt += 1
  if ('failed' in outcome ? !world.troubled : outcome.status !== 418 && !world.troubled) {
    world.fault(`A creation that prefers 418 was answered ${'failed' in outcome ? outcome.failed : outcome.status}`)
  }
}

async function preferFault(world: World): Promise<void> {
  const fault = world.chance.pick(['reset', 'truncate'])
  const outcome = await ask(world, 'GET', '/pets', { headers: { prefer: `fault=${fault}` } })
  world.tally.spoilt += 1
  if ('status' in outcome && !world.troubled) world.fault(`A request that prefers ${fault} got a whole answer.`)
}

async function preferDelay(world: World): Promise<void> {
  const outcome = await ask(world, 'GET', '/pets?limit=1', { headers: { prefer: 'delay=0.02' } })
  expectStatus(world, 'A delayed list', outcome, 200)
}

/** The head of a request that is sent by hand. */
function head({ key }: World, line: string, more = ''): string {
  return `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${more}\r\n`
}

async function pipeline(world: World): Promise<void> {
  const count = world.chance.between(2, 20)
  world.tally.requests += count + 1
  const text =
    head(world, 'GET /v1/pets?limit=2').repeat(count) + head(world, 'GET /v1/pets/0', 'Connection: close\r\n')
  const heard = await converse(world.port, { steps: [{ send: Buffer.from(text) }], replies: [] })
  const { replies, fault } = readReplies(heard.bytes, [])
  const isWhole = fault === undefined && replies.length === count + 1 && heard.end === 'closed'
  if (!isWhole && !world.troubled)
    world.fault(`A pipeline of ${count + 1} got ${replies.length} replies: ${fault ?? heard.end}`)
}

async function abortCreation(world: World): Promise<void> {
  const { chance, known } = world
  const name = world.petName()
  known.doubted.add(name)
  const body = JSON.stringify({ name, categoryId: 1 })
  const text = `${head(world, 'POST /v1/pets', `Content-Length: ${body.length}\r\n`)}${body}`
  world.tally.requests += 1
  const sent = Buffer.from(text.slice(0, chance.pick([text.length, text.length, text.length - 5, 30])))
  await converse(world.port, {
    steps: [{ send: sent }, { pauseMs: chance.pick([0, 0, 3]) }, { abandon: chance.pick(['close', 'reset']) }],
    replies: [],
  })
}

async function readJournal(world: World): Promise<void> {
  const { chance } = world
  await control(world, 'GET', chance.pick(['/journal?limit=50', '/scorecard', '/rules', '/settings', '/snapshots']))
}

/** Listens to the journal for a while, and goes without a word. */
async function followJournal(world: World): Promise<void> {
  const where = world.name === undefined ? '' : `/sandboxes/${world.name}`
  const text = `GET /_petstore${where}/journal/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`
  await converse(world.port, {
    steps: [{ send: Buffer.from(text) }, { pauseMs: world.chance.between(1, 100) }, { abandon: 'close' }],
    replies: [],
  })
}
