/** A mixed load for a long time. No confirmed pet is lost, and the memory does not grow. */
import { connect, type Socket } from 'node:net'

import { type Dispatcher, Pool } from 'undici'

import { parseJson, printJson } from '../../../src/json.ts'
import { Random } from '../../../src/mock/pets/seed.ts'
import { mebibytes, MockProcess, pause } from '../../support/machines.ts'
import { converse, fuzzKey, readResponses } from '../fuzz/wire.ts'

interface SoakOptions {
  seed: number
  seconds?: number
  requests?: number
  /** The command to start. Default: the one in dist/. */
  cli?: string
  flags?: readonly string[]
}

const sandboxes = 5
const clients = 3
/** Number of episodes until all caches are full. */
const warmUp = 4
const mostGrowth = 16 * 1024 * 1024
const categories = [
  '1',
  '0',
  '-1',
  '9007199254740993',
  '-9223372036854775808',
  '9223372036854775807',
]

/** Rules that an episode may add: each ends by itself, or with the episode. */
const rules: readonly object[] = [
  { reply: { status: 503 }, times: 5 },
  { when: { operation: 'createPet' }, reply: { status: 503 }, skip: 3, times: 10 },
  { when: { operation: 'createPet' }, fault: 'reset', times: 3 },
  { fault: 'truncated-body', times: 3 },
  { fault: { slowBodyMs: 30 }, times: 5 },
  { delayMs: { median: 3, p99: 30 }, times: 40 },
  { rateLimit: { requests: 20, windowMs: 200 }, during: { forMs: 500 } },
  { reply: { status: 503 }, during: { afterMs: 20, forMs: 100 } },
]
const settings: readonly object[] = [
  { profile: { 'list.order': 'oldest-first' } },
  { profile: { 'list.order': 'shuffled' } },
  { profile: { 'list.order': 'by-name' }, explain: true },
  {
    profile: {
      'create.location': 'absolute',
      'http.cors': 'none',
      'error.extra-fields': 'present',
    },
  },
]

/** Streams whose client never reads: unread events must not stay in memory. */
const streams = ['events', 'journal/stream?after=0', 'sandboxes/soak-1/events']

function stall(port: number, path: string): Socket {
  const socket = connect(port, '127.0.0.1').pause()
  socket.on('error', () => {})
  socket.write(`GET /_petstore/${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`)
  return socket
}

/** Runs a mixed load with faults, sandboxes and resets against a separate mock. */
export async function soak({
  seed,
  seconds = Infinity,
  requests = Infinity,
  cli,
  flags = [],
}: SoakOptions) {
  const endsAt = performance.now() + seconds * 1000
  const report = {
    requests: 0,
    created: 0,
    broken: 0,
    audits: 0,
    faults: [] as string[],
    memory: [] as number[],
  }
  const mock = new MockProcess('the mock', ['--key', fuzzKey, ...flags], { cli, isProbed: true })
  await mock.start()
  const limits = { connections: sandboxes * clients, bodyTimeout: 20_000, headersTimeout: 20_000 }
  const pool = new Pool(`http://127.0.0.1:${mock.port}`, limits)
  const episodes = Array.from({ length: sandboxes }, (_, index) =>
    createEpisodes(mock, pool, report, index, seed),
  )
  const actions = Math.min(250, Math.ceil(requests / (sandboxes * (warmUp + 4) * 2)))
  const { sockets: idle } = await mock.footprint()
  const stalled = streams.map((path) => stall(mock.port, path))
  for (let round = 1; mock.ended === undefined; round += 1) {
    await Promise.all(episodes.map((play) => play(actions)))
    if (mock.ended !== undefined) break
    const { bytes, faults } = await mock.footprint()
    report.faults.push(...faults)
    if (round >= warmUp) report.memory.push(bytes)
    if (round >= warmUp + 3 && (performance.now() > endsAt || report.requests >= requests)) break
  }
  await pool.close()
  for (const socket of stalled) socket.destroy()
  const grown = growthOf(report.memory)
  if (grown > mostGrowth)
    report.faults.push(
      `The memory grew by ${mebibytes(grown)}: ${report.memory.map(mebibytes).join(', ')}`,
    )
  const open = async (): Promise<number> => (await mock.footprint()).sockets - idle
  for (let look = 0; look < 100 && mock.ended === undefined && (await open()) > 0; look += 1)
    await pause(50)
  if (mock.ended !== undefined) report.faults.push(`The mock ended: ${mock.ended}`)
  else if ((await open()) > 0)
    report.faults.push(`${await open()} connections are still open without a client.`)
  if (mock.errors !== '') report.faults.push(`The mock printed: ${mock.errors}`)
  await mock.end('SIGKILL')
  return report
}

