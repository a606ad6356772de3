import { createSecureServer, type Http2SecureServer } from 'node:http2'
import type { Server, Socket } from 'node:net'
import { createSecureContext, type TLSSocket } from 'node:tls'

import { UsageError } from '../../errors.ts'

/** A certificate with its chain, and its private key, in PEM. */
export interface Tls {
  cert: string
  key: string
}

/** Streams of a connection at a time; more are refused by HTTP/2 itself. */
const mostStreams = 100
/** Bytes of headers that are read, and headers. Node resets a stream with more. */
const mostReadBytes = 65_536
const mostHeaders = 2_000

/** @throws {UsageError} when certificate and key are none, or are not of each other */
export function createTlsServer(tls: Tls, handshakeTimeout: number): Http2SecureServer {
  try {
    createSecureContext({ ...tls })
  } catch (error) {
    throw new UsageError(`tls: the certificate or its key cannot be used: ${(error as Error).message}`, {
      cause: error,
    })
  }
  return createSecureServer({
    ...tls,
    allowHTTP1: true,
    handshakeTimeout,
    maxHeaderListPairs: mostHeaders,
    settings: { maxConcurrentStreams: mostStreams, maxHeaderListSize: mostReadBytes, enablePush: false },
  })
}

/**
 * Calls back with each connection of HTTP/1.1, and the socket below its TLS.
 *
 * @returns the sockets of the others: of HTTP/2, and of those that have not agreed on a protocol yet.
 */
export function onTlsConnection(server: Server, open: (socket: Socket, raw?: Socket) => void): Set<Socket> {
  const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`
  const sockets = new Map<string, Socket>()
  const others = new Set<Socket>()
  server.on('connection', (raw: Socket) => {
    const peer = peerOf(raw)
    sockets.set(peer, raw)
    others.add(raw)
    raw.once('close', () => {
      sockets.delete(peer)
      others.delete(raw)
    })
  })
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol === 'h2') return
    const raw = sockets.get(peerOf(socket))
    if (raw !== undefined) others.delete(raw)
    open(socket, raw)
  })
  return others
}
