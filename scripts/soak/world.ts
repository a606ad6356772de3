import { type JsonValue, parseJson } from '../../src/json.ts'
import type { Chance } from '../fuzz/chance.ts'
import { type KnownPets, createKnownPets } from './catalogue.ts'
import type { Client, Outcome } from './client.ts'

/** One world of a mock, as its clients know it. */
export interface World {
  /** Undefined for that of the mock's own keys. */
  name: string | undefined
  key: string
  port: number
  client: Client
  chance: Chance
  known: KnownPets
  /** Whether rules are in force, so that any request may meet with an error or a fault. */
  troubled: boolean
  /** Whether the clock stands behind the removal of getPet. */
  removed: boolean
  /** Counts what was done. */
  tally: Tally
  /** Takes what was wrong. */
  fault: (what: string) => void
  /** A name that no other pet has. */
  petName: () => string
}

/** What a soak has done so far. */
export interface Tally {
  requests: number
  /** Creations that were confirmed. */
  created: number
  /** Replies and connections that were spoilt on purpose. */
  spoilt: number
  resets: number
  audits: number
}

/** Asks the interface, with the key of the world unless another header is given. */
export async function ask(
  world: World,
  method: string,
  path: string,
  { headers, body }: { headers?: Record<string, string>; body?: string } = {},
): Promise<Outcome> {
  world.tally.requests += 1
  return world.client.ask({
    method,
    path: `/v1${path}`,
    headers: { authorization: `Bearer ${world.key}`, ...headers },
    ...(body !== undefined && { body }),
  })
}

/** Asks the control API about this world, which must answer with a status below 300. */
export async function control(
  world: World,
  method: string,
  path: string,
  body?: object,
): Promise<JsonValue | undefined> {
  const where = world.name === undefined ? '' : `/sandboxes/${world.name}`
  const outcome = await world.client.ask({
    method,
    path: `/_petstore${where}${path}`,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if ('failed' in outcome) world.fault(`The control API did not answer ${method} ${path}: ${outcome.failed}`)
  else if (outcome.status >= 300) world.fault(`The control API answered ${method} ${path} with ${outcome.text}`)
  else return outcome.text === '' ? undefined : parseJson(outcome.text)
  return undefined
}

/** All pets of a world. */
export async function exportPets(world: World): Promise<readonly JsonValue[]> {
  const pets = await control(world, 'GET', '/pets')
  return Array.isArray(pets) ? pets : []
}

/** Forgets what is known, and learns what is there. */
export async function learn(world: World): Promise<void> {
  world.known = createKnownPets(await exportPets(world))
}
