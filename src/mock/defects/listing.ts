import { limits, petStatuses, type QueryParameter } from '../../spec/operations.ts'
import { type Apply, type Defects, every, type When } from './defect.ts'
import {
  type ReplyChange,
  empty,
  error,
  listOf,
  onList,
  onReply,
  petsOf,
  rejects,
  set,
  status,
  text,
  textOf,
  withJson,
} from './replies.ts'
import {
  inPlaceOf,
  limitOf,
  onRequest,
  parameter,
  remembers,
  sets,
  withParameter,
} from './requests.ts'

const statuses: readonly string[] = petStatuses
const otherThan = (status = ''): string => statuses[(statuses.indexOf(status) + 1) % 3] ?? ''
const has =
  (name: QueryParameter, value?: string): When =>
  (request) => {
    const sent = parameter(request, name)
    return value === undefined ? sent !== undefined : sent === value
  }
const not =
  (when: When): When =>
  (request, context) =>
    !when(request, context)
const hasKnownStatus: When = (request) => statuses.includes(parameter(request, 'status') ?? '')
const hasLimit =
  (least: number, most: number): When =>
  (request) =>
    limitOf(request) >= least && limitOf(request) <= most

/** Lists another number of pets than the limit. */
const shows = (most: (limit: number) => number, when: When = () => true): Apply =>
  inPlaceOf('listPets', (request, context) =>
    when(request, context)
      ? listOf(context, parameter(request, 'status'), most(limitOf(request)))
      : undefined,
  )
const onPage = (change: ReplyChange): Apply => onReply('listPets', 200, change)
const whenEmpty = (change: ReplyChange): Apply =>
  onPage((reply, ...rest) => (reply.body === '[]' ? change(reply, ...rest) : undefined))

