/** `npm run bench -- --shared`: mocks with shared state, compared with the mock in memory and PING of the engine. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'

import { Redis } from 'ioredis'
import { Pool } from 'undici'

import { sandboxKey } from '../dist/mock/index.js'
import { floorOf, mock, newPets, operations, requestOf } from './contestants.mjs'
import { otherLoad, sampleOtherLoad } from './measure.mjs'
import { machine, otherLoadOf, ratio, spread, summary, table, thousands } from './page.mjs'
import { bodyOf, connections, cpuMs, freePort, load, startServer, statusOf } from './servers.mjs'

const measured = operations.filter(({ id }) => ['list20', 'get', 'create'].includes(id))
const pets = 100

/** Runs all measurements; the engine is the first of redis-server and valkey-server in the PATH. */
export async function measureShared({ rounds, quick, folder, log }) {
  const engine = await startEngine(folder)
  try {
    const requests = await measureRequests({ engine, rounds, folder, log })
    const sandboxes = await measureSandboxes({
      engine,
      count: quick ? 2_000 : 100_000,
      folder,
      log,
    })
    const created = await measureCreated({ engine, count: quick ? 20_000 : 1_000_000, folder, log })
    return { engine: engine.title, rounds, requests, sandboxes, created, otherLoad }
  } finally {
    engine.stop()
  }
}

/** The mock with shared state, under a separate name. */
function sharedMock(engine, name) {
  return {
    ...mock,
    id: 'shared',
    command: ({ port, pets }) => [
      ...mock.command({ port, pets }),
      '--shared',
      engine.url,
      '--shared-name',
      name,
    ],
  }
}

/** Measures throughput at many connections and the time at one, in turns: floor, memory, one and two shared mocks, and PING. */
async function measureRequests({ engine, rounds, folder, log }) {
  const start = (contestant, operation) => startServer(contestant, { pets, folder, operation })
  const [one, two] = [sharedMock(engine, 'requests'), sharedMock(engine, 'two')]
  const mocks = {
    memory: [await start(mock)],
    shared: [await start(one)],
    two: [await start(two), await start(two)],
  }
  const results = { ping: { alone: [], many: [] } }
  for (const operation of measured) {
    const request = requestOf(mock, operation)
    const body = await bodyOf({ ...request, url: `${mocks.memory[0].origin}${request.target}` })
    const floor = await start(floorOf(operation.status, body), operation)
    const contestants = Object.entries({ floor: [floor], ...mocks })
    results[operation.id] = Object.fromEntries(
      contestants.map(([name]) => [name, { alone: [], many: [] }]),
    )
    // The first round is a warm-up.
    for (let round = 0; round <= rounds; round += 1) {
      log(`\r${operation.title}: round ${round} of ${rounds} `)
      await sampleOtherLoad()
      for (const [name, servers] of round % 2 === 0 ? contestants : contestants.toReversed()) {
        for (const [at, place] of [
          [1, 'alone'],
          [connections, 'many'],
        ]) {
          if (at < servers.length) continue
          const before = await engine.used()
          const slice = await loadAll(servers, operation, { folder, at })
          const after = await engine.used()
          const share = (field) => (after[field] - before[field]) / slice.requests
          const costs = { engineMicros: share('cpuMs') * 1_000, in: share('in'), out: share('out') }
          if (round > 0) results[operation.id][name][place].push({ ...slice, ...costs })
        }
      }
      if (round > 0) results.ping.alone.push(await engine.ping(1))
      if (round > 0) results.ping.many.push(await engine.ping(connections))
    }
    await floor.stop()
    log('\n')
  }
  for (const server of Object.values(mocks).flat()) await server.stop()
  return results
}

