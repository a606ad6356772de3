import type { JsonValue } from '../../json.ts'
import { limits } from '../../spec/operations.ts'
import type { RequirementId } from '../../spec/requirements.ts'
import type { Finding, ReportedExchange } from '../report/report.ts'
import {
  errorMismatches,
  field,
  idIn,
  isObject,
  petMismatches,
  show,
  tryParse,
  valueAt,
} from '../judge/shapes.ts'

const ofPet = ['pet.fields', 'pet.id', 'pet.name', 'pet.category-id', 'pet.status'] as const
const ofForm = ['http.media-type', 'http.json-body'] as const
const ofLists = [
  'list.limit.default',
  'list.status.filter',
  'list.status.complete',
  'pet.id.unique',
] as const
/** Which creations are rejected. */
const ofRejection = [
  'create.invalid-values',
  'create.required-fields',
  'create.body-required',
] as const
const ofError = ['error.body', 'error.code', 'error.message', 'error.status'] as const

/** What each requirement depends on. If both are violated, reports show the requirement below its probable cause. */
const dependsOn: Readonly<Partial<Record<RequirementId, readonly RequirementId[]>>> = {
  'http.media-type': ['service.base-path'],
  'http.json-body': ['service.base-path'],
  'error.body': ofForm,
  'error.code': ['error.body'],
  'error.message': ['error.body'],
  'error.status': ['error.body'],
  'error.status-repeats-http': ['error.body', 'error.status'],
  'create.401': ['list.401'],
  'get.401': ['list.401', 'create.401'],
  // Where no key is required, a wrong one is accepted, too.
  'auth.invalid-key': ['list.401', 'create.401', 'get.401'],
  'pet.fields': [...ofForm, ...ofRejection],
  'pet.name': ofRejection,
  'pet.category-id': [...ofRejection, 'create.exact'],
  'pet.status': ofRejection,
  'pet.id.unique': ['create.id-assigned'],
  'list.success': [...ofForm, ...ofPet, 'auth.bearer', 'service.base-path'],
  'list.parameters-optional': ['list.success'],
  'list.limit.respected': ['list.success'],
  'list.limit.min': ['list.success', 'list.limit.respected', 'list.page-full'],
  'list.limit.max': ['list.success', 'list.limit.respected', 'list.page-full'],
  'list.limit.default': ['list.success', 'list.limit.respected', 'list.page-full'],
  'list.status.filter': ['list.success', 'pet.fields', 'pet.status'],
  'list.status.default': ['list.success', 'list.limit.respected', 'list.status.filter'],
  'list.page-full': [
    'list.limit.respected',
    'list.status.filter',
    'list.status.default',
    'pet.id.unique',
  ],
  'list.status.complete': ['list.status.filter', 'list.page-full'],
  'create.success': [
    ...ofForm,
    ...ofPet,
    'auth.bearer',
    'http.json-request',
    'create.exact',
    'create.id-assigned',
  ],
  'create.status-optional': ['create.success'],
  'create.status': ['create.success', 'list.status.filter'],
  'create.stored': ['create.success', 'pet.id.unique', 'get.by-id'],
  'create.listed': ['create.stored', 'list.page-full', ...ofLists],
  'get.until-removal': [...ofForm, 'auth.bearer'],
  'get.success': [...ofForm, ...ofPet, 'auth.bearer', 'get.until-removal'],
  'get.not-found': ['get.by-id', 'get.success', 'auth.bearer'],
  'get.by-id': ['pet.id.unique'],
  'state.reads-change-nothing': ['create.stored', 'get.by-id'],
  'create.invalid-values': ['create.exact'],
  'service.catalog': [
    'create.listed',
    'list.page-full',
    'list.limit.min',
    ...ofLists,
    'state.reads-change-nothing',
  ],
}

/** The findings of a report, by requirement. */
export type Found = ReadonlyMap<RequirementId, readonly [Finding, ...Finding[]]>

/**
 * The probable cause of a violated requirement: itself if there is no other. A cause has findings, and explains each of the
 * requirement, perhaps by way of causes that have none.
 */