export const listing = {
  'list.limit.respected': {
    'list.limit-ignored': [
      'limit is ignored: each page has twenty pets.',
      sets('limit', undefined, has('limit')),
    ],
    'list.limit-plus-one': ['A page has one pet more than limit.', shows((limit) => limit + 1)],
    'list.limit-as-text': [
      'limit is compared with the maximum as text: 9 comes after 100, and is cut to it.',
      sets('limit', 100, (request) => (parameter(request, 'limit') ?? '') > '100'),
    ],
    'list.limit-ignored-with-status': [
      'limit is ignored when there is a status filter.',
      sets('limit', undefined, has('status')),
    ],
    'list.minimum-unlimited': [
      'limit=1 is treated as no limit.',
      sets('limit', undefined, hasLimit(1, 1)),
    ],
    'list.middle-rejected': [
      'A limit from 21 to 99 is rejected.',
      rejects('listPets', 400, hasLimit(21, 99)),
    ],
  },
  'list.limit.default': {
    'list.limit-remembered': [
      'The limit of one request is the default of the next.',
      remembers('limit', /^([1-9]\d?|100)$/),
    ],
    'list.default-10': [
      'A page has ten pets when there is no limit.',
      sets('limit', 10, not(has('limit'))),
    ],
    'list.default-100': [
      'A page has a hundred pets when there is no limit.',
      sets('limit', 100, not(has('limit'))),
    ],
    'list.default-unbounded': [
      'A page has all pets when there is no limit.',
      shows(() => Infinity, not(has('limit'))),
    ],
  },
  'list.limit.min': {
    'list.minimum-rejected': ['limit=1 is rejected.', rejects('listPets', 400, hasLimit(1, 1))],
  },
  'list.limit.max': {
    'list.maximum-rejected': [
      'limit=100 is rejected.',
      rejects('listPets', 400, hasLimit(100, 100)),
    ],
    'list.maximum-as-10': ['limit=100 is read as 10.', sets('limit', 10, hasLimit(100, 100))],
    'list.maximum-exceeded': [
      'A limit above 100 is respected.',
      shows((limit) => limit, hasLimit(101, Infinity)),
      150,
    ],
    'list.zero-is-all': [
      'limit=0 returns all pets, more than a hundred.',
      shows(() => Infinity, hasLimit(0, 0)),
      150,
    ],
  },
  'list.page-full': {
    'list.limit-minus-one': [
      'A page has one pet less than limit.',
      onList((pets, request) => pets.slice(0, Math.max(0, limitOf(request) - 1))),
    ],
    'list.fifty-as-five': ['limit=50 is read as 5.', sets('limit', 5, hasLimit(50, 50))],
    'list.capped-at-50': ['No page has more than fifty pets.', onList((pets) => pets.slice(0, 50))],
    'list.default-as-maximum': [
      'Limits above twenty count as twenty.',
      onList((pets) => pets.slice(0, limits.default)),
    ],
    'list.limit-before-filter': [
      'The page is cut to limit before it is filtered.',
      inPlaceOf('listPets', (request, _context, respond) => {
        const status = parameter(request, 'status')
        if (status === undefined || respond(request).status !== 200) return undefined
        const page = respond(withParameter(request, 'status', undefined))
        return withJson(page, (pets) =>
          (pets as { status?: string }[]).filter((pet) => pet.status === status),
        )
      }),
    ],
    'list.sometimes-empty': ['One in five lists is empty.', onList(() => [], every(5))],
    'filter.pages-of-10': [
      'A filtered page has up to ten pets.',
      onList((pets) => pets.slice(0, 10), hasKnownStatus),
    ],
  },
  'list.parameters-optional': {
    'list.bare-rejected': [
      'A request without parameters is rejected.',
      rejects('listPets', 400, ({ target }) => !target.includes('?')),
    ],
    'list.both-rejected': [
      'limit and status together are rejected.',
      rejects('listPets', 400, (...one) => has('limit')(...one) && has('status')(...one)),
    ],
  },
  'list.success': {
    'list.sometimes-500': ['One in ten lists gets 500.', rejects('listPets', 500, every(10))],
    'list.envelope': [
      'The pets are wrapped in an envelope: { items: [...] }.',
      onList((pets) => ({ items: pets, total: pets.length })),
    ],
    'list.keyed': [
      'The list is an object keyed by id.',
      onList((pets) => Object.fromEntries(pets.map((pet) => [textOf(pet['id']), pet]))),
    ],
    'list.single-bare': [
      'A page of one pet is the pet, without an array.',
      onList((pets) => (pets.length === 1 ? (pets[0] ?? null) : pets)),
    ],
    'list.status-206': ['A page gets 206 Partial Content.', onPage(status(206))],
    'list.redirect': [
      'listPets redirects to another version of the path.',
      onPage(empty(302, '/v2/pets')),
    ],
    'list.double-encoded': [
      'The list is a JSON string that holds JSON.',
      onPage(text((body) => JSON.stringify(body))),
    ],
    'list.empty-is-404': ['An empty list gets 404.', whenEmpty(error(404)), 0],
    'list.empty-is-204': ['An empty list gets 204.', whenEmpty(empty(204)), 0],
    'list.empty-is-null': ['An empty list is null.', whenEmpty(text(() => 'null')), 0],
  },
  'list.status.default': {
    'list.hides-sold': [
      'The list without a filter hides pets that are sold.',
      onList((pets) => pets.filter(({ status }) => status !== 'sold'), not(has('status'))),
      60,
    ],
    'list.default-available': [
      'Without status, the list shows available pets only.',
      sets('status', 'available', not(has('status'))),
      60,
    ],
    'list.filter-remembered': [
      'The status of one request is the filter of the next without one.',
      remembers('status', /^(available|pending|sold)$/),
      60,
    ],
  },
  'list.status.filter': {
    'list.last-parameter-lost': [
      'Of two parameters, only the first is read.',
      onRequest('listPets', (request) => ({
        ...request,
        target: request.target.split('&')[0] as string,
      })),
    ],
    'filter.ignored': ['The status filter is ignored.', sets('status', undefined, hasKnownStatus)],
    'filter.inverted': [
      'The filter shows the pets that do not have the status.',
      onRequest(
        'listPets',
        (request) => withParameter(request, 'status', otherThan(parameter(request, 'status'))),
        hasKnownStatus,
      ),
    ],
    'filter.needs-limit': [
      'The filter works only together with limit.',
      sets('status', undefined, (...one) => hasKnownStatus(...one) && !has('limit')(...one)),
    ],
    'filter.leaks-last': [
      'The last pet of a filtered page has another status.',
      onList(
        (pets, request, context) => [
          ...pets.slice(0, -1),
          ...petsOf(context, otherThan(parameter(request, 'status')), 1),
        ],
        hasKnownStatus,
      ),
    ],
    'filter.sold-as-pending': [
      'The filter pending shows sold pets, too.',
      onList(
        (pets, _request, context) => {
          const sold = petsOf(context, 'sold', pets.length)
          return pets.map((pet, index) => (index % 2 === 1 ? (sold[index] ?? pet) : pet))
        },
        has('status', 'pending'),
      ),
    ],
    'filter.echoes-status': [
      'The filter is ignored, and each pet is shown with the requested status.',
      onList(
        (pets, request, context) =>
          petsOf(context, undefined, pets.length).map(
            set('status', parameter(request, 'status') ?? ''),
          ),
        hasKnownStatus,
      ),
    ],
    'filter.writes-status': [
      'The filter gives its status to each pet, and lists all of them.',
      inPlaceOf('listPets', (request, { store }) => {
        const status = petStatuses.find((one) => one === parameter(request, 'status'))
        if (status) for (const pet of store.save().pets) store.update(pet.id, { ...pet, status })
        return undefined
      }),
      60,
    ],
    'filter.pending-rejected': [
      'The filter pending is rejected.',
      rejects('listPets', 400, has('status', 'pending')),
    ],
    'filter.sold-is-500': [
      'The filter sold crashes the service: 500.',
      rejects('listPets', 500, has('status', 'sold')),
    ],
  },
  'list.status.complete': {
    'filter.pending-empty': [
      'The filter pending finds nothing.',
      onList(() => [], has('status', 'pending')),
    ],
    'filter.skips-every-other': [
      'A filtered list shows every other pet only.',
      onList((pets) => pets.filter((_, index) => index % 2 === 0), hasKnownStatus),
    ],
  },
  'service.catalog': {
    'list.lacks-one': [
      'The list without a filter never shows the third pet; its status filter and getPet do.',
      onList((pets) => pets.filter(({ id }) => id !== 3), not(has('status'))),
      60,
    ],
  },
} as const satisfies Defects
