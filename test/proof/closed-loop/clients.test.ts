/** Correct clients behind `petstore proxy`, and in an archive for `petstore judge`: whatever the deployment does, nobody blames them. */
import { Buffer, isUtf8 } from 'node:buffer'
import { writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { Agent, type Dispatcher } from 'undici'
import { afterAll, describe, expect, test } from 'vitest'
import { readArchive } from '../../../src/cli/proxy/archive.ts'
import { type Report, verify } from '../../../src/contract/index.ts'
import type { Passed } from '../../../src/proxy/forward.ts'
import { fail } from '../../../src/errors.ts'
import { createJudge, type ProxyJudge } from '../../../src/proxy/judge.ts'
import { toHarEntry } from '../../../src/report/har.ts'
import { makeFolder } from '../../support/folder.ts'
import { judging, replay } from '../../support/judge-traffic.ts'
import { sample } from '../../support/level.ts'
import type { RunningVariant, Time } from '../../support/variants/running-variant.ts'
import { serve, systemTime } from '../../support/variants/serve.ts'
import { carryOutAt } from '../../support/verify-in-process.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'
import { type BrokenServer, brokenServers } from '../broken/catalog.ts'

const folder = makeFolder({}, afterAll)
let archives = 0

/** How long the clients, or the proxy, wait for a response. */
const timeoutMs = 1_500

/** A deployment, and how it is called in the time of a test. */
async function open({ start, needsSockets }: Pick<BrokenServer, 'start' | 'needsSockets'>) {
  const clock = new VirtualClock()
  const time: Time =
    needsSockets === true ? systemTime : { now: () => clock.now(), sleep: (ms) => clock.sleep(ms) }
  const { url, key, dispatcher, close } = await start(needsSockets === true ? undefined : time)
  const own = dispatcher === undefined ? new Agent() : undefined
  const deployment = {
    url,
    key,
    time,
    clock,
    dispatcher: dispatcher ?? own ?? fail('There is no dispatcher.'),
  }
  return {
    ...deployment,
    async close(): Promise<void> {
      await own?.destroy()
      await close()
    },
  }
}

type Deployment = Awaited<ReturnType<typeof open>>

/** Ends requests without a whole response in time. */
function impatient({ dispatcher, time }: Deployment): Dispatcher {
  const receive = async (options: Dispatcher.RequestOptions): Promise<object> => {
    const { statusCode, headers, body } = await dispatcher.request(options)
    const chunks: Buffer[] = []
    let failure: Error | undefined
    try {
      for await (const chunk of body) chunks.push(chunk as Buffer)
    } catch (error) {
      failure = error as Error
    }
    return { statusCode, headers, body: replay(chunks, failure) }
  }
  const late = async (): Promise<never> => {
    await time.sleep(timeoutMs)
    throw new Error('There was no response in time.')
  }
  const request = (options: Dispatcher.RequestOptions) => Promise.race([receive(options), late()])
  return { request } as unknown as Dispatcher
}

/** Lists, creates and fetches as the specification says, and goes on after each failure. */
async function useAsSpecified({ url, key, time }: Deployment, dispatcher: Dispatcher) {
  const { origin, pathname } = new URL(url)
  const headers = { accept: 'application/json', authorization: `Bearer ${key}` }
  const send = async (method: 'GET' | 'POST', path: string, pet?: object): Promise<string> => {
    const sent = {
      origin,
      method,
      path: `${pathname}/pets${path}`,
      headers: { ...headers, ...(pet && { 'content-type': 'application/json' }) },
      ...(pet && { body: JSON.stringify(pet) }),
    }
    // A person takes seconds between two steps.
    await time.sleep(time === systemTime ? 1 : 2_500)
    try {
      const { body } = await dispatcher.request(sent)
      const chunks: Buffer[] = []
      for await (const chunk of body) chunks.push(chunk as Buffer)
      return Buffer.concat(chunks).toString()
    } catch {
      return ''
    }
  }
  await send('GET', '')
  for (const status of ['available', 'pending', 'sold']) await send('GET', `?status=${status}`)
  for (const [index, status] of ['available', 'pending', 'sold', undefined].entries()) {
    const created = await send('POST', '', { name: `Rex ${index}`, categoryId: 1 + index, status })
    const [, id] = /"id"\s*:\s*(\d{1,18})\b/.exec(created) ?? []
    if (id !== undefined) await send('GET', `/${id}`)
  }
  await send('GET', '?limit=100')
  await send('GET', '?limit=2&status=sold')
}

/** The exchanges as an archive of a recorder that leaves nothing out. */
async function judgeArchive(url: string, passed: readonly Passed[]): Promise<ProxyJudge> {
  const entries = passed.map(({ request, sent, response, at, durationMs }) => {
    const { status = 0, headers = {}, body, isCut } = response ?? {}
    const bytes = Buffer.from(body?.bytes ?? [])
    const coding = isUtf8(bytes) ? 'utf8' : 'base64'
    const { response: recorded, ...entry } = toHarEntry({
      startedDateTime: new Date(at).toISOString(),
      durationMs,
      request: {
        method: request.method,
        url: new URL(request.target, url).href,
        headers: request.headers as Record<string, string>,
        body: request.method === 'POST' ? sent.bytes.toString() : undefined,
      },
      response: {
        status,
        headers,
        content: isCut ? { size: -1 } : { size: bytes.length, text: bytes.toString(coding) },
      },
    })
    const content = { ...recorded.content, ...(coding === 'base64' && { encoding: coding }) }
    return { ...entry, response: { ...recorded, content } }
  })
  const file = join(folder, `${(archives += 1)}.har`)
  writeFileSync(file, JSON.stringify({ log: { entries } }))
  const judge = createJudge(url)
  for (const [index, one] of (await readArchive(file)).exchanges.entries())
    judge.judge({ ...one.passed, sentAt: index })
  return judge
}

/** What is said about the clients, except for their use of a deprecated operation. */
async function blame({ mock }: ProxyJudge): Promise<string[]> {
  const cards = await mock.scorecards()
  return cards.flatMap(({ subject, issues }) => [
    ...(subject === 'no valid key' ? [subject] : []),
    ...issues
      .filter(({ severity }) => severity !== 'notice')
      .map(({ id, message }) => `${id}: ${message}`),
  ])
}

const verdictOf = (judge: ProxyJudge): Report['verdict'] =>
  judge.report(judge.hasJudged() ? undefined : judge.whyNothing()?.reason).verdict

const violatedIn = (judge: ProxyJudge): string[] =>
  judge.report().findings.map(({ requirement }) => requirement)

/** The requirements that a response to a correct client breaks by itself, as the suite says. */
const shownAlone = ({ findings }: Report): string[] =>
  findings
    .filter(({ check, exchanges }) => check === 'every-response' && exchanges.length === 1)
    .map(({ requirement }) => requirement)

const onlyFails = (respond: (response: ServerResponse) => unknown): BrokenServer['start'] => {
  const server = createServer((request, response) => {
    request.resume()
    respond(response)
  })
  return (time): Promise<RunningVariant> => serve(server, { time })
}

const page = (status: number, type: string, text: string) =>
  onlyFails((response) => response.writeHead(status, { 'content-type': type }).end(text))

/** Deployments that only fail, and the verdict of their traffic. */
const failing: [id: string, verdict: Report['verdict'], start: BrokenServer['start']][] = [
  [
    'an Error 500',
    'violates',
    page(500, 'application/json', '{"code":"x","message":"y","status":500}'),
  ],
  ['an empty 500', 'violates', onlyFails((response) => response.writeHead(500).end())],
  ['a page 500', 'violates', page(500, 'text/html', '<h1>Internal Server Error</h1>')],
  [
    'an Error 501',
    'violates',
    page(501, 'application/json', '{"code":"x","message":"y","status":501}'),
  ],
  ['a page 502', 'not-verified', page(502, 'text/html', '<h1>Bad Gateway</h1>')],
  ['a page 503', 'not-verified', page(503, 'text/html', '<h1>Service Unavailable</h1>')],
  [
    'an Error 503',
    'not-verified',
    page(503, 'application/json', '{"code":"x","message":"y","status":503}'),
  ],
  ['a page 504', 'not-verified', page(504, 'text/html', '<h1>Gateway Timeout</h1>')],
  ['a 521', 'not-verified', page(521, 'text/html', '<h1>Web server is down</h1>')],
  [
    'a 429',
    'not-verified',
    page(429, 'application/json', '{"code":"x","message":"y","status":429}'),
  ],
  ['silence', 'not-verified', onlyFails(() => {})],
  ['resets', 'not-verified', onlyFails(({ socket }) => socket?.destroy())],
  [
    'half of a head',
    'not-verified',
    onlyFails(({ socket }) => socket?.end('HTTP/1.1 200 OK\r\nContent-Ty')),
  ],
  [
    'a redirect',
    'not-verified',
    onlyFails((response) => response.writeHead(302, { location: 'https://login.example/' }).end()),
  ],
]

describe('a deployment that only responds with', () => {
  test.each(failing)(
    '%s: the traffic is %s, and no client is blamed',
    async (_, verdict, start) => {
      const passed: Passed[] = []
      const deployment = await open({ start })
      try {
        const { dispatcher, judge } = judging(deployment.url, impatient(deployment), (one) =>
          passed.push(one),
        )
        await useAsSpecified(deployment, dispatcher)
        const archive = await judgeArchive(deployment.url, passed)
        expect([verdictOf(judge), await blame(judge)]).toEqual([verdict, []])
        expect([verdictOf(archive), await blame(archive)]).toEqual([verdict, []])
        if (verdict === 'violates') expect(violatedIn(judge)).toContain('list.success')
      } finally {
        await deployment.close()
      }
    },
  )
})

test('what a key is shows later: each view of the scorecards counts all requests by it', async () => {
  const judge = createJudge('http://localhost:1/v1')
  const pass = (key: string, status: number): void =>
    judge.judge({
      request: {
        method: 'GET',
        target: '/v1/pets',
        headers: { host: 'localhost:1', authorization: `Bearer ${key}` },
        body: '',
      },
      sent: { bytes: Buffer.alloc(0), isPart: false },
      at: Date.now(),
      durationMs: 1,
      response: {
        status,
        headers: { 'content-type': 'application/json' },
        body: { bytes: Buffer.from('[]'), isPart: false },
        isCut: false,
      },
      isAbandoned: false,
      release() {},
    })
  const seen = async (): Promise<unknown[]> =>
    (await judge.mock.scorecards()).map(({ subject, requests, score }) => [
      subject,
      requests,
      score,
    ])
  pass('one-1', 500)
  expect(await seen()).toEqual([['main (default key)', 1, 100]])
  pass('one-1', 401)
  expect(await seen()).toEqual([['no valid key', 2, 0]])
  pass('two-2', 503)
  pass('three-3', 200)
  expect(await seen()).toEqual([
    ['main (key 1)', 1, 100],
    ['main (key 2)', 1, 100],
    ['no valid key', 2, 0],
  ])
  pass('one-1', 200)
  pass('three-3', 401)
  expect(await seen()).toEqual([
    ['main (key 1)', 1, 100],
    ['main (key 2)', 2, 100],
    ['main (key 3)', 3, 100],
  ])
})

describe('the traffic of a broken server', () => {
  const chosen = sample(
    brokenServers.filter(({ id }) => !rejectsAll.has(id)),
    { usual: 48, slow: 8, all: 1 },
  )
  const [apart, together] = [true, false].map((isApart) =>
    chosen.filter(({ needsSockets = false }) => needsSockets === isApart),
  )

  test.concurrent.each(together ?? [])(
    '$id shows what it shows the suite, and blames no client',
    expectFair,
  )
  test.each(apart ?? [])('$id shows what it shows the suite, and blames no client', expectFair)
})

/** A client cannot show that its key is valid where each key is rejected. */
const rejectsAll = new Set([
  'always-401',
  'always-401-empty',
  'closed-port',
  'header-name-in-one-case',
])

/** A response that ends early is not judged: the network may have lost its end. */
const endsEarly = new Set(['m115-body-cut-short', 'chunks-without-end'])

/** An archive has the texts of bodies, not how they were compressed. */
const notInArchive = new Set(['plain-called-gzip'])

async function expectFair(server: BrokenServer): Promise<void> {
  const passed: Passed[] = []
  const deployment = await open(server)
  const { url, key, clock } = deployment
  try {
    const clients = judging(url, impatient(deployment), (one) => passed.push(one))
    await useAsSpecified(deployment, clients.dispatcher)
    expect(await blame(clients.judge)).toEqual([])
    const archive = await judgeArchive(url, passed)
    expect(await blame(archive)).toEqual([])
    if (!notInArchive.has(server.id)) expect(verdictOf(archive)).toBe(verdictOf(clients.judge))
    const suite = judging(url, deployment.dispatcher)
    const input = { baseUrl: url, apiKey: key, settleMs: 600, timeoutMs, retryBudgetMs: 3_000 }
    const report = await (server.needsSockets === true
      ? verify({ ...input, dispatcher: suite.dispatcher })
      : carryOutAt(clock, { ...input, dispatcher: suite.dispatcher }))
    const shown = endsEarly.has(server.id) ? [] : shownAlone(report)
    const violated = violatedIn(suite.judge)
    expect(shown.filter((id) => !violated.includes(id))).toEqual([])
  } finally {
    await deployment.close()
  }
}
