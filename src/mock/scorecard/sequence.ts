/**
 * Issues that only show in several requests of one client. A key (Sequence) is used by programs on machines (Agent), each
 * with clients: a connection, and those that were opened after it (Chain).
 */
import type { OperationId } from '../../spec/operations.ts'
import { hash } from '../service/sandbox-key.ts'
import {
  type BodyExtract,
  extractBody,
  firstIdIn,
  type RecordedEntry,
  statusIn,
} from '../journal/entry.ts'
import type { Step } from './request.ts'
import type { FoundIssue } from './issues.ts'
import { Rounding } from './rounding.ts'

/** Requests within this time may be related. */
const soonMs = 2_000

/** What the requests of one key have shown so far. */
export class Sequence {
  /** By the program and the machine that send the requests, and where they were recorded; the least recently seen first. */
  readonly #agents = new Map<string, Agent>()
  /** The one that has sent the latest request. */
  #agent: Agent | undefined
  /** The sum of their weights. */
  #weight = 0
  readonly #rounding = new Rounding()

  /** The approximate size of all that is remembered. */
  get bytes(): number {
    return this.#weight + this.#rounding.bytes
  }

  /** Adds the issues that a request has because of those before it. */
  add(step: Step): void {
    const { entry, issues } = step
    const agent = this.#agentOf(entry)
    // What `Prefer` chose says nothing about the client; but it was the request in between. Rounding counts it as any other.
    if (entry.reply.rule === 'prefer') agent.created = undefined
    else {
      const past = recall(agent, step)
      for (const [id, find] of namedFinders) {
        const message = find(past, step)
        if (message) issues.push({ id, message })
      }
      remember(agent, step, past)
    }
    agent.newest = Math.max(agent.newest, entry.connection)
    this.#rounding.add(step)
    const before = agent.weight
    agent.weight = weigh(agent)
    this.#weight += agent.weight - before
    for (const [name, one] of this.#agents) {
      if (this.#weight <= maxWeight) return
      this.#forget(name, one)
    }
  }

  #forget(name: string, agent: Agent): void {
    this.#agents.delete(name)
    this.#weight -= agent.weight
    if (agent === this.#agent) this.#agent = undefined
  }

  #agentOf(entry: RecordedEntry): Agent {
    const { origin = '', address, headers, era, rules } = entry
    const latest = this.#agent
    // Building the name takes longer than all comparisons.
    if (
      latest?.era === era &&
      latest.ruleChanges === rules &&
      latest.program === headers['user-agent'] &&
      latest.address === address &&
      latest.origin === origin
    )
      return latest
    const name = `${origin} ${address} ${String(headers['user-agent'] ?? '')}`
    const known = this.#agents.get(name)
    const agent = known?.era === era && known.ruleChanges === rules ? known : createAgent(entry)
    if (known !== undefined) this.#forget(name, known)
    this.#agents.set(name, agent)
    this.#weight += agent.weight
    this.#agent = agent
    return agent
  }
}

/** The bytes of all agents of a key: those of about 200 programs, or of one that fails in a thousand ways. */
const maxWeight = 2 ** 18
const chainBytes = 500
const printBytes = 150
/** A longer text is hashed. */
const maxPrint = 100

/** The approximate size of an agent; requests that are remembered whole may be much larger than all others. */
function weigh({ program, chains, prints, created, unclear }: Agent): number {
  const rest = 2 * chainBytes + 2 * String(program).length + (created?.entry.bytes ?? 0)
  return unclear.reduce(
    (sum, { entry }) => sum + entry.bytes,
    rest + chainBytes * chains.size + printBytes * prints,
  )
}

/** Connections and unclear creations that are remembered: more than any test has at once. */
const maxChains = 100
const maxUnclear = 20

