import { unsetWords } from '../../report/credentials.ts'
import type { HttpRequest } from '../../spec/http.ts'
import type { MockRequest } from '../message.ts'
import type { OperationId } from '../../spec/operations.ts'
import type { PetStatus } from '../../spec/types.ts'
import { readInteger } from '../int64.ts'
import { methodOf } from '../method.ts'
import { isPreflight } from '../outside.ts'
import { shown } from '../parameters.ts'
import { type FindRoute, type Route, unescapedIn } from '../routes.ts'
import { judgeNewPet } from './judge-body.ts'
import { isSecret, judgeCredentials } from './judge-credentials.ts'
import { joined, type Mark, nothing } from './marks.ts'
import { judgeListQuery, judgeUnknown, listParametersOf, readQuery } from './judge-query.ts'
import { only, type ParameterSet } from './scorecard-parameters.ts'

/** What one request says of its client, whatever came before it. */
export interface Reading {
  /** Undefined for what is none. */
  operation: OperationId | undefined
  /** The place of its key among those that are valid, or -1. */
  key: number
  marks: readonly Mark[]
  /** Parameters and members of the body. */
  parameters: ParameterSet
  /** Of listPets: how many pets were asked for, and which. Undefined when nobody can say. */
  limit: number | undefined
  status: PetStatus | undefined
}

/** A request, and why its body may not be what was sent. */
export type JudgedRequest = HttpRequest & Pick<MockRequest, 'bodyFault'>

/** What a request is judged by. */
export interface Contract {
  keys: readonly string[]
  basePath: string
  findRoute: FindRoute
  /** Whether the time of getPet is over. */
  isRemoved: boolean
}

/**
 * Judges one request by what the specification says of requests. What the mock answered plays no part: another
 * deployment may answer otherwise.
 *
 * @returns undefined when it is nobody's request: a browser asks for it by itself, or a script that waits for the mock.
 */
export function judge(request: JudgedRequest, contract: Contract): Reading | undefined {
  if (isPreflight(request) || isUnasked(request, contract.basePath)) return undefined
  const { findRoute, keys } = contract
  const found = findRoute(request.target)
  if (found.at === 'nowhere' || found.at === 'malformed') {
    return none(judgeCredentials(request.headers, [], keys).key, [judgePath(request, found.message, contract)])
  }
  if (found.at !== 'trailing-slash') return judgeRoute(request, found, contract)
  const { key, marks } = judgeRoute(request, found.without, contract)
  return none(key, [{ kind: 'path.trailing-slash', message: `The path is ${shown(pathOf(found.target))}.` }, ...marks])
}

/** A request to a path that there is. */
function judgeRoute(request: JudgedRequest, route: Route, contract: Contract): Reading {
  const sent = readQuery(route.at === 'pets' || route.at === 'pet' ? route.query : '')
  const method = methodOf(request)
  const { key, marks } = judgeCredentials(request.headers, sent, contract.keys)
  // A key in the query is a matter of the credentials already.
  const isJudged = marks.some(({ kind }) => kind === 'credentials.in-query')
  const parameters = isJudged ? sent.filter((parameter) => !isSecret(parameter, contract.keys)) : sent
  const others = sent.length === 0 ? 0 : only.other

  if (route.at === 'pets' && method === 'GET') {
    const { marks: found, limit, status } = judgeListQuery(parameters)
    const all = joined(marks, judgeAccept(request), found, judgeNoBody(request))
    return { operation: 'listPets', key, marks: all, parameters: listParametersOf(sent), limit, status }
  }
  if (route.at === 'pets' && method === 'POST') {
    const { marks: found, members } = judgeNewPet(request)
    const all = joined(marks, judgeAccept(request), judgeUnknown(parameters), found)
    return {
      operation: 'createPet',
      key,
      marks: all,
      parameters: members | others,
      limit: undefined,
      status: undefined,
    }
  }
  if (route.at === 'pet' && method === 'GET') {
    const found = [
      ...judgeAccept(request),
      ...judgePetId(route.petId),
      ...judgeUnknown(parameters),
      ...judgeNoBody(request),
      deprecation(contract),
    ]
    return { ...none(key, joined(marks, found)), operation: 'getPet', parameters: others }
  }
  return none(key, [judgeMethod(request)])
}

