/** What is measured: requests per second, start, memory, and the suite. */
import { execFile } from 'node:child_process'
import { cpus } from 'node:os'
import { promisify } from 'node:util'

import { Client } from 'undici'

import { firstPets, floorOf, headersOf, key, mock, operations, petstore, requestOf } from './contestants.mjs'
import { bodyOf, connections, load, startServer, statusOf } from './servers.mjs'

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

const run = promisify(execFile)
const floor = floorOf(operations[0].status, '[]')

/**
 * Starts everyone again and again, in turns.
 *
 * @returns by `contestant pets`: milliseconds to the first answer, and bytes that are resident then, one of each a round.
 */
export async function measureStart({ contestants, ends, rounds, folder, tell }) {
  const starts = [{ contestant: floor, pets: 0 }]
  for (const contestant of contestants) {
    for (const pets of ends) {
      if (contestant === mock || pets === ends[0]) starts.push({ contestant, pets })
    }
  }
  const results = Object.fromEntries(starts.map((start) => [nameOf(start), { ms: [], memory: [] }]))
  // The first round fills the caches of the file system. Twice as many as elsewhere: a start is short.
  for (let round = 0; round <= rounds * 2; round += 1) {
    tell(`\rstart-up: round ${round} of ${rounds * 2} `)
    for (const start of round % 2 === 0 ? starts : starts.toReversed()) {
      const server = await startServer(start.contestant, { pets: start.pets, folder })
      if (server === undefined) continue
      if (round > 0) {
        results[nameOf(start)].ms.push(server.startMs)
        results[nameOf(start)].memory.push(server.memory())
      }
      await server.stop()
    }
  }
  tell('\n')
  return results
}

/**
 * The memory of the floor and of the mock, at first and after many requests that create nothing.
 *
 * @returns by contestant: bytes at the start, after half of the requests and after all of them.
 */
export async function measureMemory({ ends, seconds, folder, tell }, requests) {
  const pets = ends.at(-1)
  const results = { requests, pets }
  const reads = operations.filter(({ method }) => method === 'GET')
  for (const contestant of [floor, mock]) {
    tell(`memory of the ${contestant.id} after ${requests} requests\n`)
    const server = await startServer(contestant, { pets, folder })
    const [start, after] = [server.memory(), []]
    for (const part of [requests / 2, requests]) {
      for (let done = part - requests / 2, turn = 0; done < part; turn += 1) {
        const operation = reads[turn % reads.length]
        done += (await load(server, requestOf(contestant, operation), { seconds, folder })).requests
      }
      after.push(server.memory())
    }
    results[contestant.id] = { start, half: after[0], all: after[1] }
    await server.stop()
  }
  return results
}

function nameOf({ contestant, pets }) {
  return `${contestant.id} ${pets}`
}

/**
 * Runs `petstore verify` against a new mock, again and again.
 *
 * @returns milliseconds from the start of the process to its end, those of the run itself, and the requests of one run.
 */
export async function measureSuite({ rounds, folder, tell }) {
  const [wallMs, runMs] = [[], []]
  let requests = 0
  for (let round = 0; round <= rounds; round += 1) {
    tell(`\rthe suite: round ${round} of ${rounds} `)
    const server = await startServer(mock, { pets: 100, folder })
    const args = ['verify', `http://127.0.0.1:${server.port}/v1`, '--key', key, '--reporter', 'json']
    const startedAt = performance.now()
    const { stdout } = await run(process.execPath, [petstore, ...args], { cwd: folder, maxBuffer: Infinity })
    const elapsedMs = performance.now() - startedAt
    const report = JSON.parse(stdout)
    requests = report.counts.requests
    if (round > 0) {
      wallMs.push(elapsedMs)
      runMs.push(report.durationMs)
    }
    await server.stop()
  }
  tell('\n')
  return { wallMs, runMs, requests }
}

/**
 * Requests the same of a floor and of a proxy in front of it in turns, on one connection each, with and without pauses.
 *
 * @returns by operation and pause in milliseconds: those that the floor took, and the proxy with it.
 */
export async function measureProxy({ rounds, folder, tell }) {
  const pets = firstPets(400)
  const available = pets.filter(({ status }) => status === 'available').slice(0, 100)
  const bodies = { list20: pets.slice(0, 20), list100: available, get: pets[6] }
  const results = {}
  for (const operation of operations.filter(({ id }) => bodies[id] !== undefined)) {
    tell(`the proxy: ${operation.title}\n`)
    const target = floorOf(200, JSON.stringify(bodies[operation.id]))
    const { target: path } = requestOf(target, operation)
    const floor = await startServer(target, { folder, operation })
    const command = ({ port }) => [petstore, 'proxy', `${floor.origin}/v1`, '--quiet', '--port', port]
    const proxy = await startServer({ id: 'proxy', basePath: '/v1', command }, { folder, operation })
    const clients = [floor, proxy].map(({ origin }) => new Client(origin))
    for (const pauseMs of [5, 0]) {
      const times = [[], []]
      for (let turn = -200; turn < rounds * 400; turn += 1) {
        for (const [who, client] of clients.entries()) {
          const begin = performance.now()
          await (await client.request({ method: 'GET', path, headers: headersOf(operation) })).body.dump()
          if (turn >= 0) times[who].push(performance.now() - begin)
          if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs))
        }
      }
      results[operation.id] = { ...results[operation.id], [pauseMs]: times }
    }
    for (const client of clients) await client.close()
    for (const server of [proxy, floor]) await server.stop()
  }
  return results
}

const sampleMs = 300

/** The share that was busy in each sample: 0 to 1. */
export const otherLoad = []

/** Looks at the processors while nothing is measured: without it, nobody knows whether a number may be trusted. */
export async function sampleOtherLoad() {
  const before = times()
  await new Promise((resolve) => setTimeout(resolve, sampleMs))
  const after = times()
  otherLoad.push((after.busy - before.busy) / (after.all - before.all))
}

function times() {
  const spent = cpus().flatMap((cpu) => Object.entries(cpu.times))
  const sum = (some) => some.reduce((total, [, ms]) => total + ms, 0)
  return { busy: sum(spent.filter(([kind]) => kind !== 'idle')), all: sum(spent) }
}
