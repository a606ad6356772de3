/** The conversations: the corpus, and those with hostile timing or numbers. */
import { readFileSync } from 'node:fs'

import { sandboxKey } from '../../../src/mock/service/sandbox-key.ts'
import { doubtfulName, type Expected, readNewPet } from './oracle.ts'
import { fuzzKey, type Step } from './wire.ts'

/** A conversation on one connection. It ends when the server closes it, or the client abandons it. */
export interface Case {
  /** `group/name`. */
  name: string
  steps: readonly Step[]
  expected: readonly Expected[]
  limitMs?: number
  /** Waits for a time limit of the mock: only in long runs. */
  slow?: true
  /** Number of concurrent conversations, followed by an ordinary request. */
  times?: number
  /** Number of connections that send this, read nothing, and stay open during an ordinary request. */
  hold?: number
}

/** The parts of a request, with defaults. The head is latin1. */
interface Parts {
  method?: string
  version?: string
  /** Header lines before and after the others, each with its CRLF. */
  first?: string
  lines?: string
  /** null omits the header. */
  authorization?: string | null
  host?: string | null
  body?: Buffer
  length?: number | null
}

export const json = 'Content-Type: application/json\r\n'
export const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')
export const status = (...statuses: number[]): Expected => ({ statuses })

export function request(target: string, parts: Parts = {}): Buffer {
  const {
    body,
    method = body === undefined ? 'GET' : 'POST',
    version = 'HTTP/1.1',
    first = '',
    lines = '',
  } = parts
  const { host = 'x', authorization = `Bearer ${fuzzKey}`, length = body?.length ?? null } = parts
  const own = Object.entries({ Host: host, Authorization: authorization, 'Content-Length': length })
    .map(([name, value]) => (value === null ? '' : `${name}: ${value}\r\n`))
    .join('')
  return Buffer.concat([
    latin1(`${method} ${target} ${version}\r\n${first}${own}${lines}\r\n`),
    body ?? Buffer.alloc(0),
  ])
}
export const create = (body: string, parts: Parts = {}): Buffer =>
  request('/v1/pets', { first: json, body: latin1(body), ...parts })
export const control = (path: string, parts: Parts = {}): Buffer =>
  request(`/_petstore${path}`, { host: '127.0.0.1', authorization: null, ...parts })

/** The last request of a conversation shows whether both sides agree on the framing. */
export const lastRequest = request('/v1/pets/7', { lines: 'Connection: close\r\n' })
export const lastExpected: Expected = { statuses: [200], pet: 7 }
export const rex = '{"name":"Rex","categoryId":1}'
export const createsRex: Expected = {
  method: 'POST',
  statuses: [201],
  created: { name: 'Rex', categoryId: 1n },
}

/** 201 with the sent fields, or 400, according to the specification. */
export function forBody(body: Buffer, ...or: number[]): Expected {
  const sent = readNewPet(body)
  return sent === undefined
    ? status(400)
    : { method: 'POST', statuses: [201, ...or], created: sent }
}

/** Operations of the control API that change a separate sandbox and have a body. */
export const controlWrites: readonly (readonly [path: string, method: string])[] = [
  ['/sandboxes/fuzz/pets', 'PUT'],
  ['/sandboxes/fuzz/clock', 'PUT'],
  ['/sandboxes/fuzz/snapshots/a', 'PUT'],
  ['/sandboxes/fuzz/pets/1', 'PATCH'],
  ['/sandboxes/fuzz/settings', 'PATCH'],
  ['/sandboxes', 'POST'],
  ['/sandboxes/fuzz/rules', 'POST'],
  ['/sandboxes/fuzz/clock/advance', 'POST'],
  ['/sandboxes/fuzz/reset', 'POST'],
]

const three = '/v1/pets?limit=3'
const post = (lines: string, body: string): Buffer =>
  Buffer.concat([request('/v1/pets', { method: 'POST', lines }), latin1(body)])
