/** Runs a code block of a page, with the names in globals.d.ts, and then its hooks. */
import { pathToFileURL } from 'node:url'
import { createMock, defaultKey } from 'petstore-kit/mock'

const mock = createMock()
const tasks = []
Object.assign(globalThis, {
  mock,
  petStore: createMock(),
  client: {
    listPets: () =>
      mock.handle({
        method: 'GET',
        target: '/v1/pets',
        headers: { authorization: `Bearer ${defaultKey}` },
        body: '',
      }),
  },
  beforeAll: (task) => tasks.push(task),
  afterEach: (task) => tasks.push(task),
  afterAll: (task) => tasks.push(task),
})
await import(pathToFileURL(process.argv[2]))
for (const task of tasks) await task()
