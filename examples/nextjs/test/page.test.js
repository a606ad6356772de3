import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createControl } from 'petstore-kit/control'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'

// `petstore exec` sets the variables, for these tests and for the server of the page.
const control = createControl({ baseUrl: process.env.PETSTORE_CONTROL_URL })

let server
let address
beforeAll(async () => {
  const next = ['node_modules/next/dist/bin/next', 'start', '--port', '0']
  server = spawn(process.execPath, next, { stdio: ['ignore', 'pipe', 'inherit'] })
  address = await new Promise((resolve, reject) => {
    let printed = ''
    server.stdout.setEncoding('utf8').on('data', (text) => {
      printed += text
      const [url] = /http:\/\/localhost:\d+/.exec(printed) ?? []
      if (url !== undefined) resolve(url)
    })
    server.once('exit', () => reject(new Error(`next start ended: ${printed}`)))
  })
}, 60_000)
afterEach(() => control.reset())
afterAll(async () => {
  server.kill()
  await once(server, 'exit')
})

const open = async () => (await fetch(address)).text()
const names = (page) => [...page.matchAll(/<li>([^<]*)<\/li>/g)].map(([, name]) => name)

test('shows pets that are available', async () => {
  await control.importPets({
    body: [
      { id: 1, name: 'Bella', categoryId: 1, status: 'available' },
      { id: 2, name: 'Max', categoryId: 1, status: 'sold' },
    ],
  })
  expect(names(await open())).toEqual(['Bella'])
})

test('says that the service has a problem, and recovers', async () => {
  await control.addRules({ body: { reply: { status: 503 }, times: 1 } })
  expect(await open()).toContain('The pet store has a problem (503).')
  expect(names(await open())).toHaveLength(5)
})

test('says that the service cannot be reached', async () => {
  // Without `times`: fetch sends a GET again if the connection served a request before.
  await control.addRules({ body: { fault: 'reset' } })
  expect(await open()).toContain('The pet store cannot be reached.')
})

test('makes no mistake that the service would reject', async () => {
  await open()
  const [scorecard] = (await control.readScorecards()).scorecards
  expect(scorecard).toMatchObject({ score: 100, issues: [] })
})
