/** Checks only of `petstore-kit/msw`, with any version of MSW. Independent of a test runner. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
// MSW 2 replaces properties of this object; named imports do not see that.
import http, { type IncomingMessage } from 'node:http'

import type { HttpHandler } from 'msw'

import { defaultKey, type Mock } from '../../../src/mock/index.ts'
import { type Kit, type Opened, opened } from './clients.ts'

/** A check, which throws an AssertionError. */
export interface MswCheck {
  name: string
  run: (kit: Kit) => Promise<void>
}

const headers = { authorization: `Bearer ${defaultKey}` }
const statusOf = async (url: string): Promise<number> => (await fetch(url, { headers })).status

/** Runs a function while an MSW server uses these handlers. */
async function listening<Done>(
  kit: Kit,
  handlers: HttpHandler[],
  unhandled: 'error' | 'bypass',
  run: (server: Opened) => Promise<Done>,
): Promise<Done> {
  const server = kit.setupServer(...handlers)
  server.listen(opened(unhandled))
  try {
    return await run(server)
  } finally {
    server.close()
  }
}

/** Runs a function while a real server listens. */
async function besides(
  kit: Kit,
  run: (real: Mock & { url: string }) => Promise<void>,
): Promise<void> {
  const real = await kit.startMock({ pets: 3 })
  try {
    await run(real)
  } finally {
    await real.close()
  }
}

const check = (name: string, run: MswCheck['run']): MswCheck => ({ name, run })

export const mswChecks: readonly MswCheck[] = [
  check('requests to other origins pass to the network', (kit) =>
    besides(kit, async (real) => {
      const handlers = kit.createHandlers({}, { baseUrl: 'http://petstore.test/v1' })
      await listening(kit, handlers, 'bypass', async () => {
        const [mocked, passed] = await Promise.all([
          fetch('http://petstore.test/v1/pets', { headers }),
          fetch(`${real.url}/pets`, { headers }),
        ])
        assert.equal(((await mocked.json()) as object[]).length, 20)
        assert.equal(((await passed.json()) as object[]).length, 3)
        assert.equal(real.journal.list().length, 1)
        assert.equal(handlers.mock.journal.list().length, 1)
      })
    }),
  ),
  check('requests to other paths pass to the network', (kit) =>
    besides(kit, async (real) => {
      const baseUrl = `${real.url}0`
      await listening(kit, kit.createHandlers({ pets: 5 }, { baseUrl }), 'bypass', async () => {
        assert.equal(
          ((await (await fetch(`${baseUrl}/pets`, { headers })).json()) as object[]).length,
          5,
        )
        assert.equal(
          ((await (await fetch(`${real.url}/pets`, { headers })).json()) as object[]).length,
          3,
        )
      })
    }),
  ),
  check('a request outside of the base URL is unhandled', (kit) =>
    listening(
      kit,
      kit.createHandlers({}, { baseUrl: 'http://petstore.test/v1' }),
      'error',
      async () => {
        const { error } = console
        console.error = () => {}
        try {
          for (const url of ['/v10/pets', '/pets', '/', '/V1/pets', '/a/v1/pets'].map(
            (path) => `http://petstore.test${path}`,
          )) {
            await assert.rejects(fetch(url, { headers }), url)
          }
        } finally {
          console.error = error
        }
      },
    ),
  ),
  check('handles the base path of any origin by default', (kit) =>
    listening(kit, kit.createHandlers({ basePath: '/store/v2' }), 'error', async () => {
      for (const origin of ['http://a.test', 'https://b.test:8443', 'http://[::1]:8080']) {
        assert.equal(await statusOf(`${origin}/store/v2/pets`), 200)
      }
    }),
  ),
  check('accepts a base URL with an asterisk as its origin', (kit) =>
    listening(kit, kit.createHandlers({}, { baseUrl: '*/v3' }), 'error', async () => {
      assert.equal(await statusOf('https://b.test/v3/pets?limit=3'), 200)
    }),
  ),
  check(
    'accepts a base URL without a path, with a slash, and in another letter case',
    async (kit) => {
      await listening(
        kit,
        kit.createHandlers({}, { baseUrl: 'https://a.test' }),
        'error',
        async () => {
          assert.equal(await statusOf('https://a.test/pets?limit=3'), 200)
          assert.equal(await statusOf('https://a.test?limit=3'), 404)
        },
      )
      await listening(
        kit,
        kit.createHandlers({}, { baseUrl: 'HTTPS://A.test:443/v1/' }),
        'error',
        async () => {
          assert.equal(await statusOf('https://a.test/v1/pets'), 200)
        },
      )
    },
  ),
  check('a relative base URL needs a page', async (kit) => {
    assert.throws(() => kit.createHandlers({}, { baseUrl: '/v1' }), /there is no page here/)
    Object.assign(globalThis, { location: { href: 'http://page.test:3000/shop/' } })
    try {
      await listening(kit, kit.createHandlers({}, { baseUrl: '/v1' }), 'error', async () => {
        assert.equal(await statusOf('http://page.test:3000/v1/pets'), 200)
      })
    } finally {
      Reflect.deleteProperty(globalThis, 'location')
    }
  }),
  check('works with other handlers, and survives a reset of the handlers', async (kit) => {
    const other = kit.http.get('http://petstore.test/health', () => new Response('fine'))
    const { mock, ...handlers } = kit.createHandlers({}, { baseUrl: 'http://petstore.test/v1' })
    await listening(kit, [handlers[0], other], 'error', async (server) => {
      server.use(
        kit.http.get('http://petstore.test/v1/pets', () => new Response('mine', { status: 418 })),
      )
      assert.equal(await statusOf('http://petstore.test/v1/pets'), 418)
      server.resetHandlers()
      assert.equal(await statusOf('http://petstore.test/v1/pets'), 200)
      assert.equal(await (await fetch('http://petstore.test/health')).text(), 'fine')
      assert.equal(mock.journal.list().length, 1)
    })
  }),
  check('a body whose stream fails is an error of the network, not of the handler', async (kit) => {
    const handlers = kit.createHandlers({}, { baseUrl: 'http://petstore.test/v1' })
    await listening(kit, handlers, 'error', async () => {
      const body = new ReadableStream({
        pull() {
          throw new Error('no more')
        },
      })
      const sent = { method: 'POST', headers, body, duplex: 'half' as const }
      await assert.rejects(fetch('http://petstore.test/v1/pets', sent), TypeError)
    })
    assert.equal(handlers.mock.journal.list().length, 0)
  }),
  check('faults also affect node:http', async (kit) => {
    const handlers = kit.createHandlers({}, { baseUrl: 'http://petstore.test/v1' })
    const get = async (): Promise<IncomingMessage> => {
      const request = http.get('http://petstore.test/v1/pets', { headers })
      return ((await once(request, 'response')) as [IncomingMessage])[0]
    }
    const read = async (message: IncomingMessage): Promise<string> => {
      let text = ''
      for await (const chunk of message.setEncoding('utf8')) text += String(chunk)
      return text
    }
    await listening(kit, handlers, 'error', async () => {
      handlers.mock.use({ fault: 'reset', times: 1 })
      await assert.rejects(get())
      handlers.mock.use({ fault: 'truncated-body', times: 1 })
      await assert.rejects(get().then(read))
      handlers.mock.use({ fault: { slowBodyMs: 40 }, times: 1 })
      assert.equal((JSON.parse(await get().then(read)) as object[]).length, 20)
    })
  }),
]
