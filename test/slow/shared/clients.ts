/** Clients of a sandbox that record their operations and results. */
import { type Dispatcher, errors } from 'undici'

import { Random } from '../../../src/mock/pets/seed.ts'
import { sandboxKey } from '../../../src/mock/service/sandbox-key.ts'
import { pause } from '../../support/machines.ts'
import type { Recorded } from './linearizable.ts'
import { lookRoutes, type Operation, removedAt, statuses } from './register.ts'

/** A mock, for a client. */
export interface Target {
  /** Example: `mock-2`. */
  readonly name: string
  /** Undefined while no process listens. */
  readonly origin: () => string | undefined
}

/** The result in the notation of the model; `unknown` if the operation may have taken effect or not. */
type Outcome = { result: string } | { unknown: string } | { rejected: string }

/** Timeout of a response in milliseconds. */
const patienceMs = 10_000

interface Exchange {
  readonly status: number
  readonly headers: Record<string, string | string[] | undefined>
  readonly text: string
}

/** Sends an operation. A refused connection did not receive it; any other broken connection may have. */
export async function send(
  dispatcher: Dispatcher,
  origin: string,
  sandbox: string,
  op: Operation,
): Promise<Outcome & { exchange?: Exchange }> {
  const { method, path, body } = toRequest(op, sandbox)
  const headers = {
    ...(path.startsWith('/v1') && { authorization: `Bearer ${sandboxKey(sandbox)}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  }
  let exchange: Exchange
  try {
    const {
      statusCode,
      headers: received,
      body: stream,
    } = await dispatcher.request({
      origin,
      path,
      method,
      headers,
      body: body ?? null,
      headersTimeout: patienceMs,
      bodyTimeout: patienceMs,
      // A connection per request: nothing is sent twice, and a process that has ended is noticed.
      reset: true,
    })
    exchange = { status: statusCode, headers: received, text: await stream.text() }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error)
    if (code === 'ECONNREFUSED' || error instanceof errors.ConnectTimeoutError)
      return { rejected: code }
    return { unknown: code }
  }
  // The shared state is unavailable: the operation may still take effect.
  if (exchange.status === 503) return { unknown: '503', exchange }
  return { result: toResult(op, exchange), exchange }
}

type Sent = readonly [method: Dispatcher.HttpMethod, path: string, value?: object]

/** The requests of operations: of the service, or below the sandbox in the control API. */
const requests: { [Kind in Operation['kind']]: (op: Extract<Operation, { kind: Kind }>) => Sent } =
  {
    create: ({ name, status }) => ['POST', '/v1/pets', { name, categoryId: 1, status }],
    get: ({ id }) => ['GET', `/v1/pets/${id}`],
    list: ({ limit, status }) => [
      'GET',
      `/v1/pets?limit=${limit}${status === undefined ? '' : `&status=${status}`}`,
    ],
    export: () => ['GET', '/pets'],
    'add-rule': ({ mark, operation, skip, times }) => {
      const reply = { status: 418, body: { code: mark, message: mark, status: 418 } }
      return ['POST', '/rules', { when: { operation }, reply, skip, times }]
    },
    rules: () => ['GET', '/rules'],
    'clear-rules': () => ['DELETE', '/rules'],
    'set-clock': ({ now }) => ['PUT', '/clock', { now: new Date(now).toISOString() }],
    advance: ({ ms }) => ['POST', '/clock/advance', { ms }],
    clock: () => ['GET', '/clock'],
    'reset-clock': () => ['DELETE', '/clock'],
    save: ({ snapshot }) => ['PUT', `/snapshots/${snapshot}`],
    restore: ({ snapshot }) => ['POST', `/snapshots/${snapshot}/restore`],
    snapshots: () => ['GET', '/snapshots'],
    look: ({ route }) => ['GET', route],
    reset: () => ['POST', '/reset'],
    end: () => ['DELETE', ''],
  }

function toRequest(op: Operation, sandbox: string) {
  const [method, path, value] = (requests[op.kind] as (op: Operation) => Sent)(op)
  const target = path.startsWith('/v1') ? path : `/_petstore/sandboxes/${sandbox}${path}`
  return { method, path: target, body: value && JSON.stringify(value) }
}

interface Shown {
  rules: { id: string; used: number; reply: { body: { code: string } } }[]
}

/** Converts a response to the notation of the model. Unknown responses stay unchanged, and match nothing. */
function toResult(op: Operation, { status, text }: Exchange): string {
  const plain = `${status} ${text}`
  try {
    if (status === 418) return `418 ${(JSON.parse(text) as { code: string }).code}`
    if (status === 404 || status === 410 || status === 204) return String(status)
    if (status !== 200 && status !== 201) return plain
    if (op.kind === 'export')
      return `200 [${text.trim().slice(1, -1).trim().replaceAll('},\n{', '},{')}]`
    if (op.kind === 'add-rule')
      return `201 ${(JSON.parse(text) as Shown).rules.map(({ id }) => id).join()}`
    if (op.kind === 'rules') {
      const { rules } = JSON.parse(text) as Shown
      return `200 ${rules.map(({ id, used, reply }) => `${id}:${reply.body.code}:${used}`).join()}`
    }
    if (op.kind.includes('clock') || op.kind === 'advance') {
      const { now, frozen } = JSON.parse(text) as { now: string; frozen: boolean }
      return `200 ${frozen ? Date.parse(now) : 'runs'}`
    }
    if (op.kind === 'look') return String(status)
    if (op.kind === 'snapshots') {
      const { snapshots } = JSON.parse(text) as { snapshots: { name: string; pets: number }[] }
      return `200 ${snapshots
        .map(({ name, pets }) => `${name}:${pets}`)
        .toSorted()
        .join()}`
    }
    if (op.kind === 'save') return `200 ${(JSON.parse(text) as { pets: number }).pets}`
    return plain
  } catch {
    return plain
  }
}

/**
 * Draws operations for one client: mostly of the service, and each kind of change that mocks must share.
 *
 * @param highest the highest known id.
 * @param isPlain only operations of the service.
 */
export function createDraw(
  seed: number,
  client: string,
  highest: () => number,
  isPlain = false,
): () => Operation {
  const random = new Random(seed)
  const below = (end: number): number => Math.floor(random.next() * end)
  const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item
  let count = 0
  const next = (): string => `${client}-${(count += 1)}`
  const all: readonly (readonly [weight: number, draw: () => Operation])[] = [
    [30, () => ({ kind: 'create', name: next(), status: pick(statuses) })],
    // Prefer the latest ids, where stale responses show.
    [
      20,
      () => ({
        kind: 'get',
        id: Math.max(1, highest() + 1 - below(below(2) === 0 ? 3 : highest() + 3)),
      }),
    ],
    [
      20,
      () => ({
        kind: 'list',
        limit: pick([1, 2, 5, 100]),
        ...(below(3) === 0 && { status: pick(statuses) }),
      }),
    ],
    [
      4,
      () => {
        const operation = pick(['createPet', 'getPet', 'listPets'] as const)
        return {
          kind: 'add-rule',
          mark: `mark-${next()}`,
          operation,
          skip: below(3),
          times: 1 + below(4),
        }
      },
    ],
    [4, () => ({ kind: 'rules' })],
    [1, () => ({ kind: 'clear-rules' })],
    [2, () => ({ kind: 'set-clock', now: removedAt - 60_000 * below(4) })],
    [3, () => ({ kind: 'advance', ms: pick([1, 60_000]) })],
    [4, () => ({ kind: 'clock' })],
    [2, () => ({ kind: 'reset-clock' })],
    [1, () => ({ kind: 'save', snapshot: pick(['a', 'b']) })],
    [1, () => ({ kind: 'restore', snapshot: pick(['a', 'b']) })],
    [2, () => ({ kind: 'snapshots' })],
    [4, () => ({ kind: 'look', route: pick(lookRoutes) })],
    [0.5, () => ({ kind: 'reset' })],
    [1, () => ({ kind: 'end' })],
    [0.5, () => ({ kind: 'export' })],
  ]
  const kinds = isPlain ? all.slice(0, 3) : all
  const total = kinds.reduce((sum, [weight]) => sum + weight, 0)
  return () => {
    let place = random.next() * total
    for (const [weight, draw] of kinds) if ((place -= weight) < 0) return draw()
    return { kind: 'export' }
  }
}

export interface History {
  readonly sandbox: string
  readonly operations: Recorded<Operation>[]
  /** 503 responses: their number, the longest time in milliseconds, and those without Retry-After or an Error body. */
  readonly unavailable: { count: number; longestMs: number; wrong: string[] }
}

export interface PlayOptions {
  dispatcher: Dispatcher
  targets: readonly Target[]
  clients: number
  seed: number
  goesOn: (operations: number) => boolean
  history: History
  /** Whether clients send nothing to the control API. */
  isPlain?: boolean
}

/** Runs concurrent clients on a sandbox, each request through any of the mocks, and records the history. */
export async function play({
  dispatcher,
  targets,
  clients,
  seed,
  goesOn,
  history,
  isPlain,
}: PlayOptions): Promise<void> {
  let highest = 0
  const { operations, unavailable, sandbox } = history
  const record = ({ exchange }: Outcome & { exchange?: Exchange }, tookMs: number): void => {
    if (exchange?.status !== 503) return
    unavailable.count += 1
    unavailable.longestMs = Math.max(unavailable.longestMs, tookMs)
    const { headers, text } = exchange
    if (headers['retry-after'] === undefined || !text.includes('"code"'))
      unavailable.wrong.push(text)
  }
  // Operations with an unknown outcome make checking harder: after one, a client reads the clock until it succeeds.
  const recovery = async (target: Target): Promise<void> => {
    for (let isOver = false; !isOver && goesOn(operations.length);) {
      await pause(50)
      const [call, origin] = [performance.now(), target.origin()]
      const outcome =
        origin === undefined
          ? undefined
          : await send(dispatcher, origin, sandbox, { kind: 'clock' })
      if (outcome !== undefined) record(outcome, performance.now() - call)
      isOver = outcome === undefined || !('unknown' in outcome)
    }
  }
  const work = async (_: unknown, index: number): Promise<void> => {
    const client = `${sandbox}-c${index}`
    const random = new Random(seed * 1_000 + index)
    const draw = createDraw(seed * 1_000 + index, client, () => highest, isPlain)
    while (goesOn(operations.length)) {
      const target = targets[Math.floor(random.next() * targets.length)] as Target
      const origin = target.origin()
      if (origin === undefined) {
        await pause(5)
        continue
      }
      const op = draw()
      const call = performance.now()
      const outcome = await send(dispatcher, origin, sandbox, op)
      const end = performance.now()
      const by = `client ${index} through ${target.name}`
      record(outcome, end - call)
      if ('rejected' in outcome) {
        await pause(5)
        continue
      }
      const isKnown = 'result' in outcome
      operations.push({
        op,
        call,
        return: isKnown ? end : Infinity,
        result: isKnown ? outcome.result : undefined,
        by,
      })
      for (const [, id] of (isKnown ? outcome.result : '').matchAll(/"id":(\d+)/g))
        highest = Math.max(highest, Number(id))
      if (!isKnown) await recovery(target)
      if (['reset', 'restore', 'end'].includes(op.kind)) highest = Math.min(highest, 20)
    }
  }
  await Promise.all(Array.from({ length: clients }, work))
}

/** Reads all pets at the end through the first mock that responds, and records that, too. */
export async function audit(
  dispatcher: Dispatcher,
  targets: readonly Target[],
  { sandbox, operations }: History,
): Promise<void> {
  const endsAt = performance.now() + 30_000
  for (let turn = 0; performance.now() < endsAt; turn += 1) {
    const target = targets[turn % targets.length] as Target
    const origin = target.origin()
    let isWhole = origin !== undefined
    // The list recreates a sandbox that has ended.
    for (const op of [{ kind: 'list', limit: 1 }, { kind: 'export' }] as const) {
      if (origin === undefined || !isWhole) break
      const call = performance.now()
      const outcome = await send(dispatcher, origin, sandbox, op)
      isWhole = 'result' in outcome
      if ('rejected' in outcome) continue
      const [end, result] =
        'result' in outcome ? [performance.now(), outcome.result] : [Infinity, undefined]
      operations.push({ op, call, return: end, result, by: `the audit through ${target.name}` })
    }
    if (isWhole) return
    await pause(50)
  }
  throw new Error('No mock responds, although nothing is broken.')
}

/**
 * Sends requests through each mock, and returns what their journals lack then: after an episode, they are those of one
 * mock. What a killed mock had recorded before is lost.
 */
export async function auditJournals(
  dispatcher: Dispatcher,
  targets: readonly Target[],
  sandbox: string,
): Promise<string[]> {
  const read = async (target: Target, path: string): Promise<any> => {
    const url = `${target.origin()}/_petstore/sandboxes/${sandbox}${path}`
    const { statusCode, body } = await dispatcher.request({
      ...partsOf(url),
      method: 'GET',
      reset: true,
    })
    const text = await body.text()
    return statusCode === 200 ? JSON.parse(text) : undefined
  }
  const [first] = targets as [Target]
  // A mock that connects again to the engine responds 503.
  const latestAt = async (target: Target): Promise<number | undefined> => {
    for (const end = performance.now() + 10_000; performance.now() < end; await pause(100)) {
      const journal = await read(target, '/journal')
      if (journal !== undefined) return Number(journal.entries.at(-1)?.number ?? 0)
    }
    return undefined
  }
  for (const target of targets) await latestAt(target)
  const before = await latestAt(first)
  for (const target of [...targets, ...targets])
    await send(dispatcher, target.origin() ?? '', sandbox, { kind: 'list', limit: 1 })
  const sent = 2 * targets.length
  const lacking: string[] = []
  for (const target of targets) {
    let found: number[] = []
    // A mock may have to connect again before it hears of others.
    for (const end = performance.now() + 10_000; performance.now() < end; await pause(100)) {
      const journal = await read(target, `/journal?after=${before}`)
      found = (journal?.entries ?? []).map(({ number }: { number: number }) => number)
      if (found.length === sent) break
    }
    // A repeated call to the engine takes new numbers, so there are gaps.
    if (found.length !== sent)
      lacking.push(`the journal of ${target.name} has ${found.join()} of ${sent} after ${before}`)
    const card = (await read(target, '/scorecard'))?.scorecards[0]?.requests ?? 0
    if (card < sent) lacking.push(`the scorecard of ${target.name} counts ${card}`)
  }
  return lacking
}

function partsOf(url: string): { origin: string; path: string } {
  const { origin, pathname, search } = new URL(url)
  return { origin, path: pathname + search }
}