const chunked = 'Transfer-Encoding: chunked\r\n'
/** A smuggled request: it must never get a response, and its pet must never exist. */
const hidden = create('{"name":"Smuggled","categoryId":1}').toString('latin1')
const inChunks = (text: string): string => text.replaceAll('SIZE', '1d').replaceAll('DATA', rex)
const named = (name: string, categoryId = '1'): string =>
  `{"name":"${name}","categoryId":${categoryId}}`
const sandbox = sandboxKey('fuzz')
/** Expands the placeholders in complete requests of the corpus. */
const whole = (text: string): Buffer =>
  latin1(
    text
      .replaceAll('HOST', 'Host: x\r\n')
      .replaceAll('AUTH', `Authorization: Bearer ${fuzzKey}\r\n`)
      .replaceAll('REX', rex)
      .replaceAll('HIDDEN', hidden),
  )

/** The bytes of a value by group; several if it is sent in several ways. */
const toBytes: Record<string, (value: string) => Buffer | Buffer[]> = {
  line: (line) => latin1(`${line}\r\nHost: x\r\nAuthorization: Bearer ${fuzzKey}\r\n\r\n`),
  alone: whole,
  whole,
  header: (line) => request(three, { lines: `${line}\r\n` }),
  'first-header': (line) => request(three, { first: `${line}\r\n` }),
  host: (lines) => request(three, { host: null, first: lines }),
  type: (lines) => create(rex, { first: lines }),
  key: (authorization) => request('/v1/pets', { authorization }),
  'sandbox-key': (key) => request('/v1/pets', { authorization: `Bearer ${key}` }),
  'key-elsewhere': (line) => request('/v1/pets', { authorization: null, lines: `${line}\r\n` }),
  'keyless-query': (query) => request(`/v1/pets?${query}`, { authorization: null }),
  'keyless-body': (body) => create(body, { authorization: null }),
  path: (path) => request(path),
  'pet-id': (id) => request(`/v1/pets/${id}`),
  query: (query) => request(`/v1/pets?${query}`),
  body: (body) => create(body),
  'large-body': (body) => create(body),
  number: (text) => create(named('Rex', text)),
  'number-elsewhere': (text) => create(`{"other":${text},${rex.slice(1)}`),
  'not-json': (text) => create(named('Rex', text)),
  name: (name) => create(named(name)),
  smuggling: (lines) =>
    [`0\r\n\r\n${hidden}`.length, 5].map((length) => {
      const text = lines.includes('0xN') ? length.toString(16) : String(length)
      return post(
        `${lines.replaceAll('N', (letter, at: number) => (/\w/.test(lines[at + 1] ?? '') ? letter : text))}\r\n`,
        `0\r\n\r\n${hidden}`,
      )
    }),
  'bad-chunks': (body) => post(chunked, inChunks(body) + hidden),
  chunks: (body) => post(chunked, inChunks(body)),
  'coded-chunks': (coding) =>
    post(`Transfer-Encoding: ${coding}\r\n`, inChunks('SIZE\r\nDATA\r\n0\r\n\r\n')),
  prefer: (value) => prefer(value),
  'prefer-20': (value) => times(20, prefer(value)),
  'prefer-post': (value) => create(named('Failed'), { lines: `Prefer: ${value}\r\n` }),
  'control-host': (host) => control('/pets', { host }),
  'control-page': (line) => control('/pets', { lines: `${line}\r\n` }),
  'control-reset': (line) => control('/reset', { lines: `${line}\r\n`, body: latin1('{}') }),
  'control-preflight': (line) => control('/reset', { method: 'OPTIONS', lines: `${line}\r\n` }),
  'control-path': (path) => control(path),
  'control-write': (body) =>
    controlWrites.map(([path, method]) =>
      control(path, { method, first: json, body: latin1(body) }),
    ),
}
const times = (count: number, bytes: Buffer): Buffer =>
  Buffer.concat(Array<Buffer>(count).fill(bytes))
const prefer = (value: string): Buffer => request(three, { lines: `Prefer: ${value}\r\n` })