/** A program on a machine. Its requests are only related until the pets are replaced or the rules are changed. */
interface Agent extends Pick<RecordedEntry, 'era' | 'address'> {
  ruleChanges: number
  origin: string
  program: RecordedEntry['headers'][string]
  /** That of its latest request to an operation. */
  connection: number | undefined
  /** The number of its newest connection. */
  newest: number
  /** By their connections, the least recently used first. */
  chains: Map<number, Chain>
  unclear: UnclearCreation[]
  /** Its latest request, if that created a pet. */
  created: Created | undefined
  limits: readonly number[]
  filter: Step['assessment']['filter']
  /** Failed requests that were counted. */
  prints: number
  /** As it was weighed last. */
  weight: number
}

function createAgent({ origin = '', address, headers, era, rules }: RecordedEntry): Agent {
  return {
    era,
    ruleChanges: rules,
    program: headers['user-agent'],
    address,
    origin,
    connection: undefined,
    newest: 0,
    chains: new Map(),
    unclear: [],
    created: undefined,
    limits: [],
    filter: undefined,
    prints: 0,
    weight: 0,
  }
}

/** Where a request was sent, and which connection was the newest then. */
interface SentFrom {
  connection: number
  newest: number
}

const sentFrom = ({ newest }: Agent, { connection }: RecordedEntry): SentFrom => ({
  connection,
  newest: Math.max(newest, connection),
})

/**
 * Whether the sender of an earlier request may have sent this one: on the same connection, or on one that was opened after
 * it, as after a lost connection. A connection that was open already is another worker's.
 */
const mayContinue = (earlier: SentFrom, { connection }: RecordedEntry): boolean =>
  connection === earlier.connection || connection > earlier.newest

/** The requests on a connection, and those before it that the same client has sent. */
interface Chain extends SentFrom {
  waits: ReadonlyMap<OperationId, Wait>
  rejected: { print: string; count: number; at: number } | undefined
  failed: { counts: Map<string, number>; at: number } | undefined
}

interface Wait {
  /** Why, when, and until when its client should wait. */
  status: number
  at: number
  until: number
  request: string
}

/** What is remembered of a client that concerns its next request. */
interface Past {
  /** The chain of its connection, if it is not the first request there. */
  chain: Chain | undefined
  /** What its client should wait for. Only on the same connection: parallel workers do not know each other's Retry-After. */
  wait: Wait | undefined
  /** The same for equal requests; empty where nothing was rejected or has failed. */
  print: string
  /** How often the same request was rejected right before. */
  rejections: number
  /** How often each request has failed in the series that this one continues. */
  series: Map<string, number> | undefined
  /** The same creation, if its response had not shown whether there is a pet. */
  unclear: UnclearCreation | undefined
  /** What the request right before has created. */
  created: Created | undefined
  /** The limits of growing pages, this one included; undefined where it is no page, or the same one again. */
  limits: readonly number[] | undefined
}

type Find = (past: Past, step: Step) => string | false | undefined

/** What the requests of a client show together: each returns the message of its issue, if there is one. */
const finders = {
  'retry.too-early': ({ wait }, { entry }) => whyEarly(wait, entry),
  'retry.rejected': ({ rejections }) =>
    rejections >= maxRejections &&
    `The same request was rejected ${rejections} times in a row right before.`,
  'retry.storm'({ print, series, wait }, { entry }) {
    const failures = series?.get(print) ?? 0
    const isStorm = failures >= maxRetries && whyEarly(wait, entry) === undefined
    return (
      isStorm && `The same request failed ${failures} times within a series of failed requests.`
    )
  },
  'retry.creation': ({ unclear }) =>
    unclear && `The same creation had ${whyUnclear(unclear.entry)} before.`,
  'creation.repeated'({ created, unclear }, step) {
    const isSame = created && createdBy(step) && isSameCreation(step.entry, created.entry)
    if (!isSame || unclear !== undefined) return undefined
    const [{ first }, { first: second }] = [petIn(created.entry), petIn(step.entry)]
    // One pet is one request: a page's and its service worker's both stand in the archive of a browser.
    const isTwo = first !== undefined && second !== undefined && first !== second
    return isTwo && `Pets ${first} and ${second} were created from the same body.`
  },
  'new-status.default': ({ created }, step) =>
    created?.hasStatus === false &&
    step.assessment.filter !== undefined &&
    isPage(step) &&
    `Pet ${petIn(created.entry).first} was created without a status; the next request was a list with the filter ${step.assessment.filter}.`,
  'order.new-pet-in-page'({ created }, step) {
    const { limit, filter } = step.assessment
    if (created === undefined || limit === undefined || !isPage(step)) return undefined
    const pet = petIn(created.entry)
    const isShown = (filter ?? pet.status) === pet.status && petsIn(step.entry) >= limit
    return (
      isShown &&
      `Pet ${pet.first} was created; the next request was a list, whose page of ${limit} was full.`
    )
  },
  'order.growing-limits': ({ limits = [] }, { entry }) =>
    // The previous pages were full if this one has more pets.
    limits.length >= minPages &&
    petsIn(entry) > (limits.at(-1) ?? 0) - (limits[0] ?? 0) &&
    `The limits were ${limits.join(', ')}.`,
} satisfies Partial<Record<FoundIssue['id'], Find>>
const namedFinders = Object.entries(finders) as [FoundIssue['id'], Find][]

