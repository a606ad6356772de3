import { isSecretName, otherKeyHeaders, unsetWords } from '../../report/credentials.ts'
import type { HttpRequest } from '../../spec/http.ts'
import { limits, type OperationId, petStatuses } from '../../spec/operations.ts'
import type { PetStatus } from '../../spec/types.ts'
import { readInteger } from '../int64.ts'
import type { MockRequest } from '../message.ts'
import { isPreflight } from '../outside.ts'
import { isPetStatus, shown } from '../parameters.ts'
import { type FindRoute, type Route, unescapedIn } from '../routes.ts'
import { announcesBody, judgeNewPet } from './judge-body.ts'
import type { Issue } from './rules.ts'

/** What one request says of its client, whatever came before it. */
export interface Judged {
  /** Undefined for what is none. */
  operation: OperationId | undefined
  /** The place of its key among those that are accepted, or -1. */
  key: number
  issues: Issue[]
  /** Parameters and fields of the body. */
  parameters: string[]
  /** Of listPets: how many pets were requested, and which. Undefined when nobody can say. */
  limit?: number | undefined
  status?: PetStatus | undefined
}

/** What a request is judged by. */
export interface Contract {
  keys: readonly string[]
  basePath: string
  findRoute: FindRoute
}

/** A request, and whether it came after the removal of getPet. */
export type JudgedRequest = MockRequest & { isRemoved: boolean }

interface Parameter {
  name: string
  value: string
}

/**
 * Judges one request by what the specification says of requests. What the mock returned plays no part: another
 * deployment may respond otherwise.
 *
 * @returns undefined for what a browser requests by itself, or a script that waits for the mock.
 */
export function judge(request: JudgedRequest, contract: Contract): Judged | undefined {
  if (isPreflight(request) || isUnasked(request, contract.basePath)) return undefined
  const found = contract.findRoute(request.target)
  if (found.at === 'nowhere' || found.at === 'malformed') {
    const { key } = judgeCredentials(request.headers, [], contract.keys)
    return none(key, [judgePath(request.target, found.message, contract)])
  }
  if (found.at !== 'trailing-slash') return judgeRoute(request, found, contract)
  const { key, issues } = judgeRoute(request, found.without, contract)
  return none(key, [{ id: 'path.trailing-slash', message: `The path is ${shown(pathOf(found.target))}.` }, ...issues])
}

/** A request to a path that there is. */
function judgeRoute(request: JudgedRequest, route: Route, { keys }: Contract): Judged {
  const sent = readQuery('query' in route ? route.query : '')
  const method = request.method.toUpperCase()
  const { key, issues } = judgeCredentials(request.headers, sent, keys)
  // A key in the query is a matter of the credentials already.
  const isJudged = issues.some(({ id }) => id === 'credentials.in-query')
  const parameters = isJudged ? sent.filter((parameter) => !isSecret(parameter, keys)) : sent
  const all = [...issues, ...judgeAccept(request)]
  const others = sent.length === 0 ? [] : ['other']

  if (route.at === 'pets' && method === 'GET') {
    const list = judgeListQuery(parameters)
    return {
      operation: 'listPets',
      key,
      ...list,
      issues: [...all, ...list.issues, ...judgeNoBody(request)],
      parameters: sent.flatMap(toParameterNames),
    }
  }
  if (route.at === 'pets' && method === 'POST') {
    const { issues: found, fields } = judgeNewPet(request)
    return {
      operation: 'createPet',
      key,
      issues: [...all, ...judgeUnknown(parameters), ...found],
      parameters: [...fields, ...others],
    }
  }
  if (route.at === 'pet' && method === 'GET') {
    const deprecation: Issue = request.isRemoved
      ? { id: 'deprecated.removed', message: 'GET /pets/{petId} was used after its removal.' }
      : { id: 'deprecated.used', message: 'GET /pets/{petId} was used.' }
    const found = [...judgePetId(route.petId), ...judgeUnknown(parameters), ...judgeNoBody(request), deprecation]
    return { operation: 'getPet', key, issues: [...all, ...found], parameters: others }
  }
  const id = method === 'HEAD' ? 'method.head' : method === 'OPTIONS' ? 'method.options' : 'method.undescribed'
  return none(key, [{ id, message: `The method was ${shown(request.method).slice(1, -1)}.` }])
}

/** What is no operation. */
function none(key: number, issues: Issue[]): Judged {
  return { operation: undefined, key, issues, parameters: [] }
}

