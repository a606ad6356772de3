import { type Choice, type ChoiceId, choices } from '../spec/choices.ts'
import type { Created, PetList } from './catalog.ts'
import type { Option } from './findings.ts'
import { corsOption, limitOption, orderOf, trailingSlashOption, unknownStatusOption } from './observe.ts'
import type { Exchange } from './exchange.ts'
import { petsOf } from './expect.ts'
import { isPetStatus } from './shapes.ts'
import type { PassedExchange, Sent } from './traffic-demands.ts'

type Observed = [ChoiceId, string]

/**
 * The options that an exchange shows, if its request is unusual in only one way.
 *
 * @param known how many pets responses have shown: a page shows its effective limit only if there are enough
 */
export function optionsShown(passed: PassedExchange, known: number): Observed[] {
  const { exchange, isAccepted } = passed
  const { plan, operation, status } = exchange
  const shown: Observed[] = plan.headers?.['origin'] === undefined ? [] : [['http.cors', corsOption(exchange)]]
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
      shown.push(['http.trailing-slash', trailingSlashOption(exchange)])
    }
  }
  return shown.filter(isOption)
}

function isOption([id, value]: Observed): boolean {
  return (choices as readonly Choice[]).some(
    (choice) => choice.id === id && choice.options.some((option) => option.value === value),
  )
}

/** A way in which a request may be unusual, and the option that its success shows. */
type Row = [applies: boolean, choice: ChoiceId, option?: Option]

/** The option of a request that is unusual in exactly one way; an error shows its status. */
function onlyOf(rows: readonly Row[], isSuccess: boolean, { status }: Exchange): Observed[] {
  const [only, ...more] = rows.filter(([applies]) => applies)
  const option = isSuccess ? only?.[2] : String(status)
  return only === undefined || typeof option !== 'string' || more.length > 0 ? [] : [[only[1], option]]
}

function ofList(exchange: Exchange, known: number): Observed[] {
  const parameters = new URLSearchParams(exchange.plan.path.split('?')[1])
  const [limits, statuses] = [parameters.getAll('limit'), parameters.getAll('status')]
  if (statuses.length > 1) return []
  const [limit = '', status = 'sold'] = [limits[0], statuses[0]]
  const isInteger = limits.length === 1 && /^-?\d+$/.test(limit)
  const { length } = petsOf(exchange)
  const page = limitOption(length, known)
  const rows: Row[] = [
    [limits.length > 1, 'list.limit.repeated'],
    [limits.length === 1 && !isInteger, 'list.limit.not-an-integer', page],
    [isInteger && Number(limit) < 1, 'list.limit.below-minimum', page],
    [isInteger && Number(limit) > 100, 'list.limit.above-maximum', page],
    [!isPetStatus(status), 'list.status.unknown', unknownStatusOption(length, known)],
    [[...parameters.keys()].some((name) => !/^(limit|status)$/.test(name)), 'list.unknown-parameter', 'ignore'],
  ]
  return onlyOf(rows, exchange.status === 200, exchange)
}

function ofCreation({ exchange, sent }: PassedExchange): Observed[] {
  const { plan, status, content } = exchange
  if (sent.kind !== 'json' || typeof sent.value !== 'object' || sent.value === null) return []
  const [pet] = petsOf(exchange)
  const { name, categoryId, status: wanted, id, ...extra } = sent.value as Sent
  if (typeof name !== 'string' || categoryId === undefined || (status >= 300 && status < 400)) return []
  const isCreated = status === 201 && pet !== undefined
  const type = plan.headers?.['content-type'] ?? ''
  const value = content.kind === 'json' ? (content.value as Sent) : {}
  const trimmed = name.trim()
  const isTrimmed = pet?.name === trimmed
  const isStored = Object.keys(extra).some((field) => value[field] !== undefined)
  const rows: Row[] = [
    [type === '', 'create.media-type.absent', 'accept'],
    [type !== '' && !/^application\/json\b/i.test(type), 'create.media-type.other', 'accept'],
    [name === '', 'create.name.empty', 'accept'],
    [name !== '' && trimmed === '', 'create.name.blank', isTrimmed ? 'trim' : 'accept'],
    [trimmed !== '' && trimmed !== name, 'create.name.outer-spaces', pet?.name === name ? 'keep' : 'trim'],
    [name.length >= 1_000, 'create.name.long', 'accept'],
    [Object.keys(extra).length > 0, 'create.extra-members', isStored ? 'store' : 'ignore'],
    [id !== undefined, 'create.client-id', 'ignore'],
  ]
  const shown: Observed[] =
    isCreated && wanted === undefined && pet.status !== null ? [['create.default-status', pet.status ?? 'absent']] : []
  return [...shown, ...onlyOf(rows, isCreated, exchange)]
}

/** The order of lists, from responses to the request that got the longest one. */
export function orderShown(
  lists: readonly PetList[],
  created: readonly Created[],
): { order: Option | undefined; list: PetList | undefined } {
  const [list] = lists.toSorted((a, b) => b.pets.length - a.pets.length)
  const path = list?.exchange.plan.path
  const same = lists.filter(({ exchange }) => exchange.plan.path === path)
  return { order: orderOf(same, created), list }
}
