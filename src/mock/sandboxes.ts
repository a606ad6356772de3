import { UsageError } from '../errors.ts'
import type { HttpRequest } from '../spec/http.ts'
import { otherKeyHeaders } from '../report/credentials.ts'
import type { ControlledSandbox } from './controls.ts'
import { notify } from './message.ts'
import { mayHoldSandboxKey, sandboxKey, sandboxName, sandboxNameIn, toSandboxName } from './sandbox-key.ts'
import type { Sandboxes } from './types.ts'

/** The sandboxes of sandbox keys. */
export interface KeyedSandboxes {
  /** The one that a header leads to, made at its first use; undefined when it holds no sandbox key. */
  find: (authorization: string) => ControlledSandbox | undefined
  /** The one whose whole key a request holds in a wrong place or form: what its client did wrong belongs there. */
  findMisplaced: (request: HttpRequest) => ControlledSandbox | undefined
  sandboxes: Sandboxes
  /** The one with this name, made at its first use, whether or not keys lead there. */
  enter: (name: string) => ControlledSandbox
  /** The least recently used first. */
  all: () => ControlledSandbox[]
  /** Drops one, unless another has taken its place. */
  forget: (controlled: ControlledSandbox) => void
}

/** What a sandbox takes beside its pets, rules and snapshots: 16 KiB. */
const sandboxBytes = 2 ** 14
const keyHeaders = ['authorization', ...otherKeyHeaders]
/** Sandboxes that keep what can be made again. */
const maxActive = 200
/** Names of dropped sandboxes that are kept, so that their clients are notified when they come back. */
const maxLost = 10_000

/** Keeps sandboxes, and drops those that have been idle longest when there is no more capacity. */
export function createSandboxes(options: {
  create: (options: { name: string; key: string; wasDropped: boolean }) => ControlledSandbox
  /** Whether sandbox keys lead to sandboxes at all. */
  enabled: boolean
  /** Bytes that all take together. */
  capacity: number
  onNotice: ((notice: string) => void) | undefined
  /** Whether other mocks share them: those that are dropped come back as they were. */
  isShared: boolean
}): KeyedSandboxes {
  const { create, enabled, capacity, onNotice, isShared } = options
  /** The least recently used first, and the bytes that each took when it was left. */
  const kept = new Map<string, { controlled: ControlledSandbox; bytes: number }>()
  const active = new Set<ControlledSandbox>()
  let taken = 0
  /** The one that was entered last, and the header that led there, if any. */
  let latest: { name: string; authorization: string | undefined; controlled: ControlledSandbox } | undefined
  let dropped = 0
  let version = 0
  const lost = new Set<string>()

  function drop(name: string): void {
    remove(name)
    if (isShared) return
    dropped += 1
    lost.add(name)
    const [first] = lost.size > maxLost ? lost : []
    if (first !== undefined) lost.delete(first)
    const most = Math.round(capacity / 2 ** 20)
    const notice = `The sandbox ${name} was dropped, with its pets and its journal: all sandboxes together took more than ${most} MiB.`
    if (onNotice !== undefined) notify(onNotice, notice)
  }

  function remove(name: string): boolean {
    const found = kept.get(name)
    if (found === undefined) return false
    version += 1
    kept.delete(name)
    active.delete(found.controlled)
    if (latest?.name === name) latest = undefined
    taken -= found.bytes
    const { journal } = found.controlled
    journal.clearThrough(journal.range.last)
    return true
  }

  function visit(name: string, authorization: string | undefined): ControlledSandbox {
    const known = kept.get(name)
    const controlled = known?.controlled ?? create({ name, key: sandboxKey(name), wasDropped: lost.delete(name) })
    if (latest !== undefined && latest.name !== name) measure(latest.name)
    kept.delete(name)
    kept.set(name, known ?? { controlled, bytes: 0 })
    if (known === undefined) {
      version += 1
      measure(name)
    }
    for (const idle of kept.keys()) {
      if (taken <= capacity || idle === name) break
      drop(idle)
    }
    latest = { name, authorization, controlled }
    active.delete(controlled)
    active.add(controlled)
    if (active.size > maxActive) {
      const [idle] = [...active]
      if (idle !== undefined) {
        active.delete(idle)
        idle.machine.dropCaches()
      }
    }
    return controlled
  }

  /** The sandbox that is left is the one that may have grown. */
  function measure(name: string): void {
    const found = kept.get(name)
    if (found === undefined) return
    const bytes = sandboxBytes + found.controlled.machine.bytes
    taken += bytes - found.bytes
    found.bytes = bytes
  }

  return {
    find(authorization) {
      if (authorization === latest?.authorization) return latest.controlled
      if (!mayHoldSandboxKey(authorization)) return undefined
      const name = sandboxName(authorization.replace(/^bearer /i, '').trim())
      return name === undefined ? undefined : visit(name, authorization)
    },
    findMisplaced({ headers, target }) {
      let name: string | undefined
      for (const header of keyHeaders) {
        const value = headers[header]
        if (typeof value === 'string') name ??= sandboxNameIn(value) ?? sandboxNameIn(basicOf(value))
        else for (const text of value ?? []) name ??= sandboxNameIn(text) ?? sandboxNameIn(basicOf(text))
      }
      name ??= sandboxNameIn(target)
      return name === undefined ? undefined : visit(name, undefined)
    },
    sandboxes: {
      list: () =>
        Array.from(kept, ([name, { controlled }]) => ({
          name,
          key: controlled.sandbox.key,
          pets: controlled.sandbox.catalog.size,
          requests: controlled.journal.requests,
          ...controlled.journal.lastSeen,
        })),
      get(name) {
        if (!enabled) throw new UsageError('The sandboxes of this mock are switched off.')
        return visit(toSandboxName(name), undefined).sandbox
      },
      has: (name) => kept.has(toSandboxName(name)),
      isCurrent: (sandbox) => kept.get(sandbox.name ?? '')?.controlled.sandbox === sandbox,
      delete: (name) => remove(toSandboxName(name)),
      get version() {
        return version
      },
      get dropped() {
        return dropped
      },
    },
    enter: (name) => visit(toSandboxName(name), undefined),
    forget({ sandbox }) {
      if (kept.get(sandbox.name ?? '')?.controlled.sandbox === sandbox) remove(sandbox.name ?? '')
    },
    all: () => Array.from(kept.values(), ({ controlled }) => controlled),
  }
}

/** The user and the password of the scheme Basic. */
function basicOf(authorization: string): string {
  const credentials = /^Basic +([\w+/=-]{1,400})$/i.exec(authorization)?.[1]
  try {
    return credentials === undefined ? '' : atob(credentials)
  } catch {
    return ''
  }
}