export function causeOf(
  id: RequirementId,
  found: Found,
  cases: readonly Finding[] = found.get(id) ?? [],
  path: readonly RequirementId[] = [],
): RequirementId {
  const certain = patterns
    .map((pattern) => pattern(id, found))
    .find((causes) => causes !== undefined)
  const isReason = (cause: RequirementId, one: Finding): boolean =>
    certain !== undefined || showing(cause, found).some((other) => explains(other, one))
  const likely = (certain ?? dependenciesOf(id, found)).filter(
    (cause) =>
      !path.includes(cause) &&
      showing(cause, found).length > 0 &&
      cases.some((one) => isReason(cause, one)),
  )
  if (!cases.every((one) => likely.some((cause) => isReason(cause, one)))) return id
  const roots = likely.map((one) => causeOf(one, found, found.get(one) ?? cases, [...path, id]))
  return roots.find((cause) => found.has(cause)) ?? id
}

/** The findings that show a requirement violated, as others that the same behavior breaks, too. */
const showing = (id: RequirementId, found: Found): Finding[] =>
  [...found.values()]
    .flat()
    .filter(({ requirement, alsoBreaks }) => requirement === id || alsoBreaks.includes(id))

function dependenciesOf(id: RequirementId, found: Found): readonly RequirementId[] {
  const causes = dependsOn[id] ?? []
  // If a lost pet's id is reused, the loss is the cause.
  const isLost = found
    .get('create.stored')
    ?.some((one) => one.kind === 'missing' || (one.kind === 'status' && statusOf(one) === 404))
  if (isLost !== true) return causes
  return id === 'pet.id.unique'
    ? ['create.stored']
    : causes.filter((one) => one !== 'pet.id.unique')
}

/** What a list breaks that misreads its limit. */
const ofLimit = [
  'list.page-full',
  'list.status.default',
  'list.status.complete',
  'create.listed',
  'service.catalog',
] as const
const queryOf = ({ request }: ReportedExchange): URLSearchParams =>
  new URLSearchParams(/\?(.*)/s.exec(request.url)?.[1])
const limitOf = (exchange: ReportedExchange): number =>
  Number(queryOf(exchange).get('limit') ?? limits.default)
const limitIn = ({ exchanges }: Finding): number => exchanges.slice(-1).map(limitOf)[0] ?? 0
/** Whether the list beside a page that is too short has a smaller limit and the same filter. */
function isOutOfOrder({ exchanges }: Finding): boolean {
  const [beside, page] = exchanges.slice(-2)
  if (beside === undefined || page === undefined) return false
  const [one, other] = [beside, page].map((exchange) => queryOf(exchange).get('status'))
  return one === other && limitOf(beside) < limitOf(page)
}

/** What a pet that should not exist breaks. */
const ofMade = [
  'pet.id.unique',
  'create.stored',
  'create.listed',
  'state.reads-change-nothing',
  'service.catalog',
] as const
const requestedId = (one: Finding): string | undefined =>
  /\/pets\/(-?\d+)$/.exec(lastOf(one).request?.url ?? '')?.[1]
const shownId = (one: Finding): string | undefined => {
  const id = idIn(tryParse(bodyOf(one) ?? '') ?? null)
  return id === undefined ? undefined : String(id)
}

const isIn = (ids: readonly RequirementId[], id: RequirementId): boolean => ids.includes(id)
const isOfBody = (id: RequirementId): boolean => isIn([...ofForm, ...ofError], id)
const lastOf = ({ exchanges }: Finding): Partial<ReportedExchange> => exchanges.at(-1) ?? {}
const bodyOf = (finding: Finding): string | undefined => lastOf(finding).response?.body

/** The wrong status that a finding is about, 0 for no response; NaN if it is about something else. */
function statusOf(finding: Finding): number {
  if (finding.kind === 'silence') return 0
  return (finding.kind === 'status' && lastOf(finding).response?.status) || NaN
}
const isAboutStatus = (finding: Finding): boolean => !Number.isNaN(statusOf(finding))
const isStatus = (finding: Finding, from: number, to: number): boolean =>
  statusOf(finding) >= from && statusOf(finding) <= to
const isAccepted = (finding: Finding): boolean => isStatus(finding, 200, 299)
/** A status that no operation has, or no response. */
const isFailure = (finding: Finding): boolean =>
  statusOf(finding) === 0 ||
  (isStatus(finding, 400, 599) && ![400, 401, 404].includes(statusOf(finding)))

/** The parts of the URL of a list that is rejected. */
function rejectedIn(found: Found, id: RequirementId): string[] | undefined {
  const list = /^list\.(?!401)/.test(id)
    ? found.get(id)?.find((one) => isStatus(one, 400, 499))
    : undefined
  // One check sends another limit between the ends, which is rejected for the same reason.
  return list && lastOf(list).request?.url.replace('limit=99', 'limit=2').split(/[?&]/)
}

