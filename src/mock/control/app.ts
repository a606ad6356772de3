import { expectNone, type Issue, UsageError } from '../../errors.ts'
import { jsonProblem } from '../../json-problem.ts'
import type { JsonValue } from '../../json.ts'
import { decoded } from '../../report/credentials.ts'
import { clip } from '../../report/text.ts'
import { isJsonObject, issuesOf, tryParseJson } from '../../validate.ts'
import { exceedsBytes, type MockReply, type MockRequest } from '../service/message.ts'
import { opensSandbox, sandboxName } from '../service/sandbox-key.ts'
import { tokenOf } from './guard.ts'
import { type bodies, schemas } from './schemas/input-schemas.ts'
import {
  type ControlCall,
  type Controlled,
  empty,
  prefix,
  problem,
  type ControlRoute,
  type RespondToControl,
  type StreamReply,
} from './routes/route.ts'
import { journalRoutes } from './routes/journal.ts'
import { explainRoutes, missingSandbox, mockRoutes } from './routes/mock.ts'
import { petRoutes } from './routes/pets.ts'
import { runRoutes } from './routes/runs.ts'
import { stateRoutes } from './routes/state.ts'
import { validators } from './schemas/validators.gen.ts'

const sandboxRoutes = [
  ...explainRoutes,
  ...stateRoutes,
  ...petRoutes,
  ...journalRoutes,
  ...runRoutes,
]

/** All operations of the control API. Router, OpenAPI document and index derive from this table. */
export const routes: readonly ControlRoute[] = [
  ...[...mockRoutes, ...sandboxRoutes].map((route) => ({
    ...route,
    path: `${prefix}${route.path}`,
  })),
  ...sandboxRoutes.map((route) => ({
    ...route,
    id: `${route.id}InSandbox`,
    ofMock: route.id,
    path: `${prefix}/sandboxes/{sandbox}${route.path}`,
  })),
]

/** The paths with their operations, in the order of the table: the first one that matches counts. */
const templates = [...new Set(routes.map(({ path }) => path))].map((path) => ({
  pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
  here: routes.filter((route) => route.path === path),
}))

/** The operations that a proxy has: those about its journal. It has no pets. */
const ofProxy = new Set(
  (
    'readIndex readHealth readReadiness readDocument readInterface readInterfaceYaml listRequirements explain readSettings listSandboxes ' +
    'listJournal countJournal exportJournal clearJournal streamJournal readEntry streamEvents readScorecards'
  ).split(' '),
)

/** The largest body of most operations in bytes: 1 MiB. */
const defaultLimit = 1_048_576
/** The characters of a message, which may quote a name from a body. */
const maxMessage = 4_000
/** JSON values of a body: more than an export of as many pets as fit into a sandbox. */
const maxValues = 4_000_000

