import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { UsageError } from '../../../src/errors.ts'
import { createMock, defaultKey, sandboxKey } from '../../../src/mock/index.ts'
import { sendTo } from './ask.ts'
import { runs } from '../../support/level.ts'

const letter = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789')
const name = fc
  .tuple(letter, fc.string({ unit: fc.constantFrom(...'abcz09-'), maxLength: 38 }), letter)
  .map(([first, middle, last]) => first + middle + last)

test('a key contains the name of its sandbox, and is the same on every machine', () => {
  expect(sandboxKey('team-a')).toBe('petstore_sandbox_team-a_4fc23396')
  expect(sandboxKey('x')).toMatch(/^petstore_sandbox_x_[0-9a-f]{8}$/)
  fc.assert(
    fc.property(name, name, (one, other) => {
      expect(sandboxKey(one)).toMatch(new RegExp(`^petstore_sandbox_${one}_[0-9a-f]{8}$`))
      expect(sandboxKey(one) === sandboxKey(other)).toBe(one === other)
    }),
  )
})

test.each([[''], [7], [5n], [null], [undefined], [['a']], [{ toString: null }]])(
  'rejects %o as a name',
  (wrong) => {
    expect(() => sandboxKey(wrong as never)).toThrow(UsageError)
    expect(() => createMock().sandboxes.get(wrong as never)).toThrow(
      'The name of a sandbox must be a non-empty string',
    )
  },
)

test.each([
  ['Our Shop', /^petstore_sandbox_our-shop-[0-9a-f]{8}_[0-9a-f]{8}$/],
  ['Zoë', /^petstore_sandbox_zoe-[0-9a-f]{8}_/],
  ['-a', /^petstore_sandbox_a-[0-9a-f]{8}_/],
  ['a\n', /^petstore_sandbox_a-[0-9a-f]{8}_/],
  ['犬', /^petstore_sandbox_sandbox-[0-9a-f]{8}_/],
  [`${'a'.repeat(20)}-${'b'.repeat(20)}`, /^petstore_sandbox_a{20}-b{10}-[0-9a-f]{8}_/],
])('the name %j becomes a slug and a hash', async (name, key) => {
  expect(sandboxKey(name)).toMatch(key)
  const mock = createMock({ pets: 1 })
  const sandbox = mock.sandboxes.get(name)
  expect(sandbox.key).toBe(sandboxKey(name))
  expect(mock.sandboxes.has(name)).toBe(true)
  expect((await sendTo(mock, 'GET', '/v1/pets', { key: sandboxKey(name) })).status).toBe(200)
  // The slug is also accepted as a name: the control API has no other.
  expect(mock.sandboxes.get(sandbox.name ?? '')).toBe(sandbox)
})

test('different names have different keys', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, unit: 'binary' }),
      fc.string({ minLength: 1, unit: 'binary' }),
      (one, other) => {
        expect(sandboxKey(one) === sandboxKey(other)).toBe(one === other)
      },
    ),
    { numRuns: runs(1_000) },
  )
})

describe('a damaged key is rejected with 401, and creates no sandbox', () => {
  const mock = createMock({ pets: 1 })
  const expectRejected = async (key: string): Promise<void> => {
    for (const [method, target] of [
      ['GET', '/v1/pets'],
      ['GET', '/v1/pets/1'],
      ['POST', '/v1/pets'],
    ] as const) {
      const reply = await sendTo(mock, method, target, { key })
      expect([reply.status, key]).toEqual([401, key])
      expect(reply.json).toMatchObject({ code: 'unauthorized', status: 401 })
      if (key.length > 12) expect(reply.body).not.toContain(key)
    }
    expect(mock.sandboxes.list()).toEqual([])
  }
  /** Ways to damage a key at a given position. */
  const alterations: Record<string, (key: string, at: number, char: string) => string> = {
    'cut at its end': (key, at) => key.slice(0, at),
    'cut at its start': (key, at) => key.slice(at + 1),
    'lengthened at its end': (key, _, char) => key + char,
    'lengthened at its start': (key, _, char) => char + key,
    'lengthened anywhere': (key, at, char) => key.slice(0, at) + char + key.slice(at),
    'a character taken out': (key, at) => key.slice(0, at) + key.slice(at + 1),
    'a character changed': (key, at, char) => key.slice(0, at) + char + key.slice(at + 1),
    'two neighbors swapped': (key, at) =>
      key.slice(0, at) + (key[at + 1] ?? '') + (key[at] ?? '') + key.slice(at + 2),
    'in other letters': (key, at) =>
      key.slice(0, at) + (key[at] ?? '').toUpperCase() + key.slice(at + 1),
    'all in capitals': (key) => key.toUpperCase(),
    twice: (key) => key + key,
    'with the checksum of another': (key, at) => key.slice(0, -8) + sandboxKey(`n${at}`).slice(-8),
  }

  test.each(Object.entries(alterations))('%s', (_, alter) =>
    fc.assert(
      fc.asyncProperty(
        name,
        fc.nat(200),
        fc.constantFrom(...'ab09_-Z. ~é\u0000'),
        async (name, at, char) => {
          const key = sandboxKey(name)
          const other = alter(key, at % key.length, char)
          fc.pre(other.trim() !== key)
          await expectRejected(other)
        },
      ),
      { numRuns: runs(100) },
    ),
  )

  test('the message names the likely mistake', async () => {
    const { json } = await sendTo(mock, 'GET', '/v1/pets', {
      key: sandboxKey('team-a').slice(0, -1),
    })
    expect(json.message).toContain('like that of a sandbox, but was cut or changed')
  })

  test.each([
    ['without its scheme', sandboxKey('team-a')],
    ['with another scheme', `Basic ${sandboxKey('team-a')}`],
    ['in two headers', [`Bearer ${sandboxKey('team-a')}`, `Bearer ${sandboxKey('team-a')}`]],
    ['beside another', `Bearer ${sandboxKey('team-a')}, Bearer ${sandboxKey('team-b')}`],
    ['beside a key of the mock', `Bearer ${sandboxKey('team-a')} ${defaultKey}`],
    ['after two schemes', `Bearer Bearer ${sandboxKey('team-a')}`],
    ['with an encoded line feed', `Bearer ${sandboxKey('team-a')}%0A`],
  ])(
    'a valid key %s is also rejected, and is in the journal of its sandbox',
    async (_, authorization) => {
      const mock = createMock({ pets: 1 })
      const headers = { authorization }
      expect((await sendTo(mock, 'GET', '/v1/pets', { headers })).status).toBe(401)
      expect(mock.sandboxes.get('team-a').journal.last()?.response.status).toBe(401)
    },
  )
})

