import { get, type IncomingMessage } from 'node:http'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { defaultKey, sandboxKey } from '../../../src/mock/index.ts'
import { parseJson, printJson } from '../../../src/json.ts'
import type { WritableJournal } from '../../../src/mock/journal/journal.ts'
import type { JournalEntry } from '../../../src/mock/journal/entry.ts'
import type { MockReply } from '../../../src/mock/service/message.ts'
import { Arrivals } from '../../support/arrivals.ts'
import { bodyOf, sendTo, controlInProcess, startControlled } from './control.ts'
import { mistakesBy } from './document.ts'

const withKey = (key = defaultKey) => ({ headers: { authorization: `Bearer ${key}` } })
const newPet = { name: 'Rex', categoryId: 1, status: 'sold' }

describe('waiting', () => {
  const creation = `when=${encodeURIComponent('{"body":{"name":{"contains":"Rex"}}}')}`
  const creating = {
    body: newPet,
    headers: { ...withKey().headers, 'content-type': 'application/json' },
  }

  test('ends with the wanted number, earlier ones included', async () => {
    const { mock, call } = await startControlled()
    const create = () => sendTo(mock.port, 'POST', '/v1/pets', creating)
    await create()
    expect((await call('GET', `/journal/count?${creation}`)).json).toEqual({ count: 1 })
    const waiting = call('GET', `/journal/count?${creation}&wait=3&timeoutMs=60000`)
    const listing = call('GET', `/journal?operation=createPet&wait=2&timeoutMs=60000`)
    await create()
    expect((await listing).json.entries).toHaveLength(2)
    await sendTo(mock.port, 'GET', '/v1/pets', withKey())
    await create()
    expect((await waiting).json).toEqual({ count: 3 })
    expect((await call('GET', '/journal/count?operation=listPets&wait=1')).json.count).toBe(1)
  })

  test('ends after the timeout with what there is', async () => {
    const { call } = await startControlled()
    const started = performance.now()
    const { status, json } = await call('GET', '/journal/count?wait=1&timeoutMs=120')
    expect([status, json]).toEqual([200, { count: 0 }])
    expect(performance.now() - started).toBeGreaterThan(100)
  })

  test('counts anew after the journal was cleared', async () => {
    const { mock, call } = await startControlled()
    for (let sent = 0; sent < 2; sent += 1) await sendTo(mock.port, 'POST', '/v1/pets', creating)
    const waiting = call('GET', `/journal/count?wait=3&timeoutMs=60000`)
    // Its first count is over when a later call has had its turn.
    await call('GET', '/journal?limit=1')
    await call('DELETE', '/journal')
    await call('GET', '/journal?limit=1')
    await new Promise((resolve) => void setTimeout(resolve, 150))
    for (let sent = 0; sent < 3; sent += 1) await sendTo(mock.port, 'POST', '/v1/pets', creating)
    expect((await waiting).json).toEqual({ count: 3 })
  })

  test('is limited per sandbox, and ends with the mock', async () => {
    const { mock, call } = await startControlled()
    const name = 'team-a'
    await call('POST', '/sandboxes', { body: { name } })
    const path = `/_petstore/sandboxes/${name}/journal/count?wait=1&timeoutMs=60000`
    const pending = Array.from({ length: 8 }, () =>
      sendTo(mock.port, 'GET', path).catch(({ code }: NodeJS.ErrnoException) => code),
    )
    await expect
      .poll(async () => {
        const { status, json } = await sendTo(mock.port, 'GET', path.replace('60000', '0'))
        return [status, json.message]
      })
      .toEqual([503, expect.stringContaining('8 streams of this sandbox are open')])
    expect((await call('GET', `/sandboxes/${name}/journal`)).status).toBe(200)
    await mock.close()
    expect(await Promise.all(pending)).toEqual(Array(8).fill('ECONNRESET'))
  })

  test('gives its place to others when the client leaves, or the sandbox is deleted', async () => {
    const { mock, call } = await startControlled()
    await call('POST', '/sandboxes', { body: { name: 'team-a' } })
    const path = '/_petstore/sandboxes/team-a/journal/count?wait=1&timeoutMs=60000'
    const requests = Array.from({ length: 8 }, () =>
      get({ port: mock.port, path }).on('error', () => {}),
    )
    const isFull = async (): Promise<boolean> =>
      (await sendTo(mock.port, 'GET', path.replace('60000', '0'))).status === 503
    await expect.poll(isFull).toBe(true)
    for (const request of requests) request.destroy()
    await expect.poll(isFull).toBe(false)
    const waiting = sendTo(mock.port, 'GET', path)
    await new Promise((resolve) => void setTimeout(resolve, 100))
    await call('DELETE', '/sandboxes/team-a')
    expect((await waiting).status).toBe(200)
  })
})

