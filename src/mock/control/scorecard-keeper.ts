import { operations } from '../../spec/operations.ts'
import { suiteUserAgent } from '../../spec/version.ts'
import { isSecretName } from '../../report/credentials.ts'
import { createRoutes, type FindRoute } from '../routes.ts'
import type { Settings } from '../settings.ts'
import type { Exchange } from './exchange.ts'
import { judgeNewPet } from './judge-body.ts'
import type { JudgeClock } from './judge-clock.ts'
import { judgeRounding } from './judge-rounding.ts'
import { acceptsJson, hasUnreadBody, judge, type Reading } from './judge.ts'
import type { Mark } from './marks.ts'
import { type Alike, AlikeRequests } from './scorecard-alike.ts'
import { type Client, Clients } from './scorecard-client.ts'
import type { Answer } from './scorecard-coverage.ts'
import type { ParameterSet } from './scorecard-parameters.ts'
import { Tally, worstOf } from './scorecard-tally.ts'
import type { Scorecard } from './scorecard.ts'

/** Judges the requests of one world, and keeps a scorecard for each of its keys. */
export interface Scorekeeper {
  /** Judges one request. Of one that came before it counts that it came again, which costs next to nothing. */
  note: (exchange: Exchange) => void
  /** The scorecards as they stand: one for each key, and one for requests without any of them if there were some. */
  read: () => Scorecard[]
  /** Forgets all requests. */
  clear: () => void
  /** The pets are others from now on: no request has to do with those before. The scorecards stay. */
  restart: () => void
}

type Before = (exchange: Exchange) => readonly Exchange[]

const system: JudgeClock = { millis: () => Date.now(), elapsed: () => performance.now() }

/**
 * @param settings of the world: its keys and its base path.
 * @param sandbox the name of the sandbox; undefined for the mock's own world.
 * @param clock of the world. The system's by default.
 * @param secrets that no example may show. The keys by default.
 * @param before the exchanges before one, the latest first, as far back as a number that was shown is looked for.
 */
export function createScorekeeper(
  settings: Pick<Settings, 'basePath' | 'keys'>,
  sandbox?: string,
  clock: JudgeClock = system,
  secrets: readonly string[] = settings.keys,
  before: Before = () => [],
): Scorekeeper {
  return new Keeper(settings, sandbox, clock, secrets, before)
}

const removal = Date.parse(operations.getPet.removalDate)

class Keeper implements Scorekeeper {
  readonly #settings: Pick<Settings, 'basePath' | 'keys'>
  readonly #sandbox: string | undefined
  readonly #clock: JudgeClock
  readonly #clients: Clients
  readonly #alike: AlikeRequests
  readonly #before: Before

  constructor(
    settings: Pick<Settings, 'basePath' | 'keys'>,
    sandbox: string | undefined,
    clock: JudgeClock,
    secrets: readonly string[],
    before: Before,
  ) {
    this.#before = before
    this.#settings = settings
    this.#sandbox = sandbox
    this.#clock = clock
    this.#clients = new Clients(settings.keys, secrets)
    this.#alike = new AlikeRequests(contractPaths(settings.basePath).petPrefix)
  }

  note(exchange: Exchange): void {
    if (exchange.headers['user-agent'] === suiteUserAgent) return this.#noteOfSuite(exchange)
    const members = isPlain(exchange) ? membersOfPlain(exchange) : undefined
    if (members === undefined) return this.#noteOne(exchange)
    const place = this.#alike.placeOf(exchange.target)
    const isRemoved = this.#alike.isOfPets(place) && this.#isRemoved(exchange)
    const alike =
      this.#alike.find(place, exchange, isRemoved, members) ?? this.#keep(place, exchange, isRemoved, members)
    if (alike === undefined) return this.#noteOne(exchange)
    alike.count += 1
    alike.lastAt = exchange.at
    const { reading, client, worst } = alike
    if (reading === undefined) return undefined
    const marks = this.#follow(client, reading, exchange)
    if (marks === undefined) return undefined
    client.tally.mark(marks, 1, exchange)
    const isBetter = worst === undefined || worst === 'notice'
    const added = worstOf(marks)
    if (isBetter && added === 'warning') alike.warned += 1
    else if (worst !== 'violation' && added === 'violation') {
      client.tally.blame('violation', 1)
      if (worst === 'warning') client.tally.blame('warning', -1)
    }
  }

  /** What is wrong with a request for what came before it. */
  #follow({ trail }: Client, reading: Reading, exchange: Exchange): readonly Mark[] | undefined {
    const followed = trail.follow(reading, exchange, this.#clock)
    const rounded = judgeRounding(reading, exchange, () => this.#before(exchange))
    return rounded === undefined ? followed : [...(followed ?? []), rounded]
  }

  /** A scorecard is often asked for by a function that has lost its object. */
  readonly read = (): Scorecard[] => {
    this.#count()
    const sandbox = this.#sandbox
    const { ofKeys, ofOthers } = this.#clients.tallies()
    const cards = ofKeys.map((tally = new Tally([]), index) =>
      tally.read(sandbox === undefined ? `key ${index + 1}` : `sandbox ${sandbox}`, sandbox),
    )
    return ofOthers === undefined || (ofOthers.requests === 0 && ofOthers.unscored === 0)
      ? cards
      : [...cards, ofOthers.read('no valid key', sandbox)]
  }

  clear(): void {
    this.#clients.forget()
    this.#alike.forget()
  }

  restart(): void {
    this.#clients.restart()
  }

  /** The suite makes mistakes on purpose: its requests are counted apart. */
  #noteOfSuite({ headers }: Exchange): void {
    const { authorization } = headers
    this.#clients.of(this.#settings.keys.findIndex((key) => authorization === `Bearer ${key}`)).tally.unscored += 1
  }

