/** What a conforming service says beside a violation: which pets it has, and what counts as a difference. */
import { describe, expect, test } from 'vitest'
import { conforming } from '../../../src/verify/conforming.ts'
import type { Exchange } from '../../../src/contract/http/exchange.ts'
import {
  conforms,
  differenceIn,
  isAboutStatus,
  petsBeside,
} from '../../../src/contract/judge/beside.ts'
import type { Violation } from '../../../src/contract/judge/findings.ts'
import { besideWords } from '../../../src/contract/report/words.ts'
import { printJson } from '../../../src/json.ts'
import { defaultKey, type MockOptions } from '../../../src/mock/index.ts'
import { verifyMock } from '../../support/verify-in-process.ts'
import { toExchange } from './exchange.ts'

const rex = { id: 1, name: 'Rex', categoryId: 5, status: 'sold' } as const
const mia = { id: 2, name: 'Mia', categoryId: 5, status: 'pending' } as const
const notFound = { code: 'not_found', message: 'There is no such pet.', status: 404 }

const violationOf = (exchanges: Exchange[], more: Partial<Violation> = {}): Violation => ({
  requirement: 'get.by-id',
  message: '',
  expected: '',
  actual: '',
  exchanges,
  ...more,
})

/** What a conforming response has at the place of a violation: `[pointer or part, conforming, actual]`. */
function difference(
  request: string,
  [status, body, contentType]: [status: number, body: unknown, contentType?: string | undefined],
  [wantedStatus, wanted]: [status: number, body: unknown],
  { before = [], ...more }: Partial<Violation> & { before?: Exchange[] } = {},
): string[] | undefined {
  const exchange = toExchange(
    request,
    status,
    body,
    contentType === undefined ? {} : { contentType },
  )
  const conforming = toExchange(request, wantedStatus, wanted)
  const found = differenceIn(conforming, violationOf([...before, exchange], more))
  return found && [found.pointer ?? found.part, found.conforming, found.actual]
}

describe('at the place of a violation', () => {
  test('the status differs, and not the body', () => {
    expect(difference('GET /pets/1', [200, rex], [404, notFound])).toEqual(['status', '404', '200'])
    expect(difference('POST /pets', [0, ''], [400, notFound])).toEqual([
      'status',
      '400',
      'no response',
    ])
  })

  test('the media type differs where it is the violation', () => {
    const found = difference('GET /pets/7', [404, '<h1>404</h1>', 'text/html'], [404, notFound], {
      requirement: 'http.media-type',
    })
    expect(found).toEqual(['content-type', 'application/json', 'text/html'])
  })

  test('a value differs, and no other field', () => {
    const at = (pointer: string, changed: object) =>
      difference('GET /pets/1', [200, { ...rex, ...changed }], [200, rex], { pointer })
    expect(at('/name', { name: 7, categoryId: '5' })).toEqual(['/name', '"Rex"', '7'])
    expect(at('/status', { status: undefined })).toEqual(['/status', '"sold"', 'missing'])
    expect(at('/name', { categoryId: 6 })).toBeUndefined()
  })

  test.each<[what: string, found: string[] | undefined, wanted: string[]]>([
    [
      'the code of an Error',
      difference('GET /pets/7', [404, { ...notFound, code: 7 }], [404, notFound], {
        pointer: '/code',
        expected: 'code: a string',
      }),
      ['/code', 'a string', '7'],
    ],
    [
      'the id of a new pet',
      difference('POST /pets', [201, { ...rex, id: '1' }], [201, rex], {
        pointer: '/id',
        expected: 'id: an integer within int64',
      }),
      ['/id', 'an integer within int64', '"1"'],
    ],
    [
      'an id that another pet has',
      difference('GET /pets', [200, [rex, rex]], [200, [rex]], {
        pointer: '/1/id',
        expected: 'an id that no other pet has; /0 has it too',
      }),
      ['/1/id', 'an id that no other pet has', '1'],
    ],
    [
      'a list as a whole',
      difference('GET /pets?limit=2', [200, [rex]], [200, [rex, mia]], {
        expected: '2 pets',
        actual: '1 pet',
      }),
      ['body', '2 pets', '1 pet'],
    ],
  ])('%s is described, since a service chooses it', (_, found, wanted) => {
    expect(found).toEqual(wanted)
  })

  test('a pointer leads to the same pet on both sides', () => {
    const exchange = toExchange('GET /pets', 200, [null, { ...mia, categoryId: '5' }])
    const violation = violationOf([exchange], { pointer: '/1/categoryId' })
    expect(differenceIn(toExchange('GET /pets', 200, [mia]), violation)).toMatchObject({
      pointer: '/1/categoryId',
      conformingPointer: '/0/categoryId',
      conforming: '5',
      actual: '"5"',
    })
  })

  test('the whole Pet differs where two responses show it differently', () => {
    const [path, other] = ['GET /pets/1', { ...rex, name: 'Bo' }]
    const before = [toExchange('POST /pets', 201, rex)]
    const found = difference(path, [200, other], [200, rex], { before })
    expect(found).toEqual(['body', printJson(rex), printJson(other)])
    expect(difference(path, [200, rex], [200, rex], { before })).toBeUndefined()
    // Others may have changed it.
    expect(difference(path, [200, other], [200, rex])).toBeUndefined()
  })
})

