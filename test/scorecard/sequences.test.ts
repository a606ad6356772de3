/** What requests say together: of waiting, of creating again, and of a reliance on the order of lists. */
import { describe, expect, test } from 'vitest'
import type { MockReply } from '../../src/mock/index.ts'
import type { RecordedEntry } from '../../src/mock/journal-entry.ts'
import { createRoutes } from '../../src/mock/routes.ts'
import { toScorecards } from '../../src/mock/scorecard/scorecard.ts'
import type { Scorecard } from '../../src/mock/scorecard/types.ts'

const key = 'petstore-test-key'

interface Scene {
  /** One request and its response. */
  note: (method: string, target: string, reply: Partial<MockReply>, body?: string) => RecordedEntry
  /** Lets time pass. */
  wait: (ms: number) => void
  /** The pets are replaced. */
  replace: () => void
  card: () => Scorecard
  /** Each issue that was found, and how often. */
  found: () => Record<string, number>
  score: () => number | null
}

/** A journal whose clock stands still until it is moved. */
function scene(): Scene {
  let now = 1_000
  let era = 0
  const entries: RecordedEntry[] = []
  const contract = { basePath: '/v1', keys: [key], secrets: [key], findRoute: createRoutes('/v1'), sandbox: undefined }
  const card = (): Scorecard => toScorecards({ ...contract, entries, received: entries.length })[0]!
  return {
    note(method, target, reply, body = '') {
      const time = Date.UTC(2026, 0) + now
      const entry: RecordedEntry = {
        number: entries.length + 1,
        at: time,
        time,
        elapsed: now,
        era,
        method,
        target,
        headers: { authorization: `Bearer ${key}`, ...(body !== '' && { 'content-type': 'application/json' }) },
        body,
        reply: { status: 200, headers: {}, body: '', ...reply },
        glance: undefined,
        abandoned: false,
        bytes: 0,
      }
      entries.push(entry)
      return entry
    },
    wait: (ms) => void (now += ms),
    replace: () => void (era += 1),
    card,
    found() {
      const issues = card().issues.filter(({ id }) => id !== 'deprecated.used')
      return Object.fromEntries(issues.map(({ id, count }) => [id, count]))
    },
    score: () => card().score,
  }
}

const pet = (id: number, status = 'available'): string =>
  `{"id":${id},"name":"Rex","categoryId":1,"status":"${status}"}`
const page = (first: number, length: number): Partial<MockReply> => ({
  body: `[${Array.from({ length }, (_, index) => pet(first + index)).join(',')}]`,
})
const created = (id: number, status?: string): Partial<MockReply> => ({ status: 201, body: pet(id, status) })
const rex = '{"name":"Rex","categoryId":1}'
const tooMany = (seconds: string): Partial<MockReply> => ({ status: 429, headers: { 'retry-after': seconds } })

describe('retry.too-early', () => {
  test('the same request before the time', () => {
    const { note, wait, found, score } = scene()
    note('GET', '/v1/pets', tooMany('5'))
    wait(1_000)
    note('GET', '/v1/pets', tooMany('5'))
    expect(found()).toEqual({ 'retry.too-early': 1 })
    expect(score()).toBe(75)
  })

  test('a creation before the time, too, and after a 503 with a date', () => {
    const { note, wait, found } = scene()
    note(
      'POST',
      '/v1/pets',
      { status: 503, headers: { 'retry-after': new Date(Date.UTC(2026, 0) + 61_000).toUTCString() } },
      rex,
    )
    wait(30_000)
    note('POST', '/v1/pets', created(101), rex)
    expect(found()).toEqual({ 'retry.too-early': 1 })
  })

  test('a client that asks again and again does so many times', () => {
    const { note, wait, found } = scene()
    for (let count = 0; count < 10; count += 1) {
      note('GET', '/v1/pets', tooMany('1'))
      wait(60)
    }
    expect(found()).toEqual({ 'retry.too-early': 9 })
  })

  test.each([
    ['a request in time', 5_000, 'GET', '/v1/pets'],
    ['one whose timer was a little early', 4_950, 'GET', '/v1/pets'],
    ['one that was under way', 10, 'GET', '/v1/pets'],
    ['another one that waited for a connection', 800, 'GET', '/v1/pets?limit=5'],
    ['another operation', 2_000, 'GET', '/v1/pets/1'],
  ])('not %s', (_, ms, method, target) => {
    const { note, wait, found } = scene()
    note('GET', '/v1/pets', tooMany('5'))
    wait(ms)
    note(method, target, page(1, 3))
    expect(found()).toEqual({})
  })

  test('not where there is no Retry-After', () => {
    const { note, wait, found } = scene()
    note('GET', '/v1/pets', { status: 429 })
    wait(100)
    note('GET', '/v1/pets', page(1, 3))
    expect(found()).toEqual({})
  })
})