/** What all findings together show: the causes of a requirement, whatever its own findings say. The first one decides. */
const patterns: readonly ((
  id: RequirementId,
  found: Found,
) => readonly RequirementId[] | undefined)[] = [
  // A server that fails in all reads fails everywhere.
  (id, found) => {
    const fails = (one: RequirementId): boolean =>
      found.get(one)?.every((finding) => isStatus(finding, 500, 599)) === true
    return fails('list.success') && fails('get.success') && fails(id) ? ['list.success'] : undefined
  },
  // A failure has no Error body because the server failed.
  (id, found) => {
    const failures = [...found.values()]
      .flat()
      .filter((one) => !isOfBody(one.requirement) && isFailure(one))
    const statuses = new Set(failures.map(statusOf))
    const hasFailed = (one: Finding): boolean => statuses.has(lastOf(one).response?.status ?? 0)
    return isOfBody(id) && showing(id, found).every(hasFailed)
      ? failures.map(({ requirement }) => requirement)
      : undefined
  },
  // With status 200 for an id that no pet has, an error is no Pet, and a Pet is one with another id.
  (id, found) => {
    const unknown = found.get('get.not-found')?.find((one) => statusOf(one) === 200)
    if (unknown === undefined) return undefined
    if (id === 'get.not-found') return bodyOf(unknown)?.includes('"id"') ? ['get.by-id'] : undefined
    const isThat = (one: Finding): boolean => bodyOf(one) === bodyOf(unknown)
    return isIn([...ofPet, 'get.success'], id) && found.get(id)?.every(isThat)
      ? ['get.not-found']
      : undefined
  },
  // A list with a greater limit that shows fewer pets misreads its limit, and lacks pets for that.
  (id, found) => {
    const limits = (found.get('list.page-full') ?? []).filter(isOutOfOrder).map(limitIn)
    if (limits.length === 0 || !isIn(ofLimit, id)) return undefined
    if (id === 'list.page-full') return []
    return found.get(id)?.every((one) => limits.includes(limitIn(one)))
      ? ['list.page-full']
      : undefined
  },
  // Where a read makes a pet, others get its id, and lists show both.
  (id, found) => {
    const isMade = (one: Finding): boolean =>
      statusOf(one) === 200 && requestedId(one) !== undefined && requestedId(one) === shownId(one)
    return isIn(ofMade, id) && found.get('get.not-found')?.some(isMade)
      ? ['get.not-found']
      : undefined
  },
  // A client without preference gets 406; the request with the fewest parameters shows why.
  (id, found) => {
    const all = [...found].flatMap(([one, cases]) =>
      cases.every((finding) => statusOf(finding) === 406) ? [one] : [],
    )
    return all.includes(id) ? all.slice(0, 1).filter((one) => one !== id) : undefined
  },
  // A list with some parameters is rejected for those with which another one is, too.
  (id, found) => {
    const all = rejectedIn(found, id)
    if (all === undefined) return undefined
    return [...found.keys()].filter((other) => {
      const some = rejectedIn(found, other)
      return (
        some?.every((one) => all.includes(one)) === true &&
        (id === 'list.success' || some.length < all.length)
      )
    })
  },
  // A created Pet without the status that was sent differs from the stored one.
  (id, found) =>
    id === 'create.stored' && found.get('create.status')?.some(({ kind }) => kind === 'absent')
      ? ['create.status']
      : undefined,
]

const isTooMany = ({ kind }: Finding): boolean => kind === 'excess'
/** The request passed authentication, even if it is wrong or its pet does not exist. */
const isServed = (one: Finding): boolean =>
  isAccepted(one) || [400, 404, 415, 422].includes(statusOf(one))

/** Whether one finding may be the reason of another. The responses of the other finding must show it, too. */
function explains(cause: Finding, found: Finding): boolean {
  const { requirement } = found
  if (requirement === cause.requirement) return false
  const isSame = statusOf(found) === statusOf(cause)
  // One wrong key is served because another one, or none, is.
  if (requirement === 'auth.invalid-key' && !found.alsoBreaks.includes(cause.requirement))
    return false
  if (/401$|^auth/.test(requirement)) return isSame || (isServed(found) && isServed(cause))
  if (isOfBody(cause.requirement) || isIn(ofPet, cause.requirement))
    return explainsByBody(cause, found)
  if (isAboutStatus(found)) return isSame
  // The length of a list says nothing about its pets.
  return isTooMany(found) ? isTooMany(cause) : explainsField(cause, found)
}

