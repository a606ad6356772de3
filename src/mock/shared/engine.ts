import { unescape } from 'node:querystring'

import { Cluster, type ClusterNode, Redis } from 'ioredis'

import { UsageError } from '../../errors.ts'
import { hideInUrls, hideUser } from '../../report/credentials.ts'
import { Histogram } from '../http/metrics.ts'
import { type ScriptName, scripts } from './scripts.ts'
import { UnreadableError } from './sealer.ts'

const commandTimeoutMs = 1_000
/** How long a starting mock waits for the engine. */
const startTimeoutMs = 3_000
/** After this time, requests no longer wait for an engine that does not respond. */
const patienceMs = 1_000
const retryMs = 200
/** An engine is far when each call takes longer. */
const farMs = 1.5
const watchMs = { up: 1_000, down: 200 }

const schemes: Readonly<Record<string, boolean>> = {
  redis: false,
  valkey: false,
  rediss: true,
  valkeys: true,
}
const form =
  'redis://[USER:PASSWORD@]HOST[:PORT][/DB], or rediss, valkey or valkeys instead of redis'

/** A URL without credentials, for messages. A password may contain any character. */
const shownUrl = (url: string): string => hideInUrls(hideUser(url), '[redacted]')

/** @throws {UsageError} when it is not the URL of an engine. Its host may be a list: `redis://A:6379,B:6379`. */
export function readEngineUrl(url: string): EngineAddress[] {
  const [, before = '', hosts = '', after = ''] =
    /^([^/]*\/\/(?:[^]*@)?)([^/?#]*)([^]*)$/.exec(url) ?? []
  const all = hosts.includes(',') ? hosts.split(',').map((host) => before + host + after) : [url]
  return all.map(readAddress)
}

type EngineAddress = ReturnType<typeof readAddress>

function readAddress(url: string) {
  const hint = /\/\/[^@]*[/?#][^]*@/.test(url)
    ? '; percent-encode / ? and # in the password, such as %2F for /'
    : ''
  const wrong = (reason: string): UsageError =>
    new UsageError([{ path: 'shared', message: `${reason}: give ${form}${hint}` }])
  if (!URL.canParse(url)) throw wrong('takes a URL')
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(url)
  const tls = schemes[protocol.slice(0, -1)]
  if (tls === undefined || hostname === '')
    throw wrong(`needs a Redis or Valkey URL, not ${shownUrl(url)}`)
  if (!/^\/?\d{0,5}$/.test(pathname) || search !== '' || hash !== '')
    throw wrong(`cannot read ${shownUrl(url)}`)
  return {
    host: hostname.replaceAll(/^\[|\]$/g, ''),
    port: port === '' ? 6379 : Number(port),
    db: Number(pathname.slice(1)),
    // A password without a user is that of `default`; with the name, the client does not print if it needs none.
    ...((username !== '' || password !== '') && { username: unescape(username) || 'default' }),
    ...(password !== '' && { password: unescape(password) }),
    ...(tls && { tls: {} }),
  }
}

type Client = Redis | Cluster

/** The methods that the client has for each script. */
type Commands = Readonly<
  Record<`${ScriptName}Buffer`, (...parts: (string | number | Buffer)[]) => Promise<unknown>>
>

export const unavailable =
  'The engine of this shared mock is unavailable. A change may still take effect: check before you repeat it.'

/** The engine failed or did not respond in time. */
export class UnavailableError extends Error {}

/** The error of a starting mock that cannot use the engine. */
export function unusable(error: unknown, at = ''): UsageError {
  if (error instanceof UsageError) return error
  // The reason in the middle of a line of OpenSSL; the first sentence of an engine in protected mode.
  const message = (error as Error).message.replace(
    /^.*SSL routines:[^:]*:([^:]*)[^]*|^(DENIED [^.]*)[^]*/,
    '$1$2',
  )
  const reason = message.includes('RESP type') ? 'it is neither Redis nor Valkey' : message
  return new UsageError([{ path: 'shared', message: `cannot use the engine${at}: ${reason}` }], {
    cause: error,
  })
}

/** A connection to Redis or Valkey, and its health. */
export class SharedEngine {
  readonly #client: Client
  #listener: Redis | undefined
  readonly counters = {
    /** Calls to the engine for the logs of sandboxes. */
    calls: 0,
    /** Entries that this mock appended. */
    entries: 0,
    /** Entries of other mocks that the latest call returned. */
    lag: 0,
    /** How often a sandbox was loaded again because its log had diverged: after a failover, a restore or a deletion. */
    reloads: 0,
    snapshots: 0,
    engineErrors: 0,
    /** Requests that got 503 because the engine did not respond in time. */
    unavailable: 0,
  }
  /** How long calls take. */
  readonly latency = new Histogram()
  /** The shortest time of recent calls. */
  #shortestMs = 0
  /** When the engine stopped responding. */
  #downSince: number | undefined
  /** Whether the memory of the engine is full: reads still get a response. */
  #isFull = false
  /** Why the engine refuses to connect. */
  #rejectedLogin: string | undefined
  #reason = ''
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  private constructor(client: Client) {
    this.#client = client
    for (const [name, lua] of Object.entries(scripts)) client.defineCommand(name, { lua })
    // Each call reports its own error, but not why there is no connection.
    const note = ({ message }: Error): void => {
      if (/^(?:WRONGPASS|NOAUTH|NOPERM)/.test(message))
        this.#rejectedLogin = message.replace(/\.$/, '')
    }
    client.on('error', note)
    client.on('ready', () => (this.#rejectedLogin = undefined))
  }

  /** Connects, and waits three seconds for an engine that starts. Throws a UsageError when it is not suitable. */
  static async connect(url: string): Promise<{ engine: SharedEngine; notices: string[] }> {
    const addresses = readEngineUrl(url)
    let failed: Error | undefined
    const opened: Client[] = []
    const open = async (client: Client): Promise<Client> => {
      opened.push(client)
      client.on('error', (error: Error) => (failed = error))
      await becomesReady(client)
      return client
    }
    /** The output of INFO of the node at an address. */
    const inspect = async ({ host, port, db, ...login }: EngineAddress): Promise<string> => {
      // The check of the client prints if the login may not do INFO, and its name hides why an engine rejects it.
      const own = { enableReadyCheck: false, connectionName: '' }
      const first = await open(new Redis({ ...connection, ...login, host, port, db, ...own }))
      try {
        return await infoOf(first as Redis)
      } finally {
        first.disconnect()
      }
    }
    try {
      const { address, info, notices } = await firstSuitable(addresses, inspect)
      const { host, port, db, ...login } = address
      const options = { ...connection, ...login }
      const { enableOfflineQueue, retryStrategy: _, ...redisOptions } = options
      const nodes: ClusterNode[] = addresses.map((one) => ({ host: one.host, port: one.port }))
      const client = /^cluster_enabled:1/m.test(info)
        ? new Cluster(nodes, {
            redisOptions,
            enableOfflineQueue,
            clusterRetryStrategy: () => retryMs,
            slotsRefreshTimeout: commandTimeoutMs,
          })
        : new Redis({ ...options, host, port, db })
      // A cluster goes on without the nodes of the URL.
      client.on('ready', () => {
        if (client instanceof Cluster)
          nodes.splice(addresses.length, nodes.length, ...client.nodes().map(addressOf))
      })
      return { engine: new SharedEngine(await open(client)), notices }
    } catch (error) {
      for (const client of opened) client.disconnect()
      throw unusable(
        error instanceof UsageError ? error : (failed ?? error),
        ` at ${shownUrl(url)}`,
      )
    }
  }

  /** Whether the engine responded to the latest call. */
  get isUp(): boolean {
    return this.#downSince === undefined
  }

  /** Whether calls take so long even without load that they should not wait for each other. */
  get isFar(): boolean {
    return this.#shortestMs > farMs
  }

  /** Whether requests should not wait for the engine. */
  get isGone(): boolean {
    return this.#downSince !== undefined && performance.now() - this.#downSince > patienceMs
  }

  /** Calls the engine regularly, to notice its failure and its return. */
  watch(call: () => Promise<void>, onNotice: (notice: string) => void): void {
    let wasUp = true
    let wasFull = false
    const next = async (): Promise<void> => {
      await call().then(
        () => (this.#isFull = false),
        () => {},
      )
      if (this.#isClosed) return
      if (this.#isFull !== wasFull)
        onNotice(
          this.#isFull
            ? 'The memory of the engine is full: changes get 503.'
            : 'The engine accepts changes again.',
        )
      wasFull = this.#isFull
      // Only this shows that messages no longer arrive.
      if (this.#listener !== undefined) renewStuck(this.#listener)
      if (this.isUp !== wasUp)
        onNotice(
          this.isUp
            ? 'The engine is available again.'
            : `The engine is unavailable: ${this.#reason}.`,
        )
      wasUp = this.isUp
      this.#timer = setTimeout(() => void next(), this.isUp ? watchMs.up : watchMs.down)
      this.#timer.unref()
    }
    void next()
  }

  /** Uses the client, and tracks the health of the engine. Throws an UnavailableError when it fails. */
  async use<Value>(act: (client: Client) => Promise<Value>): Promise<Value> {
    const since = performance.now()
    try {
      const value = await act(this.#client).finally(() => this.#observe(performance.now() - since))
      this.#downSince = undefined
      return value
    } catch (error) {
      const { name, message } = error as Error
      const foreign = /FOREIGN (\S+)|^WRONGTYPE/.exec(message)
      if (foreign)
        throw new UnreadableError(
          `${foreign[1] ?? 'a key of this name'} was not written by a mock`,
          { cause: error },
        )
      this.counters.engineErrors += 1
      if (message.startsWith('OOM ')) {
        this.#isFull = true
        throw new UnavailableError(message, { cause: error })
      }
      this.#reason =
        name === 'ReplyError'
          ? message.replace(/\.?( script: .*)?$/, '')
          : (this.#rejectedLogin ?? 'it does not respond')
      this.#downSince ??= performance.now()
      // Further calls on this connection would be stuck, too.
      if (!this.#isClosed && message === 'Command timed out') {
        if (this.#client instanceof Cluster) this.#client.nodes().forEach(renewStuck)
        else renew(this.#client)
      }
      throw new UnavailableError(message, { cause: error })
    }
  }

  #observe(ms: number): void {
    this.latency.observe(ms / 1000)
    const forgotten = this.#shortestMs * 1.01 + 0.01
    this.#shortestMs = Math.min(ms, forgotten)
  }

  /** Runs a script. Strings are returned as buffers. */
  run(
    script: ScriptName,
    keys: readonly string[],
    ...args: readonly (string | number | Buffer)[]
  ): Promise<unknown> {
    return this.use((client) =>
      (client as Client & Commands)[`${script}Buffer`](keys.length, ...keys, ...args),
    )
  }

  /** A second connection for Pub/Sub: a message reaches all nodes of a cluster. */
  subscriber(): Redis {
    const client = this.#client
    const nodes = (): Redis[] => (client instanceof Cluster ? client.nodes() : [client])
    const retryStrategy = (times: number): number => {
      Object.assign(listener.options, nodes().map(addressOf)[times % nodes().length])
      return retryMs
    }
    // The automatic subscription causes an unhandled rejection when the connection breaks again.
    const options = { autoResubscribe: false, lazyConnect: false, retryStrategy }
    const listener = (nodes()[0] as Redis).duplicate(options)
    return (this.#listener = listener)
  }

  /** Whether somebody may receive what is published to each channel: a subscription ends with its process. */
  async listening(channels: readonly string[]): Promise<boolean[]> {
    const client = this.#client
    // A node of a cluster only knows its own.
    const isKnown = channels.length > 0 && client instanceof Redis
    const counts = isKnown ? await client.pubsub('NUMSUB', ...channels).catch(() => []) : []
    return channels.map((_, place) => Number(counts[2 * place + 1] ?? 1) > 0)
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#client.disconnect()
    this.#listener?.disconnect()
  }
}

/** INFO, also of an engine that closes connections while it starts, as behind a proxy. */
async function infoOf(client: Redis): Promise<string> {
  const end = performance.now() + startTimeoutMs
  for (;;) {
    try {
      return await client.info()
    } catch (error) {
      const isClosed = /max retries per request|Connection is closed|isn't writeable/.test(
        (error as Error).message,
      )
      if (!isClosed) throw error
      if (performance.now() > end)
        throw new Error(
          'it closes each connection without a response: a port with TLS needs rediss://, and a proxy may have no engine behind it',
          { cause: error },
        )
      await new Promise((resolve) => setTimeout(resolve, retryMs))
    }
  }
}

/** The first address with a suitable engine; throws what is wrong with the last one. */
async function firstSuitable(
  addresses: readonly EngineAddress[],
  inspect: (address: EngineAddress) => Promise<string>,
): Promise<{ address: EngineAddress; info: string; notices: string[] }> {
  let problem: unknown
  for (const address of addresses) {
    try {
      const info = await inspect(address)
      return { address, info, notices: checkEngine(info) }
    } catch (error) {
      problem = error
    }
  }
  throw problem
}

/** Renews a connection on which no response arrives. */
function renewStuck(connection: Redis): void {
  connection
    .ping()
    .catch(({ message }: Error) => message === 'Command timed out' && renew(connection))
}

/** Replaces a connection, unless it is ending: each call adds a listener. */
const renew = (connection: Redis): void =>
  void (connection.stream.writableEnded || connection.disconnect(true))

const addressOf = ({ options: { host, port } }: Redis): ClusterNode => ({ host, port })
const connection = {
  connectTimeout: commandTimeoutMs,
  commandTimeout: commandTimeoutMs,
  disconnectTimeout: retryMs,
  // The caller repeats a failed call, since it knows whether that is safe.
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  protocol: 2 as const,
  disableClientInfo: true,
  connectionName: 'petstore-kit',
  retryStrategy: (times: number) => Math.min(times * 50, 500),
  // After a failover, the old primary is a replica.
  reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
}

function becomesReady(client: Redis | Cluster): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('it does not respond')), startTimeoutMs)
    client.once('ready', () => {
      clearTimeout(timer)
      resolve()
    })
    client.on('error', (error: Error) => {
      if (
        !/NOAUTH|WRONGPASS|NOPERM|DB index|SELECT|certificate|self-signed|RESP type/i.test(
          error.message,
        )
      )
        return
      clearTimeout(timer)
      reject(error)
    })
  })
}

/** Checks the output of INFO. Returns notices for the user, or throws a UsageError when the engine is not suitable. */
function checkEngine(info: string): string[] {
  const valueOf = (name: string): string =>
    new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(info)?.[1] ?? ''
  const [major = 0] = valueOf('redis_version').split('.').map(Number)
  const reject = (message: string): UsageError => new UsageError([{ path: 'shared', message }])
  if (valueOf('redis_mode') === 'sentinel')
    throw reject(
      'is the address of a Sentinel: give that of the primary, or of a proxy that follows it.',
    )
  if (major < 7)
    throw reject(`needs Redis 7.0 or Valkey 7.2, but the engine is ${valueOf('redis_version')}.`)
  // Any node of a cluster knows the others.
  if (valueOf('role') === 'slave' && valueOf('cluster_enabled') !== '1')
    throw reject('needs the primary, but the engine is a replica.')
  const policy = valueOf('maxmemory_policy')
  return [
    ...(policy !== '' && policy !== 'noeviction'
      ? [
          `The engine may evict sandboxes when its memory is full (maxmemory-policy ${policy}); set noeviction.`,
        ]
      : []),
    ...(valueOf('aof_enabled') === '0'
      ? [
          'The engine writes no append-only file: changes since its last snapshot are lost when it stops.',
        ]
      : []),
  ]
}
