import { Pool } from 'undici'

/** What became of a request. */
export type Outcome =
  | { status: number; text: string; headers: Record<string, string | string[] | undefined> }
  /** No whole reply came. */
  | { failed: string }

export interface Asked {
  method: string
  path: string
  headers?: Record<string, string>
  body?: string
}

/** A client that keeps some connections to a mock. */
export interface Client {
  /** Never rejects. */
  ask: (asked: Asked) => Promise<Outcome>
  close: () => Promise<void>
}

/** Nothing takes longer, a slow body included: milliseconds. */
const timeoutMs = 20_000

/** Asks a mock on this machine over so many connections. Each request is sent once. */
export function createClient(port: number, connections: number): Client {
  const pool = new Pool(`http://127.0.0.1:${port}`, {
    connections,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    keepAliveTimeout: timeoutMs,
  })
  return {
    async ask({ method, path, headers = {}, body }) {
      try {
        const reply = await pool.request({
          method,
          path,
          headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
          body: body ?? null,
        })
        return { status: reply.statusCode, headers: reply.headers, text: await reply.body.text() }
      } catch (error) {
        return { failed: (error as Error).message }
      }
    },
    close: () => pool.close(),
  }
}