/** "The client sends the API key as the bearer token in the `Authorization` header." */
function judgeCredentials(
  headers: HttpRequest['headers'],
  parameters: readonly Parameter[],
  keys: readonly string[],
): Pick<Judged, 'key' | 'issues'> {
  const { authorization } = headers
  const rejected = (id: Issue['id'], message: string) => ({ key: -1, issues: [{ id, message }] })
  if (authorization === undefined) {
    const other = otherKeyHeaders.find((name) => headers[name] !== undefined)
    if (other !== undefined) return rejected('credentials.other-header', `The key came in the header ${other}.`)
    return parameters.some((parameter) => isSecret(parameter, keys))
      ? rejected('credentials.in-query', 'There was no Authorization header, and a key in the query string.')
      : rejected('credentials.missing', 'There was no Authorization header.')
  }
  if (typeof authorization !== 'string') {
    return rejected('credentials.repeated', `Authorization came ${authorization.length} times.`)
  }
  const [, scheme = '', rest = ''] = /^(\S*)\s*([^]*)$/.exec(authorization.trim()) ?? []
  const token = rest.trim()
  const isKnown = schemes.has(scheme.toLowerCase())
  if (scheme === '') return rejected('credentials.empty-token', 'The Authorization header was empty.')
  if (scheme.toLowerCase() !== 'bearer') {
    return token === '' && !isKnown
      ? rejected('credentials.bare-key', 'The header held one word, without a scheme before it.')
      : rejected('credentials.other-scheme', isKnown ? `The scheme was ${scheme}.` : 'The scheme was not Bearer.')
  }
  if (token === '') return rejected('credentials.empty-token', 'There was nothing behind the word Bearer.')
  const key = keys.indexOf(token)
  const issues: Issue[] = []
  // A short key may be a word that means something else.
  const isKey = ({ name, value }: Parameter) => keys.includes(value) && (value.length >= 8 || isSecretName(name))
  if (key === -1) issues.push({ id: 'credentials.unknown-key', message: whyUnknown(token) })
  else if (parameters.some(isKey)) {
    issues.push({ id: 'credentials.in-query', message: 'The key stood in the query string, too.' })
  }
  if (scheme !== 'Bearer') {
    issues.push({ id: 'credentials.scheme-case', message: `The scheme was written ${scheme}.` })
  }
  return { key, issues }
}

/** Schemes that can be named without naming a key. */
const schemes = new Set(['basic', 'digest', 'token', 'apikey', 'api-key', 'key', 'negotiate', 'jwt', 'hmac', 'oauth'])

/** Whether a parameter is a key that stands in the query string. */
function isSecret({ name, value }: Parameter, keys: readonly string[]): boolean {
  return keys.includes(value) || isSecretName(name)
}

