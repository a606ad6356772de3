/** Requests per second: each contestant in slices that take turns with those of the floor. */
import { floorOf, mock, requestOf } from './contestants.mjs'
import { connections, load } from './load.mjs'
import { operations } from './operations.mjs'
import { sampleOtherLoad } from './other-load.mjs'
import { bodyOf, startServer, statusOf } from './server-process.mjs'

/**
 * Measures every operation at every number of pets.
 *
 * @returns by number of pets, operation and contestant: one measurement a round.
 */
export async function measureThroughput(plan) {
  const results = {}
  for (const pets of plan.sizes) results[pets] = await measureAt(pets, plan)
  return results
}

async function measureAt(pets, plan) {
  const { contestants, sizes, folder, tell } = plan
  const bodies = await bodiesOf(pets, folder)
  const taking = contestants.filter(({ keepsPets }) => keepsPets !== false || pets === sizes[0])
  tell(`${pets} pets: starting ${taking.length} servers\n`)
  const servers = new Map()
  const start = async (contestant) => {
    const server = await startServer(contestant, { pets, folder })
    if (server === undefined) servers.delete(contestant.id)
    else servers.set(contestant.id, server)
  }
  for (const contestant of taking) await start(contestant)
  const results = {}
  for (const operation of operations) {
    const floor = await startServer(floorOf(operation.status, bodies[operation.id]), { pets, folder, operation })
    const asked = await Promise.all([floor, ...servers.values()].map((server) => canAnswer(server, operation)))
    const { measured, slow } = await takeTurns(
      asked.filter((server) => server !== undefined),
      { operation, pets, ...plan },
    )
    results[operation.id] = measured
    await floor.stop()
    for (const server of slow) {
      if (operation !== operations.at(-1)) await start(server.contestant)
      else servers.delete(server.contestant.id)
    }
  }
  for (const server of servers.values()) {
    results.memory = { ...results.memory, [server.contestant.id]: server.memory() }
    await server.stop()
  }
  return results
}

/** Asks everyone for one operation, round by round. */
async function takeTurns(asked, { operation, pets, rounds, seconds, folder, tell }) {
  const measured = Object.fromEntries(asked.map((server) => [server.contestant.id, []]))
  const slow = new Set()
  // The first round warms up and is forgotten. Every other round goes backwards, so that who comes after whom changes.
  for (let round = 0; round <= rounds; round += 1) {
    tell(`\r${pets} pets, ${operation.title}: round ${round} of ${rounds} `)
    await sampleOtherLoad()
    for (const server of round % 2 === 0 ? asked : asked.toReversed()) {
      if (slow.has(server)) continue
      const slice = await load(server, requestOf(server.contestant, operation), { seconds, folder })
      if (slice.requests < connections) {
        slow.add(server)
        // What it has not answered yet would keep it busy beside the next slices.
        await server.stop()
      }
      // Whoever does not answer each connection once is measured once: it would never get to an end.
      if (round > 0 || slow.has(server)) measured[server.contestant.id].push(slice)
    }
  }
  tell('\n')
  return { measured, slow }
}

/** The server, when it answers the operation as it should. */
async function canAnswer(server, operation) {
  const request = requestOf(server.contestant, operation)
  if (request === undefined) return undefined
  const url = `http://127.0.0.1:${server.port}${request.target}`
  return (await statusOf({ ...request, url })) === operation.status ? server : undefined
}

/** What the mock answers to each operation: the floor answers the same. */
async function bodiesOf(pets, folder) {
  const server = await startServer(mock, { pets, folder })
  const bodies = {}
  for (const operation of operations) {
    const request = requestOf(mock, operation)
    bodies[operation.id] = await bodyOf({ ...request, url: `http://127.0.0.1:${server.port}${request.target}` })
  }
  await server.stop()
  return bodies
}
