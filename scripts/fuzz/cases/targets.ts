import { answered, answeredOrEnded, isError, petsPath, showsPet, showsPets, toRequest } from '../requests.ts'
import type { Context, Expected, FuzzCase } from '../scenario.ts'

/** Paths below the origin, or (with no slash at the start) petIds, that lead nowhere. */
const nowhere: Record<string, string> = {
  root: '/',
  'version-only': '/v1',
  'no-version': '/pets',
  'other-version': '/v2/pets',
  orders: '/v1/store/orders',
  pet: '/v1/pet/1',
  'upper-case': '/V1/PETS',
  'upper-case-pets': '/v1/Pets',
  longer: '/v1/petss',
  'double-slash-start': '//v1/pets',
  'double-slash': '/v1//pets',
  'double-slash-id': '/v1/pets//1',
  'below-a-pet': '/v1/pets/1/photos',
  'encoded-slash': '/v1%2Fpets',
  'encoded-slash-id': '/v1/pets%2F1',
  'encoded-mark': '/v1/pets%3Flimit=1',
  'encoded-encoding': '/v1/%2570ets',
  'encoded-nul': '/v1/pets%00',
  'wide-slash': '/v1%EF%BC%8Fpets',
  semicolon: '/v1/pets;a=b',
  favicon: '/favicon.ico',
  passwd: '/../../../../etc/passwd',
  'passwd-encoded': '/v1/pets/%2e%2e/%2e%2e/%2e%2e/etc/passwd',
  env: '/.env',
  proto: '/v1/__proto__',
  constructor: '/constructor',
  admin: '/admin',
  metrics: '/metrics',
}

/** Paths with dots: a server may resolve them, or not. */
const dots = [
  '/v1/./pets',
  '/v1/x/../pets',
  '/v1/%2e/pets',
  '/v1/x/%2E%2e/pets',
  '/./v1/pets',
  '/v1/pets/.',
  '/v1/pets/..',
  '/v1/pets/../pets/1',
]

/** What is no URI, or holds octets that are no UTF-8. */
const malformed = [
  '%',
  '%1',
  '%zz',
  '%E0%A4%A',
  '%C0%AF',
  '%ED%A0%80',
  '%F5%80%80%80',
  '%FF',
  '%u0031',
  '1%',
  '1%2',
  '%-1',
]

/** petIds that no pet has. */
const noPet: Record<string, string> = {
  zero: '0',
  'minus-one': '-1',
  far: '999999999',
  'int32-edge': '2147483648',
  'uint32-edge': '4294967297',
  'double-edge': '9007199254740993',
  'int64-maximum': '9223372036854775807',
  'int64-minimum': '-9223372036854775808',
  'beyond-int64': '9223372036854775808',
  'below-int64': '-9223372036854775809',
  'uint64-wrap': '18446744073709551617',
  'uint128-wrap': '340282366920938463463374607431768211457',
  'thousand-digits': '1'.repeat(1_000),
  'ten-thousand-digits': '9'.repeat(10_000),
  'zeros-and-one-beyond': `1${'0'.repeat(5_000)}1`,
  'double-one': '1.0',
  exponent: '1e0',
  'huge-exponent': '1e999',
  'plus-encoded': '%2B1',
  hex: '0x1',
  octal: '0o1',
  underscore: '1_0',
  comma: '1,0',
  'space-before': '%201',
  'space-behind': '1%20',
  'line-feed-behind': '1%0A',
  'nul-behind': '1%00',
  'nul-before': '%001',
  'arabic-digit': '%D9%A1',
  'full-width-digit': '%EF%BC%91',
  'superscript-digit': '%C2%B9',
  nan: 'NaN',
  infinity: 'Infinity',
  null: 'null',
  undefined: 'undefined',
  true: 'true',
  proto: '__proto__',
  constructor: 'constructor',
  'to-string': 'toString',
  'encoded-slash': '1%2F2',
  'encoded-dots': '..%2F1',
  backslash: '%5C1',
  semicolon: '1;v=2',
  json: '%7B%22id%22%3A1%7D',
  array: '1,2,3',
  braces: '{petId}',
  emoji: '%F0%9F%90%B6',
  script: '%3Cscript%3Ealert(1)%3C%2Fscript%3E',
  template: '$%7B7*7%7D',
  escape: '%1B%5B2J',
  crlf: '1%0D%0AX-Injected:%201',
}