/** Groups whose values are JSON, with the escapes of JSON. */
const ofJson = new Set([
  'body',
  'large-body',
  'keyless-body',
  'number',
  'not-json',
  'name',
  'control-write',
])
/** After these groups the connection must stay open, after `mustEnd` it must be closed; otherwise it may be closed. */
const mustGoOn = new Set([
  'path',
  'pet-id',
  'query',
  'body',
  'number',
  'number-elsewhere',
  'not-json',
  'name',
])
const mustEnd = new Set(['smuggling', 'bad-chunks', 'alone'])

/** Expands a value of the corpus to the sent bytes, as latin1 text. */
function expand(value: string, group: string): string {
  const controls: Record<string, string> = { r: '\r', n: '\n', t: '\t' }
  let text = ofJson.has(group)
    ? value
    : value.replaceAll(/\\([rnt])/g, (_, letter: string) => controls[letter] ?? '')
  while (text.includes('«')) {
    text = text.replaceAll(/«([^«»]*)»/g, (_, inner: string) => {
      const [unit = '', count = '1'] = /^([^]*)\*(\d+)$/.exec(inner)?.slice(1) ?? [inner]
      const bytes = /^([0-9a-f]{2})+$/.test(unit)
        ? Buffer.from(unit, 'hex').toString('latin1')
        : unit
      if (!bytes.includes('#')) return bytes.repeat(Number(count))
      return Array.from({ length: Number(count) }, (_one, index) =>
        bytes.replaceAll('#', String(index)),
      ).join('')
    })
  }
  return text
    .replaceAll('KEY', fuzzKey)
    .replaceAll('SANDBOX', group === 'sandbox-key' ? sandbox : 'SANDBOX')
    .replaceAll('CHECKSUM', sandbox.slice(-8))
}

function toExpected(group: string, acceptable: string, bytes: Buffer): Expected {
  const expected: Expected = {
    statuses: [],
    ...(group.startsWith('control') && { never: 'access-control-' }),
  }
  const statuses: number[] = []
  for (const word of acceptable.split(' ')) {
    const [kind = '', value = ''] = word.split('=')
    const [limit, petStatus] = value.split(',')
    if (kind === 'new')
      Object.assign(expected, forBody(bytes.subarray(bytes.indexOf('\r\n\r\n') + 4)))
    else if (kind === 'page')
      expected.page = { limit: Number(limit), ...(petStatus && { status: petStatus }) }
    else if (kind === 'pet') expected.pet = Number(value)
    else if (value !== '') expected.created = { name: 'Rex', categoryId: BigInt(value) }
    statuses.push(
      ...(kind === 'new' ? expected.statuses : kind === 'own' ? [400, 403] : []),
      ...(kind === 'control' ? [200, 201, 204, 400, 404, 405, 409, 413, 415] : []),
      ...(kind === 'page' || kind === 'pet' ? [200] : /^\d+$/.test(kind) ? [Number(kind)] : []),
    )
  }
  return { ...expected, statuses }
}

/** Sends bytes, then the last request, which gets a response unless the connection may be closed before. */
export const follow = (
  name: string,
  bytes: Buffer,
  expected: readonly Expected[],
  optional = false,
): Case => ({
  name,
  steps: [{ send: Buffer.concat([bytes, lastRequest]) }],
  expected: [...expected, { ...lastExpected, ...(optional && { optional }) }],
})
const conversation = (
  name: string,
  sent: Buffer | readonly Step[],
  ...expected: Expected[]
): Case => ({
  name,
  steps: Buffer.isBuffer(sent) ? [{ send: sent }] : sent,
  expected,
})

function toCases(group: string, acceptable: string, value: string): Case[] {
  const shown =
    value === '«*0»'
      ? 'nothing'
      : value.length <= 60
        ? value
        : `${value.slice(0, 50)}...${value.length}`
  return [toBytes[group]?.(expand(value, group)) ?? []].flat().map((bytes, index) => {
    const name = `${group}/${shown}${index === 0 ? '' : ` (${index + 1})`}`
    const expected = toExpected(group, acceptable, bytes)
    if (mustEnd.has(group)) return conversation(name, bytes, expected)
    if (group !== 'prefer-20') return follow(name, bytes, [expected], !mustGoOn.has(group))
    return { ...follow(name, bytes, Array<Expected>(20).fill(expected), true), limitMs: 4_000 }
  })
}