test.each<[string, Record<string, string>, string?]>([
  ['api_key', { api_key: sandboxKey('team-a') }],
  ['any header', { 'x-shop-credential': sandboxKey('team-a') }],
  ['Proxy-Authorization', { 'proxy-authorization': `Bearer ${sandboxKey('team-a')}` }],
  [
    'Proxy-Authorization in Base64',
    { 'proxy-authorization': `Basic ${btoa(`x:${sandboxKey('team-a')}`)}` },
  ],
  ['a cookie', { cookie: `a=1; token=${sandboxKey('team-a')}; b=2` }],
  [
    'a form',
    { 'content-type': 'application/x-www-form-urlencoded' },
    `limit=1&access_token=${sandboxKey('team-a')}`,
  ],
])('a key in %s counts for its sandbox, as a violation', async (where, headers, body = '') => {
  const mock = createMock({ pets: 1 })
  await mock.handle({ method: 'POST', target: '/v1/pets', headers, body })
  const [card] = await mock.sandboxes.get('team-a').scorecards()
  expect(card?.issues.map(({ id }) => id)).toContain(
    /form|Base64/.test(where) ? 'credentials.missing' : 'credentials.other-header',
  )
  expect(JSON.stringify(card)).not.toContain(sandboxKey('team-a'))
  expect(mock.journal.list()).toEqual([])
})

test('with names of sandboxes, only their keys open sandboxes', async () => {
  const mock = createMock({ pets: 1, sandboxes: ['team-a', 'partner-*'] })
  const statusOf = async (name: string, place = 'authorization'): Promise<number> => {
    const headers = { [place]: `Bearer ${sandboxKey(name)}` }
    return (await mock.handle({ method: 'GET', target: '/v1/pets', headers, body: '' })).status
  }
  for (const name of ['team-b', 'team-a-1', 'partner', 'my-partner-1']) {
    expect(await statusOf(name), name).toBe(401)
    expect(await statusOf(name, 'x-api-key'), name).toBe(401)
  }
  expect(mock.sandboxes.list()).toEqual([])
  expect(mock.journal.list()).toHaveLength(8)
  for (const name of ['team-a', 'partner-1', 'partner-of-us'])
    expect(await statusOf(name), name).toBe(200)
  expect(mock.sandboxes.list().map(({ name }) => name)).toEqual([
    'team-a',
    'partner-1',
    'partner-of-us',
  ])
  mock.sandboxes.get('team-b')
  expect(await statusOf('team-b')).toBe(200)
  mock.sandboxes.delete('team-b')
  expect(await statusOf('team-b')).toBe(401)
})

test.each([[[]], [['Team']], [['te*m']], [[7]], ['team-a']])(
  'rejects %j as names of sandboxes',
  (sandboxes) => {
    expect(() => createMock({ sandboxes: sandboxes as string[] })).toThrow(
      'sandboxes must be true, false, or a list of names such as team-a or team-*',
    )
  },
)

test('with sandboxes off, their keys are unknown, and may be configured as ordinary keys', async () => {
  const off = createMock({ sandboxes: false })
  const { status, json } = await sendTo(off, 'GET', '/v1/pets', { key: sandboxKey('team-a') })
  expect([status, json.message]).toEqual([401, expect.stringContaining('sandboxes switched off')])
  expect(off.sandboxes.list()).toEqual([])
  expect(() => off.sandboxes.get('team-a')).toThrow('The sandboxes of this mock are switched off.')
  const own = createMock({ sandboxes: false, keys: [sandboxKey('team-a')] })
  expect((await sendTo(own, 'GET', '/v1/pets', { key: sandboxKey('team-a') })).status).toBe(200)
  expect(() => createMock({ keys: [sandboxKey('team-a')] })).toThrow(
    'keys must not contain a sandbox key',
  )
})