/** A second of load, whose connections are spread over all servers. */
async function loadAll(servers, operation, { folder, at }) {
  const slices = await Promise.all(
    servers.map((server) =>
      load(server, requestOf(server.contestant, operation), {
        seconds: 1,
        folder: mkdtempSync(join(folder, 'load-')),
        at: at / servers.length,
      }),
    ),
  )
  const sumOf = (valueOf) => slices.reduce((sum, slice) => sum + valueOf(slice), 0)
  const requests = sumOf((slice) => slice.requests)
  return {
    ...slices[0],
    requests,
    perSecond: sumOf(({ perSecond }) => perSecond),
    cpuMicros: sumOf((slice) => slice.cpuMicros * slice.requests) / requests,
  }
}

/** Creates a pet in each of many sandboxes, then reads from all of them in a scattered order. */
async function measureSandboxes({ engine, count, folder, log }) {
  const server = await startServer(sharedMock(engine, 'sandboxes'), { pets, folder })
  const empty = await engine.memory()
  const keys = Array.from({ length: count }, (_, index) => sandboxKey(`bench-${index}`))
  const created = await rates(server, count, log, (index) => ({
    key: keys[index],
    body: newPets[index % 16],
  }))
  const memory = await engine.memory()
  const resident = server.memory()
  // A stride that visits each sandbox once, far from the previous one.
  const read = await rates(server, count, log, (index) => ({ key: keys[(index * 7_919) % count] }))
  await server.stop()
  return { count, created, read, engineBytes: (memory - empty) / count, resident }
}

/** Number of sandboxes for the created pets: a single one has no capacity for a million. */
const sharing = 10

/** Creates many pets in some sandboxes, then starts another mock and reads from one of them. */
async function measureCreated({ engine, count, folder, log }) {
  const contestant = sharedMock(engine, 'created')
  const server = await startServer(contestant, { pets, folder })
  const keys = Array.from({ length: sharing }, (_, index) => sandboxKey(`created-${index}`))
  const empty = await engine.memory()
  const created = await rates(server, count, log, (index) => ({
    key: keys[index % sharing],
    body: newPets[(index >> 4) % 16],
  }))
  const memory = await engine.memory()
  const resident = server.memory()
  const id = pets + count / sharing
  const last = {
    ...operations.find((one) => one.id === 'get'),
    target: `/pets/${id}`,
    key: keys[0],
  }
  const joins = []
  for (let turn = 0; turn < 3; turn += 1) {
    const joining = await startServer(contestant, { pets, folder })
    const began = performance.now()
    const status = await statusOf({ ...last, url: `${joining.origin}/v1${last.target}` })
    joins.push(performance.now() - began)
    await joining.stop()
    if (status !== last.status) throw new Error(`Pet ${id} is not there: ${status}.`)
  }
  await server.stop()
  return { count, created, engineBytes: (memory - empty) / count, resident, joins }
}