describe('the list', () => {
  async function startUsed() {
    const { mock, call } = await startControlled()
    const { headers } = withKey()
    await sendTo(mock.port, 'GET', '/v1/pets?limit=3', { headers })
    await sendTo(mock.port, 'POST', '/v1/pets', {
      body: newPet,
      headers: { ...headers, 'content-type': 'application/json' },
    })
    await sendTo(mock.port, 'GET', '/v1/pets/99', { headers })
    await sendTo(mock.port, 'GET', '/v1/pets')
    await sendTo(mock.port, 'GET', '/v1/toys', { headers })
    const numbersAt = async (path: string) =>
      (await call('GET', path)).json.entries.map(({ number }: any) => number)
    return { mock, call, numbersAt }
  }

  async function used(requests: number) {
    const { mock, get } = controlInProcess()
    for (let sent = 0; sent < requests; sent += 1) {
      await mock.handle({ method: 'GET', target: '/v1/pets?limit=1', ...withKey(), body: '' })
    }
    return { mock, get }
  }

  test('shows requests and responses, without the key', async () => {
    const { call } = await startUsed()
    const { json, text } = await call('GET', '/journal')
    expect(json.entries[1]).toMatchObject({
      number: 2,
      operation: 'createPet',
      request: { method: 'POST', target: '/v1/pets', body: JSON.stringify(newPet) },
      response: { status: 201 },
    })
    expect(json.entries[3]).toMatchObject({ response: { status: 401 }, reason: 'auth.missing-key' })
    expect((await call('GET', `/explain/${json.entries[3].reason}`)).status).toBe(200)
    expect(text).not.toContain(defaultKey)
  })

  test.each([
    ['?operation=listPets&status=401', [4]],
    ['?method=post', [2]],
    ['?before=0', []],
    ['?after=1&before=5&limit=2', [3, 4]],
    ['?bodies=false&status=404', [3, 5]],
    [`?when=${encodeURIComponent('{"body":{"name":{"regex":"^R.x$"}}}')}`, [2]],
    [`?when=${encodeURIComponent('{"headers":{"Content-Type":{"contains":"json"}}}')}`, [2]],
    [`?when=${encodeURIComponent('{"headers":{"authorization":{"absent":true}}}')}`, [4]],
    [`?when=${encodeURIComponent('{"query":{"limit":"3"}}')}&bodies=false`, [1]],
    [`?when=${encodeURIComponent('{"petId":{"contains":"9"}}')}&status=404`, [3]],
    [`?wait=2&after=2`, [3, 4, 5]],
  ])('%s returns the entries %j', async (query, numbers) => {
    const { numbersAt } = await startUsed()
    expect(await numbersAt(`/journal${query}`)).toEqual(numbers)
  })

  test('shows the issues, duration and changes of each request', async () => {
    const { call } = await startUsed()
    const { json } = await call('GET', '/journal')
    expect(json.entries.map(({ issues }: any) => issues.map(({ id }: any) => id))).toEqual([
      [],
      [],
      ['deprecated.used'],
      ['credentials.missing'],
      ['path.undescribed'],
    ])
    const { json: entry } = await call('GET', '/journal/2')
    expect(entry).toEqual(json.entries[1])
    expect(entry).toMatchObject({
      source: { requirement: 'create.success' },
      changes: [{ after: { id: 6, ...newPet } }],
    })
    expect(entry.durationMs).toBeGreaterThan(0)
    expect(entry.durationMs).toBeLessThan(10_000)
    expect(json.entries[0]).not.toHaveProperty('changes')
    expect(json.entries[4].source).toEqual({ behavior: 'http.unknown-path', option: '404' })
    const { json: scorecard } = await call('GET', '/scorecard')
    expect(
      scorecard.scorecards.flatMap(({ issues }: any) =>
        issues.map(({ id, entries }: any) => [id, entries]),
      ),
    ).toEqual([
      ['credentials.missing', [4]],
      ['path.undescribed', [5]],
      ['deprecated.used', [3]],
    ])
    for (const number of ['6', '0', 'x', '-1'])
      expect((await call('GET', `/journal/${number}`)).status).toBe(404)
  })

  test('omits headers and bodies on demand, and can be cleared', async () => {
    const { call, numbersAt } = await startUsed()
    const { json } = await call('GET', '/journal?bodies=false&limit=1')
    expect(json.entries[0].request).toEqual({ method: 'GET', target: '/v1/toys' })
    expect(json.entries[0].response).toEqual({ status: 404 })
    expect(json.entries[0].issues).toHaveLength(1)
    await call('DELETE', '/journal')
    expect(await numbersAt('/journal')).toEqual([])
  })

  test.each<[string, string[]]>([
    ['operation=deletePet', ['operation must']],
    ['operation=toString', ['operation must']],
    [
      'status=2xx&after=-1&limit=0&method=GE%20T',
      ['status must', 'after must', 'limit must', 'method must'],
    ],
    ['limit=10001', ['limit must']],
    ['when={', ['when must be the condition of a rule as JSON']],
    ['when=5', ['when must be']],
    ['when={"body":{"name":{"regex":"("}}}', ['when/body/name/regex must be a regular']],
    [
      'when={"headers":{"authorization":{"regex":"a"}}}',
      ['when/headers/authorization must be a whole value'],
    ],
    ['when={"query":{"a":{"regex":"a{400}"},"b":{"regex":"a{400}"}}}', ['when has regular']],
    ['wait=0&timeoutMs=60001', ['wait must', 'timeoutMs must']],
    ['limit=1&limit=2&x=1', ['limit is given more than once', 'x is unknown']],
  ])('?%s lists all mistakes', async (query, mistakes) => {
    const { call } = await startControlled()
    const { status, json } = await call('GET', `/journal?${query}`)
    expect(status).toBe(400)
    for (const words of mistakes) expect(json.message).toContain(words)
  })

  test.each([
    [{}, [1, 250]],
    [{ limit: 120 }, [131, 250]],
    [{ after: 20, before: 240 }, [21, 239]],
    [{ after: 20, before: 240, limit: 150 }, [90, 239]],
    [{ after: 99, before: 201 }, [100, 200]],
  ])('is complete although read in parts: %o', async (filter, [first = 0, last = 0]) => {
    const { mock, get } = await used(250)
    const query = new URLSearchParams(
      new Map(Object.entries(filter).map(([name, value]) => [name, String(value)])),
    )
    const body = await bodyOf(await get(`/journal?${String(query)}`))
    expect(JSON.parse(body).entries.map(({ number }: any) => number)).toEqual(
      Array.from({ length: last - first + 1 }, (_, index) => first + index),
    )
    if (query.has('limit')) return
    const har = await bodyOf(await get(`/journal.har?${String(query)}`))
    expect(printJson(parseJson(har))).toBe(printJson(await mock.journal.toHar(filter)))
  })

  test.each(['/journal', '/journal.har'])('%s yields to other requests', async (path) => {
    const { get } = await used(200)
    await get(path)
    const journal = get(path)
    const nextTurn = () => new Promise<void>((resolve) => void setImmediate(resolve))
    let turns = 0
    while ((await Promise.race([journal, nextTurn()])) === undefined) turns += 1
    // Large entries take long, so each turn handles only a few.
    expect(turns).toBeGreaterThan(15)
  })

  test('reads few entries in one turn if these take long', async () => {
    const { mock, get } = await used(0)
    const headers = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [
        `x-token-${at}`,
        `tok-Aa1_${at}`.repeat(1 + (at % 20)),
      ]),
    )
    for (let sent = 0; sent < 40; sent += 1) {
      headers['x-token-0'] = `token-${sent * 7_919_317}`
      const body = 'tok-Aa1_'.repeat(4_096)
      await mock.handle({ method: 'POST', target: '/v1/pets', headers, body })
    }
    const list = vi.spyOn(mock.journal, 'list')
    await get('/journal')
    expect(list.mock.calls.length).toBeGreaterThan(6)
  })

  test('is read for one client at a time, and not for disconnected ones', async () => {
    const { mock, get } = await used(100)
    const list = vi.spyOn(mock.journal, 'list')
    const isGone = (): boolean => list.mock.calls.length === 4
    await Promise.all([
      get('/journal?status=200', isGone),
      get('/journal.har?status=201'),
      get('/journal', () => true),
    ])
    expect(list.mock.calls.map(([filter]) => filter?.status).join(' ')).toMatch(
      /^(200 ){4}(201 ?){10,}$/,
    )
  })
})

