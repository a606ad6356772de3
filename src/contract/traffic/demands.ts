import type { JsonValue } from '../../json.ts'
import type { RequirementId } from '../../spec/requirements.ts'
import { type OperationId, operations } from '../../spec/operations.ts'
import type { ExactPet } from '../../spec/types.ts'
import type { SentFields } from '../judge/catalog.ts'
import type { Content, Exchange } from '../http/exchange.ts'
import { mayLoseControls } from '../http/request-bodies.ts'
import { isAbsent, notRejected, pageOf, wrongStatus } from '../judge/expect.ts'
import { isInt64, isObject, isPetStatus } from '../judge/shapes.ts'
import type { Violation } from '../judge/findings.ts'

/** An observed response and its sanitized request. */
export interface PassedExchange {
  exchange: Exchange
  sent: Content
  /** Whether the key of the request is valid, as this or another response shows. */
  isAccepted: boolean
  hasCredential: boolean
  /** Whether the response ended early. */
  isCut: boolean
}

export type Sent = { readonly [name: string]: JsonValue | undefined }

/** Where a response is not what its request certainly demands. */
export function compareWithRequest(passed: PassedExchange): Violation | undefined {
  const { exchange, hasCredential, isAccepted } = passed
  if (exchange.operation === undefined || isGone(exchange)) return undefined
  if (!hasCredential) return demand401(exchange)
  if (exchange.operation === 'createPet') return demandOnCreation(passed)
  if (exchange.plan.headers?.['range'] !== undefined) return undefined
  return exchange.operation === 'listPets'
    ? demandOnList(exchange, isAccepted)
    : demandOnGet(exchange, isAccepted)
}

/** Whether getPet may be removed, and seems to be. */
export const isGone = ({ operation, status }: Exchange): boolean =>
  operation === 'getPet' &&
  isAbsent(status) &&
  Date.now() >= Date.parse(operations.getPet.removalDate)

/** "When the key is missing or invalid, the service answers 401 with an Error body." */
function demand401(exchange: Exchange): Violation | undefined {
  const { operation, status } = exchange
  const requirement = operations[operation as OperationId].unauthorized
  // Other statuses do not show that the request was validated before the key.
  if (status >= 300 && ![400, 404, 422].includes(status) && !isServerError(status)) return undefined
  const alsoBreaks: RequirementId[] =
    status < 400 ? ['auth.missing-key', 'auth.required'] : ['auth.missing-key']
  return wrongStatus(exchange, requirement, 401, { alsoBreaks })
}

/** Its own: those of a gateway are not judged. Storage may be full. */
export const isServerError = (status: number): boolean => status >= 500 && status !== 507

function demandOnList(exchange: Exchange, isAccepted: boolean): Violation | undefined {
  if (!pageOf(exchange.plan.path).isDescribed) return undefined
  return expectSuccess(exchange, 'list.success', isAccepted, [400, 404, 422])
}

function demandOnGet(exchange: Exchange, isAccepted: boolean): Violation | undefined {
  const { status, plan } = exchange
  const [, id = ''] = /^\/pets\/(\d{1,19})$/.exec(plan.path) ?? []
  if (id === '' || BigInt(id) < 1n || BigInt(id) > 9223372036854775807n || status === 404)
    return undefined
  if (status !== 400 && status !== 422) return expectSuccess(exchange, 'get.success', isAccepted)
  return wrongStatus(exchange, 'get.not-found', '200 or 404')
}

/**
 * A server error is wrong whatever the key is, which it does not show.
 *
 * @param rejections statuses that wrongly reject a specified request; others may have unspecified reasons
 */
function expectSuccess(
  exchange: Exchange,
  requirement: RequirementId,
  isAccepted: boolean,
  rejections: readonly number[] = [],
): Violation | undefined {
  const { status, operation } = exchange
  const wanted = operations[operation as OperationId].successStatus
  if (status === wanted) return undefined
  const isWrong = status < 300 || isServerError(status) || rejections.includes(status)
  return isWrong
    ? wrongStatus(exchange, requirement, isAccepted ? wanted : `${wanted} or 401`)
    : undefined
}

function demandOnCreation({ exchange, sent, isAccepted }: PassedExchange): Violation | undefined {
  const { status, plan } = exchange
  const type = plan.headers?.['content-type'] ?? ''
  if (sent.kind === 'unjudged' || !/^application\/json\s*(;\s*charset=utf-8\s*)?$/i.test(type))
    return undefined
  const invalid = invalidityOf(sent)
  if (invalid === undefined) {
    if (status >= 500 && !isOrdinary(sent)) return undefined
    return expectSuccess(exchange, 'create.success', isAccepted)
  }
  if (status >= 300 && status !== 422 && !isServerError(status)) return undefined
  return notRejected(exchange, invalid.requirement, `POST /pets with ${invalid.what}`)
}

/** Why a body must be rejected with 400; undefined if it need not be. */
function invalidityOf(sent: Content): { requirement: RequirementId; what: string } | undefined {
  if (sent.kind === 'empty') return { requirement: 'create.body-required', what: 'no body' }
  if (sent.kind === 'broken') {
    return sent.isMalformed === true
      ? { requirement: 'create.body-required', what: 'a body that is not JSON' }
      : undefined
  }
  if (sent.kind !== 'json') return undefined
  const { value } = sent
  if (!isObject(value))
    return { requirement: 'create.body-required', what: 'a body that is not an object' }
  const { name, categoryId, status }: Sent = value
  const missing = (['name', 'categoryId'] as const).find((field) => value[field] === undefined)
  if (missing !== undefined) return { requirement: 'create.required-fields', what: `no ${missing}` }
  const invalid = (what: string) => ({ requirement: 'create.invalid-values', what }) as const
  if (typeof name !== 'string') return invalid('a name that is not a string')
  if (!isInt64(categoryId)) return invalid('a categoryId that is not an int64')
  return status === undefined || isPetStatus(status)
    ? undefined
    : invalid('a status other than the three')
}

/** Whether the specification leaves no reason to reject a creation. */
function isOrdinary(sent: Content): boolean {
  const fields: Sent = sent.kind === 'json' && isObject(sent.value) ? sent.value : {}
  const { name } = fields
  const isPlain =
    typeof name === 'string' &&
    name.length <= 100 &&
    name.trim() === name &&
    /^[^\p{C}]+$/u.test(name)
  return isPlain && Object.keys(fields).every((field) => /^(name|categoryId|status)$/.test(field))
}

/** Whether a name is that which was sent, but for spaces around it, Unicode normalization and control characters. */
const isKept = (sent: string, shown: string): boolean =>
  [sent, sent.trim(), sent.trimEnd()].some((text) => text.normalize() === shown) ||
  (/\p{Cc}/u.test(sent) && mayLoseControls(sent.normalize(), shown))

/** The fields of a request body that a created Pet must have. */
export function demandedFields(value: JsonValue, created: ExactPet): SentFields {
  const { name, categoryId, status } = isObject(value) ? (value as Sent) : {}
  const isDemanded =
    typeof name === 'string' &&
    ![name, created.name].some((text) => text.includes('[redacted]')) &&
    !isKept(name, created.name.normalize())
  return {
    name: isDemanded ? name : undefined,
    categoryId: isInt64(categoryId) ? categoryId : undefined,
    status: isPetStatus(status) ? status : undefined,
  }
}