function recall(agent: Agent, step: Step): Past {
  const { entry } = step
  const { operation } = step.assessment
  const chain = operation && agent.chains.get(entry.connection)
  const before = operation && (chain ?? latestBefore(agent, entry))
  const { rejected, failed } = before ?? noFaults
  const isOrdinary = !isFailed(entry) && !isRejected(entry) && !rejected && !failed
  // Most requests need none.
  const print = isOrdinary ? '' : printOf(entry)
  /** A request that was sent before a response came is no consequence of it. */
  const follows = (at: number, ms: number): boolean =>
    entry.elapsed >= at && entry.elapsed - at <= ms
  const isRepeated = rejected?.print === print && follows(rejected.at, soonMs)
  const { created } = agent
  return {
    chain,
    wait: operation && chain?.waits.get(operation),
    print,
    rejections: isRepeated ? rejected.count : 0,
    series: failed && follows(failed.at, stormMs) ? failed.counts : undefined,
    unclear: operation === 'createPet' ? findUnclear(agent, entry) : undefined,
    created: created && follows(created.entry.elapsed, soonMs) ? created : undefined,
    limits: growingLimits(agent, step),
  }
}

function remember(agent: Agent, step: Step, past: Past): void {
  const { entry, assessment } = step
  const { operation, filter } = assessment
  if (operation !== undefined) extendChain(agent, entry, operation, past)
  // A client that has read the list knows whether the pet is there.
  if (operation === 'listPets') agent.unclear = []
  if (operation === 'createPet') rememberUnclear(agent, entry, past)
  agent.created = createdBy(step)
  if (past.limits === undefined) return
  agent.limits = past.limits
  agent.filter = filter
}

const latestBefore = ({ chains }: Agent, entry: RecordedEntry): Chain | undefined =>
  Array.from(chains.values()).findLast((one) => mayContinue(one, entry))

const isFailed = ({ reply: { status, wire } }: RecordedEntry): boolean =>
  wire?.reset === true || status === 429 || status >= 500
const isRejected = ({ reply: { status, wire } }: RecordedEntry): boolean =>
  rejectedStatuses.has(status) && wire?.reset !== true

/** By the stopwatch. A mock responds at once, or after its delay; the client of a proxy has waited for the deployment. */
const respondedAt = ({ elapsed, reply, waitedMs = 0 }: RecordedEntry): number =>
  elapsed + Math.floor(reply.delayMs ?? waitedMs)

