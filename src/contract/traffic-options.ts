import { type Choice, type ChoiceId, choices } from '../spec/choices.ts'
import type { Created, PetList } from './catalog.ts'
import { orderOf } from './observe.ts'
import type { Exchange } from './exchange.ts'
import { petsOf } from './expect.ts'
import type { PassedExchange, Sent } from './traffic-demands.ts'

type Shown = [ChoiceId, string]

/**
 * The options of unspecified behavior that one exchange shows beside those of each response: of a request that is unusual
 * in one way only.
 *
 * @param known how many pets responses have shown: a page shows what was made of its limit only where there are enough.
 */
export function optionsShown(passed: PassedExchange, known: number): Shown[] {
  const { exchange, isAccepted } = passed
  const { plan, operation, status } = exchange
  const shown = [...cors(exchange)]
  if (status === 401 || status === 403 || status >= 500) return shown
  if (operation === 'createPet') shown.push(...ofCreation(passed))
  else if (operation === 'listPets' && isAccepted) shown.push(...ofList(exchange, known))
  else if (operation === 'getPet' && isAccepted) {
    const id = plan.path.replace(/^\/pets\/|\?.*$/g, '')
    if (status >= 400 && !/^-?\d+$/.test(id)) shown.push(['get.id.not-an-integer', String(status)])
    if (status >= 400 && /^\d{20,}$/.test(id)) shown.push(['get.id.beyond-int64', String(status)])
  } else if (isAccepted && operation === undefined) {
    if (plan.method === 'HEAD' && /^\/pets(\?|$)/.test(plan.path)) shown.push(['http.head', String(status)])
    if (plan.method === 'GET' && plan.path === '/pets/') {
      shown.push(['http.trailing-slash', status === 200 ? 'same' : status < 400 ? 'redirect' : String(status)])
    }
  }
  return shown.filter(isOption)
}

/** A profile holds nothing that the table of choices does not have. */
function isOption([id, value]: Shown): boolean {
  return (choices as readonly Choice[]).some(
    (choice) => choice.id === id && choice.options.some((option) => option.value === value),
  )
}

function cors({ plan, headers }: Exchange): Shown[] {
  const origin = plan.headers?.['origin']
  if (origin === undefined) return []
  const allowed = headers['access-control-allow-origin']
  return [['http.cors', allowed === '*' || allowed === origin ? 'any-origin' : 'none']]
}

function ofList(exchange: Exchange, known: number): Shown[] {
  const { plan, status } = exchange
  const { length } = petsOf(exchange)
  const parameters = [...new URLSearchParams(plan.path.split('?')[1])]
  const isSuccess = status === 200
  const error = String(status)
  const page = length === 0 && known > 0 ? 'empty' : known <= 20 ? undefined : length === 20 ? 'default' : 'clamp'
  const limits = parameters.filter(([name]) => name === 'limit').map(([, value]) => value)
  const [limit = ''] = limits
  const unusual: [ChoiceId, string | undefined][] = []
  if (limits.length > 1) unusual.push(['list.limit.repeated', isSuccess ? undefined : error])
  else if (limits.length === 1 && !/^-?\d+$/.test(limit))
    unusual.push(['list.limit.not-an-integer', isSuccess ? page : error])
  else if (limits.length === 1 && Number(limit) < 1)
    unusual.push(['list.limit.below-minimum', isSuccess ? page : error])
  else if (Number(limit) > 100) unusual.push(['list.limit.above-maximum', isSuccess ? page : error])
  const statuses = parameters.filter(([name]) => name === 'status').map(([, value]) => value)
  const isUnknown = statuses.length === 1 && !['available', 'pending', 'sold'].includes(statuses[0] ?? '')
  const filtered = known === 0 ? undefined : length === 0 ? 'empty' : 'ignore'
  if (isUnknown || statuses.length > 1) unusual.push(['list.status.unknown', isSuccess ? filtered : error])
  if (parameters.some(([name]) => name !== 'limit' && name !== 'status'))
    unusual.push(['list.unknown-parameter', isSuccess ? 'ignore' : error])
  const [only, ...more] = unusual
  const [choice, value] = only ?? []
  return choice !== undefined && value !== undefined && more.length === 0 && statuses.length <= 1
    ? [[choice, value]]
    : []
}

function ofCreation({ exchange, sent }: PassedExchange): Shown[] {
  const { plan, status, content } = exchange
  if (sent.kind !== 'json' || typeof sent.value !== 'object' || sent.value === null) return []
  const [pet] = petsOf(exchange)
  const { name, categoryId, status: wanted, ...others } = sent.value as Sent
  if (typeof name !== 'string' || categoryId === undefined || (status >= 300 && status < 400)) return []
  const error = String(status)
  const isCreated = status === 201 && pet !== undefined
  const type = plan.headers?.['content-type'] ?? ''
  const trimmed = pet?.name === name.trim()
  const unusual: Shown[] = []
  if (type === '') unusual.push(['create.media-type.absent', isCreated ? 'accept' : error])
  else if (!/^application\/json\b/i.test(type)) unusual.push(['create.media-type.other', isCreated ? 'accept' : error])
  if (name === '') unusual.push(['create.name.empty', isCreated ? 'accept' : error])
  else if (name.trim() === '') unusual.push(['create.name.blank', isCreated ? (trimmed ? 'trim' : 'accept') : error])
  else if (name.trim() !== name)
    unusual.push(['create.name.outer-spaces', isCreated ? (trimmed ? 'trim' : 'keep') : error])
  if (name.length >= 1_000) unusual.push(['create.name.long', isCreated ? 'accept' : error])
  const extra = Object.keys(others).filter((field) => field !== 'id')
  const value = content.kind === 'json' ? (content.value as Sent) : {}
  if (extra.length > 0) {
    const isStored = extra.some((field) => value[field] !== undefined)
    unusual.push(['create.extra-members', isCreated ? (isStored ? 'store' : 'ignore') : error])
  }
  if (others['id'] !== undefined) unusual.push(['create.client-id', isCreated ? 'ignore' : error])
  const shown: Shown[] = isCreated && wanted === undefined ? [['create.default-status', pet.status ?? 'absent']] : []
  return unusual.length === 1 ? [...shown, ...unusual] : shown
}

/** The order of lists, as far as those to one and the same request show it. */
export function orderShown(
  lists: readonly PetList[],
  created: readonly Created[],
): string | readonly string[] | undefined {
  const [widest] = lists.toSorted((a, b) => b.pets.length - a.pets.length)
  const path = widest?.exchange.plan.path
  const same = lists.filter(({ exchange }) => exchange.plan.path === path)
  return orderOf(same, created)
}