describe('the pets beside a violation', () => {
  const known = [rex, mia].map((pet) => ({ pet, exchange: toExchange('GET /pets', 200, [pet]) }))
  const beside = (exchanges: Exchange[], more?: Partial<Violation>) =>
    petsBeside(violationOf(exchanges, more), known)
  const later = { sentAt: 10 }

  test('are the one that is fetched, as an earlier response of the violation shows it', () => {
    const created = { ...rex, name: 'Bo' }
    const get = toExchange('GET /pets/1', 404, notFound, later)
    expect(beside([toExchange('POST /pets', 201, created), get])).toEqual({
      pets: [created],
      areEnough: true,
    })
    expect(beside([get])).toEqual({ pets: [rex], areEnough: true })
  })

  test('are none where no pet has the id', () => {
    const get = toExchange('GET /pets/1', 200, rex, later)
    expect(beside([get], { requirement: 'get.not-found' })).toEqual({ pets: [], areEnough: true })
  })

  test('are not enough where nobody has seen the pet, or only later', () => {
    expect(beside([toExchange('GET /pets/9', 500, '', later)]).areEnough).toBe(false)
    expect(beside([toExchange('GET /pets/1', 500, '')]).areEnough).toBe(false)
  })

  test('are not those of a creation that was rejected', () => {
    const rejected = toExchange('POST /pets', 400, notFound)
    const creation = { names: ['Rex'], mustFail: true }
    const before = { ...rejected, plan: { ...rejected.plan, creation } }
    const list = beside([before, toExchange('GET /pets', 200, [rex, mia], later)])
    expect(list).toEqual({ pets: [mia], areEnough: true })
    const get = [before, toExchange('GET /pets/1', 200, rex, later)]
    expect(beside(get)).toEqual({ pets: [], areEnough: true })
    expect(isAboutStatus(violationOf(get))).toBe(true)
  })

  test.each([
    ['numbers as texts', { ...rex, id: '1', categoryId: '5' }],
    ['another spelling', { ID: 1, Name: 'Rex', category_id: 5, Status: 'SOLD' }],
    ['an envelope', { pet: rex }],
  ])('are those that a list means by %s', (_, element) => {
    expect(beside([toExchange('GET /pets', 200, [element])]).pets).toEqual([rex])
  })

  test.each([
    ['in an envelope', { items: [rex] }],
    ['in a text', JSON.stringify(JSON.stringify([rex]))],
    ['in a function call', `callback(${JSON.stringify([rex])})`],
  ])('are those of a list %s', (_, body) => {
    expect(beside([toExchange('GET /pets', 200, body)]).pets).toEqual([rex])
  })

  test('are not enough where a name is in no response', () => {
    const list = toExchange('GET /pets', 200, [{ id: 9, categoryId: 5 }])
    expect(beside([list]).areEnough).toBe(false)
  })

  test('fill the page of a list that shows pets of another status', () => {
    const list = toExchange('GET /pets?status=sold&limit=2', 200, [mia, mia], later)
    expect(beside([list], { pointer: '/0/status' }).pets).toEqual([mia, rex])
  })

  test('are those that a list lacks, if the violation is about the list', () => {
    const [all, short] = [
      toExchange('GET /pets?limit=100', 200, [rex, mia]),
      toExchange('GET /pets', 200, [mia], later),
    ]
    expect(beside([all, short]).pets).toEqual([mia, rex])
    expect(beside([all, short], { pointer: '/0' }).pets).toEqual([mia])
  })

  test('are not enough for an error where no list was seen before', () => {
    expect(petsBeside(violationOf([toExchange('GET /pets', 500, '')]), []).areEnough).toBe(false)
    expect(petsBeside(violationOf([toExchange('GET /pets', 204, '')]), []).areEnough).toBe(true)
  })
})

