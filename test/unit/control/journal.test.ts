/** The journal, as a list and as a stream. */
import { get, type IncomingMessage } from 'node:http'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { defaultKey, sandboxKey } from '../../../src/mock/index.ts'
import { ask, controlInProcess, startControlled } from './control.ts'
import { mistakesBy } from './document.ts'

const withKey = (key = defaultKey) => ({ headers: { authorization: `Bearer ${key}` } })
const newPet = { name: 'Rex', categoryId: 1 }

describe('the list', () => {
  async function startUsed() {
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
    const { numbersAt } = await startUsed()
    expect(await numbersAt(`/journal${query}`)).toEqual(numbers)
  })

  test.each<[string, string[]]>([
    ['operation=deletePet', ['operation must']],
    ['operation=toString', ['operation must']],
    ['status=2xx&after=-1&limit=0&method=GE%20T', ['status must', 'after must', 'limit must', 'method must']],
    ['limit=10001', ['limit must']],
    ['limit=1&limit=2&x=1', ['limit is given more than once', 'x is unknown']],
  ])('?%s lists all mistakes', async (query, mistakes) => {
    const { call } = await startControlled()
    const { status, json } = await call('GET', `/journal?${query}`)
    expect(status).toBe(400)
    for (const words of mistakes) expect(json.message).toContain(words)
  })

  test('is cleared', async () => {
    const { call, numbersAt } = await startUsed()
    await call('DELETE', '/journal')
    expect(await numbersAt('/journal')).toEqual([])
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

  test('starts with earlier entries on demand', async () => {
    const { mock } = await startControlled()
    for (let sent = 0; sent < 3; sent += 1) await ask(mock.port, 'GET', '/v1/pets', withKey())
    const { until } = await follow(mock.port, '/journal/stream?after=1')
    await until(/^id: 3\n.*\n\n/m)
    await ask(mock.port, 'GET', '/v1/pets', withKey())
    expect(eventsIn(await until(/^id: 4\n.*\n\n/m)).map(({ id }) => id)).toEqual(['2', '3', '4'])
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

  test('of a sandbox has nothing of others', async () => {
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

  test('is one of 32 at most; a closed one leaves its place', async () => {
    const { mock, call } = await startControlled()
    const streams = []
    for (let open = 0; open < 32; open += 1) streams.push(await follow(mock.port, '/journal/stream'))
    const { status, headers } = await call('GET', '/journal/stream')
    expect(status).toBe(503)
    expect(headers['retry-after']).toBe('1')
    streams[0]?.message.destroy()
    // The server notices in its own time.
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

describe('a stream in process', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  async function open(path: string) {
    const { mock, get } = controlInProcess()
    mock.sandboxes.get('team-a')
    const { subscribe } = mock.journal
    const unsubscribed = vi.fn<() => void>()
    const subscribed = vi.spyOn(mock.journal, 'subscribe').mockImplementation((listener) => {
      const unsubscribe = subscribe(listener)
      return () => {
        unsubscribed()
        unsubscribe()
      }
    })
    const reply = await get(path)
    if (!('stream' in reply)) throw new Error('There is no stream.')
    vi.useFakeTimers()
    const reader = reply.stream.getReader()
    const read = async () => {
      const { done, value } = await reader.read()
      return done ? 'the end' : new TextDecoder().decode(value)
    }
    return { mock, reader, read, subscribed, unsubscribed }
  }

  test('listens only while it is open', async () => {
    const { reader, read, subscribed, unsubscribed } = await open('/journal/stream')
    expect(subscribed).not.toHaveBeenCalled()
    expect(await read()).toBe(': the journal follows\n\n')
    expect(subscribed).toHaveBeenCalledOnce()
    await reader.cancel()
    expect(unsubscribed).toHaveBeenCalledOnce()
    expect(vi.getTimerCount()).toBe(0)
  })

  test('shows from time to time that it lives', async () => {
    const { reader, read } = await open('/journal/stream')
    await read()
    vi.advanceTimersByTime(30_000)
    expect([await read(), await read()]).toEqual([': still here\n\n', ': still here\n\n'])
    await reader.cancel()
  })

  test('of a sandbox ends soon after the sandbox', async () => {
    const { mock, read } = await open('/sandboxes/team-a/journal/stream')
    await read()
    vi.advanceTimersByTime(15_000)
    expect(await read()).toBe(': still here\n\n')
    mock.sandboxes.delete('team-a')
    vi.advanceTimersByTime(15_000)
    expect(await read()).toBe('the end')
    expect(vi.getTimerCount()).toBe(0)
  })
})
