import { describe, expect, test } from 'vitest'

import { createMock, defaultKey, type JournalEntry, sandboxKey } from '../../../src/mock/index.ts'
import { ask } from './ask.ts'

const odd = String.raw`k"e\y/%+&key=`
const long = `key-${'x1'.repeat(60)}`
const mock = createMock({ keys: [defaultKey, `${defaultKey}-2`, odd, long] })

interface Sent {
  key?: string
  target?: string
  headers?: Record<string, string | string[]>
  body?: string
}

/** Everything that the journal shows of a request. */
async function shown({ key = defaultKey, target = '/v1/pets', headers = {}, body = '' }: Sent): Promise<string> {
  const world = key === sandboxKey('team-a') ? mock.sandboxes.get('team-a') : mock
  const seen: JournalEntry[] = []
  const end = world.journal.subscribe((entry) => seen.push(entry))
  await ask(mock, body === '' ? 'GET' : 'POST', target, {
    body,
    headers: { authorization: `Bearer ${key}`, ...headers },
  })
  end()
  expect(world.journal.last()).toEqual(seen[0])
  return JSON.stringify(seen[0])
}

/** No spelling of the key is in the text: neither whole, nor a long piece of it. */
function expectHidden(text: string, key: string): void {
  const spellings = [key, encodeURIComponent(key), JSON.stringify(key).slice(1, -1), key.slice(0, 40), key.slice(-12)]
  for (const spelling of spellings) expect(text).not.toContain(JSON.stringify(spelling).slice(1, -1))
  expect(text).toContain('[redacted]')
}

const keys: [string, string][] = [
  ['the key', defaultKey],
  ['a key that begins as another', `${defaultKey}-2`],
  ['a key of odd characters', odd],
  ['a long key', long],
  ['a sandbox key', sandboxKey('team-a')],
  ['an unknown key', 'sk_live_51Habcdefgh'],
  ['a key that was cut', sandboxKey('team-a').slice(0, -2)],
]

describe.each(keys)('%s', (_, key) => {
  test('in the header of credentials, whose scheme stays', async () => {
    const text = await shown({ key })
    expectHidden(text, key)
    expect(text).toContain('"authorization":"Bearer [redacted]"')
  })

  test('in the query, plain and encoded', async () => {
    expectHidden(await shown({ key, target: `/v1/pets?api_key=${encodeURIComponent(key)}&limit=5` }), key)
    expectHidden(await shown({ key, target: `/v1/pets?limit=${encodeURIComponent(key)}` }), key)
    const everything = Array.from(key, (char) => `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`).join('')
    expectHidden(await shown({ key, target: `/v1/pets?api_key=${everything}` }), key)
  })

  test('in the path', async () => {
    expectHidden(await shown({ key, target: `/v1/pets/${encodeURIComponent(key)}` }), key)
    expectHidden(await shown({ key, target: `/v1/pets/${encodeURIComponent(key)}/` }), key)
  })

  test('in the body, and in what the answer repeats of it', async () => {
    expectHidden(await shown({ key, body: JSON.stringify({ name: key, categoryId: 1 }) }), key)
    expectHidden(await shown({ key, body: JSON.stringify({ name: 'Rex', categoryId: key, status: `x${key}` }) }), key)
    const escaped = Array.from(key, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
    expectHidden(await shown({ key, body: `{"name":"${escaped}","categoryId":1}` }), key)
  })

  test('where a body is cut', async () => {
    const before = 16_384 - '{"name":"'.length - Math.floor(key.length / 2)
    const text = await shown({
      key,
      body: JSON.stringify({ name: `${'x'.repeat(before)}${key}${'y'.repeat(500)}`, categoryId: 1 }),
    })
    for (let length = key.length; length > 8; length -= 1) expect(text).not.toContain(`x${key.slice(0, length)}`)
  })

  test('in other headers, and where those are cut', async () => {
    expectHidden(
      await shown({ key, headers: { 'x-key': key, referer: `http://shop.example/?k=${key}`, 'x-many': ['a', key] } }),
      key,
    )
    const text = await shown({ key, headers: { 'x-long': `${'x'.repeat(2_048 - 10)}${key}` } })
    expect(text).not.toContain(`x${key.slice(0, 9)}`)
  })
})

test('headers that carry secrets are hidden whole', async () => {
  const headers = { cookie: 'session abc=1', 'proxy-authorization': 'Basic dXNlcg==', 'x-api-key': 'anything' }
  expect(await shown({ headers })).toContain(
    '"cookie":"[redacted]","proxy-authorization":"Basic [redacted]","x-api-key":"[redacted]"',
  )
  const odd = { authorization: ['mysecret abc', 'Token tok-123', 'nothing-but-a-token'] }
  expect(await shown({ headers: odd })).toContain('"authorization":["[redacted]","Token [redacted]","[redacted]"]')
})

test('a key of the mock in the sandbox of somebody else', async () => {
  const text = await shown({ key: sandboxKey('team-a'), target: `/v1/pets?api_key=${defaultKey}` })
  expectHidden(text, defaultKey)
})

test('any characters in credentials do no harm', async () => {
  for (const token of ['\ud800abcd', 'a\nb\u0000cd', '$&$1[x]', '%zz%', 'é'.repeat(2_000), '.*.*', '']) {
    expect(await shown({ headers: { authorization: `Bearer ${token}` } })).toContain('[redacted]')
  }
})

test('what is no secret is shown', async () => {
  const text = await shown({ target: '/v1/pets?limit=5&q=50%25%20off', headers: { accept: 'application/json' } })
  expect(text).toContain('/v1/pets?limit=5&q=50%25%20off')
  expect(text).toContain('"accept":"application/json"')
})
