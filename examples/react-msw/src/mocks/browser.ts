/** The mock behind the service worker of `npm run dev`. */
import { setupWorker } from 'msw/browser'
import { createHandlers, createMock } from 'petstore-kit/msw'

const mock = createMock({
  pets: 30,
  rules: [{ delayMs: { median: 150, p99: 900 } }],
})

export const worker = setupWorker(...createHandlers(mock, { baseUrl: '/v1' }))

// For the browser console: `petStore.use({ reply: { status: 503 }, times: 1 })`, `petStore.reset()`.
Object.assign(globalThis, { petStore: mock })
