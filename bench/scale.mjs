/** Measures how time and memory grow with sandboxes, connections, pets and readers, and how old a saved state is. */
import { once } from 'node:events'
import { Agent, get, request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'

import { sandboxKey } from '../dist/mock/index.js'
import { byConsole, consoleSection } from './console.mjs'
import { floorOf, key, mock, operations } from './contestants.mjs'
import { table as pageTable } from './page.mjs'
import { load, startServer } from './servers.mjs'

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const median = (numbers) =>
  numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)]
const megabytes = (bytes) => (bytes / 1e6).toFixed(0)
const byId = Object.fromEntries(operations.map((operation) => [operation.id, operation]))
const agent = new Agent({ keepAlive: true, maxSockets: 16 })

/** Sends a request on a kept connection, and returns the response's text. */
async function send(server, { method = 'GET', target, body, as = key }) {
  const headers = { authorization: `Bearer ${as}`, 'content-type': 'application/json' }
  const sent = httpRequest(`${server.origin}${target}`, { method, headers, agent }).end(body)
  const [response] = await once(sent, 'response')
  let text = ''
  for await (const part of response.setEncoding('utf8')) text += part
  if (response.statusCode >= 400) throw new Error(`${method} ${target}: ${text}`)
  return text
}

const create = (server, name, as) =>
  send(server, {
    method: 'POST',
    target: '/v1/pets',
    body: JSON.stringify({ name, categoryId: 1 }),
    as,
  })

const mockWith = (...flags) => ({ ...mock, command: (plan) => [...mock.command(plan), ...flags] })

/** The mock's processor time for a request, in microseconds. */
async function micros(server, operation, plan) {
  const slices = []
  // The first slice is a warm-up.
  for (let round = 0; round <= plan.rounds; round += 1)
    slices.push(await load(server, { ...operation, target: `/v1${operation.target}` }, plan))
  return median(slices.slice(1).map(({ cpuMicros }) => cpuMicros))
}

async function fill(server, count, pets) {
  const names = Array.from({ length: count }, (_, index) => `team-${index}`)
  for (let from = 0; from < count; from += 16)
    await Promise.all(
      names.slice(from, from + 16).map(async (name) => {
        await send(server, { target: '/v1/pets', as: sandboxKey(name) })
        for (let left = pets; left > 0; left -= 1) await create(server, 'Rex', sandboxKey(name))
      }),
    )
}

async function bySandboxes(plan) {
  const rows = []
  for (const count of plan.counts) {
    const server = await startServer(mock, { ...plan, pets: 100 })
    const before = server.memory()
    await fill(server, count, 1)
    const bytes = (server.memory() - before) / Math.max(count, 1)
    const one = { ...byId.get, key: sandboxKey('team-0') }
    rows.push([count, await micros(server, one, plan), `${(bytes / 1024).toFixed(0)} KiB`])
    await server.stop()
  }
  return rows
}

async function byConnections(plan) {
  const rows = []
  for (const count of plan.counts) {
    const server = await startServer(mock, { ...plan, pets: 100 })
    const before = server.memory()
    const sockets = Array.from({ length: count }, () => connect(server.port, '127.0.0.1'))
    await Promise.all(sockets.map((socket) => once(socket, 'connect')))
    await sleep(500)
    const bytes = (server.memory() - before) / Math.max(count, 1)
    rows.push([count, await micros(server, byId.get, plan), `${(bytes / 1024).toFixed(0)} KiB`])
    for (const socket of sockets) socket.destroy()
    await server.stop()
  }
  return rows
}

async function byPets(plan) {
  const rows = []
  for (const pets of [100, ...plan.counts.filter((count) => count > 100), plan.mostPets]) {
    const server = await startServer(mock, { ...plan, pets })
    const row = [pets]
    for (const { id } of operations) row.push(await micros(server, byId[id], plan))
    rows.push([...row, `${megabytes(server.memory())} MB`])
    await server.stop()
  }
  return rows
}

/** Event streams of the control API, each of a console, while creations come. */
async function byReaders(plan) {
  const rows = []
  for (const readers of [0, 1, 10, 100]) {
    const server = await startServer(mock, { ...plan, pets: 100 })
    const streams = await Promise.all(
      Array.from({ length: readers }, async () => {
        const [stream] = await once(get(`${server.origin}/_petstore/events`), 'response')
        return stream.resume()
      }),
    )
    const before = server.cpuMs()
    const startedAt = performance.now()
    for (let sent = 0; performance.now() - startedAt < plan.readerMs; sent += 1) {
      await create(server, 'Rex')
      await sleep(Math.max(0, sent * 10 - (performance.now() - startedAt)))
    }
    const share = (server.cpuMs() - before) / (performance.now() - startedAt)
    rows.push([readers, `${(100 * share).toFixed(1)} %`])
    for (const stream of streams) stream.destroy()
    await server.stop()
  }
  return rows
}

/** Does something with a mock; returns the share or the time of a processor, and the largest age of an unsaved change. */
async function measureState(plan, contestant, pets, act) {
  const server = await startServer(contestant, { ...plan, pets })
  let oldest = 0
  const look = async () => {
    const text = await send(server, { target: '/_petstore/metrics' })
    const [, seconds = 0] = /^petstore_state_unsaved_seconds (\S+)$/m.exec(text) ?? []
    oldest = Math.max(oldest, Number(seconds))
  }
  const shown = await act(server, look)
  await server.stop()
  return [shown, `${(1_000 * oldest).toFixed(0)} ms`]
}

