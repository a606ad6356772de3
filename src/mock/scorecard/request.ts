import { isSecretName, otherKeyHeaders, unsetWords } from '../../report/credentials.ts'
import {
  limits,
  type OperationId,
  operations,
  petStatuses,
  type QueryParameter,
  queryParameters,
} from '../../spec/operations.ts'
import type { PetStatus } from '../../spec/types.ts'
import { describeValue } from '../../validate.ts'
import { isPlaceholder, trimSpaces } from '../service/authenticate.ts'
import { sandboxName } from '../service/sandbox-key.ts'
import { readInteger } from '../pets/int64.ts'
import type { RecordedEntry } from '../journal/entry.ts'
import type { MockRequest } from '../service/message.ts'
import { isPetStatus, isQueryParameter } from '../service/parameters.ts'
import {
  type FindRoute,
  isPreflight,
  operationOf,
  type Route,
  unescapedIn,
  withoutSlash,
} from '../service/route.ts'
import { assessBody, declaredBytes } from './body.ts'
import { firstOf, type FoundIssue, allOf } from './issues.ts'

/** The assessment of one request by itself. */
export interface Assessment {
  /** Undefined for any other request. */
  operation: OperationId | undefined
  /** The index of its key among the accepted ones, or -1. */
  key: number
  issues: readonly FoundIssue[]
  /** Names for the coverage, each once: of parameters and fields, `status=VALUE`, and `other`. */
  sent: readonly string[]
  /** The limit and the status filter of listPets; undefined when invalid. */
  limit?: number | undefined
  filter?: PetStatus | undefined
}

/** A request with its assessment, and the issues that it has, also because of those before it. */
export interface Step {
  entry: RecordedEntry
  assessment: Assessment
  /** Those of the request by itself; Sequence and Rounding append theirs. */
  issues: FoundIssue[]
}

export interface Contract {
  keys: readonly string[]
  basePath: string
  findRoute: FindRoute
}

/** A request, and whether getPet was removed when it came. */
type Assessed = MockRequest & Pick<RecordedEntry, 'isRemoved'>

interface Parameter {
  name: string
  value: string
}

/**
 * Assesses a request by what the specification says about requests. The response does not matter: another deployment may
 * respond differently.
 *
 * @returns undefined for automatic requests, such as CORS preflights, and for those that are no valid HTTP.
 */
export function assessRequest(request: Assessed, contract: Contract): Assessment | undefined {
  const { target, headers, rejection } = request
  if (rejection !== undefined || isPreflight(request) || isAutomatic(request, contract.basePath))
    return undefined
  const found = contract.findRoute(target)
  const route = withoutSlash(found)
  const query =
    'query' in route && route.query !== ''
      ? Array.from(new URLSearchParams(route.query), ([name, value]) => ({ name, value }))
      : []
  const { key, issues } = assessCredentials(headers, query, contract.keys)
  if (!('query' in route)) {
    const hint = 'message' in route ? route.message : ''
    return { operation: undefined, key, issues: pathIssues(target, hint, contract), sent: [] }
  }
  // Do not report a key in the query as an unknown parameter, too.
  const hasQueryKey = issues.some(({ id }) => id === 'credentials.in-query')
  const parameters = hasQueryKey
    ? query.filter((parameter) => !isSecret(parameter, contract.keys))
    : query
  const assessed = assessOperation(request, route, query, parameters)
  const all = [...issues, ...acceptIssues(headers.accept), ...assessed.issues]
  if (found === route) return { ...assessed, key, issues: all }
  const slash: FoundIssue = {
    id: 'path.trailing-slash',
    message: `The path was ${describeValue(pathOf(target))}.`,
  }
  return { operation: undefined, key, issues: [slash, ...all], sent: [] }
}