/** Opens a stream and collects its text. */
async function follow(port: number, path: string, headers: Record<string, string> = {}) {
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    get({ port, host: '127.0.0.1', path: `/_petstore${path}`, headers, agent: false }, resolve).on(
      'error',
      reject,
    )
  })
  onTestFinished(() => void message.destroy())
  let received = ''
  const arrivals = new Arrivals()
  message.setEncoding('utf8').on('data', (chunk: string) => {
    received += chunk
    arrivals.notice()
  })
  message.on('error', () => {})
  return {
    message,
    /** Resolves with the text once it matches. */
    until: (pattern: RegExp) =>
      arrivals.until(() => (pattern.test(received) ? received : undefined)),
    ended: () => new Promise<void>((resolve) => void message.once('close', resolve)),
  }
}

function eventsIn(text: string): { id: string; entry: any }[] {
  return [...text.matchAll(/^id: (\d+)\ndata: (.*)\n\n/gm)].map(([, id = '', data = '']) => ({
    id,
    entry: JSON.parse(data),
  }))
}

test('a gap in the numbers, as in a shared mock, takes no time', async () => {
  const { mock, get } = controlInProcess()
  const { record } = mock.journal as WritableJournal
  const [request, reply] = [
    { method: 'GET', target: '/v1/pets', headers: {}, body: '' },
    { status: 401, headers: {}, body: '' },
  ]
  const numbers = [1, 2, 1e12]
  for (const number of numbers)
    record(request, reply, { at: 0, microseconds: 1, changes: [], number })
  const listed = (await get('/journal')) as MockReply
  expect(JSON.parse(listed.body).entries.map((entry: JournalEntry) => entry.number)).toEqual(
    numbers,
  )
})

