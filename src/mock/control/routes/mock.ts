import { UsageError } from '../../../errors.ts'
import { rowToSentence } from '../../../report/text.ts'
import { type Behavior, behaviors } from '../../../spec/behaviors.ts'
import { type Requirement, requirements } from '../../../spec/requirements.ts'
import { version } from '../../../spec/version.ts'
import type { MockReply } from '../../service/message.ts'
import type { Inputs } from '../../schemas/schemas.gen.ts'
import { toDocument } from './openapi.ts'
import { listReply } from './list-reply.ts'
import {
  type ControlCall,
  empty,
  json,
  prefix,
  problem,
  readiness,
  response,
  type ControlRoute,
  route,
  text,
} from './route.ts'

const allRequirements: readonly Requirement[] = requirements
const allBehaviors: readonly Behavior[] = behaviors
const noSandbox = response('The sandbox does not exist.', 'Error')

const bundled = { 501: response('The file of the package is not there, as in a bundle.', 'Error') }

/** The mock as a whole, and its sandboxes. */
export const mockRoutes: readonly ControlRoute[] = [
  route('GET /', 'readIndex', 'List all operations', {
    needs: 'nothing',
    responses: { 200: response('All operations.', 'Index') },
    handle({ routes }) {
      return json(200, {
        name: 'The control API of the Pet Store mock',
        version,
        openapi: `${prefix}/openapi.json`,
        operations: routes.map(({ method, path, summary }) => ({ method, path, summary })),
      })
    },
  }),
  route('GET /health', 'readHealth', 'Check that the mock is alive', {
    needs: 'nothing',
    description:
      'For probes: without a token, and with any Host. `reloads`, if it is there, counts how often the mock had to load ' +
      'a sandbox again. 503 when only a restart helps.',
    responses: {
      200: response('The mock is alive.', 'Health'),
      503: response('It needs a restart.', 'Error'),
    },
    handle: ({ api }) => api.health(),
  }),
  route('GET /ready', 'readReadiness', 'Check that the mock is ready', {
    needs: 'nothing',
    description: 'For probes: without a token, and with any Host.',
    responses: {
      200: response('The mock is ready.', 'Readiness'),
      503: response('The mock is not ready.', 'Error'),
    },
    handle: ({ api }) => readiness(api.isReady()),
  }),
  route(
    'GET /metrics',
    'readMetrics',
    'Read counts and latencies, in the text format of Prometheus',
    {
      needs: 'nothing',
      description:
        'Requests to the interface by operation, status and kind of key, requests to the control API, histograms of ' +
        'latencies, saves of the state, sandboxes, pets, connections, the event loop and memory. ' +
        'Counted since the start of the mock.',
      query: 'MetricsQuery',
      responses: { 200: { description: 'The metrics.', types: ['text/plain'] } },
      handle({ api, query: { sandboxes = false } }) {
        const metrics = api.metrics(api.isReady(), sandboxes)
        return text(200, 'text/plain; version=0.0.4; charset=utf-8', metrics)
      },
    },
  ),
  route('GET /openapi.json', 'readDocument', 'Read this interface as an OpenAPI 3.1 document', {
    needs: 'nothing',
    responses: { 200: response('The document.', 'Document') },
    async handle({ routes }) {
      const { defects } = await import('../../defects/index.ts')
      return json(200, toDocument({ routes, version, defects: defects.map(({ id }) => id) }))
    },
  }),
  route(
    'GET /interface.json',
    'readInterface',
    'Read the interface of the service as an OpenAPI document',
    {
      needs: 'nothing',
      description:
        'The document that `petstore openapi` prints, with the base URL of this mock. It needs no token.',
      query: 'InterfaceQuery',
      responses: { 200: response('The document.', 'Document'), ...bundled },
      handle: async (call) => readInterface(call, false),
    },
  ),
  route(
    'GET /interface.yaml',
    'readInterfaceYaml',
    'Read the interface of the service as an OpenAPI document in YAML',
    {
      needs: 'nothing',
      description: 'As `interface.json`, in YAML. It needs no token.',
      query: 'InterfaceQuery',
      responses: { 200: { description: 'The document.', types: ['application/yaml'] }, ...bundled },
      handle: async (call) => readInterface(call, true),
    },
  ),
  route('POST /save', 'save', 'Write the state to its file', {
    responses: {
      200: response('The state is written.', 'Saved'),
      501: response('The mock was started without a file to save to.', 'Error'),
    },
    async handle({ api: { save } }) {
      if (save === undefined)
        return problem(501, 'There is no file to save to. Start the mock with `--save FILE`.')
      try {
        return json(200, { file: await save() })
      } catch (error) {
        return problem(
          500,
          error instanceof UsageError ? error.message : 'The state could not be saved.',
        )
      }
    },
  }),
  route('GET /requirements', 'listRequirements', 'List the requirements of the specification', {
    needs: 'nothing',
    responses: {
      200: response('The requirements, in the order of the specification.', 'Requirements'),
    },
    handle: () => json(200, { requirements: allRequirements.map(explainRequirement) }),
  }),
  route('GET /sandboxes', 'listSandboxes', 'List the sandboxes', {
    query: 'SandboxesQuery',
    responses: { 200: response('The sandboxes.', 'Sandboxes') },
    async handle({ api: { mock }, isGone, query: { scores = false } }) {
      const { dropped } = mock.sandboxes
      const sandboxes = mock.sandboxes.list()
      const document = { sandboxes: [], dropped }
      if (!scores) return listReply(document, sandboxes, { isGone })
      const cards = new Map((await mock.allScorecards()).map((card) => [card.subject, card]))
      const toRow = (sandbox: { name: string }): object => ({
        ...sandbox,
        score: cards.get(subjectOf(sandbox))?.score ?? null,
      })
      return listReply(document, sandboxes, { toRow, isGone })
    },
  }),
  route('POST /sandboxes', 'makeSandbox', 'Create a sandbox, or find the one with this name', {
    description: 'The first request with its key creates it, too.',
    body: { schema: 'NewSandbox', example: { name: 'team-a' } },
    responses: {
      200: response('The sandbox existed.', 'SandboxKey'),
      201: response('The sandbox is created.', 'SandboxKey'),
      409: response('Sandboxes are off.', 'Error'),
    },
    handle({ api, body }) {
      const { sandboxes, settings } = api.mock
      if (!settings.sandboxes) return problem(409, 'The mock was started without sandboxes.')
      const wasThere = sandboxes.has(body.name)
      const { name, key } = sandboxes.get(body.name)
      return json(wasThere ? 200 : 201, { name, key })
    },
  }),
  route('GET /sandboxes/{sandbox}', 'readSandbox', 'Read the key and counts of a sandbox', {
    needs: 'journal',
    responses: { 200: response('The sandbox.', 'Sandbox'), 404: noSandbox },
    async handle({ api: { mock }, path: { sandbox = '' } }) {
      const found = mock.sandboxes.list().find(({ name }) => name === sandbox)
      if (found === undefined) return missingSandbox(sandbox)
      return json(200, {
        ...found,
        score:
          (await mock.sandboxes.get(sandbox).scorecards()).find(
            ({ subject }) => subject === subjectOf(found),
          )?.score ?? null,
      })
    },
  }),
  route('DELETE /sandboxes/{sandbox}', 'deleteSandbox', 'Delete a sandbox', {
    description: 'The next request with its key creates a new one.',
    responses: { 204: response('The sandbox is deleted.'), 404: noSandbox },
    handle({ api, path: { sandbox = '' } }) {
      return api.mock.sandboxes.delete(sandbox) ? empty() : missingSandbox(sandbox)
    },
  }),
]