/** Other spellings of the id 5. */
const five: Record<string, readonly [id: string, statuses: readonly number[]]> = {
  encoded: ['%35', [200]],
  'leading-zero': ['05', [200, 400, 404]],
  'many-zeros': [`${'0'.repeat(5_000)}5`, [200, 400, 404]],
  plus: ['+5', [200, 400, 404]],
  'with-query': ['5?limit=0&status=nothing', [200]],
  'with-mark': ['5?', [200]],
  slash: ['5/', [200, 308, 404]],
  'two-slashes': ['5//', [404]],
}

type Query = readonly [query: string, reply: (context: Context) => Expected]
const bad = (): Expected => isError(400)
const page =
  (limit: number, status?: string) =>
  (context: Context): Expected =>
    showsPets(context, limit, status)
const pageOrBad =
  (limit: number, status?: string) =>
  (context: Context): Expected => ({ ...showsPets(context, limit, status), statuses: [200, 400] })

/** Queries of listPets. */
const queries: Record<string, Query> = {
  none: ['', page(20)],
  'empty-parts': ['&&&', page(20)],
  one: ['limit=1', page(1)],
  maximum: ['limit=100', page(100)],
  zero: ['limit=0', bad],
  above: ['limit=101', bad],
  minus: ['limit=-1', bad],
  'minus-zero': ['limit=-0', bad],
  'beyond-int32': ['limit=4294967297', bad],
  'beyond-int64': ['limit=18446744073709551617', bad],
  'many-digits': [`limit=${'9'.repeat(10_000)}`, bad],
  'zeros-and-five': [`limit=${'0'.repeat(10_000)}5`, pageOrBad(5)],
  decimal: ['limit=5.0', bad],
  fraction: ['limit=0.5', bad],
  exponent: ['limit=1e1', bad],
  'huge-exponent': ['limit=1e999', bad],
  hex: ['limit=0x10', bad],
  plus: ['limit=+5', bad],
  'plus-encoded': ['limit=%2B5', bad],
  space: ['limit=5%20', bad],
  nul: ['limit=5%00', bad],
  'line-feed': ['limit=5%0A', bad],
  nan: ['limit=NaN', bad],
  infinity: ['limit=Infinity', bad],
  word: ['limit=all', bad],
  empty: ['limit=', bad],
  'no-equals': ['limit', bad],
  'encoded-digit': ['limit=%35', page(5)],
  'encoded-name': ['%6Cimit=5', page(5)],
  'arabic-digit': ['limit=%D9%A5', bad],
  twice: ['limit=5&limit=6', bad],
  'twice-the-same': ['limit=5&limit=5', bad],
  brackets: ['limit[]=5', page(20)],
  nested: ['limit[gt]=5', page(20)],
  'other-case': ['LIMIT=5', page(20)],
  semicolon: ['limit=5;status=sold', bad],
  'second-mark': ['limit=5?limit=6', bad],
  available: ['status=available', page(20, 'available')],
  pending: ['status=pending&limit=5', page(5, 'pending')],
  sold: ['limit=7&status=sold', page(7, 'sold')],
  'status-encoded': ['status=%73old&limit=3', page(3, 'sold')],
  'status-other-case': ['status=Sold', bad],
  'status-spaces': ['status=sold%20', bad],
  'status-nul': ['status=sold%00', bad],
  'status-list': ['status=sold,pending', bad],
  'status-twice': ['status=sold&status=pending', bad],
  'status-empty': ['status=', bad],
  'status-proto': ['status=__proto__', bad],
  'status-constructor': ['status=constructor', bad],
  'status-to-string': ['status=toString', bad],
  'status-undefined': ['status=undefined', bad],
  'status-long': [`status=${'sold'.repeat(3_000)}`, bad],
  'status-half-emoji': [`status=${'a'.repeat(59)}%F0%9F%90%B6`, bad],
  'status-markup': ['status=%3Cimg%20src=x%20onerror=alert(1)%3E', bad],
  'status-escape': ['status=%1B%5D0;x%07', bad],
  'status-lines': ['status=%E2%80%A8%0D%0A', bad],
  unknown: ['offset=5&cursor=x&page=2', page(20)],
  'unknown-proto': ['__proto__=1&constructor=2&hasOwnProperty=3', page(20)],
  'proto-limit': ['__proto__[limit]=1&constructor.prototype.limit=1', page(20)],
  many: [Array.from({ length: 3_000 }, (_, n) => `a${n % 9}`).join('&'), page(20)],
  'many-limits': [Array.from({ length: 1_500 }, () => 'limit=5').join('&'), bad],
  percent: ['limit=%', bad],
  'percent-in-unknown': ['a=%zz', bad],
  overlong: ['status=%C0%AFsold', bad],
  surrogate: ['status=%ED%A0%80', bad],
  equals: ['===&=5&limit=5', page(5)],
  'two-equals': ['limit==5', bad],
}