function whyUnknown(token: string): string {
  const word = token.toLowerCase()
  if (unsetWords.includes(word)) return `The key was the word ${token}: a variable was not set.`
  if (/^bearer\s/.test(word)) return 'The word Bearer stood there twice.'
  if (/^(["'<]).*["'>]$/.test(token)) return 'The key stood in quotes or brackets, which are no part of it.'
  if (/^\$[{(]?\w+[})]?$|^%\w+%$/.test(token)) return 'The name of a variable stood in place of its value.'
  return 'No such key is valid here.'
}

/** The parameters of a query. What cannot be decoded stays as it is. */
function readQuery(query: string): Parameter[] {
  const parts = query.split('&').filter((part) => part !== '')
  return parts.map((part) => {
    const [name = '', ...value] = part.split('=')
    return { name: decode(name), value: decode(value.join('=')) }
  })
}

function decode(text: string): string {
  const spaced = text.replaceAll('+', ' ')
  try {
    return decodeURIComponent(spaced)
  } catch {
    return spaced
  }
}

/** "Query parameters": limit and status of listPets. */
function judgeListQuery(parameters: readonly Parameter[]): Pick<Judged, 'issues' | 'limit' | 'status'> {
  const valuesOf = (name: string) => parameters.filter((one) => one.name === name).map(({ value }) => value)
  const [sent, statuses] = [valuesOf('limit'), valuesOf('status')]
  const [wrongLimit] = sent.flatMap(judgeLimit)
  const [wrongStatus] = statuses.flatMap(judgeStatus)
  const issues: Issue[] = []
  if (sent.length > 1) issues.push({ id: 'limit.repeated', message: `limit came ${sent.length} times.` })
  if (wrongLimit !== undefined) issues.push(wrongLimit)
  if (statuses.length > 1) issues.push({ id: 'status.repeated', message: `status came ${statuses.length} times.` })
  if (wrongStatus !== undefined) issues.push(wrongStatus)
  issues.push(...judgeUnknown(parameters.filter(({ name }) => name !== 'limit' && name !== 'status')))
  const [limit = String(limits.default)] = sent
  const [status] = statuses
  return {
    issues,
    limit: sent.length > 1 || wrongLimit !== undefined ? undefined : Number(limit),
    status: isPetStatus(status) ? status : undefined,
  }
}

/** "limit | integer | minimum 1, maximum 100" */
function judgeLimit(value: string): Issue[] {
  const limit = readInteger(value)
  if (limit === 'not-an-integer') {
    const message = value === '' ? 'limit had no value.' : `limit was ${shown(value)}.`
    return [{ id: 'limit.not-an-integer', message }]
  }
  if (limit !== 'beyond-int64' && limit >= limits.minimum && limit <= limits.maximum) return []
  return [{ id: 'limit.out-of-range', message: `limit was ${shown(value).slice(1, -1)}.` }]
}

/** "status | PetStatus | one of available, pending, sold" */
function judgeStatus(value: string): Issue[] {
  if (isPetStatus(value)) return []
  const near = petStatuses.find((status) => status === value.trim().toLowerCase())
  const why =
    near !== undefined ? ` The value is ${near}.` : /[,|;]/.test(value) ? ' It takes one value in each request.' : ''
  const message = value === '' ? 'status had no value.' : `status was ${shown(value)}.`
  return [{ id: 'status.unknown', message: message + why }]
}

/** There are no other parameters. */
function judgeUnknown([first]: readonly Parameter[]): Issue[] {
  if (first === undefined) return []
  const { name } = first
  const turnsPages = /^(offset|page|cursor|skip|start|after|before|per_?page|page_?size|page_?token)$/i.test(name)
  const bracketed = /^(limit|status)\[\d*\]$/.exec(name)?.[1]
  const why = turnsPages
    ? ' There is no way to turn pages.'
    : bracketed === undefined
      ? ''
      : ` The name is ${bracketed}, without brackets, and it takes one value.`
  return [{ id: 'query.unknown-parameter', message: `There is no parameter ${shown(name)}.${why}` }]
}

function toParameterNames({ name, value }: Parameter): string[] {
  if (name === 'status' && isPetStatus(value)) return ['status', `status=${value}`]
  return [name === 'limit' || name === 'status' ? name : 'other']
}

/** "Path parameter: `petId`, required, integer (int64)" */
function judgePetId(petId: string): Issue[] {
  const id = readInteger(petId)
  if (id === 'beyond-int64') return [{ id: 'pet-id.beyond-int64', message: `petId was ${shown(petId).slice(1, -1)}.` }]
  if (id !== 'not-an-integer') return []
  const why = unsetWords.includes(petId.toLowerCase()) ? ' A variable was not set.' : ''
  return [{ id: 'pet-id.not-an-integer', message: `petId was ${shown(petId)}.${why}` }]
}

/** No adapter reads the body of a GET: the headers announce it. */
function judgeNoBody({ body, headers }: HttpRequest): Issue[] {
  if (body !== '') return [{ id: 'body.unexpected', message: `The body had ${body.length} characters.` }]
  if (!announcesBody(headers)) return []
  const length = headers['content-length']
  const message = length === undefined ? 'The headers announced a body.' : `The body had ${String(length)} bytes.`
  return [{ id: 'body.unexpected', message }]
}

/** RFC 9110 section 12.5.1: no Accept header accepts everything. */
function judgeAccept({ headers: { accept } }: HttpRequest): Issue[] {
  if (accept === undefined || accept === '') return []
  const json = /(?:^|,)\s*(?:\*\/\*|application\/(?:\*|json))\s*(?:;(?!\s*q=0(?:\.0*)?\s*(?:,|$))|,|$)/i
  if (json.test(String(accept))) return []
  return [{ id: 'accept.other', message: `Accept was ${shown(String(accept))}.` }]
}

function judgePath(target: string, hint: string, { basePath, findRoute }: Contract): Issue {
  if (unescapedIn(target) !== undefined) return { id: 'target.unescaped', message: hint }
  const path = pathOf(target)
  if (/(^|\/)orders?(\/|$)/i.test(path)) return { id: 'path.orders', message: `The path was ${shown(path)}.` }
  const withBase = findRoute(basePath + path)
  if (basePath !== '' && withBase.at !== 'nowhere' && withBase.at !== 'malformed') {
    return { id: 'path.base-path', message: `The path was ${shown(path)}, without ${basePath} before it.` }
  }
  return { id: 'path.undescribed', message: hint }
}

/** What browsers and start-up scripts request by themselves, and what is the mock's own. */
function isUnasked({ method, target }: HttpRequest, basePath: string): boolean {
  if (!/^(GET|HEAD)$/i.test(method)) return false
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
