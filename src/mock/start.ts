import { listen } from './adapters/node-server.ts'
import { createEngine, type Mock } from './mock.ts'
import { bodyLimit } from './problems.ts'
import { isCount, type MockOptions, readSettings, told } from './settings.ts'

/** What `startMock` takes: what `createMock` takes, and where to listen. */
export interface StartOptions extends MockOptions {
  /** A TCP port; 0, the default, takes a free one. */
  port?: number
  /** The address to listen on: `127.0.0.1` by default, so that no other machine reaches the mock. */
  host?: string
}

/** A mock that listens. */
export interface RunningMock extends Mock {
  /** The base URL: `http://127.0.0.1:4010/v1`. */
  readonly url: string
  readonly port: number
  /** Lets replies that are written out, ends every connection, and stops listening. May be called twice. */
  close: () => Promise<void>
}

/**
 * Starts a mock of the Pet Store Service as an HTTP server.
 *
 * @throws {UsageError} when options are wrong, or when it cannot listen there.
 * @example
 * const mock = await startMock({ pets: 30 })
 * const reply = await fetch(`${mock.url}/pets`, { headers: { authorization: `Bearer ${defaultKey}` } })
 * await reply.json() // 20 pets
 * await mock.close()
 */
export async function startMock(options: StartOptions = {}): Promise<RunningMock> {
  const { port = 0, host = '127.0.0.1' } = options
  const mistakes: string[] = []
  if (!isCount(port, 65_535)) mistakes.push(`port must be an integer from 0 to 65535, and was ${told(port)}.`)
  if (typeof host !== 'string' || host === '')
    mistakes.push(`host must be an address or a name, and was ${told(host)}.`)
  const settings = readSettings(options, ['port', 'host'], mistakes)
  const { mock, respond, refuse } = createEngine(settings, options.Collection)
  const server = await listen({ respond, refuse, bodyLimit }, { port, host })
  let closed: Promise<void> | undefined
  const running = {
    url: `http://${hostInUrl(host)}:${server.port}${settings.basePath}`,
    port: server.port,
    close: () => (closed ??= server.close()),
  }
  // A spread would ask for the pets, which nobody may ever need.
  return Object.defineProperties(running, Object.getOwnPropertyDescriptors(mock)) as typeof running & Mock
}

/** Whoever listens on all addresses is called by one. */
function hostInUrl(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
