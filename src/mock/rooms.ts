import { UsageError } from '../errors.ts'
import type { HttpRequest } from '../spec/http.ts'
import { otherKeyHeaders } from '../report/credentials.ts'
import type { WritableJournal } from './journal.ts'
import type { Room } from './room.ts'
import { hash, mayHoldSandboxKey, sandboxKey, sandboxName, sandboxNameIn } from './sandbox-key.ts'
import type { Sandbox, Sandboxes } from './sandbox.ts'
import { tell } from './tell.ts'

/** The rooms of sandbox keys. */
export interface Rooms {
  /** The room that a header leads to, made at its first use; undefined when it holds no sandbox key. */
  find: (authorization: string) => Room | undefined
  /** The room whose whole key a request holds in a wrong place or form: what its client did wrong belongs there. */
  findMisplaced: (request: HttpRequest) => Room | undefined
  sandboxes: Sandboxes
  all: () => Sandbox[]
  /** Those of the rooms that have been idle longest first. */
  journals: () => WritableJournal[]
}

const mostRooms = 10_000
/** Rooms that keep what can be made again. */
const mostAwake = 200
/** Bytes that the pets of all rooms take beside those at the start: 256 MiB; those of one room: 64 MiB. */
const mostBytes = 256 * 2 ** 20
const mostBytesOfRoom = 64 * 2 ** 20

/** Keeps rooms, and drops those that have been idle longest when there is no more room. */
export function createRooms(options: {
  create: (options: { name: string; key: string; seed: number; roomForPets: number; wasDropped: boolean }) => Room
  /** Whether sandbox keys lead to rooms at all. */
  enabled: boolean
  /** Of the mock. */
  seed: number
  /** Of the bytes that pets may take, from 0 to 1: less than all in a small heap. */
  share: number
  onNotice: ((notice: string) => void) | undefined
}): Rooms {
  const { create, enabled, seed, share, onNotice } = options
  /** The least recently used first. */
  const rooms = new Map<string, Room>()
  const awake = new Set<Room>()
  /** The one that was entered last, and the header that led there, if any. */
  let latest: { authorization: string | undefined; room: Room } | undefined
  /** Bytes that the pets of each room took when it was left. */
  const taken = new Map<Room, number>()
  let allTaken = 0
  let dropped = 0
  /** The latest of them, whose clients are told when they come back. */
  const lost = new Set<string>()

  function drop(name: string, why: string): void {
    remove(name)
    dropped += 1
    lost.add(name)
    const [first] = lost.size > mostRooms ? lost : []
    if (first !== undefined) lost.delete(first)
    if (onNotice !== undefined) tell(onNotice, `The sandbox ${name} was dropped, with its pets and its journal: ${why}`)
  }

  function remove(name: string): boolean {
    const room = rooms.get(name)
    if (room === undefined) return false
    rooms.delete(name)
    awake.delete(room)
    if (latest?.room === room) latest = undefined
    allTaken -= taken.get(room) ?? 0
    taken.delete(room)
    room.close()
    return true
  }

  /** The room that is left is the one whose pets may have grown. The one that was entered is the last to go. */
  function leave(room: Room): void {
    const bytes = room.bytes()
    allTaken += bytes - (taken.get(room) ?? 0)
    taken.set(room, bytes)
    for (const [name, idle] of rooms) {
      if (allTaken <= mostBytes * share || rooms.size === 1) break
      if ((taken.get(idle) ?? 0) > 0)
        drop(
          name,
          `the pets of all sandboxes together took more than ${Math.round((mostBytes * share) / 2 ** 20)} MiB.`,
        )
    }
  }

  function visit(name: string, authorization: string | undefined): Room {
    const room = enter(name)
    if (latest !== undefined && latest.room !== room) leave(latest.room)
    latest = { authorization, room }
    return room
  }

  function enter(name: string): Room {
    let room = rooms.get(name)
    if (room === undefined) {
      const [oldest] = rooms.size >= mostRooms ? rooms.keys() : []
      if (oldest !== undefined) drop(oldest, `there are at most ${mostRooms} sandboxes.`)
      const key = sandboxKey(name)
      room = create({
        name,
        key,
        seed: hash(`${seed} ${key}`),
        roomForPets: mostBytesOfRoom * share,
        wasDropped: lost.delete(name),
      })
    } else rooms.delete(name)
    rooms.set(name, room)
    awake.delete(room)
    awake.add(room)
    if (awake.size > mostAwake) {
      const [idle] = awake
      if (idle !== undefined) {
        awake.delete(idle)
        idle.rest()
      }
    }
    return room
  }

  return {
    find(authorization) {
      if (authorization === latest?.authorization) return latest.room
      if (!mayHoldSandboxKey(authorization)) return undefined
      const name = sandboxName(authorization.replace(/^bearer /i, '').trim())
      return name === undefined ? undefined : visit(name, authorization)
    },
    findMisplaced({ headers, target }) {
      const texts = [headers['authorization'], ...otherKeyHeaders.map((name) => headers[name]), target].flat()
      for (const text of texts) {
        const name = text === undefined ? undefined : (sandboxNameIn(text) ?? sandboxNameIn(basicOf(text)))
        if (name !== undefined) return visit(name, undefined)
      }
      return undefined
    },
    sandboxes: {
      list: () =>
        Array.from(rooms, ([name, { sandbox, journal }]) => ({
          name,
          key: sandbox.key,
          pets: sandbox.catalogue.size,
          requests: journal.requests,
        })),
      get(name) {
        if (!enabled) throw new UsageError('The sandboxes of this mock are switched off.')
        return visit(checked(name), undefined).sandbox
      },
      has: (name) => rooms.has(name),
      delete: remove,
      get dropped() {
        return dropped
      },
    },
    all: () => Array.from(rooms.values(), ({ sandbox }) => sandbox),
    journals: () => Array.from(rooms.values(), ({ journal }) => journal),
  }
}

/** The user and the password of the scheme Basic. */
function basicOf(authorization: string): string {
  const [, credentials = ''] = /^Basic +([\w+/=-]{1,400})$/i.exec(authorization) ?? []
  try {
    return atob(credentials)
  } catch {
    return ''
  }
}

/** @throws {UsageError} when no sandbox can have this name. */
function checked(name: string): string {
  const key = sandboxKey(name)
  if (sandboxName(key) !== name) throw new UsageError(`No sandbox can have the name ${JSON.stringify(name)}.`)
  return name
}