describe('a repeated request', () => {
  test.each([
    ['', withKey()],
    ['/sandboxes/team-a', withKey(sandboxKey('team-a'))],
  ])('has its key, and is a new entry of the journal: %s', async (base, { headers }) => {
    const { mock, call } = await startControlled()
    const json = { ...headers, 'content-type': 'application/json' }
    await sendTo(mock.port, 'POST', '/v1/pets', { body: newPet, headers: json })
    const { status, json: entry } = await call('POST', `${base}/journal/1/repeat`)
    expect(status).toBe(201)
    expect(entry).toMatchObject({
      number: 2,
      request: { body: JSON.stringify(newPet) },
      response: { status: 201 },
    })
    expect(JSON.parse(entry.response.body).id).toBe(7)
  })

  test('counts for rules and the log like any other request', async () => {
    const logged: number[] = []
    const { mock, call } = await startControlled({
      onRequest: ({ response }) => logged.push(response.status),
    })
    await sendTo(mock.port, 'GET', '/v1/pets', withKey())
    mock.use({ fault: 'reset', times: 1 })
    const { json } = await call('POST', '/journal/1/repeat')
    expect(json).toMatchObject({ number: 2, fault: 'reset' })
    expect(mock.rules()[0]?.used).toBe(1)
    expect(logged).toHaveLength(2)
  })

  test.each(['2', '0', 'x', '1e3', '-1'])('%s is not an entry', async (number) => {
    const { mock, call } = await startControlled()
    await sendTo(mock.port, 'GET', '/v1/pets', withKey())
    expect((await call('POST', `/journal/${number}/repeat`)).status).toBe(404)
    expect(mock.journal.list()).toHaveLength(1)
  })
})

