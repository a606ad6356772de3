import { describe, expect, test } from 'vitest'

import { createMock, defaultKey, defaultProfile, type Mock } from '../../../src/mock/index.ts'
import { type Choice, type ChoiceId, choices } from '../../../src/spec/choices.ts'
import { ask, create } from './ask.ts'

/** Asks a mock the question of a choice, and returns the option that the answer shows. */
type Observe = (mock: Mock) => Promise<string>

const rex = { name: 'Rex', categoryId: 1 }
const statusOf = async (answer: Promise<{ status: number }>): Promise<string> => String((await answer).status)
const idsOf = async (mock: Mock, query = '?limit=100'): Promise<number[]> =>
  (await ask(mock, 'GET', `/v1/pets${query}`)).json.map((pet: { id: number }) => pet.id)

/** What becomes of a pet: the status of a refusal, or what a function tells of the pet. */
async function created(mock: Mock, members: object, tell: (pet: any) => string = () => 'accept'): Promise<string> {
  const { status, json } = await create(mock, { ...rex, ...members })
  return status === 201 ? tell(json) : String(status)
}

async function lengthOf(mock: Mock, query: string, lengths: Record<number, string>): Promise<string> {
  const { status, json } = await ask(mock, 'GET', `/v1/pets?${query}`)
  return status === 200 ? (lengths[json.length] ?? `${json.length} pets`) : String(status)
}

