/** The files of a project that uses each entry of the package. */
const { raw } = String

const useJs = raw`
import assert from 'node:assert/strict'
import { setupServer } from 'msw/node'
import * as both from 'petstore-kit'
import { toText, verify } from 'petstore-kit/contract'
import { createFetch } from 'petstore-kit/fetch'
import { buildPet } from 'petstore-kit/fixtures'
import { createMock, defaultKey, startMock } from 'petstore-kit/mock'
import { createHandlers } from 'petstore-kit/msw'
import * as types from 'petstore-kit/types'
import { createDispatcher } from 'petstore-kit/undici'
import { request } from 'undici'

const baseUrl = 'https://pets.example.com/v1'
const headers = { authorization: 'Bearer ' + defaultKey }
const mock = createMock({ pets: 3, MORE_OPTIONS })
await mock.pets.settled()

assert.equal((await mock.handle({ method: 'GET', target: '/v1/pets', headers, body: '' })).status, 200)
assert.equal(mock.pets.count(), 3)
assert.equal((await (await createFetch(mock, { baseUrl })(baseUrl + '/pets', { headers })).json()).length, 3)
const reply = await request(baseUrl + '/pets', { headers, dispatcher: createDispatcher(mock, { baseUrl }) })
assert.equal((await reply.body.json()).length, 3)

const server = setupServer(...createHandlers(mock, { baseUrl }))
server.listen()
assert.equal((await (await fetch(baseUrl + '/pets', { headers })).json()).length, 3)
server.close()

const running = await startMock()
const report = await verify({ baseUrl: running.url, apiKey: defaultKey })
await running.close()
assert.equal(report.exitCode, 0, toText(report))

assert.equal(buildPet({ status: 'sold' }).status, 'sold')
assert.equal(typeof both.verify, 'function')
assert.deepEqual(Object.keys(types), [])
console.log('used')
`

/** CommonJS, which can require ECMAScript modules. */
const useCjs = raw`
const assert = require('node:assert/strict')
const { createMock } = require('petstore-kit/mock')
const { verify } = require('petstore-kit/contract')

assert.equal(createMock({ pets: 3 }).catalog.size, 3)
assert.equal(typeof verify, 'function')
for (const file of [JSON_ENTRIES]) assert.equal(typeof require('petstore-kit/' + file), 'object', file)
console.log('used')
`

/** Types of the kit, also in use with other packages. */
const useTs = raw`
import { readFileSync } from 'node:fs'
import { setupServer } from 'msw/node'
import createClient from 'openapi-fetch'
import type { ErrorBody, NewPet, Pet, Pets, PetStatus, paths } from 'petstore-kit'
import { type Report, toJunit, verify } from 'petstore-kit/contract'
import { createFetch, type MockFetch } from 'petstore-kit/fetch'
import { buildPet } from 'petstore-kit/fixtures'
import { createMock, defaultKey, type Mock, startMock } from 'petstore-kit/mock'
import { createHandlers, type Rule } from 'petstore-kit/msw'
import type { Pet as SamePet } from 'petstore-kit/types'
import { createDispatcher } from 'petstore-kit/undici'
import { request } from 'undici'

const status: PetStatus = 'sold'
// @ts-expect-error: it is not one of the three
export const wrong: PetStatus = 'gone'
const wanted: NewPet = { name: 'Rex', categoryId: 1, status }
// @ts-expect-error: the service assigns it
export const withId: NewPet = { id: 1, name: 'Rex', categoryId: 1 }
export const pet: SamePet = buildPet({ status }) satisfies Pet
export const problem: ErrorBody = { code: 'not_found', message: 'There is none.', status: 404 }

const rule: Rule = { when: { operation: 'listPets' }, reply: { status: 503 }, times: 1 }
const mock: Mock = createMock({ pets: 3, rules: [rule] })
// @ts-expect-error: there is no such property
mock.use({ respond: { status: 503 } })
const mockFetch: MockFetch = createFetch(mock, { baseUrl: 'https://pets.example.com/v1' })
export const server = setupServer(...createHandlers(mock))

const client = createClient<paths>({ baseUrl: 'https://pets.example.com/v1', fetch: mockFetch })
const { data, error } = await client.GET('/pets', { params: { query: { limit: 5, status: 'sold' } } })
export const names: string[] | undefined = data?.map(({ name }) => name)
export const message: string | undefined = error?.message
await client.POST('/pets', { body: { name: wanted.name, categoryId: 1 } })
// @ts-expect-error: the interface has no such operation
await client.DELETE('/pets/{petId}', { params: { path: { petId: 1 } } })

const { body } = await request('https://pets.example.com/v1/pets', { dispatcher: createDispatcher(mock) })
export const pets = (await body.json()) as Pets

const running = await startMock({ port: 0 })
const report: Report = await verify({ baseUrl: running.url, apiKey: defaultKey })
export const xml: string = toJunit(report)
export const file: string = readFileSync('package.json', 'utf8')
`

/** A page that uses the mock in both ways for browsers. */
const pageJs = raw`
import { setupWorker } from 'msw/browser'
import { createFetch } from 'petstore-kit/fetch'
import { createHandlers, createMock } from 'petstore-kit/msw'

const mock = createMock({ pets: 30 })
await setupWorker(...createHandlers(mock, { baseUrl: '/v1' })).start()
const pets = await (await createFetch(mock, { baseUrl: '/v1' })('/v1/pets')).json()
document.body.textContent = pets.length
`

const contractTest = raw`
import { describeContract } from 'petstore-kit/vitest'
import { defaultKey, startMock } from 'petstore-kit/mock'
import { afterAll } from 'vitest'

const mock = await startMock()
afterAll(() => mock.close())
describeContract({ baseUrl: mock.url, apiKey: defaultKey })
`

const typescript = (options: object): string =>
  JSON.stringify({
    compilerOptions: {
      target: 'es2022',
      lib: ['es2023', 'dom', 'dom.iterable'],
      types: ['node'],
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noEmit: true,
      ...options,
    },
    files: ['use.ts'],
  })

/** Creates the files; `givesCollection` passes the class of @msw/data, if the mock cannot load it. */
export function projectFiles(
  jsonEntries: readonly string[],
  givesCollection: boolean,
): Record<string, string> {
  const useJsThere = givesCollection ? `import { Collection } from '@msw/data'\n${useJs}` : useJs
  return {
    'use.js': useJsThere.replace('MORE_OPTIONS', givesCollection ? 'Collection' : ''),
    'use.cjs': useCjs.replace(
      'JSON_ENTRIES',
      jsonEntries.map((entry) => JSON.stringify(entry)).join(', '),
    ),
    'use.ts': useTs,
    'page.js': pageJs,
    'index.html': '<!doctype html><script type="module" src="/page.js"></script>\n',
    'contract.test.js': contractTest,
    'tsconfig.nodenext.json': typescript({ module: 'nodenext' }),
    'tsconfig.bundler.json': typescript({ module: 'esnext', moduleResolution: 'bundler' }),
  }
}