describe('the stream', () => {
  test('sends an event with one line of JSON for each new request', async () => {
    const { mock } = await startControlled()
    await sendTo(mock.port, 'GET', '/v1/pets', withKey())
    const { message, until } = await follow(mock.port, '/journal/stream')
    expect(message.statusCode).toBe(200)
    expect(message.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-transform',
      'x-content-type-options': 'nosniff',
      'x-accel-buffering': 'no',
    })
    await until(/the journal follows/)
    mock.use({ reply: { status: 503, message: 'two\nlines' } })
    await sendTo(mock.port, 'GET', '/v1/pets', withKey())
    await sendTo(mock.port, 'GET', '/v1/toys')
    const events = eventsIn(await until(/^id: 3\n.*\n\n/m))
    expect(events.map(({ id }) => id)).toEqual(['2', '3'])
    for (const { entry } of events) expect(mistakesBy('JournalEntry', entry)).toEqual([])
    expect(events[0]?.entry).toMatchObject({
      number: 2,
      operation: 'listPets',
      response: { status: 503 },
      rule: 'rule-1',
    })
    expect(JSON.parse(events[0]?.entry.response.body).message).toBe('two\nlines')
  })

  test('starts with earlier entries on demand', async () => {
    const { mock } = await startControlled()
    for (let sent = 0; sent < 3; sent += 1) await sendTo(mock.port, 'GET', '/v1/pets', withKey())
    const { until } = await follow(mock.port, '/journal/stream?after=1')
    await until(/^id: 3\n.*\n\n/m)
    await sendTo(mock.port, 'GET', '/v1/pets', withKey())
    expect(eventsIn(await until(/^id: 4\n.*\n\n/m)).map(({ id }) => id)).toEqual(['2', '3', '4'])
  })

  test('can be filtered', async () => {
    const { mock } = await startControlled()
    const { until } = await follow(
      mock.port,
      '/journal/stream?operation=listPets&status=200&method=GET',
    )
    await until(/the journal follows/)
    await sendTo(mock.port, 'GET', '/v1/pets')
    await sendTo(mock.port, 'GET', '/v1/pets/1', withKey())
    await sendTo(mock.port, 'GET', '/v1/pets', withKey())
    expect(eventsIn(await until(/^id: 3\n.*\n\n/m)).map(({ id }) => id)).toEqual(['3'])
  })

  test('of a sandbox has only its own entries', async () => {
    const { mock } = await startControlled()
    mock.sandboxes.get('team-a')
    const { until } = await follow(mock.port, '/sandboxes/team-a/journal/stream')
    await until(/the journal follows/)
    await sendTo(mock.port, 'GET', '/v1/pets', withKey())
    await sendTo(mock.port, 'GET', '/v1/pets', withKey(sandboxKey('team-b')))
    await sendTo(mock.port, 'GET', '/v1/pets?limit=1', withKey(sandboxKey('team-a')))
    const events = eventsIn(await until(/^id: 1\n.*\n\n/m))
    expect(events.map(({ entry }) => entry.request.target)).toEqual(['/v1/pets?limit=1'])
  })

  test('ends with the mock', async () => {
    const { mock } = await startControlled()
    const { until, ended } = await follow(mock.port, '/journal/stream')
    await until(/the journal follows/)
    const end = ended()
    await mock.close()
    await end
  })
})

