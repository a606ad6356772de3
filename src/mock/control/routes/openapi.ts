import { int64 } from '../../../spec/operations.ts'
import { namePattern } from '../../service/sandbox-key.ts'
import { schemas } from '../schemas/api-schemas.ts'
import { ref } from '../../schemas/schemas.ts'
import { type QueryName, schemas as inputs } from '../schemas/input-schemas.ts'
import type { ControlCall, ControlRoute, RouteResponse } from './route.ts'

/** Path parameters, by the segment before them. */
const pathParameters: Readonly<Record<string, { description: string; schema: object }>> = {
  sandboxes: {
    description:
      'The name of a sandbox: 1 to 40 lower-case letters and digits, with hyphens in between.',
    schema: { type: 'string', pattern: namePattern.source },
  },
  journal: {
    description: 'The number of an entry of the journal.',
    schema: { type: 'integer', minimum: 1 },
  },
  snapshots: {
    description: 'The name of a snapshot: 1 to 100 letters, digits, dots, hyphens and underscores.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9_.-]{1,100}$' },
  },
  pets: { description: 'The id of a pet.', schema: { type: 'integer', format: 'int64', ...int64 } },
  rules: {
    description: 'The id of a rule: `rule-1`, `rule-2` and so on.',
    schema: { type: 'string' },
  },
  runs: { description: 'The id of a run: `run-1`, `run-2` and so on.', schema: { type: 'string' } },
  explain: {
    description: 'The id of a requirement or an unspecified behavior.',
    schema: { type: 'string' },
  },
}

/** Responses of all operations. A route may override those in `usual`. */
const usual = { 503: { $ref: '#/components/responses/Unavailable' } }
const always = {
  401: { $ref: '#/components/responses/NoToken' },
  403: { $ref: '#/components/responses/Foreign' },
  default: { $ref: '#/components/responses/Problem' },
}

const errorResponse = (description: string) => ({
  description,
  content: { 'application/json': { schema: ref('Error') } },
})

/** The OpenAPI 3.1 document of a control API, with the version of the kit and the ids of all defects. */
export function toDocument({
  routes,
  version,
  defects,
}: Pick<ControlCall, 'routes'> & { version: string; defects: readonly string[] }): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: toOperation(route) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Control API of the Pet Store mock',
      version,
      description:
        'Reads and changes a running mock of the Pet Store Service: everything that its interface has no operation for. Each path ' +
        "under `/_petstore` works on the sandbox of the mock's own keys; the same path under " +
        '`/_petstore/sandboxes/{sandbox}` works on that sandbox.',
    },
    servers: [{ url: '/', description: 'The mock itself.' }],
    security: [{}, { token: [] }],
    tags: [
      { name: 'mock', description: 'The mock as a whole, and the sandbox of its own keys.' },
      { name: 'sandbox', description: 'The same for another sandbox.' },
    ],
    paths,
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description:
            'The token of the control API. Required if other machines can reach the mock. For its own sandbox, a ' +
            'sandbox key works as well.',
        },
      },
      responses: {
        NoToken: errorResponse('The token is missing or wrong.'),
        Foreign: errorResponse(
          'The request has an unknown host, comes from a page of another origin, or has the key of another sandbox.',
        ),
        Unavailable: errorResponse(
          'The state is out of reach, or the mock is ending. The change may have been made.',
        ),
        Problem: errorResponse(
          'The request is wrong in another way. The message lists all mistakes, one per line.',
        ),
      },
      schemas: { ...schemas, DefectId: { type: 'string', enum: defects } },
    },
  }
}

function toOperation({
  id,
  path,
  summary,
  description,
  query,
  body,
  responses,
}: ControlRoute): object {
  const named = [...path.matchAll(/(\w+)\/\{(\w+)\}/g)].map(([, before = '', name = '']) => ({
    name,
    in: 'path',
    required: true,
    ...pathParameters[before],
  }))
  const all = [...named, ...(query === undefined ? [] : parametersOf(query))]
  return {
    operationId: id,
    tags: [path.includes('{sandbox}') ? 'sandbox' : 'mock'],
    summary,
    description,
    parameters: all.length > 0 ? all : undefined,
    requestBody: body && {
      required: body.optional !== true,
      content: { 'application/json': { schema: ref(body.schema), example: body.example } },
    },
    responses: {
      ...usual,
      ...Object.fromEntries(
        Object.entries(responses).map(([status, response]) => [status, toResponse(response)]),
      ),
      ...(body !== undefined && {
        400: errorResponse('The body is wrong. The message lists all mistakes, one per line.'),
      }),
      ...(path.includes('{sandbox}') &&
        responses[404] === undefined && { 404: errorResponse('The sandbox does not exist.') }),
      ...always,
    },
  }
}

function parametersOf(name: QueryName): object[] {
  const { properties, required } = inputs[name]
  return Object.entries<{ description?: string }>(properties).map(
    ([parameter, { description, ...schema }]) => ({
      name: parameter,
      in: 'query',
      required: required.includes(parameter),
      description,
      schema,
    }),
  )
}

function toResponse({ description, schema, types = [] }: RouteResponse): object {
  const content = {
    ...(schema !== undefined && { 'application/json': { schema: ref(schema) } }),
    ...Object.fromEntries(types.map((type) => [type, { schema: { type: 'string' } }])),
  }
  return { description, ...(Object.keys(content).length > 0 && { content }) }
}
