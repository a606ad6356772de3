import { closeSync, lutimesSync, openSync, readFileSync } from 'node:fs'
import * as fs from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { clearInterval, setInterval } from 'node:timers'
import { setTimeout } from 'node:timers/promises'
import { UsageError } from '../../errors.ts'
import { reasonOf } from '../files.ts'

/** How often the owner of a lock renews it, and after which time without it the owner is gone. */
const beatMs = 2_000
const goneMs = 10_000
/** For how long an owner that cannot look still knows that it has the lock. */
const leaseMs = goneMs - beatMs
/** A lock that was renewed this long ago is that of an owner that is gone, even if clocks differ. */
const oldMs = 60_000
/** A start that waits for longer than a living owner would need says so. */
const patienceMs = 2 * beatMs
const pollMs = 500
/** The bytes of a lock that are read. */
const maxBytes = 1_000

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants
/** A pipe has no writer to wait for, and a link leads to something else. */
const readFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK

export interface StateLock {
  /** Why this process may not use the state now: another one may have taken it over. */
  rejection: () => string | undefined
  /** Whether another process has the lock. */
  isLost: () => Promise<boolean>
  release: () => Promise<void>
}

interface Found {
  owner: string
  /** When it was renewed: nanoseconds since 1970. */
  beat: bigint
}

interface Listeners {
  /** A start waits for an owner that may be gone. */
  onWait: (text: string) => void
  /** Another process has taken over. */
  onLost: (text: string) => void
}

/**
 * Locks the state of `--state` against other mocks, on this machine or on others that mount the folder, and deletes what
 * killed mocks have left beside it. Only the renewals of the lock show that its owner lives: another program may have the
 * number of its process, in another container or after a restart of the machine.
 *
 * @param name as on the command line
 * @throws {UsageError} when a mock has the state
 */
export async function lockState(
  file: string,
  name: string,
  { onWait, onLost }: Listeners,
): Promise<StateLock> {
  const real = await fs.realpath(file).catch(() => file)
  const lock = join(dirname(real), `.${basename(real)}.lock`)
  const own = `${process.pid} on ${hostname()}, ${crypto.randomUUID()}`
  let heldUntil = await take(lock, own, name, onWait)
  let renewedAt = 0
  let isOver = false
  await sweep(real)
  const isHeld = (): boolean => performance.now() < heldUntil

  const ownerOf = async (): Promise<string | undefined> => (await look(lock))?.owner

  async function renew(): Promise<void> {
    if (isOver) return
    const since = performance.now()
    renewedAt = since
    // Renewed first: who takes over looks again after that, and finds either this, or is found here.
    await touch(lock)
    let owner = await ownerOf()
    // Somebody has deleted it. If others had the time to take it, they may have changed the state.
    if (owner === undefined && isHeld()) {
      await create(lock, own)
      owner = await ownerOf()
    }
    if (owner === undefined && !(await isFolder(dirname(lock)))) return
    if (owner === own) heldUntil = since + leaseMs
    else {
      isOver = true
      onLost(lost)
    }
  }
  /** As `renew`, without a turn of the event loop, if nobody has taken over. */
  function renewNow(): void {
    const since = performance.now()
    const now = new Date()
    try {
      lutimesSync(lock, now, now)
      const file = openSync(lock, readFlags)
      if (readFileSync(file, 'utf8') === own) heldUntil = since + leaseMs
      closeSync(file)
    } catch {
      // The next beat looks closer.
    }
  }
  const lost = `another mock has taken over ${file}; this one no longer responds: stop it`
  let renewal: Promise<void> | undefined
  const renewing = (): Promise<void> =>
    (renewal ??= renew()
      .catch(() => {})
      .finally(() => (renewal = undefined)))
  const beat = setInterval(() => void renewing(), beatMs)
  beat.unref()
  return {
    rejection() {
      if (isOver) return lost
      // After a stop, requests come with the next beat. One that takes long waits for a disk.
      const isWaiting = renewal !== undefined && performance.now() - renewedAt > beatMs
      if (!isHeld() && !isWaiting) renewNow()
      return isHeld() ? undefined : `the lock ${lock} was not renewed in time; try again`
    },
    async isLost() {
      await renewing()
      return isOver
    },
    async release() {
      clearInterval(beat)
      await renewal
      if ((await look(lock).catch(() => undefined))?.owner === own)
        await fs.rm(lock, { force: true }).catch(() => {})
    },
  }
}