function extendChain(
  agent: Agent,
  entry: RecordedEntry,
  operation: OperationId,
  { chain, print, rejections, series }: Past,
): void {
  const { chains } = agent
  const { connection } = entry
  const at = respondedAt(entry)
  let failed: Chain['failed']
  if (isFailed(entry)) {
    // A series that goes on with another connection has the same counts there: the next request continues the latest chain.
    const counts = series ?? new Map<string, number>()
    const times = counts.get(print) ?? 0
    if (times === 0) agent.prints += 1
    counts.set(print, times + 1)
    failed = { counts, at }
  }
  // That of the latest request is the last one already.
  if (connection !== agent.connection) chains.delete(connection)
  agent.connection = connection
  // Written out: a spread takes longer than everything else about an entry that leaves the journal.
  chains.set(connection, {
    connection,
    newest: Math.max(agent.newest, connection),
    waits: waitsAfter(chain?.waits, operation, entry),
    rejected: isRejected(entry) ? { print, count: rejections + 1, at } : undefined,
    failed,
  })
  if (chains.size > maxChains) chains.delete(chains.keys().next().value as number)
}

const noWaits: Chain['waits'] = new Map()
const noFaults = { rejected: undefined, failed: undefined }

const shorten = (text: string): string =>
  text.length < maxPrint ? text : `${text.length} ${hash(text)}`

/** A request without its headers. */
const printOf = ({ method, target, body, headers }: RecordedEntry): string =>
  shorten(`${method} ${target} ${String(headers['authorization'])} ${body}`)

/** Whether two creations are the same request: a body that was not read is like no other. */
const isSameCreation = (one: RecordedEntry, other: RecordedEntry): boolean =>
  one.bodyFault !== 'too-large' &&
  other.bodyFault !== 'too-large' &&
  one.body === other.body &&
  printOf(one) === printOf(other)

/**
 * A request that arrives this soon after a response was probably sent before it. Other requests than the same one may also
 * have waited for a connection.
 */
const concurrentMs = { same: 50, other: 1_000 }
/** Tolerance for clients whose timers are early. */
const earlyMs = 100
const maxWaitMs = 3_600_000

const lineOf = ({ method, target }: RecordedEntry): string => shorten(`${method} ${target}`)

function whyEarly(wait: Wait | undefined, entry: RecordedEntry): string | undefined {
  const { elapsed: now } = entry
  if (wait === undefined || now >= wait.until - earlyMs) return undefined
  const isSame = wait.request === lineOf(entry)
  if (now - wait.at < (isSame ? concurrentMs.same : concurrentMs.other)) return undefined
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
  return `It was sent ${seconds(now - wait.at)} after a response ${wait.status}, ${seconds(wait.until - now)} before the time given by Retry-After.`
}

function waitsAfter(
  waits: Chain['waits'] = noWaits,
  operation: OperationId,
  entry: RecordedEntry,
): Chain['waits'] {
  const { elapsed, reply } = entry
  const { status } = reply
  const end = status === 429 || status === 503 ? retryAt(entry) : undefined
  const open = waits.get(operation)
  const isOver = open !== undefined && elapsed >= open.until - earlyMs
  if (end === undefined && !isOver) return waits
  // A copy, since most chains have `noWaits`.
  const changed = new Map(waits)
  if (isOver) changed.delete(operation)
  if (end === undefined) return changed
  const at = respondedAt(entry)
  const until = Math.min(end, at + maxWaitMs)
  const first = changed.get(operation) ?? { status, at, request: lineOf(entry) }
  return changed.set(operation, { ...first, until })
}

/** By the stopwatch. RFC 9110 section 10.2.3: seconds, or a date. */
function retryAt(entry: RecordedEntry): number | undefined {
  const { reply, at, elapsed } = entry
  const value = reply.headers['retry-after'] ?? ''
  const until = /^\d{1,9}$/.test(value)
    ? respondedAt(entry) + Number(value) * 1000
    : elapsed + Date.parse(value) - at
  return Number.isNaN(until) ? undefined : until
}

/** Repeating a rejected request is useless, except after 404: the pet may exist later. */
const rejectedStatuses: ReadonlySet<number> = new Set([400, 401, 403, 405, 415, 422])
/** How many repetitions of a rejected and of a failed request are accepted. */
const maxRejections = 4
const maxRetries = 10
/** How soon a request must follow a failed one to belong to its series. */
const stormMs = 250

