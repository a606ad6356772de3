import { createClient } from './client.ts'
import { operations } from './operations.ts'
import { control, exportPets, learn, type World } from './world.ts'

/** Clients at the same time in each world. */
const clients = 3

/** Troubles that an episode may bring: each ends by itself, or with the episode. */
const troubles: readonly object[][] = [
  [{ reply: { status: 503 }, times: 5 }],
  [{ when: { operation: 'createPet' }, reply: { status: 503 }, skip: 3, times: 10 }],
  [{ when: { operation: 'listPets' }, fault: 'reset', times: 4 }],
  [{ when: { operation: 'createPet' }, fault: 'reset', times: 3 }],
  [{ fault: 'truncated-body', times: 3 }],
  [{ fault: { slowBodyMs: 30 }, times: 5 }],
  [
    { delayMs: { from: 1, to: 20 }, times: 30 },
    { reply: { status: 418 }, skip: 10, times: 2 },
  ],
  [{ delayMs: { median: 3, p99: 30 }, times: 40 }],
  [{ rateLimit: { requests: 20, windowMs: 200 }, during: { forMs: 500 } }],
  [{ reply: { status: 503 }, during: { afterMs: 20, forMs: 100 } }],
]

/** Settings that an episode may bring. */
const settings: readonly object[] = [
  { profile: { 'list.order': 'newest-first' } },
  { profile: { 'list.order': 'shuffled' } },
  { profile: { 'list.order': 'by-name' }, explain: true },
  { profile: { 'http.cors': 'none', 'error.extra-members': 'present' } },
  { profile: { 'create.location': 'absolute' }, explain: true },
]

/**
 * Some clients do so many things in one world at the same time; then all is still, and each pet is looked for. In the end
 * the world is reset, restored, dropped, or left as it is.
 */
export async function playEpisode(world: World, actions: number): Promise<void> {
  const { chance } = world
  if (chance.happens(0.2)) await control(world, 'PATCH', '/settings', chance.pick(settings))
  world.removed = chance.happens(0.1)
  if (world.removed) await control(world, 'PUT', '/clock', { now: '2030-12-06' })
  world.troubled = chance.happens(0.5)
  if (world.troubled) await control(world, 'POST', '/rules', chance.pick(troubles))
  const hasSnapshot = chance.happens(0.2)
  const before = world.known.copy()
  if (hasSnapshot) await control(world, 'PUT', '/snapshots/before')

  let left = actions
  const work = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      await draw(world)(world)
    }
  }
  await Promise.all(Array.from({ length: clients }, work))

  await control(world, 'DELETE', '/rules')
  if (world.removed) await control(world, 'DELETE', '/clock')
  world.troubled = false
  world.removed = false
  await audit(world)
  if (hasSnapshot && chance.happens(0.5)) {
    await control(world, 'POST', '/snapshots/before/restore')
    world.known.restore(before)
    await audit(world)
  }
  await end(world)
}

/** Looks for every pet, through both doors. */
async function audit(world: World): Promise<void> {
  await settle(world)
  world.tally.audits += 1
  for (const fault of world.known.compareAll(await exportPets(world))) world.fault(fault)
  // One by one over the interface, some connections at a time.
  const ids = [...world.known.texts.keys()]
  const client = createClient(world.port, clients)
  const look = async (): Promise<void> => {
    for (let id = ids.pop(); id !== undefined; id = ids.pop()) {
      world.tally.requests += 1
      const outcome = await client.ask({
        method: 'GET',
        path: `/v1/pets/${id}`,
        headers: { authorization: `Bearer ${world.key}` },
      })
      const expected = world.known.texts.get(id)
      if (!('text' in outcome) || outcome.text !== expected) {
        world.fault(`Pet ${id} was ${expected} and is ${'text' in outcome ? outcome.text : outcome.failed}`)
      }
    }
  }
  await Promise.all(Array.from({ length: clients }, look))
  await client.close()
}

/** An aborted creation may still be on its way into the mock: waits until two looks see the same. */
async function settle(world: World): Promise<void> {
  let [earlier, later] = [-1, (await exportPets(world)).length]
  while (earlier !== later) [earlier, later] = [later, (await exportPets(world)).length]
}

async function end(world: World): Promise<void> {
  const { chance, name } = world
  // A world that is left as it is grows; no soak may take the size of its catalogue for a leak.
  const isLarge = world.known.texts.size > 1_500
  const how = isLarge ? 'reset' : chance.pick(['reset', 'leave', 'leave', 'drop'])
  if (how === 'leave') return
  world.tally.resets += 1
  if (how === 'drop' && name !== undefined) {
    await control(world, 'DELETE', '')
    // The next request with its key makes it again.
    await world.client.ask({ method: 'GET', path: '/v1/pets', headers: { authorization: `Bearer ${world.key}` } })
  } else await control(world, 'POST', '/reset')
  await learn(world)
}

const weights = operations.reduce((sum, [weight]) => sum + weight, 0)

function draw({ chance }: World): (world: World) => Promise<void> {
  let at = chance.below(weights)
  for (const [weight, operation] of operations) {
    if (at < weight) return operation
    at -= weight
  }
  throw new Error('No operation was drawn.')
}
