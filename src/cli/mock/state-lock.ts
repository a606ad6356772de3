import * as fs from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
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

interface StateLock {
  /** Why this process may not use the state now: another one may have taken it over. */
  rejection: () => string | undefined
  release: () => void
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
 * Locks the folder of `--state` against other mocks, on this machine or on others that mount it. Only the renewals of the
 * lock show that its owner lives: another program may have the number of its process, in another container or after a
 * restart of the machine.
 *
 * @param name as on the command line
 * @throws {UsageError} when a mock has the state
 */
export async function lockState(
  folder: string,
  name: string,
  { onWait, onLost }: Listeners,
): Promise<StateLock> {
  const lock = join(fs.realpathSync(folder), '.lock')
  const own = `${process.pid} on ${hostname()}, ${crypto.randomUUID()}`
  let heldUntil = await take(lock, own, name, onWait)
  let isOver = false
  const isHeld = (): boolean => performance.now() < heldUntil
  const lost = `another mock has taken over ${folder}; this one no longer responds: stop it`

  /** Without a turn of the event loop, for which a busy process may have to wait. */
  function renew(): void {
    if (isOver) return
    const since = performance.now()
    try {
      // Renewed first: who takes over reads the lock after that, and finds this renewal, or is found here.
      touch(lock)
      let owner = look(lock)?.owner
      // Somebody has deleted it. If others had the time to take it, they may have changed the state.
      if (owner === undefined && isHeld()) {
        create(lock, own)
        owner = look(lock)?.owner
      }
      if (owner === own) heldUntil = since + leaseMs
      else if (owner !== undefined || fs.existsSync(dirname(lock))) {
        isOver = true
        onLost(lost)
      }
    } catch {
      // The next one may succeed.
    }
  }
  const beat = setInterval(renew, beatMs)
  beat.unref()
  return {
    rejection() {
      // After a stop, requests come before the next beat.
      if (!isOver && !isHeld()) renew()
      if (isOver) return lost
      return isHeld() ? undefined : `the lock ${lock} cannot be read; try again`
    },
    release() {
      clearInterval(beat)
      try {
        if (look(lock)?.owner === own) fs.rmSync(lock)
      } catch {
        // It is old soon.
      }
    },
  }
}

/** @returns false when it exists */
function create(lock: string, own: string): boolean {
  try {
    fs.writeFileSync(lock, own, { flag: 'wx', mode: 0o600 })
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
    try {
      if (create(lock, own)) return since + leaseMs
    } catch (error) {
      throw new UsageError(`${lock} cannot be created: ${reasonOf(error)}`, { cause: error })
    }
    let found: Found | undefined
    try {
      found = look(lock)
    } catch (error) {
      const reason = error instanceof UsageError ? error.message : reasonOf(error)
      throw new UsageError(
        `the lock of --state ${name}, ${lock}, cannot be read: ${reason}; delete it if no mock uses the state`,
        { cause: error },
      )
    }
    if (found === undefined) continue
    const who = /^\d+ on [\w.-]+(?=, )/.exec(found.owner)?.[0] ?? 'of another mock'
    const wait = (): void =>
      onWait(
        `--state ${name} was last used by process ${who}, which may have been killed: waiting ten seconds for a sign of it in ${lock}`,
      )
    if (!(await waitUntilGone(lock, found, wait)))
      throw new UsageError(
        `--state ${name} is in use by process ${who}, which renews the lock ${lock}; stop that mock, or give each mock its own`,
      )
    discard(lock, found)
  }
}

/** Watches a lock until it changes, or its owner is gone. Returns whether it is gone. */
async function waitUntilGone(
  lock: string,
  { owner, beat }: Found,
  wait: () => void,
): Promise<boolean> {
  if (Date.now() - Number(beat / 1_000_000n) > oldMs) return true
  for (let waited = 0; waited < goneMs; waited += pollMs) {
    if (waited === patienceMs) wait()
    await setTimeout(pollMs)
    const now = look(lock)
    if (now === undefined) return true
    if (now.owner !== owner || now.beat !== beat) return false
  }
  return true
}

/** Renames the lock of an owner that is gone: only one of several mocks that start can. */
function discard(lock: string, { owner, beat }: Found): void {
  const aside = `${lock}.${crypto.randomUUID()}.tmp`
  try {
    fs.renameSync(lock, aside)
  } catch {
    return
  }
  const found = look(aside)
  try {
    // Another mock was faster, and this is its lock; or the owner was only slow.
    if (found?.owner !== owner || found.beat !== beat) fs.linkSync(aside, lock)
  } catch {
    // There is another one already.
  }
  fs.rmSync(aside, { force: true })
}

/**
 * Opens the lock each time: networks show what another machine has done then. Undefined when there is none.
 *
 * @throws {UsageError} for a link, a pipe or a device, whose reader would wait or read something else
 */
function look(lock: string): Found | undefined {
  const isFile = fs.lstatSync(lock, { throwIfNoEntry: false })?.isFile()
  if (isFile === undefined) return undefined
  if (!isFile) throw new UsageError('it is a link, a folder, a pipe or a device')
  let file: number
  try {
    file = fs.openSync(lock, readFlags)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  try {
    const { mtimeNs } = fs.fstatSync(file, { bigint: true })
    const bytes = Buffer.alloc(maxBytes)
    const length = fs.readSync(file, bytes, 0, maxBytes, 0)
    return { owner: bytes.toString('utf8', 0, length), beat: mtimeNs }
  } finally {
    fs.closeSync(file)
  }
}

function touch(lock: string): void {
  const now = new Date()
  try {
    fs.lutimesSync(lock, now, now)
  } catch {
    // It is gone, or the file system is read-only: then no mock can take it.
  }
}