/** Sends `count` requests at the default number of connections; returns the rates of the first and the last tenth. */
async function rates(server, count, log, requestAt) {
  const pool = new Pool(server.origin, { connections })
  const began = performance.now()
  const tenth = Math.floor(count / 10)
  const marks = []
  let [next, done] = [0, 0]
  const work = async () => {
    for (let index = next++; index < count; index = next++) {
      const { key, body } = requestAt(index)
      const { statusCode, body: received } = await pool.request({
        method: body === undefined ? 'GET' : 'POST',
        path: '/v1/pets',
        headers: {
          authorization: `Bearer ${key}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        body: body ?? null,
      })
      await received.dump()
      if (statusCode >= 300) throw new Error(`A request got ${statusCode}.`)
      done += 1
      if (done % tenth === 0) {
        marks.push(performance.now())
        log(`\r${thousands(done)} of ${thousands(count)} `)
      }
    }
  }
  await Promise.all(Array.from({ length: connections }, work))
  await pool.close()
  log('\n')
  return {
    first: tenth / ((marks[0] - began) / 1_000),
    last: tenth / ((marks[9] - marks[8]) / 1_000),
  }
}

/** Starts an engine on a free port, with the common setting of writing its log every second. */
async function startEngine(folder) {
  const name = ['redis-server', 'valkey-server'].find(
    (command) => spawnSync(command, ['--version']).status === 0,
  )
  if (name === undefined) {
    process.stderr.write(
      'Neither redis-server nor valkey-server is in the PATH: apt-get install redis-server\n',
    )
    process.exit(2)
  }
  const port = await freePort()
  const options = ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder, '--save', '']
  const child = spawn(name, [...options, '--appendonly', 'yes', '--appendfsync', 'everysec'], {
    stdio: 'ignore',
  })
  process.on('exit', () => child.kill('SIGKILL'))
  const client = new Redis(port, { maxRetriesPerRequest: null, retryStrategy: () => 20 }).on(
    'error',
    () => {},
  )
  await client.ping()
  const infoOf = async (section, field) =>
    new RegExp(`${field}:(\\S+)`).exec(await client.info(section))[1]
  return {
    title: `${name.replace('-server', '')} ${await infoOf('server', '(?:valkey|redis)_version')}`,
    url: `redis://127.0.0.1:${port}`,
    memory: async () => Number(await infoOf('memory', 'used_memory')),
    /** Resources used so far: CPU time in milliseconds, bytes received and sent. */
    used: async () => ({
      cpuMs: cpuMs(child.pid),
      in: Number(await infoOf('stats', 'total_net_input_bytes')),
      out: Number(await infoOf('stats', 'total_net_output_bytes')),
    }),
    ping: (at) => pingFor(port, at, 500),
    stop() {
      client.disconnect()
      child.kill('SIGTERM')
    },
  }
}

/** Sends PING on `at` connections, one at a time on each; returns the rate, and the median time. */
async function pingFor(port, at, forMs) {
  const times = []
  const endsAt = performance.now() + forMs
  const work = async () => {
    const socket = connect(port, '127.0.0.1').setNoDelay(true)
    await once(socket, 'connect')
    await new Promise((resolve) => {
      let sent = 0
      const send = () => {
        sent = performance.now()
        if (sent < endsAt) socket.write('PING\r\n')
        else resolve()
      }
      socket.on('data', () => {
        times.push(performance.now() - sent)
        send()
      })
      send()
    })
    socket.destroy()
  }
  await Promise.all(Array.from({ length: at }, work))
  return { perSecond: times.length / (forMs / 1_000), p50Ms: summary(times).median }
}

/** Creates the figures for docs/explanation/scale.md. */
export function sharedSection(results) {
  const { requests, sandboxes, created } = results
  const titles = measured.map(({ title }) => title)
  const row = (name, cell) => [name, ...measured.map(({ id }) => cell(requests[id]))]
  const of = (slices, field) => slices.map((slice) => slice[field])
  const middle = (slices, field) => summary(of(slices, field))?.median
  const pingMs = middle(requests.ping.alone, 'p50Ms')
  const spreadOf = (one, place, field) =>
    spread(ratio(of(one.shared[place], field), of(one.memory[place], field)))
  const cpuRatio = (one, name) =>
    spread(ratio(of(one[name].many, 'cpuMicros'), of(one.floor.many, 'cpuMicros')))
  const ms = (number) => number.toFixed(3)
  const perSecond = ({ first, last }) => [
    thousands(first),
    thousands(last),
    (last / first).toFixed(2),
  ]
  return `${[
    table(
      ['', ''],
      [
        ['Date', results.date],
        ['Machine', `${machine()}; shared by mock, engine and load generator`],
        ['Engine', `${results.engine}, appendonly yes, appendfsync everysec`],
        ['Node', process.version],
        ['Load', `${results.generator}, slices of 1 s in turns`],
        ['Other load', otherLoadOf(results.otherLoad)],
        ['Rounds', `${results.rounds}; medians, with minimum and maximum in parentheses`],
      ],
    ),
    `Requests per second of one mock at ${connections} connections, in memory and with \`--shared\`. Each ratio compares two slices of the same round. ` +
      `\`PING\` of the engine, with as many connections from a Node.js client: ${thousands(middle(requests.ping.many, 'perSecond'))} per second.`,
    table(
      ['', ...titles],
      [
        row('in memory', ({ memory }) => thousands(middle(memory.many, 'perSecond'))),
        row('shared', ({ shared }) => thousands(middle(shared.many, 'perSecond'))),
        row('ratio', (one) => spreadOf(one, 'many', 'perSecond')),
      ],
    ),
    'Two mocks with shared state and half of the connections each, in the same rounds. The floor is a bare `node:http` server ' +
      'that checks the key and sends a constant response. Processor time of all mocks for one request, as a ratio to the floor:',
    table(
      ['', ...titles],
      [
        row('one mock in memory', (one) => cpuRatio(one, 'memory')),
        row('one shared mock', (one) => cpuRatio(one, 'shared')),
        row('two shared mocks, summed', (one) => cpuRatio(one, 'two')),
        row('requests per second of two, to those of one', ({ two, shared }) =>
          spread(ratio(of(two.many, 'perSecond'), of(shared.many, 'perSecond'))),
        ),
      ],
    ),
    `Median response time in milliseconds at one connection. \`PING\` takes ${ms(pingMs)} ms.`,
    table(
      ['', ...titles],
      [
        row('in memory', ({ memory }) => ms(middle(memory.alone, 'p50Ms'))),
        row('shared', ({ shared }) => ms(middle(shared.alone, 'p50Ms'))),
        row('in memory and 3 PING', ({ memory }) => ms(middle(memory.alone, 'p50Ms') + 3 * pingMs)),
      ],
    ),
    'Cost of one request: microseconds of processor time of the mock and of the engine, all threads, and bytes between them, ' +
      `at ${connections} connections, where requests share calls, and at one ("alone"), where they do not.`,
    table(
      ['', ...titles],
      [
        row('mock in memory', ({ memory }) => middle(memory.many, 'cpuMicros').toFixed(1)),
        row('shared mock', ({ shared }) => middle(shared.many, 'cpuMicros').toFixed(1)),
        row('engine', ({ shared }) => middle(shared.many, 'engineMicros').toFixed(1)),
        row('bytes to the engine', ({ shared }) => thousands(middle(shared.many, 'in'))),
        row('bytes back', ({ shared }) => thousands(middle(shared.many, 'out'))),
        row('shared mock, alone', ({ shared }) => middle(shared.alone, 'cpuMicros').toFixed(1)),
        row('engine, alone', ({ shared }) => middle(shared.alone, 'engineMicros').toFixed(1)),
        row('bytes to the engine, alone', ({ shared }) => thousands(middle(shared.alone, 'in'))),
        row('bytes back, alone', ({ shared }) => thousands(middle(shared.alone, 'out'))),
      ],
    ),
    `Requests per second as state grows, at ${connections} connections from one Node.js client, which is slower than the load generator above:`,
    table(
      ['', 'first tenth', 'last tenth', 'ratio'],
      [
        [
          `a creation in each of ${thousands(sandboxes.count)} sandboxes`,
          ...perSecond(sandboxes.created),
        ],
        ['a list in each of them, in random order', ...perSecond(sandboxes.read)],
        [
          `${thousands(created.count)} creations in ${sharing} sandboxes`,
          ...perSecond(created.created),
        ],
      ],
    ),
    `The engine holds ${thousands(sandboxes.engineBytes)} bytes for each sandbox with one creation, and ${thousands(created.engineBytes)} ` +
      `bytes for each of ${thousands(created.count)} created pets. The mock has ${thousands(sandboxes.resident / 1e6)} MB resident ` +
      `after the sandboxes, and ${thousands(created.resident / 1e6)} MB after the pets. A mock that loads a sandbox with ` +
      `${thousands(created.count / sharing)} created pets for the first time responds with the last of them in ` +
      `${created.joins.map((one) => thousands(one)).join(', ')} ms.`,
  ].join('\n\n')}\n`
}
