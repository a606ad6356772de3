import type { JsonValue } from '../../json.ts'
import type { BehaviorId } from '../../spec/behaviors.ts'
import { limits as range, operations, type OperationId } from '../../spec/operations.ts'
import type { Created, PetList } from './catalog.ts'
import { lowerCaseScheme } from '../http/credentials.ts'
import { arrivalOf, headersOf, isRedirect, type Exchange, type Plan } from '../http/exchange.ts'
import { isQueryParameter, petsOf } from './expect.ts'
import type { Findings, Option } from './findings.ts'
import { decode } from '../http/response-body.ts'
import { extraFields, field, isPetStatus, petFieldNames, type SeenPet } from './shapes.ts'

/** An extra field that the suite sends, to see whether it is stored. */
export const ownField = 'petkitExtra'
const errorFields = ['code', 'message', 'status']

export function observeResponse(exchange: Exchange): [BehaviorId, string][] {
  const { plan, operation, status, headers, content } = exchange
  if (operation === undefined) return []
  const hasLimits = Object.keys(headers).some((name) => /^(x-)?rate-?limit/.test(name))
  const seen: [BehaviorId, string][] = [['rate-limit.headers', presence(hasLimits)]]
  const value = content.kind === 'json' ? content.value : undefined
  if (status === 401)
    seen.push(['auth.www-authenticate', presence(headers['www-authenticate'] !== undefined)])
  if (status === 201) {
    const [[pet], sent] = [petsOf(exchange), sentBy(plan)]
    const isBare = field(sent, 'name') !== undefined && field(sent, 'status') === undefined
    if (isBare && pet && pet.status !== null)
      seen.push(['create.default-status', pet.status ?? 'absent'])
    seen.push(
      ['create.location', locationForm(headers['location'])],
      ['auth.write-permission', 'granted'],
    )
  }
  if (status === 403 && operation === 'createPet') seen.push(['auth.write-permission', '403'])
  if (operation === 'getPet' && status === 200) {
    seen.push(['get.deprecation-header', presence(headers['deprecation'] !== undefined)])
    seen.push(['get.sunset-header', presence(headers['sunset'] !== undefined)])
  }
  if (value === undefined) return seen
  if (status >= 400) {
    const { code } = (value ?? {}) as { code?: unknown }
    const behavior = errorCode(operation, status)
    if (behavior && typeof code === 'string') seen.push([behavior, code])
    seen.push(['error.extra-fields', presence(extraFields(value, errorFields).length > 0)])
  } else if (status === 200 || status === 201) {
    const pets = Array.isArray(value) ? value.slice(0, 100) : [value]
    const hasExtra = pets.some((pet) => extraFields(pet, [...petFieldNames, ownField]).length > 0)
    if (pets.length > 0) seen.push(['pet.extra-fields', presence(hasExtra)])
  }
  return seen
}

export const corsOption = ({ plan, headers }: Exchange): string =>
  ['*', plan.headers?.['origin']].includes(headers['access-control-allow-origin'])
    ? 'any-origin'
    : 'none'

const presence = (there: boolean): string => (there ? 'present' : 'absent')

function locationForm(location: string | undefined): string {
  if (location === undefined) return 'absent'
  return /^[a-z]+:\/\//i.test(location) ? 'absolute' : 'relative'
}

function errorCode(operation: OperationId, status: number): BehaviorId | undefined {
  if (status === 400 && operation === 'createPet') return 'error.code.400'
  if (status === 401) return 'error.code.401'
  return status === 404 && operations[operation].path.includes('{petId}')
    ? 'error.code.404'
    : undefined
}

/** The JSON value of a request body, if it is one. */
function sentBy({ body = '' }: Plan): JsonValue {
  const sent = decode(Buffer.from(body))
  return sent.kind === 'json' ? sent.value : null
}

/** A way in which a request may be unusual, and the option that its success shows, if any. */
type Row = [applies: boolean, behavior: BehaviorId, option?: Option]

/** The ways in which requests of an operation may be unusual. */
const unusualRequests: Readonly<
  Partial<Record<OperationId, (exchange: Exchange, known: number) => Row[]>>
> = { listPets: ofList, getPet: ofGet, createPet: ofCreation }

