import type { ServerResponse } from 'node:http'
import type { RequirementId } from '../../../src/spec/requirements.ts'
import { reset } from '../../support/variants/serve.ts'
import { bodyObject, bodyText, type Call } from './call.ts'
import type { Page, Seams } from './fault.ts'

/** How a service or its gateway can fail to respond to a request. */
export const failures: Readonly<Record<string, (response: ServerResponse) => Page | undefined>> = {
  close: ({ socket }) => void socket?.destroy(),
  reset: ({ socket }) => void (socket && reset(socket)),
  hang: () => undefined,
  'truncated-headers': ({ socket }) => void socket?.end('HTTP/1.1 200 OK\r\nContent-Ty'),
  'gateway-502': () => gatewayPage(502),
  'gateway-503': () => gatewayPage(503),
  'gateway-504': () => gatewayPage(504),
}

const gatewayPage = (status: number): Page => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: Buffer.from('<h1>gateway</h1>'),
})

/** A kind of request, and the requirements that a missing response violates; none outside the operations. */
export interface Kind {
  id: string
  breaks: readonly RequirementId[]
  isMeant(call: Call): boolean
}

const field = (call: Call, name: string): unknown => bodyObject(call)?.get(name)
const nameOf = (call: Call): string => {
  const name = field(call, 'name')
  return typeof name === 'string' ? name : ''
}
const creates = ({ operation, isAuthorized }: Call): boolean =>
  operation === 'createPet' && isAuthorized
const created = (id: string, breaks: RequirementId[], isMeant: (call: Call) => boolean): Kind => ({
  id,
  breaks,
  isMeant: (call) => creates(call) && isMeant(call),
})
const listed = (id: string, breaks: RequirementId[], query: RegExp): Kind => ({
  id,
  // Some undescribed requests also have such parameters.
  breaks: [...breaks, 'list.parameters-optional', 'error.body'],
  isMeant: ({ operation, isAuthorized, request }) =>
    operation === 'listPets' && isAuthorized && query.test(request.query),
})
const fetched = (id: string, breaks: RequirementId[], petId: (id: string) => boolean): Kind => ({
  id,
  breaks,
  isMeant: (call) => call.operation === 'getPet' && call.isAuthorized && petId(call.petId ?? ''),
})
const without: RequirementId[] = [
  'list.401',
  'get.401',
  'create.401',
  'auth.missing-key',
  'auth.invalid-key',
  'error.body',
]
const isKeyless = ({ credential }: Call): boolean => /^(bearer)? *$/i.test(credential)
const isBeyondInt64 = (id: string): boolean =>
  /^-?\d+$/.test(id) && BigInt.asIntN(64, BigInt(id)) !== BigInt(id)

export const kinds: readonly Kind[] = [
  created('international-names', ['create.success', 'create.exact'], (call) =>
    /[^\0-\x7f]/.test(nameOf(call)),
  ),
  created('emoji', ['create.success'], (call) => nameOf(call).includes('🐾')),
  created('markup-in-names', ['create.success'], (call) => nameOf(call).includes('<')),
  created('long-names', ['create.success'], (call) => nameOf(call).length > 500),
  created('empty-names', ['create.success'], (call) => field(call, 'name') === ''),
  created(
    'int64-extremes',
    ['create.exact'],
    (call) =>
      /:-?9\d{18}/.test(bodyText(call).replace(/ /g, '')) &&
      !/(?<!-)9223372036854775808|9223372036854775809/.test(bodyText(call)),
  ),
  created('extra-fields', ['error.body'], (call) => field(call, 'petkitExtra') !== undefined),
  created('client-ids', ['error.body'], (call) => field(call, 'id') !== undefined),
  created('escapes', ['http.json-request'], (call) => bodyText(call).includes('\\u0061me')),
  created('charset', ['http.json-request'], ({ request }) =>
    String(request.headers['content-type']).includes('charset'),
  ),
  created(
    'other-media-types',
    ['error.body'],
    ({ request }) => !String(request.headers['content-type']).includes('json'),
  ),
  created('no-body', ['create.body-required'], (call) => bodyText(call) === ''),
  created(
    'malformed-json',
    ['create.body-required'],
    (call) => bodyText(call) !== '' && bodyObject(call) === undefined,
  ),
  created('no-name', ['create.required-fields'], (call) => bodyObject(call)?.has('name') === false),
  created('category-beyond-int64', ['create.invalid-values'], (call) =>
    /(?<!-)9223372036854775808|9223372036854775809/.test(bodyText(call)),
  ),
  created('status-null', ['create.invalid-values'], (call) => field(call, 'status') === null),
  listed('available', ['list.status.filter'], /status=available/),
  listed('each-filter', ['list.status.filter'], /status=(available|pending|sold)/),
  listed('each-list', ['list.success', 'list.limit.max'], /(?:)/),
  listed('no-parameters', ['list.success'], /^$/),
  listed('limit-1', ['list.limit.min', 'list.status.filter'], /limit=1(&|$)/),
  listed('limit-100', ['list.limit.max', 'list.status.filter'], /limit=100/),
  listed('limit-0', ['error.body'], /limit=0/),
  listed('limit-101', ['error.body'], /limit=101/),
  listed('limit-abc', ['error.body'], /limit=abc/),
  listed('unknown-status', ['error.body'], /status=lost/),
  fetched('unknown-ids', ['get.not-found'], (id) => /^-?\d{18,}$/.test(id) && !isBeyondInt64(id)),
  fetched('ids-beyond-int64', ['error.body'], isBeyondInt64),
  fetched('no-integer', ['error.body'], (id) => id === 'abc'),
  {
    id: 'lower-case-scheme',
    breaks: ['error.body'],
    isMeant: ({ credential }) => credential.startsWith('bearer'),
  },
  {
    id: 'no-key',
    breaks: without,
    isMeant: (call) => call.operation !== undefined && isKeyless(call),
  },
  {
    id: 'wrong-key',
    breaks: without,
    isMeant: (call) => call.operation !== undefined && !isKeyless(call) && !call.isAuthorized,
  },
  {
    id: 'any-without-the-key',
    breaks: without,
    isMeant: (call) => call.operation !== undefined && !call.isAuthorized,
  },
  { id: 'head', breaks: [], isMeant: ({ request }) => request.method === 'HEAD' },
  { id: 'options', breaks: [], isMeant: ({ request }) => request.method === 'OPTIONS' },
  { id: 'patch', breaks: [], isMeant: ({ request }) => request.method === 'PATCH' },
  {
    id: 'unknown-path',
    breaks: [],
    isMeant: ({ request }) => request.path.endsWith('/petkit-no-such-path'),
  },
]

/** A conforming service that never responds to one kind of request. */
export const silentTo = (
  { isMeant }: Kind,
  failure: (response: ServerResponse) => Page | undefined,
): Seams => ({
  shop: { pets: 30 },
  breaksConnections: true,
  write: (page, call, response) => (isMeant(call) ? failure(response) : page),
})