describe('the stream of all events', () => {
  /** Name, id and data of each event. */
  const eventsOf = (text: string) =>
    [...text.matchAll(/^(?:id: (.*)\n)?event: (\w+)\ndata: (.*)\n\n/gm)].map(
      ([, id, name = '', data = '']) => {
        return { ...(id !== undefined && { id }), name, data: JSON.parse(data) }
      },
    )
  const namesIn = (text: string) => eventsOf(text).map(({ name }) => name)

  test('says that a client left, or that a body was dropped, after the request', async () => {
    const { mock } = await startControlled()
    const { until } = await follow(mock.port, '/events')
    const { until: untilSecond } = await follow(mock.port, '/events')
    mock.use(
      { delayMs: 600_000 },
      { when: { query: { limit: '9' } }, reply: { status: 200, body: 'x'.repeat(2 ** 20) } },
    )
    const headers = { authorization: `Bearer ${mock.key}` }
    const aborting = new AbortController()
    const { signal } = aborting
    const sent = fetch(`${mock.url}/pets?limit=7`, { headers, signal }).catch(() => {})
    await Promise.all([until, untilSecond].map(async (wait) => wait(/^event: entry\n.*\n\n/m)))
    aborting.abort()
    await sent
    for (const wait of [until, untilSecond]) {
      const events = eventsOf(await wait(/^event: changed\n.*\n\n/m))
      const at = events.findIndex(({ name }) => name === 'changed')
      expect(events.slice(0, at).map(({ name }) => name)).toContain('entry')
      expect(events[at]).toEqual({
        name: 'changed',
        data: expect.objectContaining({ number: 1, abandoned: true, delayMs: 600_000 }),
      })
      expect(mistakesBy('JournalEntry', events[at]?.data)).toEqual([])
      expect(events[at]?.data.durationMs).toBeLessThan(600_000)
    }
    mock.removeRules('rule-1')
    for (let count = 0; count < 34; count += 1) await fetch(`${mock.url}/pets?limit=9`, { headers })
    await until(/^event: changed\ndata: .*"bodyDropped":true.*\n\n/m)
  })

  test.each(['', '/sandboxes/team-a'])('has requests and changes %s', async (base) => {
    const { mock, call } = await startControlled()
    const sandbox = base === '' ? mock : mock.sandboxes.get('team-a')
    const other = base === '' ? mock.sandboxes.get('team-a') : mock
    const { until } = await follow(mock.port, `${base}/events`)
    const [hello] = eventsOf(await until(/^event: hello\n.*\n\n/m))
    expect(hello?.data).toMatchObject({ version: expect.any(String), after: 0, last: 0 })
    expect(hello?.data.sandbox).toBe(sandbox.name)
    other.use({ reply: { status: 503 } })
    const auth = { headers: { authorization: `Bearer ${sandbox.key}` } }
    await sendTo(mock.port, 'GET', '/v1/pets?limit=1', auth)
    const [, entry] = eventsOf(await until(/^event: entry\n.*\n\n/m))
    expect(entry).toMatchObject({
      id: `${hello?.data.instance}-1`,
      name: 'entry',
      data: { number: 1 },
    })
    expect(entry?.data).toMatchObject({
      operation: 'listPets',
      response: { status: 200 },
      source: { requirement: 'list.success' },
    })
    expect(Object.keys(entry?.data.request)).toEqual(['method', 'target'])
    expect(mistakesBy('JournalEntry', entry?.data)).toEqual([])
    const changes: [string, () => unknown][] = [
      ['rules', () => call('POST', `${base}/rules`, { body: { delayMs: 1 } })],
      ['settings', () => call('PATCH', `${base}/settings`, { body: { explain: true } })],
      ['clock', () => call('PUT', `${base}/clock`, { body: { now: '2030-12-06' } })],
      ['snapshots', () => call('PUT', `${base}/snapshots/one`)],
      ['pets', () => call('DELETE', `${base}/pets/1`)],
      ['cleared', () => call('DELETE', `${base}/journal`)],
      ['sandboxes', () => call('POST', '/sandboxes', { body: { name: 'team-b' } })],
    ]
    for (const [name, change] of changes) {
      await change()
      expect(namesIn(await until(new RegExp(`^event: ${name}\\n.*\\n\\n`, 'm'))).at(-1)).toBe(name)
    }
  })

  test('reports used rules and created pets as changes', async () => {
    const { mock } = await startControlled()
    mock.use({ when: { operation: 'createPet' }, delayMs: 1 })
    const { until } = await follow(mock.port, '/events')
    await until(/^event: hello/m)
    await sendTo(mock.port, 'POST', '/v1/pets', {
      body: newPet,
      headers: { ...withKey().headers, 'content-type': 'application/json' },
    })
    const events = eventsOf(await until(/^event: entry\n.*\n\n/m))
    expect(events.map(({ name }) => name)).toEqual(['hello', 'pets', 'rules', 'entry'])
    expect(events.at(-1)?.data.changes).toEqual([{ after: { id: 6, ...newPet } }])
  })

  test('resumes after an id, and reports lost entries', async () => {
    const { mock } = await startControlled()
    for (let sent = 0; sent < 4; sent += 1) await sendTo(mock.port, 'GET', '/v1/pets', withKey())
    const first = await follow(mock.port, '/events?after=3')
    const entry = eventsOf(await first.until(/^event: entry\n.*\n\n/m)).at(-1)
    expect(entry?.id).toMatch(/^[0-9a-z]{1,8}-4$/)
    const another = await follow((await startControlled()).mock.port, '/events')
    const [hello] = eventsOf(await another.until(/^event: hello\n.*\n\n/m))
    // An id of an earlier instance, or beyond the last entry, starts from the beginning.
    const cases: [path: string, headers: Record<string, string>, numbers: number[]][] = [
      ['/events', { 'last-event-id': entry!.id!.replace(/4$/, '2') }, [3, 4]],
      ['/events', { 'last-event-id': `${hello?.data.instance}-2` }, [1, 2, 3, 4]],
      ['/events?after=9', {}, [1, 2, 3, 4]],
    ]
    for (const [path, headers, numbers] of cases) {
      const { until } = await follow(mock.port, path, headers)
      const [, ...events] = eventsOf(await until(/^id: .*-4\n.*\n.*\n\n/m))
      expect(events.map(({ data }) => data.number)).toEqual(numbers)
    }
    mock.journal.clear()
    await sendTo(mock.port, 'GET', '/v1/pets', withKey())
    const cleared = await follow(mock.port, '/events?after=1')
    const names = namesIn(await cleared.until(/^event: entry\n.*\n\n/m))
    expect(names).toEqual(['hello', 'cleared', 'entry'])
  })
})

