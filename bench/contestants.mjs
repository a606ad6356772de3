/** Who is measured: the floor, the mock, and the peers, each with how it is started and how it is asked. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { key, operations } from './operations.mjs'
import { firstPets } from './pets.mjs'
import { toMockoonEnvironment } from './peers/mockoon-environment.mjs'
import { toPrismDocument } from './peers/prism-document.mjs'

const here = import.meta.dirname
const installed = (path) => join(here, 'node_modules', path)

/** The version of an installed package. */
export function versionOf(name) {
  return JSON.parse(readFileSync(installed(join(name, 'package.json')), 'utf8')).version
}

/** The floor of one operation: it answers as many bytes as the mock does. */
export function floorOf(status, body) {
  return {
    id: 'floor',
    basePath: '/v1',
    command: ({ port }) => [join(here, 'floor.mjs'), JSON.stringify({ port, key, status, body })],
  }
}

/** The command of this package, as npm installs it. */
export const petstore = join(here, '..', JSON.parse(readFileSync(join(here, '../package.json'), 'utf8')).bin.petstore)

export const mock = {
  id: 'mock',
  title: 'petstore-kit',
  basePath: '/v1',
  command: ({ port, pets }) => [petstore, 'mock', '--quiet', '--port', port, '--pets', pets],
}

/**
 * The peers. `keepsPets` is false where the number of pets changes nothing; `asks` holds what is sent in place of the
 * operation's own request, or null where the peer has no such operation.
 */
export const peers = [
  {
    id: 'fastify',
    title: 'Fastify, by hand',
    package: 'fastify',
    basePath: '/v1',
    keepsPets: true,
    command: ({ port, pets }) => [join(here, 'peers/fastify.mjs'), JSON.stringify({ port, key, pets })],
  },
  {
    id: 'json-server-1',
    title: 'json-server',
    package: 'json-server-1',
    basePath: '',
    keepsPets: true,
    command(options) {
      // Without this folder it does not start.
      mkdirSync(join(options.folder, 'public'), { recursive: true })
      return [installed('json-server-1/lib/bin.js'), database(options), '--port', options.port]
    },
    asks: {
      list20: { target: '/pets?_page=1&_per_page=20' },
      list100: { target: '/pets?_page=1&_per_page=100&status=available' },
      unauthorized: null,
    },
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
      '--host',
      '127.0.0.1',
      '--port',
      options.port,
      database(options),
    ],
    asks: {
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
      '--multiprocess',
      'false',
      '--verboseLevel',
      'silent',
      '--port',
      port,
      written(folder, 'openapi.json', toPrismDocument(pets)),
    ],
    asks: {
      list20: { headers: { prefer: 'example=twenty' } },
      list100: { headers: { prefer: 'example=hundred' } },
      // Any key will do for Prism.
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
      '--data',
      written(folder, `mockoon-${pets}.json`, toMockoonEnvironment({ pets, key, port })),
    ],
    asks: {
      list20: { target: '/pets?limit=20' },
      list100: { target: '/pets?limit=100&status_eq=available' },
    },
  },
]

/** The request with which a contestant is asked for an operation, or undefined when it has none. */
export function requestOf(contestant, { id }) {
  const change = contestant.asks?.[id]
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