const fromCorpus = readFileSync(new URL('corpus.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .flatMap((line) => {
    const [, group = '', acceptable = '', values = ''] = /^(\S+) \| (.+?) \| (.*)$/.exec(line) ?? []
    if (toBytes[group] === undefined)
      throw new Error(`The corpus has an unknown group: ${line.slice(0, 80)}`)
    return values
      .split(' ¦ ')
      .flatMap((value) => [
        ...toCases(group, acceptable, value),
        ...(group === 'number' ? toCases('number-elsewhere', '201=1', value) : []),
      ])
  })

/** Incomplete requests. */
const halves: Record<string, Buffer> = {
  nothing: Buffer.alloc(0),
  method: latin1('GE'),
  line: latin1('GET /v1/pets HTTP/1.1\r\n'),
  head: request('/v1/pets').subarray(0, -2),
  'no body': request('/v1/pets', { method: 'POST', length: 100 }),
  'half a body': create(rex, { length: 500 }),
  'half a chunk': post(chunked, 'ff\r\n{"name'),
  'no last chunk': post(chunked, '2\r\n{}\r\n'),
}
/** The mock waits 15 s for a head and 30 s for a request, and checks every 2 s. */
const patience = { limitMs: 45_000, slow: true } as const
const drip = (start: string, text: string): Step[] => [
  { send: halves[start] ?? Buffer.alloc(0) },
  ...Array.from({ length: 90 }, (): Step[] => [{ pauseMs: 500 }, { send: latin1(text) }]).flat(),
]
const timeLimit: Expected = { ...status(400, 408), optional: true }
const behind = create(named('Behind'))
const seven = request('/v1/pets/7')
const byHand: Case[] = [
  follow(
    'framing/HEAD with a body',
    request('/v1/pets', { method: 'HEAD', body: latin1('xxxxx') }),
    [{ ...status(200, 405), method: 'HEAD' }],
    true,
  ),
  conversation(
    'framing/body without length',
    [{ send: post('', rex) }, { finish: true }],
    status(400, 411),
    timeLimit,
  ),
  conversation(
    'framing/length too small',
    create(rex, { length: rex.length - 1 }),
    status(400),
    timeLimit,
  ),
  // All of it is the body of the first request.
  follow('pipeline/smuggled in a body', create(behind.toString('latin1')), [status(400)]),
  // RFC 9112 section 9.6: nothing after `Connection: close` gets a response.
  conversation('pipeline/behind close', Buffer.concat([lastRequest, behind, seven]), lastExpected),
  conversation(
    'pipeline/behind 1.0',
    Buffer.concat([request('/v1/pets/7', { version: 'HTTP/1.0' }), behind]),
    lastExpected,
  ),
  conversation(
    'pipeline/garbage',
    Buffer.concat([seven, latin1('?\x01\x02 garbage\r\n\r\n')]),
    lastExpected,
    status(400),
  ),
  conversation(
    'drip/byte by byte',
    [...create(rex), ...lastRequest].flatMap((byte): Step[] => [
      { send: Buffer.from([byte]) },
      { pauseMs: 0 },
    ]),
    createsRex,
    lastExpected,
  ),
  { ...conversation('drip/head', drip('line', 'X: y\r\n'), status(408)), ...patience },
  { ...conversation('drip/body', drip('no body', ' '), status(408)), ...patience },
  ...Object.entries(halves).flatMap(([name, send]) => [
    conversation(`half/${name}, finished`, [{ send }, { finish: true }], timeLimit),
    conversation(`half/${name}, closed`, [{ send }, { pauseMs: 0 }, { abandon: 'close' }]),
    conversation(`half/${name}, reset`, [{ send }, { pauseMs: 0 }, { abandon: 'reset' }]),
    conversation(
      `half/${name}, behind`,
      [{ send: seven }, { send }, { finish: true }],
      lastExpected,
      timeLimit,
    ),
    { ...conversation(`half/${name}, silence`, [{ send }], timeLimit), ...patience },
  ]),
]