describe('a stream in process', () => {
  afterEach(() => void vi.useRealTimers())

  async function open(path: string) {
    const { mock, get } = controlInProcess()
    mock.sandboxes.get('team-a')
    const reply = await get(path)
    if (!('stream' in reply)) throw new Error('There is no stream.')
    vi.useFakeTimers()
    const reader = reply.stream.getReader()
    const read = async () => {
      const next = reader.read()
      await vi.advanceTimersByTimeAsync(16_000)
      const { done, value } = await next
      return done ? 'the end' : new TextDecoder().decode(value)
    }
    const request = () => mock.handle({ method: 'GET', target: '/v1/pets', headers: {}, body: '' })
    return { mock, reader, read, request }
  }

  test('polls only while it is open and read', async () => {
    const { reader, read } = await open('/events')
    expect(vi.getTimerCount()).toBe(0)
    expect(await read()).toMatch(/^event: hello/)
    expect(vi.getTimerCount()).toBe(0)
    void reader.read()
    await vi.advanceTimersByTimeAsync(100)
    expect(vi.getTimerCount()).toBe(1)
    await reader.cancel()
    await vi.advanceTimersByTimeAsync(100)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('is limited to 128, both kinds together; closing one allows another', async () => {
    const { get } = controlInProcess()
    const paths = ['/journal/stream', '/events']
    const replies = await Promise.all(
      Array.from({ length: 140 }, (_, index) => get(paths[index % 2]!)),
    )
    const readers = replies.flatMap((reply) =>
      'stream' in reply ? [reply.stream.getReader()] : [],
    )
    const first = await Promise.all(readers.map((reader) => reader.read()))
    expect(first.filter(({ done }) => !done)).toHaveLength(128)
    for (const path of paths) {
      const rejected = await get(path)
      expect(rejected).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
      expect('body' in rejected && JSON.parse(rejected.body).message).toMatch(
        /^128 streams are open.*: close /,
      )
    }
    await Promise.all(readers.map((reader) => reader.cancel()))
    expect(await get('/events')).toMatchObject({ status: 200 })
  })

  test('is limited to 8 for a sandbox and 128 for all sandboxes, apart from those of the mock', async () => {
    const { mock, get } = controlInProcess()
    const statuses = []
    for (let index = 0; index < 17 * 9; index += 1) {
      const name = `team-${Math.floor(index / 9)}`
      mock.sandboxes.get(name)
      const reply = await get(`/sandboxes/${name}/${index % 2 === 0 ? 'events' : 'journal/stream'}`)
      if ('stream' in reply) await reply.stream.getReader().read()
      else if (index === 8)
        expect(JSON.parse(reply.body).message).toMatch(/^8 streams of this sandbox are open/)
      statuses.push(reply.status)
    }
    expect(statuses.slice(0, 18)).toEqual([...Array(8).fill(200), 503, ...Array(8).fill(200), 503])
    expect(statuses.filter((status) => status === 200)).toHaveLength(128)
    expect(await get('/events')).toMatchObject({ status: 200 })
  })

  test.each([
    ['/events', 'summaries'],
    ['/journal/stream', 'list'],
  ] as const)('%s formats an entry once for all its readers', async (path, list) => {
    const { mock, get } = controlInProcess()
    vi.useFakeTimers()
    const replies = await Promise.all(Array.from({ length: 50 }, () => get(path)))
    const readers = replies.flatMap((one) => ('stream' in one ? [one.stream.getReader()] : []))
    const readAll = async () => {
      const reading = Promise.all(readers.map((reader) => reader.read()))
      await vi.advanceTimersByTimeAsync(200)
      const all = await reading
      return new Set(all.map(({ value }) => new TextDecoder().decode(value)))
    }
    await readAll()
    const formatted = vi.spyOn(mock.journal, list)
    for (let sent = 0; sent < 3; sent += 1)
      await mock.handle({ method: 'GET', target: '/v1/pets', headers: {}, body: '' })
    const [text = '', ...others] = await readAll()
    expect(others).toEqual([])
    expect(text.match(/^id: /gm)).toHaveLength(3)
    expect(formatted).toHaveBeenCalledTimes(3)
    // A later reader sees the entry as it is then.
    mock.journal.clear()
    await mock.handle({ method: 'GET', target: '/v1/pets', headers: {}, body: '' })
    const [next = ''] = await readAll()
    expect(next).toMatch(/event: cleared[^]*^id: \S*4$/m)
    await Promise.all(readers.map((reader) => reader.cancel()))
  })

  test('sends entries with long bodies in parts below the buffer limit', async () => {
    const { mock, read } = await open('/journal/stream?after=0')
    await read()
    const body = '"\u0001'.repeat(10_000)
    for (let sent = 0; sent < 30; sent += 1) {
      await mock.handle({ method: 'POST', target: '/v1/pets', headers: {}, body })
    }
    let entries = 0
    while (entries < 30) {
      const text = await read()
      expect(text.length).toBeLessThan(2 ** 19)
      entries += text.match(/^id: /gm)?.length ?? 30
    }
    expect(entries).toBe(30)
  })

  test('sends keep-alive comments', async () => {
    const { reader, read } = await open('/journal/stream')
    expect(await read()).toBe(': the journal follows\n\n')
    expect([await read(), await read()]).toEqual([': still here\n\n', ': still here\n\n'])
    await reader.cancel()
  })

  test('of a sandbox ends with the sandbox, also if its name is used again', async () => {
    const { mock, read } = await open('/sandboxes/team-a/events')
    await read()
    expect(await read()).toBe(': still here\n\n')
    mock.sandboxes.delete('team-a')
    mock.sandboxes.get('team-a')
    expect(await read()).toBe('the end')
    expect(vi.getTimerCount()).toBe(0)
  })

  test('sends a slow reader the remaining entries in parts of one hundred', async () => {
    const { mock, reader, read, request } = await open('/events?after=0')
    await read()
    for (let sent = 0; sent < 10_250; sent += 1) await request()
    const text = await read()
    expect(text.split('\n').slice(0, 3)).toEqual(['event: lost', 'data: {"entries":250}', ''])
    expect(text.match(/^event: entry$/gm)).toHaveLength(100)
    expect(mock.journal.range).toEqual({ first: 251, last: 10_250, cleared: 0, dropped: 0 })
    expect((await read()).match(/^event: entry$/gm)).toHaveLength(100)
    void reader.read()
    expect(vi.getTimerCount()).toBe(1)
  })
})