export function createApp(api: Controlled): RespondToControl {
  const streams: ControlCall['streams'] = new Map()
  const { sandboxes } = api.mock
  const { carryOut = (route, call) => route.handle(call) } = api

  function rejectPath(
    route: ControlRoute,
    path: Record<string, string>,
    isKeyed: boolean,
  ): MockReply | undefined {
    const { sandbox: name } = path
    // No name contains a slash, and dots would be resolved by most clients and proxies.
    if (Object.values(path).some((value) => /^\.\.?$|\//.test(value))) return notFound('')
    if (api.proxyOf !== undefined && !ofProxy.has(route.id)) {
      return problem(
        404,
        'A proxy has no pets, rules, clock or runs, only a journal and a scorecard.',
      )
    }
    if (name === undefined || isKeyed) return undefined
    return (api.mayExist ?? sandboxes.has)(name) ? undefined : missingSandbox(name)
  }

  async function call(
    route: ControlRoute,
    path: Record<string, string>,
    request: MockRequest,
    text: string,
    isGone: () => boolean,
  ): Promise<MockReply | StreamReply> {
    const { sandbox: name } = path
    // A sandbox key creates its sandbox, as in the service. A name does not: it has no checksum against typos.
    const isKeyed =
      name !== undefined &&
      sandboxName(tokenOf(request) ?? '') === name &&
      opensSandbox(api.mock.settings.sandboxes, name)
    const rejection = rejectPath(route, path, isKeyed)
    if (rejection !== undefined) return rejection
    const read = route.method === 'GET' ? { body: undefined } : readBody(request, route.body)
    if ('rejection' in read) return read.rejection
    const { query, queryIssues } = readQuery(text, route)
    expectNone([...queryIssues, ...bodyIssues(read.body, route)])
    const sandbox = name === undefined ? api.mock : sandboxes.get(name)
    const validated: ControlCall = {
      api,
      routes,
      streams,
      headers: request.headers,
      isGone,
      sandbox,
      isThere: () => sandboxes.isCurrent(sandbox),
      path,
      query,
      // Handlers declare the type that the schema describes.
      body: read.body as undefined,
    }
    return (await carryOut(route, validated, isKeyed)) ?? empty()
  }

  async function respond(
    request: MockRequest,
    isGone: () => boolean,
  ): Promise<MockReply | StreamReply> {
    // Raw: URL would normalize dots and backslashes, as in `/_petstore/x/../pets`.
    const [, path = '', query = ''] =
      /^(?:https?:\/\/[^/?#]*)?([^?]*)\??(.*)$/is.exec(request.target) ?? []
    const template = templates.find(({ pattern }) => pattern.test(path))
    if (template === undefined) return notFound(path)
    const { pattern, here } = template
    const method = request.method.toUpperCase()
    const route = here.find((one) => one.method === (method === 'HEAD' ? 'GET' : method))
    if (route === undefined) return notAllowed(method, here)
    const found = Object.entries(pattern.exec(path)?.groups ?? {})
    const parameters = Object.fromEntries(found.map(([name, value]) => [name, decoded(value)]))
    try {
      return await call(route, parameters, request, query, isGone)
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      return problem(400, clip(error.message, maxMessage))
    }
  }
  return async (request, isGone = () => false) => {
    const reply = await respond(request, isGone)
    if (request.method !== 'HEAD') return reply
    if ('stream' in reply) void reply.stream.cancel()
    return { status: reply.status, headers: reply.headers, body: '' }
  }
}

function notAllowed(method: string, here: readonly ControlRoute[]): MockReply {
  const allowed = here
    .map((route) => (route.method === 'GET' ? 'GET, HEAD' : route.method))
    .join(', ')
  return problem(405, `Method ${method} is not allowed; allowed: ${allowed}.`, { allow: allowed })
}

function notFound(path: string): MockReply {
  const simple = path.toLowerCase().replaceAll(/\/+/g, '/').replace(/\/$/, '')
  const isKnown = templates.some(({ pattern }) => pattern.test(simple))
  const hint = isKnown ? `Did you mean ${simple}?` : `\`GET ${prefix}\` lists all operations.`
  return problem(404, `Nothing has this path. ${hint}`)
}

/** Parses a query. Values become numbers and booleans as their schema says. */
function readQuery(
  text: string,
  { query: schema }: ControlRoute,
): { query: object; queryIssues: Issue[] } {
  const fields: Readonly<Record<string, { type?: string }>> =
    schema === undefined ? {} : schemas[schema].properties
  const sent = Array.from(new URLSearchParams(text), ([name, value]) => {
    const type = Object.hasOwn(fields, name) ? fields[name]?.type : undefined
    const isValue =
      type === 'integer'
        ? /^(?:0|[1-9]\d{0,14})$/.test(value)
        : type === 'boolean' && /^(?:true|false)$/.test(value)
    return [name, isValue ? (JSON.parse(value) as unknown) : value] as const
  })
  const query = Object.fromEntries(sent)
  const repeated = new Set(
    sent.map(([name]) => name).filter((name, at, names) => names.indexOf(name) !== at),
  )
  const message = 'is unknown; this operation takes no parameters.'
  return {
    query,
    queryIssues: [
      ...Array.from(repeated, (path) => ({ path, message: 'is given more than once.' })),
      ...(schema === undefined
        ? Object.keys(query).map((path) => ({ path, message }))
        : issuesOf(validators[schema], query)),
    ],
  }
}

/** Validates bodies, except those that the methods of a sandbox validate: pets, rules and settings. */
function bodyIssues(value: JsonValue | undefined, { body }: ControlRoute): Issue[] {
  if (body === undefined || (body.optional && value === undefined)) return []
  const { schema } = body
  if (schema in validators) {
    const issues = issuesOf(validators[schema as keyof typeof bodies], value, { quotes: true })
    return issues.map((issue) =>
      issue.path === '' ? { path: '', message: `The body ${issue.message}` } : issue,
    )
  }
  if (schema === 'Pets' && !Array.isArray(value))
    return [{ path: '', message: 'The body must be a JSON array.' }]
  return []
}

function readBody({ body, bodyFault, headers }: MockRequest, wanted: ControlRoute['body']) {
  const { limit = defaultLimit, optional = wanted === undefined } = wanted ?? {}
  if (bodyFault === 'too-large' || exceedsBytes(body, limit)) {
    return { rejection: problem(413, `The body is larger than ${limit} bytes.`) }
  }
  if (bodyFault === 'not-utf8') return { rejection: problem(400, 'The body is not UTF-8.') }
  const type = headers['content-type']
  const isJson = typeof type === 'string' && /^application\/json *(?:;|$)/i.test(type)
  // HTML forms cannot send application/json, but always send some type.
  if (!isJson && (type !== undefined || body !== '')) {
    const hint =
      wanted === undefined ? 'no body, and no Content-Type' : '`Content-Type: application/json`'
    return { rejection: problem(415, `This operation takes ${hint}.`) }
  }
  if (body === '')
    return optional ? { body: undefined } : { rejection: problem(400, 'A JSON body is required.') }
  if (body.length > maxValues && exceedsMaxValues(body)) {
    return { rejection: problem(413, `The body has more than ${maxValues} JSON values.`) }
  }
  const value = tryParseJson(body)
  if (value === undefined)
    return { rejection: problem(400, `The body is not JSON: ${jsonProblem(body)}.`) }
  if (wanted !== undefined) return { body: value }
  // Some clients send an empty object instead of no body.
  return isJsonObject(value) && Object.keys(value).length === 0
    ? { body: undefined }
    : { rejection: problem(400, 'This operation takes no body.') }
}

/** Counts JSON values before parsing: some take a hundred times the memory of their text. */
function exceedsMaxValues(text: string): boolean {
  let values = 0
  let isString = false
  for (let at = 0; at < text.length && values <= maxValues; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit === 0x22) isString = !isString
    else if (isString) at += unit === 0x5c ? 1 : 0
    // Each comma, [ and { precedes one.
    else if (unit === 0x2c || unit === 0x5b || unit === 0x7b) values += 1
  }
  return values > maxValues
}
