import * as fs from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { clearInterval, setInterval } from 'node:timers'
import { setTimeout } from 'node:timers/promises'
import { UsageError } from '../../errors.ts'
import { reasonOf } from '../files.ts'

/** How often the owner of a lock shows that it lives, and after which silence it is gone. */
const beatMs = 2_000
const goneMs = 10_000
/** A process that is silent for this long is gone, even if clocks differ. */
const oldMs = 60_000

export interface StateLock {
  /** Whether no other process has it: one takes it over when this one was stopped for long. */
  isHeld: () => Promise<boolean>
  release: () => Promise<void>
}

/**
 * Locks the file of `--state` against other mocks, on this machine or on others that mount the folder, and deletes what
 * killed mocks have left beside it.
 *
 * @param name as on the command line
 * @throws {UsageError} when a mock has the file
 */
export async function lockState(file: string, name: string): Promise<StateLock> {
  const real = await fs.realpath(file).catch(() => file)
  const lock = join(dirname(real), `.${basename(real)}.lock`)
  const own = `${process.pid} on ${hostname()}, ${crypto.randomUUID()}`
  await take(lock, own, name)
  await sweep(real)
  const beat = setInterval(() => void touch(lock), beatMs)
  beat.unref()
  const isHeld = async (): Promise<boolean> => {
    const owner = await ownerOf(lock)
    // Somebody deleted the folder, or only the lock.
    if (owner === undefined) await create(lock, own).catch(() => {})
    return owner === undefined || owner === own
  }
  return {
    isHeld,
    async release() {
      clearInterval(beat)
      if ((await ownerOf(lock)) === own) await fs.rm(lock, { force: true }).catch(() => {})
    },
  }
}

const create = (lock: string, own: string): Promise<void> =>
  fs.writeFile(lock, own, { flag: 'wx', mode: 0o600 })

async function take(lock: string, own: string, name: string): Promise<void> {
  for (;;) {
    try {
      return await create(lock, own)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
        throw new UsageError(`${lock} cannot be created: ${reasonOf(error)}`, { cause: error })
    }
    const owner = await ownerOf(lock)
    if (owner !== undefined && !(await isGone(lock, owner))) {
      const [who] = owner.split(', ')
      throw new UsageError(
        `--state ${name} is in use by process ${who}; stop that mock, or give each mock its own file`,
      )
    }
    await discard(lock, owner)
  }
}

/** A process of this machine is looked up; one elsewhere is watched until its lock changes, or is old. */
async function isGone(lock: string, owner: string): Promise<boolean> {
  const [, pid = '', host] = /^(\d+) on (.*), /.exec(owner) ?? []
  if (host === hostname()) return Number(pid) === process.pid || !isRunning(Number(pid))
  const first = await beatOf(lock)
  if (Date.now() - first > oldMs) return true
  for (let waited = 0; waited < goneMs; waited += beatMs / 4) {
    await setTimeout(beatMs / 4)
    const now = await beatOf(lock)
    if (now !== first) return now === 0
  }
  return true
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Renames the lock of a process that is gone: only one of several mocks that start can. */
async function discard(lock: string, owner: string | undefined): Promise<void> {
  const aside = `${lock}.${crypto.randomUUID()}.tmp`
  try {
    await fs.rename(lock, aside)
  } catch {
    return
  }
  const found = await ownerOf(aside)
  // Another mock was faster, and this is its lock.
  if (found !== owner) await fs.link(aside, lock).catch(() => {})
  await fs.rm(aside, { force: true })
}

const ownerOf = (lock: string): Promise<string | undefined> =>
  fs.readFile(lock, 'utf8').catch(() => undefined)

/** Milliseconds since 1970; 0 when the lock is released. */
const beatOf = (lock: string): Promise<number> =>
  fs.stat(lock).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )

const touch = (lock: string): Promise<void> => {
  const now = new Date()
  return fs.utimes(lock, now, now).catch(() => {})
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
