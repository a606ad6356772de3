/**
 * A client in Node, without a server, whose timeout ends a request that gets no response. Nothing else keeps the
 * process alive. Prints the error that the client caught.
 *
 * Usage: node silence-in-node.js fetch|msw <folder of the built adapters>
 */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [, , face, folder] = process.argv
const kit = await import(pathToFileURL(join(folder, `${face}.js`)).href)
const mock = kit.createMock({ rules: [{ fault: 'silence' }] })
let fetch = globalThis.fetch
if (face === 'fetch') fetch = kit.createFetch(mock)
else {
  const { setupServer } = await import('msw/node')
  setupServer(...kit.createHandlers(mock)).listen()
  fetch = globalThis.fetch
}
const headers = { authorization: `Bearer ${kit.defaultKey}` }
await fetch('http://x.test/v1/pets', { headers, signal: AbortSignal.timeout(50) }).catch(
  (error) => {
    console.log('caught', error.name)
  },
)