const observed: Record<ChoiceId, Observe> = {
  'create.default-status': (mock) => created(mock, {}, (pet) => pet.status ?? 'absent'),
  'list.order': async (mock) => {
    for (const name of ['Aaron', 'Zoltan']) await create(mock, { ...rex, name })
    const [first, second] = [await idsOf(mock), await idsOf(mock)]
    if (String(first) !== String(second)) return 'shuffled'
    return { 1: 'oldest-first', 131: 'by-name', 132: 'newest-first' }[first[0] ?? 0] ?? 'unknown'
  },
  'list.limit.below-minimum': (mock) => lengthOf(mock, 'limit=0', { 1: 'clamp', 20: 'default', 0: 'empty' }),
  'list.limit.above-maximum': (mock) => lengthOf(mock, 'limit=101', { 100: 'clamp', 20: 'default' }),
  'list.limit.not-an-integer': (mock) => lengthOf(mock, 'limit=abc', { 20: 'default' }),
  'list.limit.repeated': (mock) => lengthOf(mock, 'limit=3&limit=5', { 3: 'first', 5: 'last', 20: 'default' }),
  'list.status.unknown': (mock) => lengthOf(mock, 'status=lost', { 0: 'empty', 20: 'ignore' }),
  'list.unknown-parameter': (mock) => lengthOf(mock, 'page=2', { 20: 'ignore' }),
  'create.name.empty': (mock) => created(mock, { name: '' }),
  'create.name.blank': (mock) => created(mock, { name: '   ' }, ({ name }) => (name === '' ? 'trim' : 'accept')),
  'create.name.long': (mock) => created(mock, { name: 'x'.repeat(1000) }),
  'create.name.outer-spaces': (mock) =>
    created(mock, { name: ' Rex ' }, ({ name }) => (name === 'Rex' ? 'trim' : 'keep')),
  'create.name.duplicate': async (mock) => {
    await create(mock, rex)
    return created(mock, {})
  },
  'create.unknown-category': (mock) => created(mock, { categoryId: 777 }),
  'create.extra-members': (mock) => created(mock, { tag: 1 }, (pet) => ('tag' in pet ? 'store' : 'ignore')),
  'create.client-id': (mock) => created(mock, { id: 5 }, ({ id }) => (id === 5 ? 'adopted' : 'ignore')),
  'create.media-type.other': (mock) => mediaType(mock, { 'content-type': 'text/plain' }),
  'create.media-type.absent': (mock) => mediaType(mock, {}),
  'create.location': async (mock) => {
    const headers = { authorization: `Bearer ${defaultKey}`, host: 'pets.example:8080' }
    const { location } = (await ask(mock, 'POST', '/v1/pets', { headers, body: JSON.stringify(rex) })).headers
    if (location === 'http://pets.example:8080/v1/pets/131') return 'absolute'
    return location === '/v1/pets/131' ? 'relative' : (location ?? 'absent')
  },
  'create.visibility': async (mock) => {
    const { id } = (await create(mock, rex)).json
    const isThere = async (): Promise<boolean> =>
      (await ask(mock, 'GET', `/v1/pets/${id}`)).status === 200 &&
      (await idsOf(mock, '?limit=100&status=available')).includes(id)
    if (await isThere()) return 'immediate'
    while (!(await isThere())) await new Promise((resolve) => setImmediate(resolve))
    return 'delayed'
  },
  'get.id.not-an-integer': (mock) => statusOf(ask(mock, 'GET', '/v1/pets/abc')),
  'get.id.beyond-int64': (mock) => statusOf(ask(mock, 'GET', '/v1/pets/9223372036854775808')),
  'get.deprecation-header': (mock) => hasHeader(ask(mock, 'GET', '/v1/pets/1'), 'deprecation'),
  'get.sunset-header': (mock) => hasHeader(ask(mock, 'GET', '/v1/pets/1'), 'sunset'),
  'get.after-removal': async ({ settings }) => {
    const later = createMock({ profile: settings.profile, now: () => new Date('2030-12-06') })
    const { status } = await ask(later, 'GET', '/v1/pets/1')
    return status === 200 ? 'works' : String(status)
  },
  'auth.scheme-case': async (mock) => {
    const { status } = await ask(mock, 'GET', '/v1/pets', { headers: { authorization: `bearer ${defaultKey}` } })
    return status === 200 ? 'accept' : String(status)
  },
  'auth.www-authenticate': (mock) => hasHeader(ask(mock, 'GET', '/v1/pets', { headers: {} }), 'www-authenticate'),
  'auth.write-permission': (mock) => created(mock, {}, () => 'granted'),
  'pet.extra-members': async (mock) => {
    const { id } = (await create(mock, rex)).json
    const shown = [await ask(mock, 'GET', `/v1/pets/${id}`), await ask(mock, 'GET', '/v1/pets/1')]
    return shown.every(({ json }) => Object.keys(json).length > 4) ? 'present' : 'absent'
  },
  'error.extra-members': async (mock) =>
    Object.keys((await ask(mock, 'GET', '/v1/pets', { headers: {} })).json).length > 3 ? 'present' : 'absent',
  'error.code.400': async (mock) => (await create(mock, '{}')).json.code,
  'error.code.401': async (mock) => (await ask(mock, 'GET', '/v1/pets', { headers: {} })).json.code,
  'error.code.404': async (mock) => (await ask(mock, 'GET', '/v1/pets/999')).json.code,
  'http.unknown-path': (mock) => statusOf(ask(mock, 'GET', '/v1/nothing')),
  'http.unknown-method': (mock) => statusOf(ask(mock, 'DELETE', '/v1/pets')),
  'http.head': (mock) => statusOf(ask(mock, 'HEAD', '/v1/pets')),
  'http.options': (mock) => statusOf(ask(mock, 'OPTIONS', '/v1/pets', { headers: {} })),
  'http.trailing-slash': async (mock) => {
    const { status, headers } = await ask(mock, 'GET', '/v1/pets/?limit=2')
    if (status === 308 && headers['location'] === '/v1/pets?limit=2') return 'redirect'
    return status === 200 ? 'same' : String(status)
  },
  'http.cors': async (mock) => {
    const origin = 'https://shop.example'
    const { headers } = await ask(mock, 'GET', '/v1/pets', { headers: { origin } })
    return headers['access-control-allow-origin'] === '*' ? 'any-origin' : 'none'
  },
  'rate-limit.headers': (mock) => hasHeader(ask(mock, 'GET', '/v1/pets'), 'ratelimit'),
}

