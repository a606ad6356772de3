/** The journal, at once and as a stream. */
import { get, type IncomingMessage } from 'node:http'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createControl } from '../../src/mock/control/api.ts'
import type { ControlStream } from '../../src/mock/control/control.ts'
import { createMock, defaultKey, sandboxKey } from '../../src/mock/index.ts'
import { ask, startControlled } from './control.ts'
import { mistakesBy } from './document.ts'

const withKey = (key = defaultKey) => ({ headers: { authorization: `Bearer ${key}` } })
const newPet = { name: 'Rex', categoryId: 1 }

describe('the list', () => {
  async function startAsked() {
    const { mock, call } = await startControlled()
    const { headers } = withKey()
    await ask(mock.port, 'GET', '/v1/pets?limit=3', { headers })
    await ask(mock.port, 'POST', '/v1/pets', {
      body: newPet,
      headers: { ...headers, 'content-type': 'application/json' },
    })
    await ask(mock.port, 'GET', '/v1/pets/99', { headers })
    await ask(mock.port, 'GET', '/v1/pets')
    await ask(mock.port, 'GET', '/v1/toys', { headers })
    const numbersAt = async (path: string) => (await call('GET', path)).json.entries.map(({ number }: any) => number)
    return { mock, call, numbersAt }
  }

  test('shows requests and answers, without the key', async () => {
    const { call } = await startAsked()
    const { json, text } = await call('GET', '/journal')
    expect(json.entries[1]).toMatchObject({
      number: 2,
      operation: 'createPet',
      request: { method: 'POST', target: '/v1/pets', body: JSON.stringify(newPet) },
      response: { status: 201 },
    })
    expect(text).not.toContain(defaultKey)
  })

  test.each([
    ['', [1, 2, 3, 4, 5]],
    ['?operation=listPets', [1, 4]],
    ['?operation=listPets&status=401', [4]],
    ['?status=404', [3, 5]],
    ['?method=POST', [2]],
    ['?method=post', [2]],
    ['?after=3', [4, 5]],
    ['?limit=2', [4, 5]],
    ['?after=1&limit=1&method=GET', [5]],
    ['?after=99', []],
  ])('%s holds the entries %j', async (query, numbers) => {
    const { numbersAt } = await startAsked()
    expect(await numbersAt(`/journal${query}`)).toEqual(numbers)
  })

  test.each<[string, string[]]>([
    ['operation=deletePet', ['operation must']],
    ['operation=toString', ['operation must']],
    ['status=2xx&after=-1&limit=0&method=GE%20T', ['status must', 'after must', 'limit must', 'method must']],
    ['limit=1001', ['limit must']],
    ['limit=1&limit=2&x=1', ['limit came more than once', '"x"']],
  ])('?%s tells all mistakes', async (query, told) => {
    const { call } = await startControlled()
    for (const path of [`/journal?${query}`]) {
      const { status, json } = await call('GET', path)
      expect(status).toBe(400)
      for (const words of told) expect(json.message).toContain(words)
    }
  })

  test('forgets', async () => {
    const { call, numbersAt } = await startAsked()
    expect((await call('DELETE', '/journal')).status).toBe(204)
    expect(await numbersAt('/journal')).toEqual([])
  })

  test('does not show what is asked of the control API', async () => {
    const { call, numbersAt } = await startControlled().then(({ call }) => ({
      call,
      numbersAt: async () => (await call('GET', '/journal')).json.entries,
    }))
    await call('GET', '/pets')
    expect(await numbersAt()).toEqual([])
  })
})

/** Opens a stream, and reads what comes. */
async function follow(port: number, path: string, headers: Record<string, string> = {}) {
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    get({ port, host: '127.0.0.1', path: `/_petstore${path}`, headers, agent: false }, resolve).on('error', reject)
  })
  onTestFinished(() => void message.destroy())
  let received = ''
  const waiting = new Set<() => void>()
  message.setEncoding('utf8').on('data', (chunk: string) => {
    received += chunk
    for (const check of waiting) check()
  })
  message.on('error', () => {})
  return {
    message,
    /** The text so far, once it matches. */
    until: (pattern: RegExp) =>
      new Promise<string>((resolve) => {
        const check = (): void => {
          if (!pattern.test(received)) return
          waiting.delete(check)
          resolve(received)
        }
        waiting.add(check)
        check()
      }),
    ended: () => new Promise<void>((resolve) => void message.once('close', resolve)),
  }
}

/** The events in what came. */
function eventsIn(text: string): { id: string; entry: any }[] {
  return [...text.matchAll(/^id: (\d+)\ndata: (.*)\n\n/gm)].map(([, id = '', data = '']) => ({
    id,
    entry: JSON.parse(data),
  }))
}