const largeHead = request('/v1/pets', { method: 'POST', length: 1_048_576, authorization: null })
/** Connections that send these bytes, read nothing, and stay open during another request. */
const held: readonly (readonly [name: string, hold: number, send: Buffer])[] = [
  ['idle', 500, Buffer.alloc(0)],
  ['half heads', 300, latin1('GET /v1/pets HTTP/1.1\r\n')],
  ['half bodies', 300, request('/v1/pets', { method: 'POST', length: 1_000 })],
  ['kept alive', 300, request('/v1/pets/1')],
  ['silences', 50, prefer('fault=silence')],
  ['resets', 100, prefer('fault=reset')],
  ['delayed', 100, prefer('delay=60')],
  ['delayed pipelines', 20, times(100, prefer('delay=60'))],
  ['slow bodies', 50, prefer('fault=slow-body')],
  // The control API opens at most 32 of them.
  ['streams', 60, control('/journal/stream')],
  ['unread responses', 100, times(20, request('/v1/pets?limit=100'))],
  // Ten times the capacity of a socket.
  ['never reads', 1, times(10_000, request('/v1/pets?limit=100'))],
  // Clients without a key can also send a part of a body.
  ['half-sent large bodies', 400, Buffer.concat([largeHead, Buffer.alloc(1_000_000, ' ')])],
]
const send = create(JSON.stringify({ name: doubtfulName, categoryId: 1 }))
const storms: Case[] = [
  ...held.map(([name, hold, bytes]) => ({ ...conversation(`storm/${name}`, bytes), hold })),
  ...(['close', 'reset'] as const).flatMap((abandon) => [
    {
      ...conversation(`storm/abandoned creations, ${abandon}`, [{ send }, { abandon }]),
      times: 50,
    },
    {
      ...conversation(`storm/sent creations, ${abandon}`, [{ send }, { pauseMs: 0 }, { abandon }]),
      times: 50,
    },
  ]),
  {
    ...follow('storm/large bodies', create('{"categoryId":"no number"}'.padEnd(1_048_576)), [
      status(400),
    ]),
    times: 20,
  },
]

/**
 * Clients that reset the connection as soon as the response begins, several at once. After some of these requests, Node
 * hands over the socket without a listener for its errors.
 */
const resets: Case[] = [
  request('/v1/pets'),
  request('x:443', { method: 'CONNECT' }),
  Buffer.concat([request('x:443', { method: 'CONNECT' }), latin1('\x16\x03\x01\x02\0')]),
  Buffer.concat([request('/v1/pets'), request('x:443', { method: 'CONNECT' })]),
  request('/v1/pets', { lines: 'Connection: Upgrade\r\nUpgrade: websocket\r\n' }),
  request('/v1/pets', { lines: 'Expect: a-miracle\r\n' }),
  request('/v1/pets', { lines: 'X-Odd\r\n' }),
  request('/v1/pets', { lines: `X-Large: ${'x'.repeat(30_000)}\r\n` }),
  request('/v1/pets', { method: 'get' }),
  request('/v1/pets', { host: null }),
  post(chunked, 'no chunk\r\n'),
  latin1('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  prefer('fault=slow-body'),
  control('/journal/stream'),
].flatMap((sent) =>
  (['close', 'reset'] as const).map((abandon) => {
    const name = `reset/${sent.toString('latin1', 0, 50)}, ${abandon}`
    const steps: Step[] = [{ send: sent }, { awaitBytes: true }, { abandon }]
    const acceptable = status(200, 400, 405, 417, 431, 501, 505)
    return { ...conversation(name, steps, acceptable, acceptable), times: 10 }
  }),
)

export const cases: readonly Case[] = [...fromCorpus, ...byHand, ...storms, ...resets]

/** Cases with this prefix of their name that do not wait for a time limit. */
export const quickCases = (start: string): Case[] =>
  cases.filter(({ name, slow }) => slow !== true && name.startsWith(start))
