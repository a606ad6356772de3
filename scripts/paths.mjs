/**
 * Prints as JSON which files and functions of the built package a request enters, each function with the first sentence of
 * its comment. `npm run size` counts them, and docs/project/architecture.md names those of the first request.
 */
import { readFileSync } from 'node:fs'
import { Agent, request as send } from 'node:http'
import { Session } from 'node:inspector/promises'
import { text } from 'node:stream/consumers'

import { defaultKey, startMock } from '../dist/mock/index.js'

const dist = new URL('../dist/', import.meta.url)
const mock = await startMock()
// The same connection for all requests: a second one would enter what opens it.
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
const headers = { authorization: `Bearer ${defaultKey}`, 'content-type': 'application/json' }
const session = new Session()
session.connect()
await session.post('Profiler.enable')

const sources = new Map()

/** The code of a built file. */
function sourceOf(url) {
  const source = sources.get(url) ?? readFileSync(new URL(url), 'utf8')
  sources.set(url, source)
  return source
}

/** What stands between a comment and the place where V8 says that its function begins. */
const declaration =
  /\/\*\*((?:(?!\*\/)[^])*)\*\/\s*(?:export |default |async |static |get |return |const \w+ = |\w+: )*$/

/** The name of a function, and the first sentence of its comment: empty without one. */
function describe(url, { functionName, ranges: [{ startOffset }] }) {
  const before = sourceOf(url).slice(0, startOffset)
  const [, comment = ''] = declaration.exec(before) ?? []
  const words = comment.replaceAll(/\s+\*(?=\s|$)/g, ' ').replace(/@\w[^]*/, '')
  const [sentence = ''] = /^.*?\.["')]*(?=\s|$)/.exec(words.trim().replaceAll(/\s+/g, ' ')) ?? []
  const [maker] = Array.from(
    before.matchAll(/^(?:export )?(?:const|function) (\w+)/gm),
    ([, name]) => name,
  ).slice(-1)
  const name = functionName.replace(/^get /, '') || `what ${maker} returns`
  return { name, does: sentence, startOffset }
}

const requests = [
  ['GET', '/pets?limit=5'],
  ['GET', '/pets/7'],
  ['POST', '/pets', '{"name":"Rex","categoryId":1}'],
]
const paths = []
for (const [method, target, body] of requests) {
  const respond = () =>
    new Promise((resolve, reject) => {
      send(`${mock.url}${target}`, { method, headers, agent }, (response) => {
        text(response).then(resolve, reject)
      })
        .on('error', reject)
        .end(body)
    })
  // The first one of its kind loads and fills what the others find.
  await respond()
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await respond()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  await session.post('Profiler.stopPreciseCoverage')
  const way = result
    .filter(({ url }) => url.startsWith(dist.href))
    .flatMap(({ url, functions }) =>
      functions
        // The fields of a class count as one by the name of `<instance_members_initializer>`.
        .filter(({ functionName, ranges }) => ranges[0].count > 0 && !functionName.startsWith('<'))
        .map((one) => ({
          file: url.slice(dist.href.length).replace(/js$/, 'ts'),
          ...describe(url, one),
        }))
        .sort((one, other) => one.startOffset - other.startOffset),
    )
    .map(({ file, name, does }) => ({ file, name, does }))
  paths.push({
    what: `${method} ${target}`,
    files: new Set(way.map(({ file }) => file)).size,
    functions: way.length,
    way,
  })
}
session.disconnect()
agent.destroy()
await mock.close()
console.log(JSON.stringify(paths))
