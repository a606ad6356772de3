import { Agent, type Dispatcher } from 'undici'
import { createJudge, type ProxyJudge } from '../../src/proxy/judge.ts'
import type { Passed } from '../../src/proxy/forward.ts'
import type { MockRequest } from '../../src/mock/service/message.ts'

interface Chunked {
  statusCode: number
  headers: Record<string, string | string[]>
  body: AsyncIterable<Buffer>
}

/**
 * Checks the requests of a dispatcher like `petstore proxy`, without a proxy.
 *
 * @param baseUrl of the deployment
 * @param onPassed called with each exchange
 */
export function judging(
  baseUrl: string,
  dispatcher: Dispatcher,
  onPassed?: (passed: Passed) => void,
): { dispatcher: Dispatcher; judge: ProxyJudge } {
  const judge = createJudge(baseUrl)
  const request = async (options: Dispatcher.RequestOptions): Promise<Chunked> => {
    const since = performance.now()
    const at = Date.now()
    const sent = Buffer.from((options.body as string | null) ?? '')
    const pass = (result: Pick<Passed, 'response' | 'own'>): void => {
      const passed: Passed = {
        request: {
          method: options.method,
          target: options.path,
          headers: {
            host: 'localhost',
            ...(options.headers as MockRequest['headers']),
            ...(sent.length > 0 && { 'content-length': String(sent.length) }),
          },
          body: '',
        },
        sent: { bytes: sent, isPart: false },
        at,
        durationMs: performance.now() - since,
        ...result,
        isAbandoned: false,
        release() {},
      }
      judge.judge(passed)
      onPassed?.(passed)
    }
    const response = await dispatcher.request(options).catch((error: unknown) => {
      pass({ own: { status: 502, message: 'There was no response.' } })
      throw error
    })
    const { statusCode, headers, body } = response as unknown as Chunked
    const chunks: Buffer[] = []
    let failure: Error | undefined
    try {
      for await (const chunk of body) chunks.push(chunk)
    } catch (error) {
      failure = error as Error
    }
    const flat = Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      [value].flat().join(', '),
    ])
    pass({
      response: {
        status: statusCode,
        headers: Object.fromEntries(flat) as Record<string, string>,
        body: { bytes: Buffer.concat(chunks), isPart: false },
        isCut: failure !== undefined,
      },
    })
    return { statusCode, headers, body: Object.assign(replay(chunks, failure), { destroy() {} }) }
  }
  return { dispatcher: { request } as unknown as Dispatcher, judge }
}

/** The chunks of a body that was read, and the failure at its end. */
export async function* replay(
  chunks: readonly Buffer[],
  failure: Error | undefined,
): AsyncGenerator<Buffer> {
  yield* chunks
  if (failure !== undefined) throw failure
}

/** Like `judging`, for a deployment that listens on a socket. */
export const judgingOver = (
  baseUrl: string,
): ReturnType<typeof judging> & { close: () => Promise<void> } => {
  const agent = new Agent()
  return { ...judging(baseUrl, agent), close: () => agent.close() }
}
