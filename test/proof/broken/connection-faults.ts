import { deflateRawSync, gzipSync } from 'node:zlib'
import type { RequirementId } from '../../../src/spec/requirements.ts'
import type { Time } from '../../support/variants/running-variant.ts'
import type { VariantOptions } from '../../support/variants/settings.ts'
import { type Call, withValidKey, withBody } from './call.ts'
import { fault, type Page, type Row, type Seams } from './fault.ts'
import { isSuccess, isList, bytes } from './pages.ts'
import type { Socket } from 'node:net'
import type { StoredPet } from '../../support/variants/pet-table.ts'
import { problem } from './response-edits.ts'
import { stored, success } from './requirement-groups.ts'
import { watched, withoutAnywhere } from './places.ts'

/** Sends fewer bytes than declared, and closes the connection. */
const cutShort = ({ sleep }: Time, when: (page: Page, call: Call) => boolean): Seams => ({
  write(page, call, response) {
    if (!when(page, call) || page.body.length < 2) return page
    response.writeHead(page.status, { ...page.headers, 'content-length': String(page.body.length) })
    response.write(
      page.body.subarray(0, page.body.length >> 1),
      () => void sleep(5).then(() => call.socket.destroy()),
    )
    return undefined
  },
})

const utf8: RequirementId[] = ['http.json-body']
const newest: VariantOptions = { pets: 40, ids: 'random', order: 'newest' }

/** Bodies that are cut short or compressed without a correct header. */
export const framingFaults: Row[] = [
  fault('m115-body-cut-short', utf8, (time) => cutShort(time, isSuccess)),
  fault('content-length-one-less', utf8, () => ({
    write(page, call) {
      if (!isSuccess(page)) return page
      call.socket.end(
        `HTTP/1.1 ${page.status} OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ${page.body.length - 1}\r\n\r\n${page.body.subarray(0, -1).toString('latin1')}`,
        'latin1',
      )
      return undefined
    },
  })),
  fault('content-length-in-characters', utf8, () => ({
    shop: newest,
    write(page) {
      const { length } = page.body.toString()
      return {
        ...page,
        headers: { ...page.headers, 'content-length': String(length) },
        body: page.body.subarray(0, length),
      }
    },
  })),
  fault('chunks-without-end', utf8, () => ({
    write(page, call) {
      if (!isList(page, call)) return page
      call.socket.end(
        `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${page.body.length.toString(16)}\r\n${page.body.toString('latin1')}\r\n`,
        'latin1',
      )
      return undefined
    },
  })),
  fault('m115-gzip-unannounced', utf8, () => bytes((body) => gzipSync(body))),
  fault('gzip-unannounced-where-asked', utf8, () =>
    bytes(
      (body) => gzipSync(body),
      (page, { request }) =>
        isSuccess(page) && String(request.headers['accept-encoding']).includes('gzip'),
    ),
  ),
  fault('plain-called-gzip', utf8, () => ({
    write: (page) =>
      isSuccess(page)
        ? { ...page, headers: { ...page.headers, 'content-encoding': 'gzip' } }
        : page,
  })),
  fault('raw-deflate', utf8, () => ({
    write: (page) =>
      isSuccess(page)
        ? {
            ...page,
            headers: { ...page.headers, 'content-encoding': 'br' },
            body: deflateRawSync(page.body),
          }
        : page,
  })),
  fault('gzip-cut-short', utf8, () => ({
    write: (page, call) =>
      isList(page, call)
        ? {
            ...page,
            headers: { ...page.headers, 'content-encoding': 'gzip' },
            body: gzipSync(page.body).subarray(0, -9),
          }
        : page,
  })),
]

/** Numbers connections in order of arrival. */
function createCounter(): (socket: Socket) => number {
  const known = new WeakMap<Socket, number>()
  let count = 0
  return (socket) => {
    const nth = known.get(socket) ?? ++count
    known.set(socket, nth)
    return nth
  }
}

/** Hides pets depending on the connections of their creation and of the current request. */
function perConnection(
  isGone: (pet: StoredPet, maker: Socket | undefined, reader: Socket | undefined) => boolean,
): Seams {
  const makers = new Map<bigint, Socket>()
  let current: Socket | undefined
  return {
    shop: { pets: 40, ids: 'random' },
    hear(call) {
      current = call.socket
      return call
    },
    store: (table) =>
      withoutAnywhere(
        watched(table, ({ id }) => current && makers.set(id, current)),
        (pet) => isGone(pet, makers.get(pet.id), current),
      ),
  }
}

const open: RequirementId[] = [
  'auth.required',
  'auth.missing-key',
  'auth.invalid-key',
  'list.401',
  'get.401',
  'create.401',
]

/** Faults that depend on clients and networks, although the requests are equal. */
export const arrivalFaults: Row[] = [
  fault('each-piece-of-a-body-decoded', ['create.success'], () => ({
    hear: (call) => withBody(call, (call.pieces ?? []).map(String).join('')),
  })),
  fault('header-name-in-one-case', ['auth.bearer'], () => ({
    write: (page, call, { req }) =>
      req.rawHeaders.includes('Authorization')
        ? page
        : { ...page, status: 401, body: Buffer.from('{"code":"key","message":"","status":401}') },
  })),
]

/** One of several workers, which gets some of the connections, is broken. */
export const connectionFaults: Row[] = [
  fault('each-3rd-connection-open', open, () => {
    const nth = createCounter()
    return { hear: (call) => (nth(call.socket) % 3 === 0 ? withValidKey(call) : call) }
  }),
  fault('each-3rd-connection-500', [...success, 'get.not-found'], () => {
    const nth = createCounter()
    return {
      say: (reply, { socket, operation }) =>
        nth(socket) % 3 === 0 && operation === 'getPet' && reply.status === 200
          ? problem(500)
          : reply,
    }
  }),
  fault('each-3rd-connection-gets-no-new-pet', stored, () => {
    const nth = createCounter()
    const isNew = new Set<string>()
    return {
      shop: { pets: 40, ids: 'random' },
      store: (table) => watched(table, ({ id }) => isNew.add(String(id))),
      respond: (call, serve) =>
        isNew.has(call.petId ?? '') && nth(call.socket) % 3 === 0 ? problem(404) : serve(call),
    }
  }),
  fault('own-connection-only', stored, () =>
    perConnection((pet, maker, reader) => pet.madeByClient && maker !== reader),
  ),
  fault('other-connections-only', stored, () =>
    perConnection((pet, maker, reader) => pet.madeByClient && maker === reader),
  ),
  fault('key-of-a-connection-for-a-moment', open, ({ now }) => {
    const accepted = new WeakMap<object, number>()
    return {
      hear(call) {
        if (call.operation !== 'createPet') return call
        if (call.isAuthorized) accepted.set(call.socket, now())
        return now() - (accepted.get(call.socket) ?? -Infinity) < 250 ? withValidKey(call) : call
      },
    }
  }),
  fault(
    'key-once-per-connection-for-get',
    ['get.401', 'auth.required', 'auth.missing-key', 'auth.invalid-key'],
    () => {
      const known = new WeakSet<object>()
      return {
        hear(call) {
          if (call.operation !== 'getPet') return call
          if (call.isAuthorized) known.add(call.socket)
          return known.has(call.socket) ? withValidKey(call) : call
        },
      }
    },
  ),
]
