import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { enumerate, UsageError } from '../../errors.ts'
import {
  keepMs,
  type SandboxChange,
  type StateCopy,
  type StateLog,
} from '../../mock/sandbox/saved-state.ts'
import type { Parsed } from '../../options.ts'
import type { StartOptions } from '../../mock/index.ts'
import { type Console, note, warn } from '../command.ts'
import { appendText, readBytes, type Replacement, replacePrivately, stampOf } from '../files.ts'
import {
  changeLines,
  type Head,
  headOf,
  lineOf,
  read,
  sandboxLines,
  type Sizes,
  text,
  withSum,
} from './state-format.ts'
import { lockState, type StateLock } from './state-lock.ts'

/** A copy replaces the file when changes have doubled it, and take this many bytes. */
const minChanges = 2 ** 20
/** The bytes of one write of a copy. */
const writeBytes = 2 ** 16
const syncBytes = 2 ** 22
/** A copy that nobody waits for pauses for this many times as long as it works. */
const pauseShare = 9
/** How often a failure that lasts is repeated. */
const repeatMs = 60_000

interface OpenState {
  state: StartOptions['state']
  log: StateLog
  release: () => Promise<void>
}

/**
 * Reads the file of `--state` if it exists, and keeps it current. A failure to do so is reported on stderr, at once and
 * each minute.
 *
 * @throws {UsageError} when it cannot be read; the file stays
 */