async function mediaType(mock: Mock, headers: Record<string, string>): Promise<string> {
  const authorized = { authorization: `Bearer ${defaultKey}`, ...headers }
  const { status } = await ask(mock, 'POST', '/v1/pets', { headers: authorized, body: JSON.stringify(rex) })
  return status === 201 ? 'accept' : String(status)
}

async function hasHeader(
  answer: Promise<{ headers: Readonly<Record<string, string>> }>,
  name: string,
): Promise<string> {
  return (await answer).headers[name] === undefined ? 'absent' : 'present'
}

const rows = (choices as readonly Choice[]).flatMap(({ id, options, free }) => [
  ...options.map(({ value }) => [id, value] as const),
  ...(free ? [[id, 'E_OTHER'] as const] : []),
])

test.each(rows)('%s: %s', async (id, option) => {
  const mock = createMock({ pets: 130, profile: { [id]: option } })
  expect(await observed[id as ChoiceId](mock)).toBe(option)
})

test('by default, the table says what the mock does', async () => {
  for (const choice of choices) {
    expect(await observed[choice.id](createMock({ pets: 130 })), choice.id).toBe(choice.default)
  }
})

describe('what the specification does say holds with every option', () => {
  test.each(rows)('%s: %s', async (id, option) => {
    const mock = createMock({ profile: { [id]: option } })
    expect((await create(mock, '{}')).status).toBe(id === 'auth.write-permission' && option === '403' ? 403 : 400)
    expect((await ask(mock, 'POST', '/v1/pets', { headers: { authorization: `Bearer ${defaultKey}` } })).status).toBe(
      id === 'auth.write-permission' && option === '403' ? 403 : 400,
    )
    expect((await ask(mock, 'GET', '/v1/pets')).json).toHaveLength(20)
    expect((await ask(mock, 'GET', '/v1/pets', { headers: {} })).status).toBe(401)
    expect((await ask(mock, 'GET', '/v1/pets/999')).status).toBe(404)
  })
})

test('equal names come by age, and names in the order of code points', async () => {
  const mock = createMock({ pets: 0, profile: { 'list.order': 'by-name' } })
  for (const name of ['b', '\u{1F43E}', '\uFFFD', 'a', 'b', 'é', 'ab', 'B']) await create(mock, { name, categoryId: 1 })
  expect((await ask(mock, 'GET', '/v1/pets')).json.map((pet: any) => `${pet.name}${pet.id}`)).toEqual([
    'B8',
    'a4',
    'ab7',
    'b1',
    'b5',
    'é6',
    '\uFFFD3',
    '\u{1F43E}2',
  ])
})

test('a name is taken from the moment of its creation, also while reads lag behind', async () => {
  const mock = createMock({ profile: { 'create.visibility': 'delayed', 'create.name.duplicate': '409' } })
  expect((await create(mock, rex)).status).toBe(201)
  expect((await create(mock, rex)).status).toBe(409)
})

test('a shuffled list is the same on every machine', async () => {
  const profile = { 'list.order': 'shuffled' } as const
  const [one, other] = [createMock({ profile }), createMock({ profile })]
  const first = await idsOf(one)
  expect(await idsOf(other)).toEqual(first)
  expect([...first].sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1))
  await idsOf(one)
  one.reset()
  expect(await idsOf(one)).toEqual(first)
})

test('mistakes are told together, with what would be right', () => {
  const profile = { 'list.order': 'random', 'list.colour': 'red', 'create.location': 7 } as never
  expect(() => createMock({ profile })).toThrow(
    [
      'profile/list.order must be one of newest-first, oldest-first, by-name, shuffled, and was "random".',
      'profile/list.colour is unknown.',
      'profile/create.location must be one of relative, absent, absolute, and was 7.',
    ].join('\n'),
  )
  expect(createMock().settings.profile).toEqual(defaultProfile)
})
