/** The requests, and the servers with their start commands: the floor, the mock and the peers. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { createMock } from '../dist/mock/index.js'

export const key = 'petstore-test-key'

/** Bodies of creations, used in turns, so that caching the last one gains nothing. */
export const newPets = Array.from({ length: 16 }, (_, index) =>
  JSON.stringify({
    name: `Bella the ${index + 10}th Whippet`,
    categoryId: (index % 8) + 1,
    status: 'available',
  }),
)

/** The operations in their order: creations come last, so that no other operation uses a grown catalog. */
export const operations = [
  { id: 'list20', title: 'list 20', status: 200, method: 'GET', target: '/pets' },
  {
    id: 'list100',
    title: 'list 100 by status',
    status: 200,
    method: 'GET',
    target: '/pets?limit=100&status=available',
  },
  { id: 'get', title: 'get', status: 200, method: 'GET', target: '/pets/7' },
  {
    id: 'unauthorized',
    title: '401',
    status: 401,
    method: 'GET',
    target: '/pets',
    key: 'a-wrong-key',
  },
  { id: 'create', title: 'create', status: 201, method: 'POST', target: '/pets', body: newPets[0] },
]

/** The request headers of an operation. */
export function headersOf({ body, ...operation }) {
  return {
    ...(operation.key !== null && { authorization: `Bearer ${operation.key ?? key}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...operation.headers,
  }
}

/** The first pets of the mock's default seed. */
export const firstPets = (count) => createMock({ pets: count }).catalog.export()

const here = import.meta.dirname
const installed = (path) => join(here, 'node_modules', path)

/** The version of an installed package. */
export function versionOf(name) {
  return JSON.parse(readFileSync(installed(join(name, 'package.json')), 'utf8')).version
}

/**
 * The floor of one operation, whose response is as long as that of the mock. `parses`: it parses the body and prints a pet;
 * a server cannot create one with less.
 */
export function floorOf(status, body, parses = false) {
  const options = { key, status, body, parses }
  return {
    id: parses ? 'parsing' : 'floor',
    basePath: '/v1',
    command: ({ port }) => [join(here, 'floor.mjs'), JSON.stringify({ ...options, port })],
  }
}

/** The command of the package in a folder. */
export const commandIn = (folder) =>
  join(folder, JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).bin.petstore)

/** The command of this package. */
export const petstore = commandIn(join(here, '..'))

/** The mock of a command, by default that of this checkout. */
export const mockOf = (command, id = 'mock') => ({
  id,
  title: 'petstore-kit',
  basePath: '/v1',
  command: ({ port, pets }) => [command, 'mock', '--quiet', '--port', port, '--pets', pets],
})

export const mock = mockOf(petstore)

/**
 * The peers. `keepsPets` is false if the number of pets has no effect; `requests` replaces the request of an operation,
 * or is null if the peer has no such operation.
 */
export const peers = [
  {
    id: 'fastify',
    title: 'Fastify, by hand',
    package: 'fastify',
    basePath: '/v1',
    keepsPets: true,
    command: ({ port, pets }) => [
      join(here, 'peers/fastify.mjs'),
      JSON.stringify({ port, key, pets }),
    ],
  },
  {
    id: 'json-server',
    title: 'json-server',
    package: 'json-server',
    basePath: '',
    keepsPets: true,
    command: (options) => [
      installed('json-server/lib/cli/bin.js'),
      '--quiet',
      '--host=127.0.0.1',
      `--port=${options.port}`,
      database(options),
    ],
    requests: {
      list20: { target: '/pets?_limit=20' },
      list100: { target: '/pets?_limit=100&status=available' },
      unauthorized: null,
    },
  },
  {
    id: 'prism',
    title: 'Prism',
    package: '@stoplight/prism-cli',
    basePath: '',
    keepsPets: false,
    command: ({ port, pets, folder }) => [
      installed('@stoplight/prism-cli/dist/index.js'),
      'mock',
      '--multiprocess=false',
      '--verboseLevel=silent',
      `--port=${port}`,
      written(folder, 'openapi.json', toPrismDocument(pets)),
    ],
    requests: {
      list20: { headers: { prefer: 'example=twenty' } },
      list100: { headers: { prefer: 'example=hundred' } },
      // Prism accepts any key.
      unauthorized: { key: null },
    },
  },
  {
    id: 'mockoon',
    title: 'Mockoon CLI',
    package: '@mockoon/cli',
    basePath: '/v1',
    keepsPets: true,
    command: ({ port, pets, folder }) => [
      installed('@mockoon/cli/bin/run.js'),
      'start',
      '--disable-log-to-file',
      '--disable-admin-api',
      // Adds missing fields.
      '--repair',
      '--data',
      written(folder, `mockoon-${pets}.json`, toMockoonEnvironment(pets, port)),
    ],
    requests: {
      list20: { target: '/pets?limit=20' },
      list100: { target: '/pets?limit=100&status_eq=available' },
    },
  },
]

/** The request of an operation for a contestant, or undefined if it has none. */
export function requestOf(contestant, { id }) {
  const change = contestant.requests?.[id]
  if (change === null) return undefined
  const operation = { ...operations.find((one) => one.id === id), ...change }
  return { ...operation, target: contestant.basePath + operation.target }
}

function database({ pets, folder, port }) {
  return written(folder, `pets-${port}.json`, JSON.stringify({ pets: firstPets(pets) }))
}

function written(folder, name, text) {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}

/** The environment that Mockoon serves: a CRUD route over a data bucket of pets, and a rule that requires the key. */
function toMockoonEnvironment(pets, port) {
  const headers = [{ key: 'content-type', value: 'application/json' }]
  const crud = { bodyType: 'DATABUCKET', databucketID: 'pets', crudKey: 'id', default: true }
  const wrongKey = {
    target: 'header',
    modifier: 'Authorization',
    value: `Bearer ${key}`,
    invert: true,
  }
  const unauthorized = { code: 'unauthorized', message: 'The API key is not valid.', status: 401 }
  return JSON.stringify({
    uuid: 'pet-store',
    name: 'Pet Store',
    endpointPrefix: 'v1',
    hostname: '127.0.0.1',
    port,
    data: [{ uuid: 'pets-data', id: 'pets', name: 'Pets', value: JSON.stringify(firstPets(pets)) }],
    rootChildren: [{ type: 'route', uuid: 'pets-route' }],
    routes: [
      {
        uuid: 'pets-route',
        type: 'crud',
        endpoint: 'pets',
        responses: [
          { uuid: 'pets', statusCode: 200, headers, disableTemplating: true, ...crud },
          {
            uuid: 'unauthorized',
            statusCode: 401,
            headers,
            disableTemplating: true,
            rules: [{ ...wrongKey, operator: 'equals' }],
            body: JSON.stringify(unauthorized),
          },
        ],
      },
    ],
  })
}

/**
 * The OpenAPI document for Prism, as JSON. Prism stores no pets and responds with examples: those of this document are
 * as long as the responses of the mock, and a request selects one by name.
 */
function toPrismDocument(count) {
  const document = JSON.parse(
    readFileSync(new URL('../src/spec/openapi.json', import.meta.url), 'utf8'),
  )
  const pets = firstPets(count)
  const available = pets.filter(({ status }) => status === 'available')
  const { get: list, post: create } = document.paths['/pets']
  const { get } = document.paths['/pets/{petId}']
  setExamples(list, '200', { twenty: pets.slice(0, 20), hundred: available.slice(0, 100) })
  setExamples(create, '201', { one: pets[0] })
  setExamples(get, '200', { one: pets[6] })
  for (const operation of [list, create, get]) {
    setExamples(operation, '401', {
      one: { code: 'unauthorized', message: 'The API key is not valid.', status: 401 },
    })
  }
  return JSON.stringify(document)

  function setExamples(operation, status, examples) {
    const response = operation.responses[status]
    const media = { ...resolve(response).content['application/json'] }
    delete media.example
    media.examples = Object.fromEntries(
      Object.entries(examples).map(([name, value]) => [name, { value }]),
    )
    operation.responses[status] = { ...resolve(response), content: { 'application/json': media } }
  }

  function resolve(node) {
    if (node.$ref === undefined) return node
    return node.$ref
      .slice(2)
      .split('/')
      .reduce((parent, name) => parent[name], document)
  }
}
