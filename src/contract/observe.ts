import type { ChoiceId } from '../spec/choices.ts'
import { operations, type OperationId } from '../spec/operations.ts'
import type { Created, PetList } from './catalog.ts'
import type { Exchange } from './exchange.ts'
import { extraFields, type SeenPet } from './shapes.ts'
import type { Option } from './findings.ts'

/** An extra field that the suite sends, to see whether it is stored. */
export const ownField = 'petkitExtra'
const petFields = ['id', 'name', 'categoryId', 'status', ownField]
const errorFields = ['code', 'message', 'status']

export function observeResponse({ operation, status, headers, content }: Exchange): [ChoiceId, string][] {
  if (operation === undefined) return []
  const hasLimits = Object.keys(headers).some((name) => /^(x-)?rate-?limit/.test(name))
  const seen: [ChoiceId, string][] = [['rate-limit.headers', presence(hasLimits)]]
  const value = content.kind === 'json' ? content.value : undefined
  if (status === 401) seen.push(['auth.www-authenticate', presence(headers['www-authenticate'] !== undefined)])
  if (status === 201) {
    seen.push(['create.location', locationForm(headers['location'])], ['auth.write-permission', 'granted'])
  }
  if (status === 403 && operation === 'createPet') seen.push(['auth.write-permission', '403'])
  if (operation === 'getPet' && status === 200) {
    seen.push(['get.deprecation-header', presence(headers['deprecation'] !== undefined)])
    seen.push(['get.sunset-header', presence(headers['sunset'] !== undefined)])
  }
  if (value === undefined) return seen
  if (status >= 400) {
    const { code } = (value ?? {}) as { code?: unknown }
    const choice = errorCode(operation, status)
    if (choice && typeof code === 'string') seen.push([choice, code])
    seen.push(['error.extra-members', presence(extraFields(value, errorFields).length > 0)])
  } else if (status === 200 || status === 201) {
    const pets = Array.isArray(value) ? value.slice(0, 100) : [value]
    if (pets.length > 0) {
      seen.push(['pet.extra-members', presence(pets.some((pet) => extraFields(pet, petFields).length > 0))])
    }
  }
  return seen
}

const presence = (there: boolean): string => (there ? 'present' : 'absent')

function locationForm(location: string | undefined): string {
  if (location === undefined) return 'absent'
  return /^[a-z]+:\/\//i.test(location) ? 'absolute' : 'relative'
}

function errorCode(operation: OperationId, status: number): ChoiceId | undefined {
  if (status === 400 && operation === 'createPet') return 'error.code.400'
  if (status === 401) return 'error.code.401'
  return status === 404 && operations[operation].path.includes('{petId}') ? 'error.code.404' : undefined
}

/** The option of a limit outside the specification, by the length of its page. A page shows it only if there are enough pets. */
export function limitOption(length: number, known: number): Option {
  if (length === 0 && known > 0) return 'empty'
  if (known <= 20) return ['clamp', 'default', ...(known === 0 ? ['empty'] : [])]
  return length === 20 ? 'default' : 'clamp'
}

export function unknownStatusOption(length: number, known: number): Option {
  if (known === 0) return ['empty', 'ignore']
  return length === 0 ? 'empty' : 'ignore'
}

export function trailingSlashOption({ status }: Exchange): string {
  if (status === 200) return 'same'
  return status >= 300 && status < 400 ? 'redirect' : String(status)
}

export const corsOption = ({ plan, headers }: Exchange): string =>
  ['*', plan.headers?.['origin']].includes(headers['access-control-allow-origin']) ? 'any-origin' : 'none'

/** Fewer pets may be in order of name by chance. */
const minPetsByName = 8

/**
 * The option of `list.order` that lists show, or those that remain possible.
 *
 * @param lists responses to the same request, in order
 * @param created pets of this run, whose ages are known
 */
export function orderOf(lists: readonly PetList[], created: readonly Created[]): Option | undefined {
  if (lists.some((list, index) => lists.slice(index + 1).some((later) => disagree(list.pets, later.pets))))
    return 'shuffled'
  const last = lists.at(-1)
  if (!last || last.pets.length < 3) return undefined
  const { pets } = last
  const isByName = pets.every(({ name }, at) => name !== null && !comesBefore(name, pets[at - 1]?.name ?? ''))
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
  return pets.length < minPetsByName || isByAge ? undefined : 'by-name'
}

/** Whether two lists show common pets in different orders. */
function disagree(a: readonly SeenPet[], b: readonly SeenPet[]): boolean {
  const inB = new Map(b.map(({ id }, index) => [String(id), index]))
  const places = a.map(({ id }) => inB.get(String(id))).filter((place) => place !== undefined)
  return places.some((place, index) => index > 0 && place < (places[index - 1] ?? 0))
}

/** Whether pets of known age are in this order, and at the matching end of the list: older pets are on the other side. */
function isInAgeOrder(pets: readonly SeenPet[], created: readonly Created[], direction: 1 | -1): boolean {
  const ages = new Map(created.map(({ pet, exchange, at }) => [String(pet.id), { from: exchange.sentAt, to: at }]))
  const known = (direction === 1 ? pets : pets.toReversed()).map(({ id }) => ages.get(String(id)))
  const first = known.findIndex((age) => age !== undefined)
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
const comesBefore = (a: string, b: string): boolean => Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0