/** @param all the parameters of the query with keys, which count for the coverage. */
function assessOperation(
  request: Assessed,
  route: Route & { query: string },
  all: readonly Parameter[],
  parameters: readonly Parameter[],
): Omit<Assessment, 'key'> {
  const method = request.method.toUpperCase()
  const search = route.at === 'pet' && method === 'GET' && /^find[A-Z]|^search/.test(route.petId)
  const override = methodHeaders.find(
    (name) => String(request.headers[name] ?? method).toUpperCase() !== method,
  )
  const operation = search || override !== undefined ? undefined : operationOf(route, method)
  if (operation === undefined) {
    const overridden = `The header ${override} was ${unquoted(String(request.headers[override ?? '']))}.`
    const message =
      override === undefined ? `The method was ${unquoted(request.method)}.` : overridden
    const path = describeValue(pathOf(request.target))
    const issues = firstOf(
      [override, 'method.undescribed', message],
      [search, 'path.search', `The path was ${path}.`],
      [method === 'HEAD', 'method.head', message],
      [method === 'OPTIONS', 'method.options', message],
      [true, 'method.undescribed', message],
    )
    return { operation, issues, sent: [] }
  }
  const { path, query, body, deprecated } = operations[operation]
  const hasQuery = Object.keys(query).length > 0
  const { issues, ...list } = hasQuery
    ? assessListQuery(parameters)
    : { issues: unknownIssues(parameters) }
  const { issues: bodyIssues, fields } = body
    ? assessBody(request)
    : { issues: unexpectedBody(request), fields: [] }
  const deprecation: FoundIssue = request.isRemoved
    ? { id: 'deprecated.removed', message: `${method} ${path} was used after its removal.` }
    : { id: 'deprecated.used', message: `${method} ${path} was used.` }
  return {
    operation,
    ...list,
    issues: [
      ...(route.at === 'pet' ? petIdIssues(route.petId) : []),
      ...issues,
      ...bodyIssues,
      ...(deprecated ? [deprecation] : []),
    ],
    sent: [
      ...new Set([
        ...fields,
        ...(hasQuery ? all.flatMap(toParameterNames) : all.map(() => 'other')),
      ]),
    ],
  }
}

/** "The client sends the API key as the bearer token in the `Authorization` header." */
function assessCredentials(
  headers: MockRequest['headers'],
  query: readonly Parameter[],
  keys: readonly string[],
) {
  const { authorization } = headers
  const isMissing = authorization === undefined
  const [scheme = '', ...rest] = trimSpaces(String(authorization ?? '')).split(' ')
  const word = scheme.toLowerCase()
  const token = trimSpaces(rest.join(' '))
  const isNamedScheme = schemes.has(word)
  const other = isMissing ? keyHeaderIn(headers, keys) : undefined
  const isInQuery = query.some((parameter) => isSecret(parameter, keys))
  const issues = firstOf(
    [other, 'credentials.other-header', `The key was sent in the header ${other}.`],
    [
      isMissing && isInQuery,
      'credentials.in-query',
      'There was no Authorization header, and a key in the query.',
    ],
    [isMissing, 'credentials.missing', 'There was no Authorization header.'],
    [
      Array.isArray(authorization),
      'credentials.repeated',
      `Authorization was sent ${authorization?.length} times.`,
    ],
    [
      /,\s*Bearer\s/i.test(token),
      'credentials.repeated',
      'The header had several credentials, separated by commas.',
    ],
    [scheme === '', 'credentials.empty-token', 'The Authorization header was empty.'],
    [word !== 'bearer' && isNamedScheme, 'credentials.other-scheme', `The scheme was ${scheme}.`],
    [word !== 'bearer' && token !== '', 'credentials.other-scheme', 'The scheme was not Bearer.'],
    [word !== 'bearer', 'credentials.bare-key', 'The header had only one word, without a scheme.'],
    [token === '', 'credentials.empty-token', 'There was nothing after the word Bearer.'],
  )
  if (issues.length > 0) return { key: -1, issues }
  const key = keys.indexOf(token)
  // A short key may be an ordinary word.
  const isKey = ({ name, value }: Parameter) =>
    keys.includes(value) && (value.length >= 8 || isSecretName(name))
  const found = allOf(
    [key === -1, 'credentials.unknown-key', () => whyUnknown(token, keys)],
    [
      key !== -1 && query.some(isKey),
      'credentials.in-query',
      'The key was also in the query string.',
    ],
    [scheme !== 'Bearer', 'credentials.scheme-case', `The scheme was written ${scheme}.`],
  )
  return { key, issues: found }
}

/** The header other than Authorization in which a key is: by its name, or because it contains a long key of the mock. */
function keyHeaderIn(headers: MockRequest['headers'], keys: readonly string[]): string | undefined {
  const known = otherKeyHeaders.find((name) => headers[name] !== undefined)
  if (known !== undefined) return known
  const long = keys.filter(({ length }) => length >= 8)
  return Object.keys(headers).find((name) =>
    long.some((key) => String(headers[name]).includes(key)),
  )
}

