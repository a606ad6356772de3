import { describe, expect, test } from 'vitest'
import { ask, askUntil, type Asked, type Question } from '../../support/twins/ask.ts'
import { lawfulTwins, randomTwin, type LawfulTwin } from '../../support/twins/catalogue.ts'
import { JsonNumber, toInt64, type Json } from '../../support/twins/exact-json.ts'
import { isPetStatus } from '../../support/twins/new-pet.ts'
import { drawOptions } from '../../support/twins/random-twin.ts'
import type { RunningTwin } from '../../support/twins/running-twin.ts'
import { byLevel } from '../../support/level.ts'

/** Bodies that the specification refuses, whatever the rules of a house. */
const refusedBodies: Record<string, string | Uint8Array> = {
  'no name': '{"categoryId":1}',
  'no categoryId': '{"name":"Refused"}',
  'nothing at all': '{}',
  'name null': '{"name":null,"categoryId":1}',
  'name a number': '{"name":7,"categoryId":1}',
  'name an array': '{"name":["Refused"],"categoryId":1}',
  'categoryId null': '{"name":"Refused","categoryId":null}',
  'categoryId a string': '{"name":"Refused","categoryId":"1"}',
  'categoryId an array': '{"name":"Refused","categoryId":[1]}',
  'categoryId true': '{"name":"Refused","categoryId":true}',
  'categoryId a fraction': '{"name":"Refused","categoryId":1.5}',
  'categoryId above int64': '{"name":"Refused","categoryId":9223372036854775808}',
  'categoryId below int64': '{"name":"Refused","categoryId":-9223372036854775809}',
  'categoryId far too large': '{"name":"Refused","categoryId":1e400}',
  'status unknown': '{"name":"Refused","categoryId":1,"status":"lost"}',
  'status in other letters': '{"name":"Refused","categoryId":1,"status":"Available"}',
  'status null': '{"name":"Refused","categoryId":1,"status":null}',
  'an array': '[{"name":"Refused","categoryId":1}]',
  'a string': '"Refused"',
  null: 'null',
  'cut short': '{"name":"Refused","categoryId":1',
  'followed by more': '{"name":"Refused","categoryId":1} true',
  'a comma too many': '{"name":"Refused","categoryId":1,}',
  'not UTF-8': Buffer.from('{"name":"Refus\xe9","categoryId":1}', 'latin1'),
  absent: '',
}

/** Requests that nobody without the key may have answered by anything but 401. */
const lockedRequests = (twin: RunningTwin): [path: string, question: Question][] => {
  const keys = [
    undefined,
    '',
    'Bearer',
    `Bearer ${twin.key}x`,
    `Bearer ${twin.key.slice(0, -1)}`,
    twin.key,
    `Basic ${twin.key}`,
    `Bearer ${twin.key.toLowerCase()}`,
  ]
  const bad = { authorization: 'Bearer none', 'content-type': 'application/json' }
  return [
    // A key without letters is the same in any letter case.
    ...keys
      .filter((sent) => sent !== `Bearer ${twin.key}`)
      .map((authorization): [string, Question] => [
        '/pets',
        { headers: authorization === undefined ? {} : { authorization } },
      ]),
    ['/pets?limit=0', { headers: bad }],
    ['/pets?limit=abc&status=lost&status=&x=1', { headers: bad }],
    ['/pets/1', { headers: bad }],
    ['/pets/abc', { headers: bad }],
    ['/pets/%E0%A4', { headers: bad }],
    ['/pets/1234567890123456789', { headers: bad }],
    ['/pets', { method: 'POST', headers: bad, body: '{"name":"Locked","categoryId":1}' }],
    ['/pets', { method: 'POST', headers: bad, body: '{"name":' }],
    ['/pets', { method: 'POST', headers: bad, body: '' }],
    ['/pets', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'Locked' }],
    ['/pets', { headers: { accept: 'text/html' } }],
  ]
}

