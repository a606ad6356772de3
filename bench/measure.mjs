/** Measures requests per second, start, memory, the suite and the proxy. */
import { execFile } from 'node:child_process'
import { cpus } from 'node:os'
import { promisify } from 'node:util'

import { Client } from 'undici'

import {
  firstPets,
  floorOf,
  headersOf,
  key,
  mock,
  operations,
  petstore,
  requestOf,
} from './contestants.mjs'
import { bodyOf, connections, load, startServer, statusOf } from './servers.mjs'

/**
 * Measures every operation at every number of pets.
 *
 * @returns a measurement per round by number of pets, operation and contestant.
 */
export async function measureThroughput(plan) {
  const results = {}
  for (const pets of plan.sizes) results[pets] = await measureAt(pets, plan)
  return results
}

async function measureAt(pets, plan) {
  const { contestants, sizes, folder, log } = plan
  const bodies = await bodiesOf(pets, folder)
  const taking = contestants.filter(({ keepsPets }) => keepsPets !== false || pets === sizes[0])
  log(`${pets} pets: starting ${taking.length} servers\n`)
  const servers = new Map()
  const start = async (contestant) => {
    const server = await startServer(contestant, { pets, folder })
    if (server === undefined) servers.delete(contestant.id)
    else servers.set(contestant.id, server)
  }
  for (const contestant of taking) await start(contestant)
  const results = {}
  for (const operation of operations) {
    const floors = []
    for (const parses of operation.method === 'POST' ? [false, true] : [false]) {
      const contestant = floorOf(operation.status, bodies[operation.id], parses)
      floors.push(await startServer(contestant, { pets, folder, operation }))
    }
    const ready = await Promise.all(
      [...floors, ...servers.values()].map((server) => supports(server, operation)),
    )
    const { measured, slow } = await takeTurns(
      ready.filter((server) => server !== undefined),
      { operation, pets, ...plan },
    )
    results[operation.id] = measured
    for (const floor of floors) await floor.stop()
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

/** Measures one operation on all servers, round by round. */
export async function takeTurns(ready, { operation, pets, rounds, seconds, folder, log }) {
  const measured = Object.fromEntries(ready.map((server) => [server.contestant.id, []]))
  const slow = new Set()
  // The first round is a warm-up. Every other round uses the reverse order of servers.
  for (let round = 0; round <= rounds; round += 1) {
    log(`\r${pets} pets, ${operation.title}: round ${round} of ${rounds} `)
    await sampleOtherLoad()
    for (const server of round % 2 === 0 ? ready : ready.toReversed()) {
      if (slow.has(server)) continue
      const slice = await load(server, requestOf(server.contestant, operation), { seconds, folder })
      if (slice.requests < connections) {
        slow.add(server)
        // Pending requests would keep it busy during the next slices.
        await server.stop()
      }
      // A server with less than one response per connection is measured only once, to limit the time.
      if (round > 0 || slow.has(server)) measured[server.contestant.id].push(slice)
    }
  }
  log('\n')
  return { measured, slow }
}

/** Returns the server if it responds to the operation with the expected status. */
async function supports(server, operation) {
  const request = requestOf(server.contestant, operation)
  if (request === undefined) return undefined
  const url = `http://127.0.0.1:${server.port}${request.target}`
  return (await statusOf({ ...request, url })) === operation.status ? server : undefined
}

/** The responses of the mock to each operation, which the floor also uses. */
export async function bodiesOf(pets, folder) {
  const server = await startServer(mock, { pets, folder })
  const bodies = {}
  for (const operation of operations) {
    const request = requestOf(mock, operation)
    bodies[operation.id] = await bodyOf({
      ...request,
      url: `http://127.0.0.1:${server.port}${request.target}`,
    })
  }
  await server.stop()
  return bodies
}

const run = promisify(execFile)
const floor = floorOf(operations[0].status, '[]')

/**
 * Starts all contestants repeatedly, in turns.
 *
 * @returns by `contestant pets`: milliseconds to the first response, and resident bytes at that time, for each round.
 */
export async function measureStart({ contestants, ends, rounds, folder, log }) {
  const starts = [{ contestant: floor, pets: 0 }]
  for (const contestant of contestants) {
    for (const pets of ends) {
      if (contestant === mock || pets === ends[0]) starts.push({ contestant, pets })
    }
  }
  const results = Object.fromEntries(starts.map((start) => [nameOf(start), { ms: [], memory: [] }]))
  // The first round fills the file system caches. Twice as many rounds as elsewhere, because a start is short.
  for (let round = 0; round <= rounds * 2; round += 1) {
    log(`\rstart-up: round ${round} of ${rounds * 2} `)
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
  log('\n')
  return results
}

/**
 * Measures the memory of the floor and of the mock, at the start and after many read requests.
 *
 * @returns by contestant: bytes at the start, after half of the requests and after all of them.
 */
export async function measureMemory({ ends, seconds, folder, log }, requests) {
  const pets = ends.at(-1)
  const results = { requests, pets }
  const reads = operations.filter(({ method }) => method === 'GET')
  for (const contestant of [floor, mock]) {
    log(`memory of the ${contestant.id} after ${requests} requests\n`)
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
 * Runs `petstore verify` repeatedly against a new mock.
 *
 * @returns milliseconds of the process and of the run itself, and the number of requests of one run.
 */
export async function measureSuite({ rounds, folder, log }) {
  const [wallMs, runMs] = [[], []]
  let requests = 0
  for (let round = 0; round <= rounds; round += 1) {
    log(`\rthe suite: round ${round} of ${rounds} `)
    const server = await startServer(mock, { pets: 100, folder })
    const args = [
      'verify',
      `http://127.0.0.1:${server.port}/v1`,
      '--key',
      key,
      '--reporter',
      'json',
    ]
    const startedAt = performance.now()
    const { stdout } = await run(process.execPath, [petstore, ...args], {
      cwd: folder,
      maxBuffer: Infinity,
    })
    const elapsedMs = performance.now() - startedAt
    const report = JSON.parse(stdout)
    requests = report.counts.requests
    if (round > 0) {
      wallMs.push(elapsedMs)
      runMs.push(report.durationMs)
    }
    await server.stop()
  }
  log('\n')
  return { wallMs, runMs, requests }
}

/**
 * Sends the same requests to a floor and a proxy in front of it in turns, on one connection, with and without pauses.
 *
 * @returns by operation and pause in milliseconds: the times of the floor, and of the proxy with it.
 */
export async function measureProxy({ rounds, folder, log }) {
  const pets = firstPets(400)
  const available = pets.filter(({ status }) => status === 'available').slice(0, 100)
  const bodies = { list20: pets.slice(0, 20), list100: available, get: pets[6] }
  const results = {}
  for (const operation of operations.filter(({ id }) => bodies[id] !== undefined)) {
    log(`the proxy: ${operation.title}\n`)
    const target = floorOf(200, JSON.stringify(bodies[operation.id]))
    const { target: path } = requestOf(target, operation)
    const floor = await startServer(target, { folder, operation })
    const command = ({ port }) => [
      petstore,
      'proxy',
      `${floor.origin}/v1`,
      '--quiet',
      '--port',
      port,
    ]
    const proxy = await startServer(
      { id: 'proxy', basePath: '/v1', command },
      { folder, operation },
    )
    const clients = [floor, proxy].map(({ origin }) => new Client(origin))
    for (const pauseMs of [5, 0]) {
      const times = [[], []]
      for (let turn = -200; turn < rounds * 400; turn += 1) {
        for (const [who, client] of clients.entries()) {
          const begin = performance.now()
          await (
            await client.request({ method: 'GET', path, headers: headersOf(operation) })
          ).body.dump()
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

/** The busy share of the processors in each sample: 0 to 1. */
export const otherLoad = []

/** Samples the processors while nothing is measured, to show whether the numbers are reliable. */
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