/**
 * The option that an exchange shows, if its request is unusual in exactly one way. An error shows its status.
 *
 * @param known how many pets responses have shown: a page shows its effective limit only if there are enough
 */
export function optionShown(exchange: Exchange, known = 0): [BehaviorId, Option] | undefined {
  const { operation, plan, status } = exchange
  if (operation === undefined || isRedirect(status)) return undefined
  const rowsOf = unusualRequests[operation]
  const rows: Row[] =
    plan.credential === lowerCaseScheme
      ? [[true, 'auth.scheme-case', 'accept']]
      : (rowsOf?.(exchange, known) ?? [])
  const [only, ...more] = rows.filter(([applies]) => applies)
  if (only === undefined || more.length > 0) return undefined
  const [, behavior, option] = only
  if (status >= 400) return [behavior, String(status)]
  return option === undefined ? undefined : [behavior, option]
}

function ofList({ plan, content }: Exchange, known: number): Row[] {
  const parameters = new URLSearchParams(plan.path.split('?')[1])
  const [limits, statuses] = [parameters.getAll('limit'), parameters.getAll('status')]
  if (statuses.length > 1) return []
  const [limit = '', status = 'sold'] = [limits[0], statuses[0]]
  const isInteger = limits.length === 1 && /^-?\d+$/.test(limit)
  const length = content.kind === 'json' && Array.isArray(content.value) ? content.value.length : 0
  const page = limitOption(length, known)
  return [
    [limits.length > 1, 'list.limit.repeated', repeatedOption(limits, length, known)],
    [limits.length === 1 && !isInteger, 'list.limit.not-an-integer', page],
    [isInteger && Number(limit) < 1, 'list.limit.below-minimum', page],
    [isInteger && Number(limit) > 100, 'list.limit.above-maximum', page],
    [!isPetStatus(status), 'list.status.unknown', unknownStatusOption(length, known)],
    [
      [...parameters.keys()].some((name) => !isQueryParameter(name)),
      'list.unknown-parameter',
      'ignore',
    ],
  ]
}

/** The option of a limit outside the specification, by the length of its page. A page shows it only if there are enough pets. */
function limitOption(length: number, known: number): Option {
  if (length === 0 && known > 0) return 'empty'
  if (known <= range.default) return ['clamp', 'default', ...(known === 0 ? ['empty'] : [])]
  return length === range.default ? 'default' : 'clamp'
}

function repeatedOption(
  [first, ...others]: readonly string[],
  length: number,
  known: number,
): Option {
  const last = Number(others.at(-1))
  if (known < Math.max(Number(first), last)) return ['first', 'last', 'default']
  return length === Number(first) ? 'first' : length === last ? 'last' : 'default'
}

function unknownStatusOption(length: number, known: number): Option {
  if (known === 0) return ['empty', 'ignore']
  return length === 0 ? 'empty' : 'ignore'
}

function ofGet({ plan }: Exchange): Row[] {
  const id = plan.path.replace(/^\/pets\/|\?.*$/g, '')
  const isBeyond = /^\d{19,}$/.test(id) && BigInt(id) > 9223372036854775807n
  return [
    [!/^-?\d+$/.test(id), 'get.id.not-an-integer'],
    [isBeyond, 'get.id.beyond-int64'],
  ]
}

function ofCreation({ plan, content }: Exchange): Row[] {
  const body = sentBy(plan)
  const [name, categoryId, id] = ['name', 'categoryId', 'id'].map((one) => field(body, one))
  if (typeof name !== 'string' || categoryId === undefined) return []
  const extra = extraFields(body, petFieldNames)
  const type = headersOf(plan)['content-type'] ?? ''
  const stored = content.kind === 'json' ? content.value : null
  const shown = field(stored, 'name')
  const isStored = extra.some((one) => field(stored, one) !== undefined)
  const trimmed = name.trim()
  return [
    [type === '', 'create.media-type.absent', 'accept'],
    [type !== '' && !/^application\/json\b/i.test(type), 'create.media-type.other', 'accept'],
    [name === '', 'create.name.empty', 'accept'],
    [name !== '' && trimmed === '', 'create.name.blank', shown === trimmed ? 'trim' : 'accept'],
    [
      trimmed !== '' && trimmed !== name,
      'create.name.outer-spaces',
      shown === name ? 'keep' : 'trim',
    ],
    [name.length >= 1_000, 'create.name.long', 'accept'],
    [extra.length > 0, 'create.extra-fields', isStored ? 'store' : 'ignore'],
    [id !== undefined, 'create.client-id', 'ignore'],
  ]
}