/** Requests that the specification does not describe: any answer but a crash, and an Error body where it refuses. */
const oddRequests: [path: string, question: Question][] = [
  ['/pets?limit=0', {}],
  ['/pets?limit=-1', {}],
  ['/pets?limit=101', {}],
  ['/pets?limit=99999999999999999999', {}],
  ['/pets?limit=abc', {}],
  ['/pets?limit=', {}],
  ['/pets?limit=1&limit=2', {}],
  ['/pets?status=lost', {}],
  ['/pets?status=', {}],
  ['/pets?status=sold&status=pending', {}],
  ['/pets?colour=blue', {}],
  ['/pets/abc', {}],
  ['/pets/%E0%A4', {}],
  ['/pets/1.5', {}],
  ['/pets/007', {}],
  ['/pets/9223372036854775808', {}],
  ['/pets/-9223372036854775809', {}],
  ['/pets/', {}],
  ['/PETS', {}],
  ['/nowhere', {}],
  ['/pets', { method: 'PUT', body: '{}' }],
  ['/pets', { method: 'DELETE' }],
  ['/pets', { method: 'OPTIONS' }],
  ['/pets', { method: 'HEAD' }],
  ['/pets', { headers: { accept: 'text/html' } }],
  ['/pets', { headers: { 'accept-encoding': 'gzip, br, deflate' } }],
]

function expectError(answer: Asked, status: number): void {
  expect(answer.status, answer.text).toBe(status)
  const body = answer.json as Map<string, Json>
  expect(body, `no JSON: ${answer.text}`).toBeInstanceOf(Map)
  expect(body.get('code')).toBeTypeOf('string')
  expect(body.get('message')).toBeTypeOf('string')
  expect(readInt64(body, 'status')).toBe(BigInt(status))
}

function readInt64(object: Map<string, Json>, member: string): bigint | undefined {
  const value = object.get(member)
  return value instanceof JsonNumber ? toInt64(value) : undefined
}

function isPet(value: Json | undefined): value is Map<string, Json> {
  if (!(value instanceof Map)) return false
  const integers = [readInt64(value, 'id'), readInt64(value, 'categoryId')]
  const status = value.get('status')
  return (
    !integers.includes(undefined) &&
    typeof value.get('name') === 'string' &&
    (status === undefined || isPetStatus(status))
  )
}

function expectPet(value: Json | undefined): Map<string, Json> {
  if (!isPet(value)) throw new Error('This is no Pet.', { cause: value })
  return value
}

function expectPets(answer: Asked, most: number): Map<string, Json>[] {
  expect(answer.status, answer.text).toBe(200)
  const pets = (answer.json as Json[]).map(expectPet)
  expect(pets.length).toBeLessThanOrEqual(most)
  expect(new Set(pets.map((pet) => readInt64(pet, 'id'))).size).toBe(pets.length)
  return pets
}