/** The subject of the scorecard of a sandbox. */
const subjectOf = ({ name }: { name: string }): string => `sandbox ${name}`

/** Available in each sandbox, so that its key suffices. */
export const explainRoutes: readonly ControlRoute[] = [
  route('GET /explain/{id}', 'explain', 'Read a requirement or an unspecified behavior', {
    needs: 'nothing',
    description:
      'The id comes from the header `Petstore-Explain` of a response: a requirement, an unspecified behavior, or an ' +
      'unspecified behavior with its option as in `list.order=newest-first`.',
    responses: {
      200: response('The words of the specification.', 'Explanation'),
      404: response('No requirement and no unspecified behavior has this id.', 'Error'),
    },
    handle({ path: { id = '' } }) {
      const explanation = explain(id)
      if (explanation !== undefined) return json(200, explanation)
      return problem(
        404,
        `No requirement and no unspecified behavior has the id ${JSON.stringify(id)}.`,
      )
    },
  }),
]

/** A mistyped name must not create a sandbox. */
export const missingSandbox = (name: string) =>
  problem(
    404,
    `The sandbox ${JSON.stringify(name)} does not exist. \`POST ${prefix}/sandboxes\` creates it, and so does the first ` +
      'request with its key.',
  )

/** Adds the quote as a sentence: it may be the row of a table. */
export const withSentence = <T extends { quote: string }>(row: T) => ({
  ...row,
  sentence: rowToSentence(row.quote),
})

const explainRequirement = (requirement: Requirement) =>
  withSentence({ kind: 'requirement', ...requirement, restates: requirement.restates ?? [] })

export const explainBehavior = (behavior: Behavior) =>
  withSentence({ kind: 'behavior', ...behavior })

function explain(id: string): object | undefined {
  const requirement = allRequirements.find((candidate) => candidate.id === id)
  if (requirement !== undefined) return explainRequirement(requirement)
  const [name, ...option] = id.split('=')
  const behavior = allBehaviors.find((candidate) => candidate.id === name)
  if (behavior === undefined || option.length === 0) return behavior && explainBehavior(behavior)
  const chosen = option.join('=')
  const isOption =
    behavior.free !== undefined ||
    /^4\d\d$/.test(chosen) ||
    behavior.options.some(({ value }) => value === chosen)
  return isOption ? { ...explainBehavior(behavior), chosen } : undefined
}

/** The document with the base URL of this mock, at the host that the client has called. */
async function readInterface(
  { api, headers: { host }, query: { openapi } }: ControlCall<Inputs['InterfaceQuery']>,
  yaml: boolean,
): Promise<MockReply> {
  const server = api.baseUrl().replace(/(?<=:\/\/)[^/]+/, (own) => String(host ?? own))
  try {
    const document = await api.readInterface({ openapi, yaml, server })
    return text(200, yaml ? 'application/yaml' : 'application/json', document)
  } catch (error) {
    // In a bundle of CommonJS, no module has an address.
    if (!['ENOENT', 'ERR_INVALID_URL'].includes(String((error as NodeJS.ErrnoException).code)))
      throw error
    return problem(
      501,
      'The document is not here: it is a file of the package petstore-kit, which a bundle of the program leaves out.',
    )
  }
}