/** Waits until a mock does nothing: what was saved is brought on disk for a minute after 10,000 first uses. */
async function settle(server) {
  for (let second = 0; second < 120; second += 1) {
    const before = server.cpuMs()
    await sleep(1_000)
    if (server.cpuMs() - before < 20) return
  }
}

/** 20 creations a second, in sandboxes in turn. */
const creating = (plan, sandboxes) => async (server, look) => {
  const as = (sent) => (sandboxes === 0 ? key : sandboxKey(`team-${(sent * 7) % sandboxes}`))
  await fill(server, sandboxes, 2)
  await settle(server)
  const before = server.cpuMs()
  const startedAt = performance.now()
  for (let sent = 0; performance.now() - startedAt < plan.stateMs; sent += 1) {
    await create(server, 'Rex', as(sent))
    if (sent % 4 === 0) await look()
    await sleep(Math.max(0, (sent + 1) * 50 - (performance.now() - startedAt)))
  }
  const share = (server.cpuMs() - before) / (performance.now() - startedAt)
  return `${(100 * share).toFixed(1)} %`
}

const firstUses = (sandboxes) => async (server, look) => {
  const before = server.cpuMs()
  const timer = setInterval(() => void look(), 200)
  await fill(server, sandboxes, 1)
  clearInterval(timer)
  await look()
  return `${((server.cpuMs() - before) / 1_000).toFixed(1)} s`
}

async function byState(plan) {
  const many = plan.counts.at(-1)
  const rows = []
  for (const [title, pets, act] of [
    ['100 pets', 100, creating(plan, 0)],
    [`${plan.mostPets / 10} pets`, plan.mostPets / 10, creating(plan, 0)],
    [`${plan.mostPets} pets`, plan.mostPets, creating(plan, 0)],
    [`${many} sandboxes of 12 pets`, 10, creating(plan, many)],
    [`first uses of ${many} sandboxes`, 10, firstUses(many)],
  ]) {
    const [without] = await measureState(plan, mock, pets, act)
    const folder = join(plan.folder, `state-${rows.length}`)
    const [shown, oldest] = await measureState(plan, mockWith('--state', folder), pets, act)
    rows.push([title, without, shown, oldest])
  }
  return rows
}

/** Processor time and memory from the start of a process to its first response, against the floor. */
async function byStart(plan) {
  const floor = floorOf(200, '[]')
  const found = { floor: [], mock: [] }
  for (let round = 0; round < 3 * plan.rounds; round += 1) {
    for (const [id, contestant] of [
      ['floor', floor],
      ['mock', mock],
    ]) {
      const server = await startServer(contestant, { ...plan, pets: 100 })
      found[id].push([server.cpuMs(), server.memory()])
      await server.stop()
    }
  }
  const of = (id, part) => median(found[id].map((one) => one[part]))
  const row = (id) => [
    id,
    `${of(id, 0).toFixed(0)} ms`,
    (of(id, 0) / of('floor', 0)).toFixed(2),
    `${megabytes(of(id, 1))} MB`,
    (of(id, 1) / of('floor', 1)).toFixed(2),
  ]
  return [row('floor'), row('mock')]
}

/** Measures all, and returns the page. */
export async function measureScale({ quick, rounds, folder, log, date, machine }) {
  const plan = {
    rounds: quick ? 1 : rounds,
    seconds: 1,
    folder,
    counts: quick ? [1, 100] : [1, 100, 1_000, 10_000],
    mostPets: quick ? 1_000 : 100_000,
    readerMs: quick ? 1_000 : 5_000,
    stateMs: quick ? 2_000 : 10_000,
    consoleMs: quick ? 2_000 : 10_000,
  }
  const parts = { byState, byStart, bySandboxes, byConnections, byPets, byReaders, byConsole }
  const found = {}
  for (const [name, measure] of Object.entries(parts)) {
    log(`${name}\n`)
    found[name] = await measure(plan)
  }
  const cell = (value) =>
    typeof value === 'number' && !Number.isInteger(value) ? value.toFixed(1) : `${value}`
  const table = (head, rows) =>
    pageTable(
      head,
      rows.map((row) => row.map(cell)),
    )
  return `# Scale

<!-- Written by \`npm run bench -- --scale\`. To change it, run it again. -->

How processor time and memory of one mock grow. Times are those of all threads of the mock's process, in medians of slices of 1 s (${plan.rounds} each); they do not depend on the load generator, but grow on a busy machine. Measured on ${date}: ${machine}. What sharing costs is in [Scale](../explanation/scale.md).

## Saved state

20 creations a second without and with \`--state\`, and the first uses of sandboxes at once, of which the time is that of all. The age is that of the oldest change that is not saved, at most, by the metric. Aims: a tenth of a processor more, and one second, with up to 10,000 pets in a sandbox.

${table(['state', 'processor without', 'with', 'oldest'], found.byState)}

## Start

From the start of the process to its first response. Aims: processor time at most 1.3 times that of the floor on Node 22 and 24 and 1.4 on Node 20, memory at most 1.2 times.

${table(['', 'processor time', 'ratio', 'memory', 'ratio'], found.byStart)}

## Sandboxes

Aim: flat.

${table(['sandboxes', 'get, µs', 'memory of each'], found.bySandboxes)}

## Connections

Idle ones, beside those that send requests. Aim: flat.

${table(['connections', 'get, µs', 'memory of each'], found.byConnections)}

## Pets

Aim: flat. A list copies only its page, and a creation appends.

${table(['pets', ...operations.map(({ title }) => `${title}, µs`), 'memory'], found.byPets)}

## Event streams

The share of a processor at 100 creations a second, with readers of the event stream.

${table(['readers', 'processor'], found.byReaders)}

${consoleSection(table, found.byConsole)}`
}