/** What is no operation. */
function none(key: number, marks: readonly Mark[]): Reading {
  return { operation: undefined, key, marks, parameters: 0, limit: undefined, status: undefined }
}

function judgeMethod(request: HttpRequest): Mark {
  const method = request.method.toUpperCase()
  if (method === 'HEAD') return { kind: 'method.head', message: 'HEAD was sent.' }
  if (method === 'OPTIONS') return { kind: 'method.options', message: 'OPTIONS was sent.' }
  return { kind: 'method.undescribed', message: `There is no ${shown(request.method).slice(1, -1)} on this path.` }
}

/** "Path parameter: `petId`, required, integer (int64)" */
function judgePetId(petId: string): Mark[] {
  const id = readInteger(petId)
  if (id === 'beyond-int64')
    return [{ kind: 'pet-id.beyond-int64', message: `petId was ${shown(petId).slice(1, -1)}.` }]
  if (id !== 'not-an-integer') return []
  const why = unsetWords.includes(petId.toLowerCase()) ? ' A variable was not set.' : ''
  return [{ kind: 'pet-id.not-an-integer', message: `petId was ${shown(petId)}.${why}` }]
}

/** No adapter reads the body of a GET: the headers tell of it. */
function judgeNoBody({ body, headers }: HttpRequest): readonly Mark[] {
  if (body !== '') return [{ kind: 'body.unexpected', message: `The body had ${body.length} characters.` }]
  if (!hasUnreadBody(headers)) return nothing
  const length = headers['content-length']
  const message = length === undefined ? 'The headers announced a body.' : `The body had ${String(length)} bytes.`
  return [{ kind: 'body.unexpected', message }]
}

/** Whether the headers announce a body: RFC 9112 section 6.3. */
export function hasUnreadBody(headers: HttpRequest['headers']): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

function judgeAccept({ headers }: HttpRequest): readonly Mark[] {
  if (acceptsJson(headers)) return nothing
  return [{ kind: 'accept.other', message: `Accept was ${shown(String(headers['accept']))}.` }]
}

/** Whether a client says that it takes JSON, or nothing at all. RFC 9110 section 12.5.1. */
export function acceptsJson({ accept }: HttpRequest['headers']): boolean {
  if (accept === undefined || accept === '' || accept === '*/*') return true
  return /(?:^|,)\s*(?:\*\/\*|application\/(?:\*|json))\s*(?:;(?!\s*q=0(?:\.0*)?\s*(?:,|$))|,|$)/i.test(String(accept))
}

function deprecation({ isRemoved }: Contract): Mark {
  return isRemoved
    ? { kind: 'deprecated.removed', message: 'GET /pets/{petId} was used after its removal.' }
    : { kind: 'deprecated.used', message: 'GET /pets/{petId} was used.' }
}

function judgePath({ target }: HttpRequest, hint: string, { basePath, findRoute }: Contract): Mark {
  if (unescapedIn(target) !== undefined) return { kind: 'target.unescaped', message: hint }
  const path = pathOf(target)
  if (/(^|\/)orders?(\/|$)/i.test(path)) return { kind: 'path.orders', message: `The path was ${shown(path)}.` }
  const withBase = findRoute(basePath + path)
  if (basePath !== '' && withBase.at !== 'nowhere' && withBase.at !== 'malformed') {
    return { kind: 'path.base-path', message: `The path was ${shown(path)}, without ${basePath} before it.` }
  }
  return { kind: 'path.undescribed', message: hint }
}

/** What browsers and start-up scripts ask for by themselves, and what is the mock's own. */
function isUnasked({ method, target }: HttpRequest, basePath: string): boolean {
  if (method === 'POST' || target.startsWith(`${basePath}/pets`) || !/^(GET|HEAD)$/i.test(method)) return false
  const path = pathOf(target)
  return (
    ['/', basePath, `${basePath}/`, '/favicon.ico', '/robots.txt'].includes(path) ||
    /^\/(apple-touch-icon|\.well-known\/|_petstore(\/|$))/.test(path)
  )
}

/** The path of a target, which may come in absolute form. */
function pathOf(target: string): string {
  return target.replace(/^https?:\/\/[^/?]*/i, '').replace(/[?#][^]*$/, '')
}