export const targets: FuzzCase[] = [
  ...Object.entries(nowhere).map(([name, target]): FuzzCase => ({
    id: `path/${name}`,
    make: (context) => answered(context, [toRequest(context, { target })], [isError(404)]),
  })),
  ...dots.map((target, index): FuzzCase => ({
    id: `path/dots-${index}`,
    make: (context) => answered(context, [toRequest(context, { target })], [isError(200, 400, 404)]),
  })),
  ...malformed.flatMap((text, index): FuzzCase[] => [
    {
      id: `path/malformed-${index}`,
      make: (context) => answered(context, [toRequest(context, { target: `/v1/${text}` })], [isError(400, 404)]),
    },
    {
      id: `pet-id/malformed-${index}`,
      make: (context) =>
        answered(context, [toRequest(context, { target: `${petsPath}/${text}` })], [isError(400, 404)]),
    },
  ]),
  ...Object.entries(noPet).map(([name, id]): FuzzCase => ({
    id: `pet-id/${name}`,
    make: (context) => answered(context, [toRequest(context, { target: `${petsPath}/${id}` })], [isError(404)]),
  })),
  ...Object.entries(five).map(([name, [id, statuses]]): FuzzCase => ({
    id: `pet-id/five-${name}`,
    make: (context) =>
      answered(context, [toRequest(context, { target: `${petsPath}/${id}` })], [{ ...showsPet(context, 5), statuses }]),
  })),
  ...Object.entries(queries).map(([name, [query, reply]]): FuzzCase => ({
    id: `query/${name}`,
    make: (context) => answered(context, [toRequest(context, { target: `${petsPath}?${query}` })], [reply(context)]),
  })),
  ...(['path', 'query'] as const).map((part): FuzzCase => ({
    id: `target/64-kib-${part}`,
    make(context) {
      const target = `${petsPath}${part === 'path' ? '/' : '?status='}${'9'.repeat(65_536)}`
      return answeredOrEnded(context, toRequest(context, { target }), isError(414))
    },
  })),
  {
    id: 'target/random-length',
    make(context) {
      const target = `${petsPath}?x=${context.chance.letters(context.chance.between(7_000, 20_000))}`
      return answeredOrEnded(context, toRequest(context, { target }), {
        ...showsPets(context, 20),
        statuses: [200, 414, 431],
      })
    },
  },
  {
    id: 'target/random-characters',
    make(context) {
      const characters = [...'%./?#&=+0123456789abcdefpetsv1;:@!$\'()*,~-_[]|\\^`{}"<>']
      const tail = Array.from({ length: context.chance.between(1, 40) }, () => context.chance.pick(characters)).join('')
      return answeredOrEnded(context, toRequest(context, { target: `/v1/pets${tail}` }), isError(200, 308, 400, 404))
    },
  },
]