test('a response that the suite would report does not conform', () => {
  expect(conforms(toExchange('GET /pets/1', 200, rex))).toBe(true)
  expect(conforms(toExchange('GET /pets/1', 200, { ...rex, name: 7 }))).toBe(false)
  expect(conforms(toExchange('GET /pets?limit=1', 200, [rex, mia]))).toBe(false)
})

test('the line names the status, or two differences', () => {
  const response = { status: 401, headers: {}, body: '{"status":401}' }
  const status = { part: 'status', conforming: '401', actual: '200' } as const
  expect(besideWords({ response, differences: [status] })).toBe('401 (here 200), {"status":401}')
  const name = (pointer: string) =>
    ({ part: 'body', pointer, conforming: '"Rex"', actual: '"rex"' }) as const
  const ofBody = (...differences: Parameters<typeof besideWords>[0]['differences']): string =>
    besideWords({ response: { ...response, status: 200 }, differences })
  expect(ofBody(name('/name'))).toBe('200, name "Rex" (here "rex")')
  expect(ofBody(name('/3/name'), name('/4/name'), name('/5/name'))).toBe(
    '200, name "Rex" (here "rex" at /3/name), name "Rex" (here "rex" at /4/name), 1 more',
  )
  expect(ofBody({ part: 'body', pointer: '/id', conforming: 'an id', actual: '7' })).toBe(
    '200, id: an id (here 7)',
  )
  expect(ofBody({ part: 'body', conforming: '20 pets', actual: '130 pets' })).toBe(
    '200, 20 pets (here 130 pets)',
  )
})

describe('a run', () => {
  test('does not ask where there is no violation', async () => {
    const report = await verifyMock({}, { conforming: () => Promise.reject(new Error('asked')) })
    expect(report.verdict).toBe('conforms')
  })

  test('reports violations also where the conforming service fails', async () => {
    const fail = (): Promise<never> => Promise.reject(new Error('out of memory'))
    const report = await verifyMock({ defects: ['create.status-202'] }, { conforming: fail })
    expect(report.findings.map((finding) => [finding.requirement, finding.conforming])).toEqual([
      ['create.success', undefined],
    ])
  })

  test('takes the options that the deployment shows', async () => {
    const profile = {
      'error.code.401': 'E_KEY',
      'pet.extra-fields': 'present',
    } as const
    const { findings } = await verifyMock(
      { profile, defects: ['auth.empty-header', 'pet.category-text'] },
      { conforming },
    )
    const shown = findings.map((finding) => finding.conforming?.response.body ?? '')
    expect(shown).toContainEqual(expect.stringContaining('"code":"E_KEY"'))
    expect(shown).toContainEqual(expect.stringContaining('"href":"/pets/100"'))
  })

  test('gives a new pet the id that the deployment chose', async () => {
    const { findings } = await verifyMock({ defects: ['create.status-202'] }, { conforming })
    const [{ conforming: beside, exchanges } = {}] = findings
    expect(beside?.response.body).toBe(exchanges?.at(-1)?.response.body)
    expect(beside?.differences).toEqual([{ part: 'status', conforming: '201', actual: '202' }])
  })

  test('shows no key, also where the deployment echoes it', async () => {
    const data: MockOptions['data'] = [rex, { ...mia, name: `Mia ${defaultKey}` }]
    const report = await verifyMock({ data, defects: ['pet.category-text'] }, { conforming })
    const [first] = report.findings
    expect(first?.conforming?.response.body).toContain('"name":"Mia $PETSTORE_API_KEY"')
    expect(JSON.stringify(report)).not.toContain(defaultKey)
    expect(first?.conforming?.differences).toHaveLength(1)
  })
})

test('the key is a placeholder also for the service that conforms', async () => {
  const seen: object[] = []
  const { findings } = await verifyMock(
    { defects: ['auth.any-token', 'auth.key-in-query', 'create.status-202'] },
    {
      conforming(request) {
        seen.push(request)
        return conforming(request)
      },
    },
  )
  expect(findings.every((finding) => finding.conforming !== undefined)).toBe(true)
  expect(printJson(seen)).not.toContain(defaultKey)
  expect(printJson(seen)).toContain('Bearer $PETSTORE_API_KEY')
})