describe('retry.creation', () => {
  test.each<[string, Partial<MockReply>, number]>([
    ['500', { status: 500 }, 300],
    ['502', { status: 502 }, 1_500],
    ['503 that says nothing of when', { status: 503 }, 0],
    ['504, which came late', { status: 504, delayMs: 20_000 }, 20_500],
    ['a lost connection', { wire: { reset: true } }, 100],
    ['no answer at all', { wire: { silent: true } }, 30_000],
  ])('after %s', (_, failure, ms) => {
    const { note, wait, found } = scene()
    note('POST', '/v1/pets', failure, rex)
    wait(ms)
    note('POST', '/v1/pets', created(101), rex)
    expect(found()).toEqual({ 'retry.creation': 1 })
  })

  test('not after a look at the list', () => {
    const { note, found } = scene()
    note('POST', '/v1/pets', { status: 500 }, rex)
    note('GET', '/v1/pets', page(1, 3))
    note('POST', '/v1/pets', created(101), rex)
    expect(found()).toEqual({})
  })

  test.each<[string, Partial<MockReply>, number, string]>([
    ['by a person, some time later', { status: 500 }, 5_000, rex],
    ['of another pet', { status: 500 }, 100, '{"name":"Max","categoryId":1}'],
    ['after a refusal', { status: 400 }, 100, rex],
    ['after 429 and its time', tooMany('1'), 1_000, rex],
    ['after 503 and its time', { status: 503, headers: { 'retry-after': '1' } }, 1_000, rex],
  ])('not %s', (_, failure, ms, body) => {
    const { note, wait, found } = scene()
    note('POST', '/v1/pets', failure, rex)
    wait(ms)
    note('POST', '/v1/pets', created(101), body)
    expect(found()).toEqual({})
  })
})

describe('creation.repeated', () => {
  test('the same creation right after it had succeeded', () => {
    const { note, wait, found, score } = scene()
    note('POST', '/v1/pets', created(101), rex)
    wait(150)
    note('POST', '/v1/pets', created(102), rex)
    expect(found()).toEqual({ 'creation.repeated': 1 })
    expect(score()).toBe(100)
  })

  test('not after another request, nor later, nor of another pet, nor when the pets were replaced', () => {
    const { note, wait, found, replace } = scene()
    note('POST', '/v1/pets', created(101), rex)
    note('GET', '/v1/pets', page(1, 3))
    note('POST', '/v1/pets', created(102), rex)
    wait(3_000)
    note('POST', '/v1/pets', created(103), rex)
    note('POST', '/v1/pets', created(104), '{"name":"Max","categoryId":1}')
    replace()
    note('POST', '/v1/pets', created(101), '{"name":"Max","categoryId":1}')
    expect(found()).toEqual({})
  })
})

describe('order.new-pet-in-page', () => {
  test('a full page right after a creation', () => {
    const { note, found, score } = scene()
    note('POST', '/v1/pets', created(101), rex)
    note('GET', '/v1/pets?limit=3', page(1, 3))
    expect(found()).toEqual({ 'order.new-pet-in-page': 1 })
    expect(score()).toBe(100)
  })

  test('not on a page that is not full, with another filter, later, after a fetch, or when the pets were replaced', () => {
    const { note, wait, found, replace } = scene()
    const create = () => note('POST', '/v1/pets', created(101), rex)
    create()
    note('GET', '/v1/pets?limit=5', page(1, 3))
    create()
    note('GET', '/v1/pets?limit=3&status=sold', page(1, 3))
    create()
    note('GET', '/v1/pets/101', { body: pet(101) })
    note('GET', '/v1/pets?limit=3', page(1, 3))
    create()
    wait(5_000)
    note('GET', '/v1/pets?limit=3', page(1, 3))
    create()
    replace()
    note('GET', '/v1/pets?limit=3', page(1, 3))
    expect(found()).toEqual({})
  })
})

