/** Code of the page: a client of the service, with the MSW worker or with a server. */

import { setupWorker } from 'msw/browser'

import {
  createHandlers,
  createMock,
  defaultKey,
  type Mock,
} from '../../../src/mock/adapters/msw.ts'
import { type Case, headersOf, sequences } from '../adapters/cases.ts'
import { type Answer, answerOf, differencesOf, mistakesOf } from '../adapters/compare.ts'
import { addBigPet, sendDirectly } from '../adapters/in-process.ts'

export interface Page {
  /** Sends the cases that a page can send; returns the mistakes in the responses. */
  runCases: (baseUrl: string, methods: readonly string[]) => Promise<string[]>
  /** The same through a worker, whose responses must equal those of the mock byte for byte. */
  runThroughWorker: (baseUrl: string) => Promise<string[]>
  /** Triggers faults, an error, a delay and a reset through the worker. */
  runFaults: (baseUrl: string) => Promise<Record<string, unknown>>
  violations: string[]
}

/** A global of the page, which the Node types do not have. */
declare function addEventListener(
  type: 'securitypolicyviolation',
  listener: (event: { violatedDirective: string; blockedURI: string }) => void,
): void

const headers = { authorization: `Bearer ${defaultKey}` }
const mocks = new Map<string, Mock>()
let worker: ReturnType<typeof setupWorker> | undefined

/** Starts the worker with another mock. */
async function mockAt(baseUrl: string, options: Parameters<typeof createMock>[0]): Promise<Mock> {
  const handlers = createHandlers(createMock(options), { baseUrl })
  mocks.set(baseUrl, handlers.mock)
  if (worker === undefined) {
    worker = setupWorker(...handlers)
    await worker.start({ quiet: true, onUnhandledRequest: 'bypass' })
  } else worker.resetHandlers(...handlers)
  return handlers.mock
}

async function send(baseUrl: string, sent: Case): Promise<Answer> {
  const response = await fetch(baseUrl.replace(/\/v1$/, sent.target), {
    method: sent.method,
    headers: headersOf(sent),
    ...(sent.body !== undefined && { body: sent.body as string }),
  })
  return answerOf(response)
}

/** Cases that a page can send: it cannot set some headers or see a redirect. */
function casesFor(sequence: (typeof sequences)[number], methods: readonly string[]): Case[] {
  return sequence.cases.filter(
    (one) => one.notFromPages === undefined && methods.includes(one.method),
  )
}

async function runCases(baseUrl: string, methods: readonly string[]): Promise<string[]> {
  const [first] = sequences
  const wrong: string[] = []
  for (const { has: _, ...sent } of first === undefined ? [] : casesFor(first, methods)) {
    try {
      wrong.push(
        ...mistakesOf(sent, await send(baseUrl, sent)).map((mistake) => `${sent.name}: ${mistake}`),
      )
    } catch (error) {
      wrong.push(`${sent.name}: ${String(error)}`)
    }
  }
  return wrong
}

async function runThroughWorker(baseUrl: string): Promise<string[]> {
  const wrong: string[] = []
  for (const sequence of sequences) {
    const options = { pets: 3, ...sequence.options }
    const [mock, original] = [await mockAt(baseUrl, options), createMock(options)]
    for (const one of [mock, original]) addBigPet(one)
    for (const sent of casesFor(sequence, [
      'GET',
      'HEAD',
      'POST',
      'PUT',
      'PATCH',
      'DELETE',
      'OPTIONS',
    ])) {
      const [reply, expected] = [await send(baseUrl, sent), await sendDirectly(original, sent)]
      const { location, ...others } = reply.headers
      // The host is that of the page.
      const shown = {
        ...others,
        ...(location !== undefined && {
          location: location.replace(/^http:\/\/[^/]+/, 'http://petstore.test'),
        }),
      }
      const seen = { ...reply, headers: shown }
      const mistakes = [...mistakesOf(sent, seen), ...differencesOf(seen, expected, sent.method)]
      wrong.push(...mistakes.map((mistake) => `${sent.name}: ${mistake}`))
    }
  }
  return wrong
}

async function runFaults(baseUrl: string): Promise<Record<string, unknown>> {
  const mock = await mockAt(baseUrl, {})
  const list = (init: RequestInit = {}): Promise<Response> =>
    fetch(`${baseUrl}/pets`, { headers, ...init })
  const failing = (run: Promise<unknown>): Promise<string> =>
    run.then(
      () => 'nothing',
      (error: Error) => error.name,
    )
  const tooLong = (): Promise<string> =>
    new Promise((resolve) => void setTimeout(resolve, 60_000, 'no end'))
  const found: Record<string, unknown> = {}

  mock.use({ fault: 'reset', times: 1 })
  found['reset'] = await failing(list())
  mock.use({ fault: 'truncated-body', times: 1 })
  const cut = list().then(async (response) => [response.status, await failing(response.text())])
  found['truncated'] = await Promise.race([cut, tooLong()])
  mock.use({ reply: { status: 503, headers: { 'retry-after': '1' } }, times: 1 })
  const rejected = await list()
  found['rejected'] = [
    rejected.status,
    rejected.headers.get('retry-after'),
    ((await rejected.json()) as { status: number }).status,
  ]
  mock.use({ delayMs: 60, times: 1 })
  const sentAt = performance.now()
  found['delayed'] = [(await list()).status, performance.now() - sentAt > 55]
  mock.use({ fault: { slowBodyMs: 60 }, times: 1 })
  found['slow'] = ((await (await list()).json()) as unknown[]).length
  mock.use({ fault: 'silence', times: 1 })
  const aborting = new AbortController()
  const arrived = mock.journal.waitFor({ after: mock.journal.last()?.number ?? 0 })
  const silent = failing(list({ signal: aborting.signal }))
  await arrived
  aborting.abort()
  found['silent'] = await silent
  found['pending rules'] = mock.pendingRules().length

  const json = { ...headers, 'content-type': 'application/json' }
  const body = '{"name":"Rex","categoryId":9007199254740993}'
  const created = await fetch(`${baseUrl}/pets`, { method: 'POST', headers: json, body })
  found['created'] = [created.status, await created.text()]
  found['before the reset'] = (await fetch(`${baseUrl}/pets/101`, { headers })).status
  mock.reset()
  found['after the reset'] = (await fetch(`${baseUrl}/pets/101`, { headers })).status

  mock.configure({ profile: { 'http.trailing-slash': 'redirect' } })
  const moved = await fetch(`${baseUrl}/pets/?limit=1`, { headers })
  found['redirected'] = [moved.status, moved.redirected, ((await moved.json()) as unknown[]).length]
  found['beside the base URL'] = await (await fetch('/beside.txt')).text()
  return found
}

const page: Page = { runCases, runThroughWorker, runFaults, violations: [] }
addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
  page.violations.push(`${violatedDirective} ${blockedURI}`)
})
Object.assign(globalThis, { page })