/** Whether a mismatch of a body may be the reason of another finding: never of its status. */
function explainsByBody(cause: Finding, found: Finding): boolean {
  if (isAboutStatus(found)) return false
  // What several responses show is compared without invalid values.
  if (isIn(ofPet, cause.requirement) && found.exchanges.length > 1) return false
  if (!isTooMany(found)) return breaks(found, cause)
  // A list is too long for pets beyond its limit alone.
  const limit = /limit=(\d+)/.exec(lastOf(cause).request?.url ?? '')?.[1] ?? limits.default
  return Number(cause.pointer.split('/')[1]) >= Number(limit)
}

/** Whether the response of a finding breaks a requirement on its body, too. Of one that the report cuts, the place decides. */
function breaks(found: Finding, { requirement: id, pointer: place }: Finding): boolean {
  const { status = 0, body = '', bodyCut = false } = lastOf(found).response ?? {}
  const nameIn = (pointer: string): string | undefined => pointer.split('/').at(-1)
  if (bodyCut)
    return id === 'pet.fields'
      ? found.pointer !== ''
      : nameIn(found.pointer) === nameIn(isIn(ofForm, id) ? '' : place)
  const value = tryParse(body)
  if (isIn(ofForm, id)) return value === undefined && body !== ''
  if (value === undefined) return false
  const isOfError = isIn(ofError, id)
  const mismatches = (Array.isArray(value) ? value : [value])
    .flatMap((one) => (isOfError ? errorMismatches(one, status) : petMismatches(one, '')))
    .filter(({ requirement }) => requirement === id)
  // Without several fields, it is no Error at all.
  if (isOfError && mismatches.length > 1) return true
  return mismatches.some(({ pointer = '' }) => found.pointer.includes(pointer))
}

/** The value at the place of a finding, as far as the body was not cut. */
const valueIn = (found: Finding): JsonValue | undefined =>
  valueAt(tryParse(bodyOf(found) ?? ''), found.pointer)

/** Whether the first and the last response of a finding show a pet with different values of a field. */
function hasChanged(found: Finding, name: string): boolean {
  const pet = valueIn(found) ?? null
  const before = tryParse(found.exchanges[0]?.response?.body ?? '')
  const known = [before ?? null].flat().find((one) => idIn(one) === idIn(pet))
  return known !== undefined && show(field(known, name)) !== show(field(pet, name))
}

const fieldOf = ({ pointer }: Finding): string | undefined =>
  /\/(name|categoryId|status)$/.exec(pointer)?.[1]

/** Why the creation that a finding shows must be rejected; undefined for a valid one and for other requests. */
function rejectionOf(finding: Finding): RequirementId | undefined {
  const { method, body = '' } = lastOf(finding).request ?? {}
  if (method !== 'POST') return undefined
  const value = tryParse(body)
  if (!isObject(value)) return 'create.body-required'
  // The service assigns the id.
  const mismatches = petMismatches(value, '').filter(({ pointer }) => pointer !== '/id')
  if (mismatches.length === 0) return undefined
  return mismatches.some(({ requirement }) => requirement === 'pet.fields')
    ? 'create.required-fields'
    : 'create.invalid-values'
}

/** A wrong field comes from an invalid value that was accepted, or from the same field of the created Pet. */
function explainsField(cause: Finding, found: Finding): boolean {
  const { requirement, pointer, exchanges } = found
  const value = valueIn(found)
  const name = fieldOf(found)
  if (isIn(ofRejection, cause.requirement)) {
    const broken = rejectionOf(found)
    if (!isAccepted(cause)) return false
    if (broken !== undefined) return broken === cause.requirement
    const sent = valueAt(tryParse(lastOf(cause).request?.body ?? ''), `/${name}`)
    const isStored = [sent, value].includes(undefined) || show(sent) === show(value)
    return cause.requirement === 'create.invalid-values' && requirement !== 'pet.fields' && isStored
  }
  const created = cause.requirement.startsWith('create.') ? fieldOf(cause) : undefined
  if (created !== undefined && name !== created && !hasChanged(found, created)) return false
  // An integer beyond int64 comes from rounding, another value does not.
  const isInteger = typeof value === 'bigint' || Number.isInteger(value)
  if (requirement === 'pet.category-id' && value !== undefined && !isInteger) return false
  return !exchanges.every(({ request }) => request.method === 'POST') || cause.pointer === pointer
}