  /** Judges and counts one request at once. */
  #noteOne(exchange: Exchange): void {
    const reading = this.#judge(exchange, this.#isRemoved(exchange))
    if (reading === undefined) return
    const client = this.#clients.of(reading.key)
    const { tally } = client
    const followed = this.#follow(client, reading, exchange)
    const marks = followed === undefined ? reading.marks : [...reading.marks, ...followed]
    tally.count(reading, answerOf(exchange), 1, exchange.at, exchange.at)
    tally.mark(marks, 1, exchange)
    tally.blame(worstOf(marks), 1)
  }

  /**
   * Judges a kind of request that has not come before, or was forgotten. Undefined when it is too long to be kept, or
   * when an example of what is wrong with it needs its body.
   */
  #keep(place: string, exchange: Exchange, isRemoved: boolean, members: ParameterSet): Alike | undefined {
    if (!this.#alike.hasRoomFor(exchange)) return undefined
    const reading = this.#judge(exchange, isRemoved)
    if (exchange.body !== '' && reading !== undefined && reading.marks.length > 0) return undefined
    if (this.#alike.isFull(exchange)) {
      this.#count()
      this.#alike.forget()
    }
    const { method, target, headers, reply, at } = exchange
    const alike: Alike = {
      place,
      method,
      target,
      authorization: headers['authorization'] as string | undefined,
      status: reply.status,
      isRemoved,
      members,
      reading,
      worst: reading === undefined ? undefined : worstOf(reading.marks),
      client: this.#clients.of(reading?.key ?? -1),
      count: 0,
      warned: 0,
      firstAt: at,
      lastAt: at,
      next: undefined,
    }
    this.#alike.add(alike)
    return alike
  }

  /** Adds what was only counted up to now. */
  #count(): void {
    for (const alike of this.#alike.list()) {
      const { reading, client, worst, count, warned, status, method, target, authorization, firstAt, lastAt } = alike
      if (reading === undefined || count === 0) continue
      client.tally.count(reading, status, count, firstAt, lastAt)
      client.tally.mark(reading.marks, count, { method, target, headers: { authorization }, body: '' })
      client.tally.blame(worst, count)
      client.tally.blame('warning', warned)
      alike.count = 0
      alike.warned = 0
      alike.firstAt = lastAt
    }
  }

  #judge(exchange: Exchange, isRemoved: boolean): Reading | undefined {
    const { keys, basePath } = this.#settings
    return judge(exchange, { keys, basePath, findRoute: contractPaths(basePath).findRoute, isRemoved })
  }

  #isRemoved({ reply }: Exchange): boolean {
    return this.#clock.millis() >= removal || reply.because?.startsWith('get.after-removal') === true
  }
}

/** Whether a request may be counted without another look at its head: nothing is odd about it. */
function isPlain({ method, headers, body, reply }: Exchange): boolean {
  if ((body === '') === (method === 'POST') || method === 'OPTIONS' || reply.wire !== undefined) return false
  if (method !== 'POST' && hasUnreadBody(headers)) return false
  return !Array.isArray(headers['authorization']) && !isOdd(headers)
}

/** Most requests of a connection share their headers. */
let latest: { headers: Exchange['headers']; isOdd: boolean } | undefined

/** Whether other headers than Authorization carry credentials, which no example may show, or Accept leaves JSON out. */
function isOdd(headers: Exchange['headers']): boolean {
  if (latest?.headers !== headers) {
    const names = Object.keys(headers)
    const presentsMore = names.some((name) => name !== 'authorization' && isSecretName(name))
    latest = { headers, isOdd: presentsMore || !acceptsJson(headers) }
  }
  return latest.isOdd
}

/** The members of a body with which nothing is wrong; none where there is no body. Undefined for any other body. */
function membersOfPlain(exchange: Exchange): ParameterSet | undefined {
  if (exchange.body === '') return 0
  const { marks, members } = judgeNewPet(exchange)
  return marks.length === 0 ? members : undefined
}

interface ContractPaths {
  basePath: string
  petPrefix: string
  findRoute: FindRoute
}

let lastPaths: ContractPaths | undefined

/** Sandboxes are many, and all have the same base path. */
function contractPaths(basePath: string): ContractPaths {
  if (lastPaths?.basePath !== basePath) {
    lastPaths = { basePath, petPrefix: `${basePath}/pets/`, findRoute: createRoutes(basePath) }
  }
  return lastPaths
}

/** What was answered, as the coverage counts it. */
function answerOf({ reply: { status, wire } }: Exchange): Answer {
  if (wire?.reset) return 'reset'
  return wire?.silent ? 'silence' : status
}