describe('the stream', () => {
  test('has an event for each request from now on: one line of JSON', async () => {
    const { mock } = await startControlled()
    await ask(mock.port, 'GET', '/v1/pets', withKey())
    const { message, until } = await follow(mock.port, '/journal/stream')
    expect(message.statusCode).toBe(200)
    expect(message.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    await until(/the journal follows/)
    mock.use({ reply: { status: 503, message: 'two\nlines' } })
    await ask(mock.port, 'GET', '/v1/pets', withKey())
    await ask(mock.port, 'GET', '/v1/toys')
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

  test.each<[string, string, Record<string, string>]>([
    ['Last-Event-ID', '/journal/stream', { 'last-event-id': '1' }],
    ['after', '/journal/stream?after=1', {}],
    ['Last-Event-ID before after', '/journal/stream?after=99', { 'last-event-id': '1' }],
  ])('%s begins with what was missed', async (_, path, headers) => {
    const { mock } = await startControlled()
    for (let asked = 0; asked < 3; asked += 1) await ask(mock.port, 'GET', '/v1/pets', withKey())
    const { until } = await follow(mock.port, path, headers)
    await until(/^id: 3\n.*\n\n/m)
    await ask(mock.port, 'GET', '/v1/pets', withKey())
    expect(eventsIn(await until(/^id: 4\n.*\n\n/m)).map(({ id }) => id)).toEqual(['2', '3', '4'])
  })

  test.each(['x', '-1', '1.5', '99999999999999999999'])('Last-Event-ID: %s is no number of an entry', async (last) => {
    const { call } = await startControlled()
    expect((await call('GET', '/journal/stream', { headers: { 'last-event-id': last } })).status).toBe(400)
  })

  test('can be narrowed', async () => {
    const { mock } = await startControlled()
    const { until } = await follow(mock.port, '/journal/stream?operation=listPets&status=200&method=GET')
    await until(/the journal follows/)
    await ask(mock.port, 'GET', '/v1/pets')
    await ask(mock.port, 'GET', '/v1/pets/1', withKey())
    await ask(mock.port, 'GET', '/v1/pets', withKey())
    expect(eventsIn(await until(/^id: 3\n.*\n\n/m)).map(({ id }) => id)).toEqual(['3'])
  })

  test('of a sandbox has nothing of other worlds', async () => {
    const { mock } = await startControlled()
    mock.sandboxes.get('team-a')
    const { until } = await follow(mock.port, '/sandboxes/team-a/journal/stream')
    await until(/the journal follows/)
    await ask(mock.port, 'GET', '/v1/pets', withKey())
    await ask(mock.port, 'GET', '/v1/pets', withKey(sandboxKey('team-b')))
    await ask(mock.port, 'GET', '/v1/pets?limit=1', withKey(sandboxKey('team-a')))
    const events = eventsIn(await until(/^id: 1\n.*\n\n/m))
    expect(events.map(({ entry }) => entry.request.target)).toEqual(['/v1/pets?limit=1'])
  })

  test('is one of 32 at most; one that was closed makes room', async () => {
    const { mock, call } = await startControlled()
    const streams = []
    for (let open = 0; open < 32; open += 1) streams.push(await follow(mock.port, '/journal/stream'))
    const { status, headers } = await call('GET', '/journal/stream')
    expect(status).toBe(503)
    expect(headers['retry-after']).toBe('1')
    streams[0]?.message.destroy()
    // The server learns of it in its own time.
    await vi.waitFor(async () => {
      const again = await follow(mock.port, '/journal/stream')
      expect(again.message.statusCode).toBe(200)
    }, 10_000)
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

describe('a stream in time', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  /** Opens a stream without a server. */
  async function open(path: string, isTaken: () => boolean) {
    const mock = createMock({ pets: 1 })
    mock.sandboxes.get('team-a')
    const { subscribe } = mock.journal
    const unsubscribed = vi.fn<() => void>()
    vi.spyOn(mock.journal, 'subscribe').mockImplementation((listener) => {
      const unsubscribe = subscribe(listener)
      return () => {
        unsubscribed()
        unsubscribe()
      }
    })
    const control = createControl({ mock, host: '127.0.0.1', allScorecards: mock.allScorecards, version: '1.0.0' })
    const request = { method: 'GET', target: `/_petstore${path}`, headers: { host: '127.0.0.1' }, body: '' }
    // What the control API does is loaded at its first request.
    const stream = (await control.respond(request)) as ControlStream
    vi.useFakeTimers()
    const written: string[] = []
    const state = { ended: false }
    const close = stream.open({
      write(text) {
        written.push(text)
        return isTaken()
      },
      end() {
        state.ended = true
      },
    })
    return { mock, written, state, unsubscribed, close }
  }

  test('listens to the journal no longer than it is open', async () => {
    const { unsubscribed, close } = await open('/journal/stream', () => true)
    expect(unsubscribed).not.toHaveBeenCalled()
    close()
    expect(unsubscribed).toHaveBeenCalledOnce()
  })

  test('shows from time to time that it lives', async () => {
    const { written, close } = await open('/journal/stream', () => true)
    vi.advanceTimersByTime(30_000)
    expect(written.slice(1)).toEqual([': still here\n\n', ': still here\n\n'])
    close()
    close()
    vi.advanceTimersByTime(60_000)
    expect(written).toHaveLength(3)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('of a sandbox ends soon when that is gone', async () => {
    const { mock, written, state } = await open('/sandboxes/team-a/journal/stream', () => true)
    vi.advanceTimersByTime(15_000)
    expect(state.ended).toBe(false)
    mock.sandboxes.delete('team-a')
    vi.advanceTimersByTime(15_000)
    expect(state.ended).toBe(true)
    expect(written).toHaveLength(2)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('is given up when its client does not read', async () => {
    let isTaken = true
    const { mock, written } = await open('/journal/stream', () => isTaken)
    isTaken = false
    for (let asked = 0; asked < 3; asked += 1) {
      await mock.handle({ method: 'GET', target: '/v1/pets', headers: {}, body: '' })
    }
    expect(written).toHaveLength(2)
    expect(vi.getTimerCount()).toBe(0)
  })
})