/** Headers by which clients of other services replace the method. */
const methodHeaders = ['x-http-method-override', 'x-http-method', 'x-method-override']

/** Schemes that a message may name: any other first word may be a key. */
const schemes = new Set([
  'basic',
  'digest',
  'token',
  'apikey',
  'api-key',
  'key',
  'negotiate',
  'jwt',
  'hmac',
  'oauth',
])

const isSecret = ({ name, value }: Parameter, keys: readonly string[]): boolean =>
  keys.includes(value) || isSecretName(name)

function whyUnknown(token: string, keys: readonly string[]): string {
  const word = token.toLowerCase()
  if (unsetWords.includes(word)) return `The key was the word ${token}: a variable was not set.`
  if (/^bearer(?:\s|$)/.test(word)) return 'The word Bearer appeared twice.'
  const isQuoted = /^(["'<]).*["'>]$/.test(token)
  if (isPlaceholder(token) && !(isQuoted && keys.includes(token.slice(1, -1))))
    return 'A placeholder, such as the name of a variable, was sent instead of the key.'
  if (isQuoted) return 'The key was in quotes or brackets, which are not part of it.'
  const long = keys.filter(({ length }) => length >= 8)
  const isOtherCase = long.some((key) => key.toLowerCase() === word)
  if (isOtherCase || (word !== token && sandboxName(word) !== undefined))
    return 'The letter case of the key was wrong.'
  if (word.startsWith('petstore_sandbox_'))
    return 'It began like the key of a sandbox, but was not complete, or had a wrong character.'
  return long.some((key) => isNear(key, token))
    ? 'It was nearly a valid key: a character or two were missing, added or wrong.'
    : 'This key is not valid here.'
}

/** Whether two texts are equal but for two characters in one place. */
function isNear(one: string, other: string): boolean {
  const [least, most] = [one.length, other.length].toSorted((a, b) => a - b) as [number, number]
  let start = 0
  while (start < least && one[start] === other[start]) start += 1
  let end = 0
  while (end < least - start && one.at(-1 - end) === other.at(-1 - end)) end += 1
  return most - start - end <= 2
}

/** RFC 9110 section 12.5.1: a request without an Accept header accepts everything. */
function acceptIssues(accept: MockRequest['headers'][string]): FoundIssue[] {
  const json =
    /(?:^|,)\s*(?:\*\/\*|application\/(?:\*|json))\s*(?:;(?!\s*q=0(?:\.0*)?\s*(?:,|$))|,|$)/i
  const text = String(accept ?? '')
  return allOf([
    text !== '' && !json.test(text),
    'accept.other',
    `Accept was ${describeValue(text)}.`,
  ])
}

const unquoted = (text: string): string => describeValue(text).slice(1, -1)

/** `limit was "ten"`, `limit was 500`, `limit had no value` */
function sentWords(name: string, value = ''): string {
  return value === ''
    ? `${name} had no value`
    : `${name} was ${(/^-?\d+$/.test(value) ? unquoted : describeValue)(value)}`
}

/** The issues of the values of each parameter. */
const parameterIssues: Readonly<Record<QueryParameter, (sent: readonly string[]) => FoundIssue[]>> =
  {
    /** "limit | integer | minimum 1, maximum 100" */
    limit(sent) {
      const wrong = sent.find((value) => !isLimit(value))
      const isInteger = readInteger(wrong ?? '') !== 'not-an-integer'
      const message = `${sentWords('limit', wrong)}.`
      return allOf(
        [sent.length > 1, 'limit.repeated', `limit was sent ${sent.length} times.`],
        [wrong !== undefined && isInteger, 'limit.out-of-range', message],
        [wrong !== undefined && !isInteger, 'limit.not-an-integer', message],
      )
    },
    /** "status | PetStatus | one of available, pending, sold" */
    status(sent) {
      const unknown = sent.find((value) => !isPetStatus(value))
      const near = petStatuses.find((status) => status === unknown?.trim().toLowerCase())
      const list = /[,|;]/.test(unknown ?? '') ? ' It takes one value in each request.' : ''
      const why = near === undefined ? list : ` The value is ${near}.`
      return allOf(
        [sent.length > 1, 'status.repeated', `status was sent ${sent.length} times.`],
        [unknown !== undefined, 'status.unknown', `${sentWords('status', unknown)}.${why}`],
      )
    },
  }

const isLimit = (value: string): boolean =>
  Number(readInteger(value)) >= limits.minimum && Number(value) <= limits.maximum

function assessListQuery(
  parameters: readonly Parameter[],
): Pick<Assessment, 'issues' | 'limit' | 'filter'> {
  const valuesOf = (name: QueryParameter) =>
    parameters.filter((one) => one.name === name).map(({ value }) => value)
  const [limit = String(limits.default), ...more] = valuesOf('limit')
  const [status] = valuesOf('status')
  return {
    issues: [
      ...queryParameters.flatMap((name) => parameterIssues[name](valuesOf(name))),
      ...unknownIssues(parameters.filter(({ name }) => !isQueryParameter(name))),
    ],
    limit: more.length === 0 && isLimit(limit) ? Number(limit) : undefined,
    filter: isPetStatus(status) ? status : undefined,
  }
}

function unknownIssues([first]: readonly Parameter[]): FoundIssue[] {
  if (first === undefined) return []
  const { name } = first
  if (queryParameters.some((known) => name.startsWith(`${known}=`))) {
    const message = `The name of a parameter was ${describeValue(name)}.`
    return [{ id: 'query.escaped', message }]
  }
  const turnsPages =
    /^(offset|page|cursor|skip|start|after|before|per_?page|page_?size|page_?token)$/i.test(name)
  const bare = name.replace(/\[\d*\]$/, '')
  const brackets =
    bare !== name && isQueryParameter(bare)
      ? ` The name is ${bare}, without brackets, and it takes one value.`
      : ''
  const why = turnsPages ? ' There are no further pages.' : brackets
  return [
    { id: 'query.unknown-parameter', message: `Unknown parameter ${describeValue(name)}.${why}` },
  ]
}

function toParameterNames({ name, value }: Parameter): string[] {
  if (name === 'status' && isPetStatus(value)) return ['status', `status=${value}`]
  return [isQueryParameter(name) ? name : 'other']
}

/** "Path parameter: `petId`, required, integer (int64)" */
function petIdIssues(petId: string): FoundIssue[] {
  const id = readInteger(petId)
  const message = `${sentWords('petId', petId)}.${unsetWords.includes(petId.toLowerCase()) ? ' A variable was not set.' : ''}`
  return allOf(
    [id === 'beyond-int64', 'pet-id.beyond-int64', message],
    [id === 'not-an-integer', 'pet-id.not-an-integer', message],
  )
}

function unexpectedBody({ body, headers, bodyFault }: MockRequest): FoundIssue[] {
  const bytes = declaredBytes(headers)
  return firstOf(
    [body !== '', 'body.unexpected', `The body had ${body.length} characters.`],
    [bytes > 0, 'body.unexpected', `The body had ${bytes} bytes.`],
    [bodyFault === 'too-large', 'body.unexpected', 'The body was too large to be read.'],
  )
}

function pathIssues(target: string, hint: string, { basePath, findRoute }: Contract): FoundIssue[] {
  const path = pathOf(target)
  const isBaseMissing = basePath !== '' && !('message' in findRoute(basePath + path))
  return firstOf(
    [unescapedIn(target), 'target.unescaped', hint],
    [/(^|\/)orders?(\/|$)/i.test(path), 'path.orders', `The path was ${describeValue(path)}.`],
    [
      isBaseMissing,
      'path.base-path',
      `The path was ${describeValue(path)}, without ${basePath} before it.`,
    ],
    [true, 'path.undescribed', hint],
  )
}

/** Requests of browsers and start-up scripts, and for the control API. */
function isAutomatic({ method, target, headers }: MockRequest, basePath: string): boolean {
  // DOMs of test runners send preflights, whose distinguishing headers MSW 3 hides.
  const { authorization, 'user-agent': agent } = headers
  if (/^OPTIONS$/i.test(method))
    return authorization === undefined && /\b(?:HappyDOM|jsdom)\//.test(String(agent))
  const path = pathOf(target)
  return (
    /^(GET|HEAD)$/i.test(method) &&
    (['/', basePath, `${basePath}/`, '/favicon.ico', '/robots.txt'].includes(path) ||
      /^\/(apple-touch-icon|\.well-known\/|_petstore(\/|$))/.test(path))
  )
}

/** The path of a target, which may be absolute. */
const pathOf = (target: string): string =>
  target.replace(/^https?:\/\/[^/?]*/i, '').replace(/[?#][^]*$/, '')
