import { fail, UsageError } from '../../errors.ts'
import type { HttpRequest } from '../../spec/http.ts'
import { fromBase64 } from '../../report/credentials.ts'
import type { InnerSandbox } from './sandbox.ts'
import { notify } from '../service/message.ts'
import {
  mayContainSandboxKey,
  opensSandbox,
  sandboxKey,
  sandboxName,
  sandboxNameIn,
  toSandboxName,
} from '../service/sandbox-key.ts'
import type { Sandboxes } from './types.ts'

/** The size of a sandbox without its pets, rules, snapshots and journal: 16 KiB. */
const overheadBytes = 2 ** 14
/** Characters of a form that are searched for a key. */
const maxForm = 10_000
/** Dropped sandboxes that each have a notice; then, one each time that their number doubles. */
const maxDropNotices = 20
/** Sandboxes whose caches are kept. */
const maxActive = 200

/** Keeps sandboxes, and drops the least recently used ones at full capacity. */
export function createSandboxes(options: {
  create: (options: { name: string; key: string }) => InnerSandbox
  /** The names whose keys open sandboxes: all, none or those that match. */
  names: boolean | readonly string[]
  /** Bytes that all sandboxes may take together. */
  capacity: number
  onNotice: ((notice: string) => void) | undefined
  onRemoved: (removed: InnerSandbox, name: string) => void
  /** Why users cannot delete them: they are driven by logs, from which a dropped one comes back. Default: they can. */
  whyReadOnly: string | undefined
}) {
  const { create, names, capacity, onNotice, whyReadOnly } = options
  /** The least recently used first. */
  const byName = new Map<string, InnerSandbox>()
  const active = new Set<InnerSandbox>()
  let totalBytes = 0
  /** The sandbox of the latest request, and its header, which usually comes again. */
  let latest: { authorization: string | undefined; sandbox: InnerSandbox } | undefined
  let dropped = 0
  let version = 0

  /** Finds or creates a sandbox, which becomes the most recently used one. */
  function findOrCreate(name: string, authorization: string | undefined): InnerSandbox {
    const known = byName.get(name)
    const sandbox = known ?? create({ name, key: sandboxKey(name) })
    if (latest?.sandbox !== sandbox) measure(latest?.sandbox)
    byName.delete(name)
    byName.set(name, sandbox)
    if (known === undefined) {
      version += 1
      measure(sandbox)
    }
    dropIdle(name)
    latest = { authorization, sandbox }
    keepCaches(sandbox)
    return sandbox
  }

  function dropIdle(used: string): void {
    for (const name of byName.keys()) {
      if (totalBytes <= capacity || name === used) return
      remove(name)
      if (whyReadOnly !== undefined) continue
      dropped += 1
      if (dropped <= maxDropNotices || Number.isInteger(Math.log2(dropped / maxDropNotices)))
        noteDropped(name)
    }
  }

  function noteDropped(name: string): void {
    if (onNotice === undefined) return
    const most = Math.round(capacity / 2 ** 20)
    const soFar =
      dropped < maxDropNotices ? '' : ` So far, ${dropped} were; further ones are counted.`
    notify(
      onNotice,
      `The sandbox ${name} was dropped, with its pets and its journal: all sandboxes together took more than ${most} MiB.${soFar}`,
    )
  }

  function keepCaches(sandbox: InnerSandbox): void {
    active.delete(sandbox)
    active.add(sandbox)
    const [idle] = active.size > maxActive ? active : []
    if (idle === undefined) return
    active.delete(idle)
    idle.machine.dropCaches()
  }

  function remove(name: string): boolean {
    const found = byName.get(name)
    if (found === undefined) return false
    version += 1
    byName.delete(name)
    active.delete(found)
    if (latest?.sandbox === found) latest = undefined
    totalBytes -= found.measuredBytes
    options.onRemoved(found, name)
    found.journal.clearThrough(found.journal.range.last)
    return true
  }

  /** The latest sandbox may have grown, and each with its scorecards. */
  function measure(one: InnerSandbox | undefined): void {
    if (one?.name === undefined || !sandboxes.isCurrent(one)) return
    totalBytes -= one.measuredBytes
    one.measuredBytes =
      overheadBytes + one.machine.bytes + one.journal.ownBytes() + one.scorecardBytes()
    totalBytes += one.measuredBytes
  }

  /** Whether the key of a sandbox opens it: it has an allowed name, or the operator has created it. */
  const opens = (name: string): boolean => opensSandbox(names, name) || byName.has(name)

  const sandboxes: Sandboxes = {
    list: () =>
      Array.from(byName).flatMap(([name, { key, catalog, journal, startedAt }]) => {
        if (startedAt === 0) return []
        const { number, cleared, seenAt } = journal.progress
        return {
          name,
          key,
          pets: catalog.size,
          requests: number - cleared,
          ...(seenAt > 0 && { lastSeen: new Date(seenAt).toISOString() }),
        }
      }),
    get(name) {
      if (names === false) throw new UsageError('The sandboxes of this mock are switched off.')
      return findOrCreate(toSandboxName(name), undefined)
    },
    has: (name) => byName.has(toSandboxName(name)),
    isCurrent: (sandbox) => sandbox.name === undefined || byName.get(sandbox.name) === sandbox,
    delete: (name) => (whyReadOnly === undefined ? remove(toSandboxName(name)) : fail(whyReadOnly)),
    get version() {
      return version
    },
    get dropped() {
      return dropped
    },
  }

  return {
    /** Finds or creates the sandbox of a header; undefined without a sandbox key. */
    forHeader(authorization: string): InnerSandbox | undefined {
      if (authorization === latest?.authorization) return latest.sandbox
      if (!mayContainSandboxKey(authorization)) return undefined
      const name = sandboxName(authorization.replace(/^bearer /i, '').trim())
      return name === undefined || !opens(name) ? undefined : findOrCreate(name, authorization)
    },
    /** Finds or creates the sandbox whose key is in the wrong place or form, so that its journal shows the mistake. */
    forMisplacedKey({ headers, target, body }: HttpRequest): InnerSandbox | undefined {
      let name = inHeader(headers['authorization']) ?? sandboxNameIn(target)
      for (const header in headers) name ??= inHeader(headers[header])
      if (isForm(headers)) name ??= sandboxNameIn(body.slice(0, maxForm))
      return name === undefined || !opens(name) ? undefined : findOrCreate(name, undefined)
    },
    sandboxes,
    /** Finds or creates a sandbox by name, even when sandbox keys are off. */
    findOrCreate: (name: string): InnerSandbox => findOrCreate(toSandboxName(name), undefined),
    /** Drops a sandbox, unless another one has its name now. */
    forget(sandbox: InnerSandbox): void {
      const { name } = sandbox
      if (name !== undefined && sandboxes.isCurrent(sandbox)) remove(name)
    },
    /** Some have a life in a log, or have lost it, that is not applied here yet. */
    noteSandboxes: (): void => void (version += 1),
    measure,
    /** The bytes that all sandboxes take. */
    bytes(): number {
      measure(latest?.sandbox)
      return totalBytes
    },
    /** The least recently used first. */
    all: (): InnerSandbox[] => [...byName.values()],
  }
}

/** The sandbox of the key in a header, which may be in Base64. */
function inHeader(values: string | readonly string[] = []): string | undefined {
  if (typeof values === 'string') return inText(values)
  return values.map(inText).find((name) => name !== undefined)
}

function inText(text: string): string | undefined {
  const name = sandboxNameIn(text)
  if (name !== undefined) return name
  const encoded = /^Basic +([\w+/=-]{1,400})$/i.exec(text)?.[1]
  return encoded === undefined ? undefined : sandboxNameIn(fromBase64(encoded))
}

const isForm = ({ 'content-type': type }: HttpRequest['headers']): boolean =>
  /^application\/x-www-form-urlencoded/i.test(String(type))