export async function openStateFile(
  console: Console,
  flags: Parsed,
  name: string,
  options: StartOptions,
): Promise<OpenState> {
  const file = resolve(name)
  await expectFile(file, name)
  const lock = await lockState(file, name, {
    onWait: (text) => note(console, text),
    onLost: (text) => warn(console, text),
  })
  try {
    const own = headOf(options)
    const found = existsSync(file)
      ? read(await readBytes(file, 'the state file'), name, own)
      : undefined
    const others = Object.keys(own.options).filter(
      (part) => text(own.options[part]) !== text(found?.head.options[part]),
    )
    if (found !== undefined && others.length > 0) {
      const given = others
        .map((part) =>
          enumerate(
            flags.flagsOf(part).map(({ name }) => `--${name}`),
            'or',
          ),
        )
        .join(', ')
      note(
        console,
        `${name} was created with another value of ${given}, which stays in use until a reset.`,
      )
    }
    const head: Head = { ...own, options: found?.head.options ?? own.options }
    const stamp = await stampOf(file)
    const { keep, end, ...log } = createFileLog(file, head, { lock, sizes: found?.sizes, stamp })
    return {
      state: found?.state,
      log: { ...log, keep: reporting(console, name, keep), rejection: lock.rejection },
      async release() {
        await end()
        lock.release()
      },
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** Changes are appended, and copies replace the file: a device or a pipe allows neither. */
async function expectFile(file: string, name: string): Promise<void> {
  const found = await stat(file).catch(() => undefined)
  if (found !== undefined && !found.isFile() && !found.isDirectory())
    throw new UsageError(`--state ${name} is a device or a pipe; name a file`)
}

function reporting(console: Console, name: string, keep: StateLog['keep']): StateLog['keep'] {
  let said = ''
  let saidAt = 0
  return async (...args) => {
    try {
      await keep(...args)
    } catch (error) {
      const { message } = error as Error
      const now = performance.now()
      if (message !== said || now - saidAt >= repeatMs) {
        warn(console, message)
        saidAt = now
      }
      said = message
      throw error
    }
    if (said !== '') note(console, `The state is in ${name} again.`)
    said = ''
  }
}

/** The number of the copy that a file begins with; undefined: one of an earlier start. */
type Base = Sizes & { number?: number }

/** A copy that is written beside the file. */
interface Copying {
  number: number
  replacement: Replacement
  /** What has happened since it began. */
  later: string[]
  bytes: number
  isWritten: boolean
  isOver: boolean
}

/** Appends changes to a file. When they have doubled it, a copy of the state takes its place. */
function createFileLog(
  file: string,
  head: Head,
  { lock, sizes, stamp }: { lock: StateLock; sizes: Sizes | undefined; stamp: string | undefined },
): StateLog & { end: () => Promise<void> } {
  let known = stamp
  /** What changes are appended to; undefined: a copy must be written first. */
  let base: Base | undefined = sizes
  /** Changes that could not be appended. */
  let left = ''
  let copying: Copying | undefined
  /** The bytes of the file at which the next copy begins. */
  let copyAt = 0
  let current: Promise<unknown> = Promise.resolve()

  const linesWithout = (changes: readonly SandboxChange[], number?: number): string => {
    const own = changes.filter(({ copy }) => copy === undefined || copy !== number)
    return own.length === 0 ? '' : [...withSum(changeLines(own))].join('')
  }

  async function expectOwn(): Promise<void> {
    const found = await stampOf(file)
    if (lock.isLost())
      throw new UsageError(`another mock has taken over ${file}, which was not overwritten`)
    // An editor, a backup, or a mock that does not see the lock.
    if (found !== undefined && known !== undefined && found !== known)
      throw new UsageError(`another process changed ${file}, which was not overwritten`)
    if (found === undefined) base = undefined
  }

  async function append(to: Base): Promise<void> {
    try {
      to.all = await appendText(file, left, to.all)
      left = ''
    } finally {
      // A failure may leave a part.
      known = await stampOf(file)
    }
  }

  /** Writes a copy, and discards it when that fails. `share` is the pause after each piece of work, as a share of its time. */
  async function write(copy: Copying, all: StateCopy, share: number): Promise<void> {
    try {
      await writePieces(copy, all, share)
    } catch (error) {
      if (copying === copy) copying = undefined
      await discard(copy)
      throw error
    }
  }

  async function writePieces(
    copy: Copying,
    { sandboxes }: StateCopy,
    share: number,
  ): Promise<void> {
    let startedAt = performance.now()
    let syncedAt = 0
    for (const piece of inPieces(withSum(copyLines(head, sandboxes)))) {
      const taken = performance.now() - startedAt
      copy.bytes += Buffer.byteLength(piece)
      await copy.replacement.write(piece)
      // In parts, since other writes to the disk, such as those of changes, wait for a part.
      if (copy.bytes - syncedAt > syncBytes) {
        await copy.replacement.sync()
        syncedAt = copy.bytes
      }
      if (share > 0) await setTimeout(taken * share, undefined, { ref: false })
      if (copy.isOver) return
      startedAt = performance.now()
    }
    await copy.replacement.sync()
    copy.isWritten = true
  }

  async function begin(all: StateCopy): Promise<Copying> {
    const replacement = await replacePrivately(file)
    return {
      number: all.number,
      replacement,
      later: [],
      bytes: 0,
      isWritten: false,
      isOver: false,
    }
  }

  async function discard(copy: Copying): Promise<void> {
    copy.isOver = true
    await copy.replacement.discard()
  }

  async function commit(copy: Copying): Promise<void> {
    const later = copy.later.join('')
    try {
      await copy.replacement.write(later)
      await copy.replacement.commit()
    } catch (error) {
      await discard(copy)
      throw error
    }
    base = { number: copy.number, copy: copy.bytes, all: copy.bytes + Buffer.byteLength(later) }
    left = ''
    known = await stampOf(file)
  }

  /** Copies while changes wait. */
  async function copyNow(copyAll: () => StateCopy): Promise<void> {
    left = ''
    const all = copyAll()
    const copy = await begin(all)
    await write(copy, all, 0)
    await commit(copy)
  }

  /** Copies beside the appends. A failure costs nothing but space: it is tried again when the file has grown. */
  async function copyBeside(copyAll: () => StateCopy): Promise<void> {
    const all = copyAll()
    copying = await begin(all)
    await write(copying, all, pauseShare)
  }

  return {
    async keep(changes, copyAll) {
      left += linesWithout(changes, base?.number)
      const copy = copying
      copy?.later.push(linesWithout(changes, copy.number))
      await expectOwn()
      if (base !== undefined && left.length > Math.max(minChanges, base.copy)) base = undefined
      if (base === undefined) {
        copying = undefined
        if (copy !== undefined) await discard(copy)
        return copyNow(copyAll)
      }
      if (copy?.isWritten) {
        copying = undefined
        return commit(copy)
      }
      if (left !== '') await append(base)
      if (copying !== undefined) return
      const added = base.all - base.copy
      if (added < Math.max(minChanges, base.copy) || base.all < copyAt) return
      copyAt = base.all + minChanges
      current = copyBeside(copyAll).catch(() => {})
    },
    isBusy: () => base === undefined || left !== '' || copying?.isWritten === true,
    // A copy that fails each time must not take all of a processor.
    pauseMs: (taken) => (base === undefined ? Math.max(keepMs, 4 * taken) : keepMs),
    async end() {
      const copy = copying
      copying = undefined
      if (copy !== undefined) copy.isOver = true
      await current
      if (copy !== undefined) await discard(copy)
    },
  }
}

function* copyLines(head: Head, sandboxes: StateCopy['sandboxes']): Generator<string> {
  yield lineOf(head)
  for (const { name, state } of sandboxes) yield* sandboxLines(name, state)
}

/** Joins lines: a write of each would take longer than its text. */
function* inPieces(lines: Iterable<string>): Generator<string> {
  let piece: string[] = []
  let length = 0
  for (const line of lines) {
    piece.push(line)
    length += line.length
    if (length < writeBytes) continue
    yield piece.join('')
    piece = []
    length = 0
  }
  if (length > 0) yield piece.join('')
}