/** Asks a twin everything above, and makes one pet where the key may. */
async function expectElementaryContract({ start, verifyOptions = {}, options = {} }: LawfulTwin): Promise<void> {
  const twin = await start()
  const authorization = `Bearer ${twin.key}`
  const get = (path: string): Promise<Asked> => ask(twin.url + path, { headers: { authorization } })
  const post = (body: string | Uint8Array): Promise<Asked> =>
    ask(`${twin.url}/pets`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json; charset=utf-8' },
      body,
    })
  try {
    const page = expectPets(await get('/pets'), 20)
    const all = expectPets(await get('/pets?limit=100'), 100)
    expectPets(await get('/pets?limit=1'), 1)
    const isCalm = options.writerEveryMs === undefined && options.removalEveryMs === undefined
    if (isCalm && (options.pets ?? 100) >= 100) expect([page.length, all.length]).toEqual([20, 100])
    if (isCalm && page.length < 20) expect(all.length).toBe(page.length)
    for (const status of ['available', 'pending', 'sold']) {
      const pets = expectPets(await get(`/pets?limit=30&status=${status}`), 30)
      expect(pets.filter((pet) => pet.get('status') !== status)).toEqual([])
    }

    const locked = lockedRequests(twin)
    const refusals = await Promise.all(locked.map(([path, question]) => ask(twin.url + path, question)))
    for (const refusal of refusals) expectError(refusal, 401)

    const askOdd = ([path, question]: [string, Question]): Promise<Asked> =>
      ask(twin.url + path, { ...question, headers: { authorization, ...question.headers } })
    const oddAnswers = await Promise.all(oddRequests.map(askOdd))
    for (const [index, answer] of oddAnswers.entries()) {
      const { method } = oddRequests[index]?.[1] ?? {}
      if (answer.status >= 500) expect(answer.status).toBe(501)
      const isHtml = options.unknownPaths === 'html' && answer.json === undefined
      if (answer.status >= 400 && method !== 'HEAD' && !isHtml) expectError(answer, answer.status)
    }

    const missing = await get('/pets/1234567890123456789')
    const isRemoved = options.getPet !== undefined
    expectError(missing, isRemoved ? missing.status : 404)

    if (options.mayWrite === false) return expectError(await post('{"name":"Any","categoryId":1}'), 403)
    for (const answer of await Promise.all(Object.values(refusedBodies).map(post))) expectError(answer, 400)

    const categoryId =
      verifyOptions.categoryId?.toString() ?? (all[0] === undefined ? '7' : String(readInt64(all[0], 'categoryId')))
    const created = await post(
      ` {"status" : "p\\u0065nding",\n"categoryId":${categoryId}.0, "name": "Newcomer 4711"}\n`,
    )
    expect(created.status, created.text).toBe(201)
    const pet = expectPet(created.json)
    expect([pet.get('name'), pet.get('status')]).toEqual(['Newcomer 4711', 'pending'])
    expect(String(readInt64(pet, 'categoryId'))).toBe(categoryId)
    const id = readInt64(pet, 'id')
    const question = { headers: { authorization } }
    if (!isRemoved) {
      const fetched = await askUntil(`${twin.url}/pets/${id}`, question, ({ status }) => status === 200)
      expect(withPlainNumbers(expectPet(fetched.json))).toEqual(withPlainNumbers(pet))
    }
    if (all.length < 60 && isCalm) {
      const isListed = ({ json }: Asked): boolean =>
        (json as Json[]).some((one) => readInt64(expectPet(one), 'id') === id)
      const listed = await askUntil(`${twin.url}/pets?status=pending&limit=100`, question, isListed)
      expect(isListed(listed)).toBe(true)
    }
    const names = expectPets(await get('/pets?limit=100'), 100).map((one) => String(one.get('name')))
    expect(names.filter((name) => /^(Refus|Locked)/.test(name))).toEqual([])
  } finally {
    await twin.close()
  }
}

function withPlainNumbers(pet: Map<string, Json>): unknown[] {
  return ['id', 'categoryId']
    .map((member) => readInt64(pet, member))
    .concat([...pet.values()].filter((value) => typeof value === 'string') as never[])
}

describe('the catalogue', () => {
  test('has at least 65 twins, each with an id of its own and a sentence', () => {
    expect(lawfulTwins.length).toBeGreaterThanOrEqual(65)
    expect(new Set(lawfulTwins.map(({ id }) => id)).size).toBe(lawfulTwins.length)
    for (const { id, silence } of lawfulTwins) {
      expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
      expect(silence).toMatch(/^\S.+\S$/)
    }
  })

  test('draws the same twin from the same seed, and another from another', () => {
    expect(drawOptions(7)).toEqual(drawOptions(7))
    expect(new Set(Array.from({ length: 50 }, (_, seed) => randomTwin(seed).silence)).size).toBe(50)
  })
})

describe('the elementary contract is kept by', () => {
  // A key that ends is rejected from then on, whatever is sent with it.
  // The names of this contract are Latin.
  const lasting = lawfulTwins.filter(({ id, options }) => !options?.keyEndsAfter && !id.startsWith('names-cyrillic'))
  const all = [...lasting, ...Array.from({ length: 20 }, (_, seed) => randomTwin(seed))]
  /** One in so many twins runs over sockets; the suite runs against each of them in conforming.test.ts. */
  const share = byLevel({ usual: 8, slow: 1, all: 1 })
  test.concurrent.each(all.filter((_, place) => place % share === 0))('$id', expectElementaryContract, 20_000)
})