describe('order.growing-limits', () => {
  const ask = (note: Scene['note'], queries: readonly string[], stock = 100): void => {
    for (const query of queries)
      note('GET', `/v1/pets?${query}`, page(1, Math.min(stock, Number(/limit=(\d+)/.exec(query)?.[1] ?? 20))))
  }

  test.each([
    ['20, 40, 60', ['limit=20', 'limit=40', 'limit=60'], 1],
    ['the default first', ['', 'limit=40', 'limit=60'], 1],
    ['each further page counts', ['limit=10', 'limit=20', 'limit=30', 'limit=40'], 2],
    ['the same page twice in between', ['limit=20', 'limit=40', 'limit=40', 'limit=60'], 1],
    ['with a filter', ['limit=20&status=sold', 'limit=40&status=sold', 'limit=60&status=sold'], 1],
  ])('%s', (_, queries, times) => {
    const { note, found, score } = scene()
    ask(note, queries)
    expect(found()).toEqual({ 'order.growing-limits': times })
    expect(score()).toBeLessThan(100)
  })

  test.each([
    ['two pages', ['limit=20', 'limit=40']],
    ['the sizes of pages that a person may choose', ['limit=10', 'limit=25', 'limit=50', 'limit=100']],
    ['limits that shrink', ['limit=60', 'limit=40', 'limit=20']],
    ['the smallest limits one by one', ['limit=1', 'limit=2', 'limit=3', 'limit=4']],
    ['another filter in between', ['limit=20', 'limit=40&status=sold', 'limit=60']],
    ['the same page again and again', ['limit=20', 'limit=20', 'limit=20']],
  ])('not %s', (_, queries) => {
    const { note, found } = scene()
    ask(note, queries)
    expect(found()).toEqual({})
  })

  test('not where there are no more pets', () => {
    const { note, found } = scene()
    ask(note, ['limit=20', 'limit=40', 'limit=60'], 30)
    expect(found()).toEqual({})
  })
})

test('a request with a violation is no worse for a warning', () => {
  const { note, wait, score, found } = scene()
  note('GET', '/v1/pets?limit=0', tooMany('5'))
  wait(1_000)
  note('GET', '/v1/pets?limit=0', tooMany('5'))
  note('GET', '/v1/pets?limit=0', { status: 400 })
  expect(found()).toEqual({ 'limit.out-of-range': 3, 'retry.too-early': 2 })
  expect(score()).toBe(0)
})

describe('retry.creation after a client gave up', () => {
  const slow = (id: number): Partial<MockReply> => ({ ...created(id), delayMs: 1_000 })

  test('a creation whose response it did not wait for', () => {
    const { note, wait, found, score } = scene()
    for (let id = 101; id <= 103; id += 1) {
      const delivery = note('POST', '/v1/pets', slow(id), rex)
      wait(300)
      delivery.abandoned = true
    }
    expect(found()).toEqual({ 'retry.creation': 2 })
    expect(score()).toBe(66)
  })

  test('not one that it waited for, nor another one, nor behind a list', () => {
    const { note, wait, found } = scene()
    note('POST', '/v1/pets', slow(101), rex)
    wait(3_000)
    note('POST', '/v1/pets', slow(102), rex).abandoned = true
    note('POST', '/v1/pets', slow(103), '{"name":"Max","categoryId":1}').abandoned = true
    note('GET', '/v1/pets', page(1, 1))
    note('POST', '/v1/pets', created(104), rex)
    expect(found()).toEqual({})
  })
})

describe('retry.refused', () => {
  test.each([401, 400])('the same request, %d times too often', (status) => {
    const { note, wait, found } = scene()
    for (let count = 0; count < 20; count += 1) {
      note('GET', '/v1/pets', { status })
      wait(100)
    }
    expect(found()).toEqual({ 'retry.refused': 16 })
  })

  test('a body that is refused five times', () => {
    const { note, found } = scene()
    for (let count = 0; count < 5; count += 1) note('POST', '/v1/pets', { status: 400 }, '{"name":"Rex"}')
    expect(found()).toEqual({ 'category-id.missing': 5, 'retry.refused': 1 })
  })

  test('not four of them, nor with pauses, nor others in between, nor a pet that may be there later', () => {
    const { note, wait, found } = scene()
    for (let count = 0; count < 4; count += 1) note('GET', '/v1/pets', { status: 401 })
    note('GET', '/v1/pets?limit=5', page(1, 5))
    for (let count = 0; count < 9; count += 1) {
      note('GET', '/v1/pets', { status: 401 })
      wait(2_001)
    }
    for (let count = 0; count < 9; count += 1) note('GET', `/v1/pets?limit=${count + 1}`, { status: 401 })
    for (let count = 0; count < 9; count += 1) note('GET', '/v1/pets/900', { status: 404 })
    expect(found()).toEqual({})
  })
})

describe('retry.storm', () => {
  test('the same request at once, again and again', () => {
    const { note, wait, found, score } = scene()
    for (let count = 0; count < 60; count += 1) {
      note('GET', '/v1/pets', { status: 503 })
      wait(5)
    }
    expect(found()).toEqual({ 'retry.storm': 50 })
    expect(score()).toBe(58)
  })

  test('not with pauses that grow, nor a few retries, nor what was under way at the same time', () => {
    const { note, wait, found } = scene()
    for (let count = 0; count < 20; count += 1) {
      note('GET', '/v1/pets', { status: 502 })
      wait(50 * 2 ** Math.min(count, 8))
    }
    for (let count = 0; count < 10; count += 1) note('GET', '/v1/pets?limit=5', { status: 500 })
    note('GET', '/v1/pets?limit=6', page(1, 5))
    expect(found()).toEqual({})
  })
})