/** Fewer pets may be in order of name, or of their ids, by chance: eight are in 1 of 20,160 cases, in either direction. */
const minPetsInOrder = 8

/**
 * The option of `list.order` that lists show, or those that remain possible.
 *
 * @param lists responses to the same request, in order
 * @param created pets of this run, whose ages are known
 */
function orderOf(lists: readonly PetList[], created: readonly Created[]): Option | undefined {
  if (lists.some((list, index) => disagree(lists[index - 1]?.pets ?? [], list.pets)))
    return 'shuffled'
  const last = lists.at(-1)
  if (!last || last.pets.length < 3) return undefined
  const { pets } = last
  const isByName = pets.every(
    ({ name }, at) => name !== null && !comesBefore(name, pets[at - 1]?.name ?? ''),
  )
  const orders = [
    ['by-name', isByName],
    ['oldest-first', isInAgeOrder(pets, created, 1)],
    ['newest-first', isInAgeOrder(pets, created, -1)],
  ] as const
  // Several orders at once, such as by name and by age, show none.
  const [only, ...more] = orders.filter(([, holds]) => holds)
  if (more.length > 0) return undefined
  if (only?.[0] !== 'by-name') return only?.[0] ?? ['oldest-first', 'newest-first', 'shuffled']
  const isByAge = idsAscend(pets) || idsAscend(pets.toReversed())
  return pets.length < minPetsInOrder || isByAge ? undefined : 'by-name'
}

/** Observes the order of the lists that the same request got. */
export function observeOrder(
  findings: Findings,
  path: string | undefined,
  { lists, created }: { lists: readonly PetList[]; created: Iterable<Created> },
): void {
  const shown = lists.filter(({ exchange }) => exchange.plan.path === path)
  const [order, last] = [orderOf(shown, [...created]), shown.at(-1)]
  if (order !== undefined && last) findings.observe('list.order', order, last.exchange)
}

/** Whether two lists show common pets in different orders. */
function disagree(a: readonly SeenPet[], b: readonly SeenPet[]): boolean {
  const inB = new Map(b.map(({ id }, index) => [id, index]))
  const places = a.map(({ id }) => inB.get(id)).filter((place) => place !== undefined)
  return places.some((place, index) => index > 0 && place < (places[index - 1] ?? 0))
}

/** Whether pets of known age are in this order, and at the matching end of the list: older pets are on the other side. */
function isInAgeOrder(
  pets: readonly SeenPet[],
  created: readonly Created[],
  direction: 1 | -1,
): boolean {
  const ages = new Map(
    created.map(({ pet, exchange }) => [
      pet.id,
      { from: exchange.sentAt, to: arrivalOf(exchange) },
    ]),
  )
  const known = (direction === 1 ? pets : pets.toReversed()).map(({ id }) => ages.get(id))
  const first = known.findIndex((age) => age !== undefined)
  // Without a new pet, only ids show an age: in a read-only run in both directions.
  if (created.length === 0)
    return pets.length >= minPetsInOrder && idsAscend(direction === 1 ? pets : pets.toReversed())
  if (first === -1) return direction === 1 && pets.length === 100 && idsAscend(pets)
  return known.slice(first).every((age, index, own) => {
    const before = own[index - 1]
    return age !== undefined && (before === undefined || before.from <= age.to)
  })
}

/** Whether ids ascend: a full page that ends before the new pets then shows the oldest first. */
function idsAscend(pets: readonly SeenPet[]): boolean {
  return pets.every(({ id }, index) => index === 0 || id > (pets[index - 1]?.id ?? id))
}

/** Compares by code points, as the bytes of UTF-8 do, not by UTF-16 units. */
const comesBefore = (a: string, b: string): boolean =>
  Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0