/** Growth from the median of the first third to that of the last, so that a single value has no effect. */
function growthOf(memory: readonly number[]): number {
  const third = Math.max(1, Math.floor(memory.length / 3))
  const median = (values: readonly number[]): number =>
    values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
  return median(memory.slice(-third)) - median(memory.slice(0, third))
}

type Report = Awaited<ReturnType<typeof soak>>

/** Returns a function that runs an episode in one sandbox: concurrent actions of clients, then an audit of all pets. */
function createEpisodes(
  mock: MockProcess,
  pool: Pool,
  report: Report,
  index: number,
  seed: number,
) {
  const random = new Random(seed * 100 + index)
  const below = (end: number): number => Math.floor(random.next() * end)
  const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item
  const name = index === 0 ? undefined : `soak-${index}`
  const where = name === undefined ? '' : `/sandboxes/${name}`
  /** The known pets by id, and the names of pets that may exist without a confirmation. */
  let known = new Map<string, string>()
  let doubted = new Set<string>()
  let [key, count, hasRule, isRemoved] = [fuzzKey, 0, false, false]
  const fault = (what: string): void => {
    if (report.faults.length < 50) report.faults.push(`${name ?? 'own'}: ${what.slice(0, 600)}`)
  }

  /** Status 0: no complete response. */
  async function send(
    method: Dispatcher.HttpMethod,
    path: string,
    body?: string,
    more: object = {},
  ) {
    try {
      const headers = { ...(body !== undefined && { 'content-type': 'application/json' }), ...more }
      const response = await pool.request({ method, path, headers, body: body ?? null })
      return { status: response.statusCode, text: await response.body.text() }
    } catch (error) {
      return { status: 0, text: String(error) }
    }
  }
  const request = (method: 'GET' | 'POST', path: string, body?: string, headers: object = {}) => {
    report.requests += 1
    return send(method, `/v1${path}`, body, { authorization: `Bearer ${key}`, ...headers })
  }
  async function control(
    method: Dispatcher.HttpMethod,
    path: string,
    body?: object,
  ): Promise<string> {
    const { status, text } = await send(
      method,
      `/_petstore${where}${path}`,
      body && JSON.stringify(body),
    )
    if (status === 0 || status >= 300)
      fault(`${method} ${path} of the control API got ${status}: ${text}`)
    return text
  }
  const exported = async (): Promise<Map<string, string>> => {
    const pets = parseJson((await control('GET', '/pets')) || '[]') as { id: number | bigint }[]
    return new Map(pets.map((pet) => [String(pet.id), printJson(pet as never)]))
  }
  /** Whether a response has the expected status; a rule may have changed it. */
  function expectStatus(
    { status, text }: { status: number; text: string },
    what: string,
    wanted: number,
  ): boolean {
    if (status === wanted) return true
    if (hasRule && [0, 429, 503].includes(status)) report.broken += 1
    else fault(`${what} got ${status} in place of ${wanted}: ${text}`)
    return false
  }
  function compare(id: string, shown: string): void {
    const before = known.get(id)
    if (
      before === undefined
        ? !doubted.has((JSON.parse(shown) as { name: string }).name)
        : before !== shown
    )
      fault(
        `Pet ${id} ${before === undefined ? 'was never confirmed' : `was ${before}`} and is ${shown}`,
      )
  }
  function newName(): string {
    count += 1
    const own = `${name ?? 'own'} ${count}`
    doubted.add(own)
    return own
  }
  const head = (line: string, more = ''): string =>
    `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${more}\r\n`

  async function list(): Promise<void> {
    const [limit, status] = [1 + below(100), pick(['', 'available', 'pending', 'sold'])]
    const path = `/pets?limit=${limit}${status && `&status=${status}`}`
    const response = await request('GET', path)
    if (!expectStatus(response, path, 200)) return
    const pets = parseJson(response.text) as { id: number; status?: string }[]
    if (pets.length > limit || new Set(pets.map(({ id }) => id)).size < pets.length)
      fault(`${path} shows a pet twice, or too many.`)
    if (status && pets.some((pet) => pet.status !== status)) fault(`${path} shows another status.`)
    for (const pet of pets) compare(String(pet.id), printJson(pet))
  }
  async function get(): Promise<void> {
    const id = pick([...known.keys()])
    const before = known.get(id)
    const response = await request('GET', `/pets/${id}`)
    if (
      expectStatus(response, `Pet ${id}`, isRemoved ? 410 : 200) &&
      !isRemoved &&
      response.text !== before
    )
      fault(`Pet ${id} was ${before} and is ${response.text}`)
  }
  async function create(): Promise<void> {
    const [own, categoryId, status] = [newName(), pick(categories), pick(['', ',"status":"sold"'])]
    const response = await request(
      'POST',
      '/pets',
      `{"name":"${own}","categoryId":${categoryId}${status}}`,
    )
    // An error creates no pet; a lost response may.
    if (!expectStatus(response, 'A creation', 201))
      return void (response.status > 0 && doubted.delete(own))
    report.created += 1
    const pet = parseJson(response.text) as {
      id: number
      name: string
      categoryId: number | bigint
    }
    if (known.has(String(pet.id))) fault(`The id ${pet.id} was given twice: ${response.text}`)
    if (pet.name !== own || String(pet.categoryId) !== categoryId)
      fault(`${own} with ${categoryId} was confirmed as ${response.text}`)
    known.set(String(pet.id), printJson(pet))
    doubted.delete(own)
  }
  async function breakOnPurpose(): Promise<void> {
    const { status } = await request('GET', '/pets', undefined, {
      prefer: `fault=${pick(['reset', 'truncated-body'])}`,
    })
    report.broken += 1
    if (status !== 0 && !hasRule) fault('A request that prefers a fault got a whole response.')
  }
  async function pipeline(): Promise<void> {
    const length = 2 + below(19)
    const text =
      head('GET /v1/pets?limit=2').repeat(length) + head('GET /v1/pets/0', 'Connection: close\r\n')
    const { bytes, end } = await converse(mock.port, [{ send: Buffer.from(text) }])
    const { responses, fault: wrong = end } = readResponses(bytes, [])
    report.requests += length + 1
    if (!hasRule && responses.length !== length + 1)
      fault(`A pipeline of ${length + 1} got ${responses.length}: ${wrong}`)
  }
  async function abandon(): Promise<void> {
    const body = JSON.stringify({ name: newName(), categoryId: 1 })
    const text = head('POST /v1/pets', `Content-Length: ${body.length}\r\n`) + body
    const sent = Buffer.from(text.slice(0, pick([text.length, text.length, text.length - 5, 30])))
    await converse(mock.port, [
      { send: sent },
      { pauseMs: pick([0, 0, 3]) },
      { abandon: pick(['close', 'reset']) },
    ])
  }
  async function stream(): Promise<void> {
    const sent = `GET /_petstore${where}/journal/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`
    await converse(mock.port, [
      { send: Buffer.from(sent) },
      { pauseMs: below(100) },
      { abandon: 'close' },
    ])
  }
  const invalid = ['', '{', '[]', '{"name":1,"categoryId":1}', '{"name":"x","categoryId":1.5}']
  const expectOf = async (
    what: string,
    status: number,
    ...sent: Parameters<typeof request>
  ): Promise<unknown> => expectStatus(await request(...sent), what, status)

  /** Actions of clients with their weights. */
  const actions: readonly (readonly [weight: number, act: () => Promise<unknown>])[] = [
    [20, list],
    [20, get],
    [20, create],
    [
      4,
      () =>
        expectOf(
          'No pet',
          isRemoved ? 410 : 404,
          'GET',
          `/pets/${pick(['0', '999999999', 'none'])}`,
        ),
    ],
    [4, () => expectOf('An invalid body', 400, 'POST', '/pets', pick(invalid))],
    [
      3,
      () =>
        expectOf('A wrong key', 401, 'GET', '/pets', undefined, {
          authorization: `Bearer ${key}x`,
        }),
    ],
    [
      3,
      () =>
        expectOf('Prefer: code', 418, 'POST', '/pets', '{"name":"x","categoryId":1}', {
          prefer: 'code=418',
        }),
    ],
    [
      2,
      () =>
        expectOf('A delayed list', 200, 'GET', '/pets?limit=1', undefined, {
          prefer: 'delay=0.02',
        }),
    ],
    [2, breakOnPurpose],
    [3, pipeline],
    [3, abandon],
    [
      1,
      () =>
        control(
          'GET',
          pick(['/journal?limit=50', '/scorecard', '/rules', '/settings', '/snapshots']),
        ),
    ],
    [1, stream],
  ]
  const drawn = actions.flatMap(([weight, act]) => Array.from({ length: weight }, () => act))

  /** Checks every pet, in the export and by its id. */
  async function audit(): Promise<void> {
    // An abandoned creation may still be in progress: wait until two exports are equal.
    let [earlier, now] = [new Map<string, string>(), await exported()]
    while (earlier.size !== now.size) [earlier, now] = [now, await exported()]
    report.audits += 1
    for (const [id, text] of known)
      if (!now.has(id)) fault(`Pet ${id} was confirmed and is missing: ${text}`)
    for (const [id, text] of now) compare(id, text)
    known = now
    // Missing pets may still appear: a busy machine reads abandoned requests late.
    for (const [id, text] of now) {
      doubted.delete((JSON.parse(text) as { name: string }).name)
      const response = await request('GET', `/pets/${id}`)
      if (response.text !== text) fault(`Pet ${id} was ${text} and is ${response.text}`)
    }
  }

  return async function play(actionsOfEpisode: number): Promise<void> {
    if (known.size === 0) {
      if (name !== undefined) {
        const { text } = await send('POST', '/_petstore/sandboxes', JSON.stringify({ name }))
        key = (JSON.parse(text) as { key: string }).key
      }
      known = await exported()
    }
    if (below(5) === 0) await control('PATCH', '/settings', pick(settings))
    ;[isRemoved, hasRule] = [below(10) === 0, below(2) === 0]
    if (isRemoved) await control('PUT', '/clock', { now: '2030-12-06' })
    if (hasRule) await control('POST', '/rules', [pick(rules)])
    const snapshot =
      below(5) === 0 ? { known: new Map(known), doubted: new Set(doubted) } : undefined
    if (snapshot) await control('PUT', '/snapshots/before')
    let left = actionsOfEpisode
    const work = async (): Promise<void> => {
      while ((left -= 1) >= 0) await pick(drawn)()
    }
    await Promise.all(Array.from({ length: clients }, work))
    await control('DELETE', '/rules')
    if (isRemoved) await control('DELETE', '/clock')
    ;[hasRule, isRemoved] = [false, false]
    await audit()
    if (snapshot && below(2) === 0) {
      await control('POST', '/snapshots/before/restore')
      ;({ known, doubted } = snapshot)
      await audit()
    }
    // A catalog that is not reset grows, which must not look like a leak.
    const end = known.size > 1_500 ? 'reset' : pick(['reset', 'leave', 'leave', 'drop'])
    if (end === 'leave') return
    if (end === 'reset' || name === undefined) await control('POST', '/reset')
    else await control('DELETE', '')
    // The next request with its key recreates it.
    await request('GET', '/pets')
    known = await exported()
  }
}