/** @returns false when it exists */
async function create(lock: string, own: string): Promise<boolean> {
  try {
    await fs.writeFile(lock, own, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Returns until when the lock is held, by `performance.now`. */
async function take(
  lock: string,
  own: string,
  name: string,
  onWait: Listeners['onWait'],
): Promise<number> {
  for (;;) {
    const since = performance.now()
    const isTaken = await create(lock, own).catch((error: unknown) => {
      throw new UsageError(`${lock} cannot be created: ${reasonOf(error)}`, { cause: error })
    })
    if (isTaken) return since + leaseMs
    const found = await look(lock).catch((error: unknown) => {
      const reason = error instanceof UsageError ? error.message : reasonOf(error)
      throw new UsageError(
        `the lock of --state ${name}, ${lock}, cannot be read: ${reason}; delete it if no mock uses the state`,
        { cause: error },
      )
    })
    if (found === undefined) continue
    const who = /^\d+ on [\w.-]+(?=, )/.exec(found.owner)?.[0] ?? 'of another mock'
    const wait = (): void =>
      onWait(
        `--state ${name} was last used by process ${who}, which may have been killed: waiting ten seconds for a sign of it in ${lock}`,
      )
    if (!(await isGone(lock, found, wait)))
      throw new UsageError(
        `--state ${name} is in use by process ${who}, which renews the lock ${lock}; stop that mock, or give each mock its own`,
      )
    await discard(lock, found)
  }
}

/** Watches a lock until it changes, or its owner is gone. */
async function isGone(lock: string, { owner, beat }: Found, wait: () => void): Promise<boolean> {
  if (Date.now() - Number(beat / 1_000_000n) > oldMs) return true
  for (let waited = 0; waited < goneMs; waited += pollMs) {
    if (waited === patienceMs) wait()
    await setTimeout(pollMs)
    const now = await look(lock)
    if (now === undefined) return true
    if (now.owner !== owner || now.beat !== beat) return false
  }
  return true
}

/** Renames the lock of an owner that is gone: only one of several mocks that start can. */
async function discard(lock: string, { owner, beat }: Found): Promise<void> {
  const aside = `${lock}.${crypto.randomUUID()}.tmp`
  try {
    await fs.rename(lock, aside)
  } catch {
    return
  }
  const found = await look(aside)
  // Another mock was faster, and this is its lock; or the owner was only slow.
  if (found?.owner !== owner || found.beat !== beat) await fs.link(aside, lock).catch(() => {})
  await fs.rm(aside, { force: true })
}

/**
 * Opens the lock each time: networks show what another machine has done then. Undefined when there is none.
 *
 * @throws {UsageError} for a link, a pipe or a device, whose reader would wait or read something else
 */
async function look(lock: string): Promise<Found | undefined> {
  const isFile = await fs.lstat(lock).then(
    (found) => found.isFile(),
    () => true,
  )
  if (!isFile) throw new UsageError('it is a link, a folder, a pipe or a device')
  let handle: fs.FileHandle
  try {
    handle = await fs.open(lock, readFlags)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  try {
    const { mtimeNs } = await handle.stat({ bigint: true })
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxBytes), 0, maxBytes, 0)
    return { owner: buffer.toString('utf8', 0, bytesRead), beat: mtimeNs }
  } finally {
    await handle.close()
  }
}

const isFolder = (path: string): Promise<boolean> =>
  fs.stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )

const touch = (lock: string): Promise<void> => {
  const now = new Date()
  return fs.lutimes(lock, now, now).catch(() => {})
}

/** Deletes temporary files of mocks that were killed while they wrote; their holder has the lock now. */
async function sweep(file: string): Promise<void> {
  const folder = dirname(file)
  const start = `.${basename(file)}.`
  const names = await fs.readdir(folder).catch(() => [])
  const left = names.filter(
    (name) => name.startsWith(start) && /^[\da-f-]{36}\.tmp$/.test(name.slice(start.length)),
  )
  await Promise.all(left.map((name) => fs.rm(join(folder, name), { force: true }).catch(() => {})))
}
