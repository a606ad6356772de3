/** Measures how time and memory grow with sandboxes, connections, pets and readers, and how old a saved state is. */
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
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

/** Bytes that are read again. */
const overlap = 2 ** 16

/** Changes that a reader of the state file sees, and when: the time from a response to its change in the file. */
async function watchAges(server, file, { ms, until = () => true, as }) {
  const pending = new Map()
  const ages = []
  let seen = { inode: 0, size: 0 }
  const look = () => {
    // A change may be in the file before its response is read.
    const { ino, size } = statSync(file)
    const from = ino === seen.inode ? seen.size : 0
    const text = readFileSync(file)
      .subarray(Math.max(0, from - overlap))
      .toString('latin1')
    seen = { inode: ino, size }
    for (const [name, at] of pending) {
      if (!text.includes(`"${name}"`)) continue
      ages.push(performance.now() - at)
      pending.delete(name)
    }
  }
  look()
  const startedAt = performance.now()
  const timer = setInterval(look, 20)
  const cpuBefore = server.cpuMs()
  for (let sent = 0; performance.now() - startedAt < ms || !until(); sent += 1) {
    const name = `Pet ${startedAt.toFixed(0)} ${sent}`
    await create(server, name, as(sent))
    pending.set(name, performance.now())
    await sleep(Math.max(0, (sent + 1) * 100 - (performance.now() - startedAt)))
  }
  const share = (server.cpuMs() - cpuBefore) / (performance.now() - startedAt)
  await sleep(1_000)
  look()
  clearInterval(timer)
  return { oldest: Math.max(...ages), lost: pending.size, share }
}

async function byState(plan) {
  const rows = []
  for (const [title, sandboxes, pets] of [
    [`${plan.mostPets} pets`, 0, plan.mostPets],
    [`${plan.counts.at(-1)} sandboxes of 12 pets`, plan.counts.at(-1), 10],
  ]) {
    const as = (sent) => (sandboxes === 0 ? key : sandboxKey(`team-${(sent * 7) % sandboxes}`))
    const idle = await startServer(mock, { ...plan, pets })
    await fill(idle, sandboxes, 2)
    const before = idle.cpuMs()
    for (let sent = 0; sent < plan.stateMs / 100; sent += 1) {
      await create(idle, 'Rex', as(sent))
      await sleep(100)
    }
    const without = (idle.cpuMs() - before) / plan.stateMs
    await idle.stop()

    const file = join(plan.folder, `${sandboxes}.state`)
    const server = await startServer(mockWith('--state', file), { ...plan, pets })
    await fill(server, sandboxes, 2)
    const isCopying = () => readdirSync(plan.folder).some((name) => /\.state\..*\.tmp$/.test(name))
    do await sleep(2_000)
    while (isCopying())
    const steady = await watchAges(server, file, { ms: plan.stateMs, as })
    await send(server, { target: '/v1/pets', as: sandboxKey('imported') })
    // Imports double the file, so that a copy replaces it.
    const { ino } = statSync(file)
    const bytes = Math.max(statSync(file).size, 2 ** 20)
    const imported = JSON.stringify(
      Array.from({ length: 5_000 }, (_, id) => ({ id, name: 'x'.repeat(200), categoryId: 1 })),
    )
    const isCopied = () => statSync(file).ino !== ino
    for (let sent = 0; sent < 4 * bytes && !isCopied() && !isCopying(); sent += imported.length) {
      const target = '/_petstore/sandboxes/imported/pets'
      await send(server, { method: 'PUT', target, body: imported })
      await sleep(250)
    }
    const copying = await watchAges(server, file, { ms: 2_000, until: isCopied, as })
    rows.push([
      title,
      `${(100 * without).toFixed(1)} %`,
      `${(100 * steady.share).toFixed(1)} %`,
      `${steady.oldest.toFixed(0)} ms`,
      `${copying.oldest.toFixed(0)} ms`,
      steady.lost + copying.lost,
    ])
    await server.stop()
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

Ten creations a second with \`--state\`. The age is the time from a response to its pet in the file, at most; the last but one column while a copy replaces the file. Aims: at most 3 % of a processor, and one second.

${table(['state', 'processor without', 'with', 'oldest', 'oldest during a copy', 'lost'], found.byState)}

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