/** How long a client may wait for a response, or before it tries again. */
const maxTimeoutMs = 60_000

/** A creation that may have created a pet although its response does not show it. */
interface UnclearCreation extends SentFrom {
  entry: RecordedEntry
  until: number
}

const findUnclear = ({ unclear }: Agent, entry: RecordedEntry): UnclearCreation | undefined =>
  unclear.find(
    (one) =>
      isSameCreation(one.entry, entry) &&
      entry.elapsed <= one.until &&
      mayContinue(one, entry) &&
      whyUnclear(one.entry) !== undefined,
  )

function rememberUnclear(agent: Agent, entry: RecordedEntry, { unclear }: Past): void {
  const { elapsed, reply } = entry
  if (agent.unclear.length > 0)
    agent.unclear = agent.unclear.filter((one) => one !== unclear && elapsed <= one.until)
  // The client may give up later, while it waits for the response.
  if (reply.delayMs === undefined && whyUnclear(entry) === undefined) return
  const until = respondedAt(entry) + maxTimeoutMs
  const fresh = { ...sentFrom(agent, entry), entry, until }
  agent.unclear = [...agent.unclear, fresh].slice(-maxUnclear)
}

/** Why a client cannot know whether its creation has succeeded. */
function whyUnclear({ reply, abandoned, extract }: RecordedEntry): string | undefined {
  const { status, wire, headers, body, isUnread } = reply
  if (wire?.silent) return 'got no response'
  if (wire?.reset) return 'lost its connection'
  if (abandoned) return 'been given up by the client'
  if ((wire?.contentLength ?? 0) > (wire?.bytes?.length ?? Infinity))
    return 'got a response whose end was missing'
  // With Retry-After, the creation has certainly not happened.
  const mayHaveCreated = status === 408 || (status >= 500 && status !== 501 && status !== 505)
  if (mayHaveCreated && headers['retry-after'] === undefined) return `failed with ${status}`
  if (status < 200 || status >= 300 || isUnread) return undefined
  return !(extract === undefined ? isPet(body) : extract.first !== undefined)
    ? `got a response ${status} without the created pet`
    : undefined
}

const isPet = (body: string): boolean =>
  /^\s*\{/.test(body) && body.trimEnd().endsWith('}') && firstIdIn(body) !== undefined

const petsIn = ({ extract, reply }: RecordedEntry): number =>
  (extract ?? extractBody(reply.body)).pets

/** A creation whose pet is known. */
interface Created {
  entry: RecordedEntry
  /** Whether the request had a status. */
  hasStatus: boolean
}

function createdBy({ entry, assessment }: Step): Created | undefined {
  const { operation, sent } = assessment
  const { wire, status } = entry.reply
  const isLost = wire?.reset === true || wire?.silent === true
  if (operation !== 'createPet' || status !== 201 || isLost) return undefined
  return { entry, hasStatus: sent.includes('status') }
}

/** The id and the status of the pet that a response shows. */
const petIn = ({ extract, reply }: RecordedEntry): Pick<BodyExtract, 'first' | 'status'> =>
  extract ?? { first: firstIdIn(reply.body), status: statusIn(reply.body) }

const isPage = ({ assessment, entry }: Step): boolean =>
  assessment.operation === 'listPets' && entry.reply.status === 200

/** Fewer or smaller steps may be a coincidence. */
const minPages = 3
const minStep = 5

/** Consecutive limits of 20, 40, 60 and so on with the same filter. */
function growingLimits({ limits, filter: before }: Agent, step: Step): Past['limits'] {
  const { limit = 0, filter } = step.assessment
  if (!isPage(step) || (filter === before && limit === limits.at(-1))) return undefined
  const [first = 0] = limits
  const isNext = first >= minStep && filter === before && limit === first * (limits.length + 1)
  return isNext ? [...limits, limit] : [limit]
}
