/** Prints as JSON which files and functions of the built package a request enters. `npm run size` runs it. */
import { Session } from 'node:inspector/promises'

import { defaultKey, startMock } from '../dist/mock/index.js'

const dist = new URL('../dist/', import.meta.url).href
const mock = await startMock()
const headers = { authorization: `Bearer ${defaultKey}`, 'content-type': 'application/json' }
const session = new Session()
session.connect()
await session.post('Profiler.enable')

const requests = [
  ['GET', '/pets?limit=5'],
  ['GET', '/pets/7'],
  ['POST', '/pets', '{"name":"Rex","categoryId":1}'],
]
const paths = []
for (const [method, target, body] of requests) {
  const send = async () => (await fetch(`${mock.url}${target}`, { method, headers, body })).text()
  // The first one of its kind loads and fills what the others find.
  await send()
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await send()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  await session.post('Profiler.stopPreciseCoverage')
  const entered = result
    .filter(({ url }) => url.startsWith(dist))
    .map(({ functions }) => functions.filter(({ ranges }) => ranges[0].count > 0).length)
    .filter((count) => count > 0)
  const functions = entered.reduce((sum, count) => sum + count, 0)
  paths.push({ what: `${method} ${target}`, files: entered.length, functions })
}
session.disconnect()
await mock.close()
console.log(JSON.stringify(paths))
