/** The load: the same generator with the same settings for everyone, wrk where it is installed, autocannon otherwise. */
import { execFile, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { headersOf, newPets } from './operations.mjs'

/** Connections that are kept open, each with one request at a time. */
export const connections = 32

const run = promisify(execFile)
const wrkVersion = /wrk (?:debian\/)?(\S+)/.exec(
  spawnSync('wrk', ['--version'], { encoding: 'utf8' }).stdout ?? '',
)?.[1]

/** The generator in words. */
export async function generator() {
  if (wrkVersion !== undefined) return `wrk ${wrkVersion}, one thread`
  const { versionOf } = await import('./contestants.mjs')
  return `autocannon ${versionOf('autocannon')}`
}

/**
 * Asks one thing again and again.
 *
 * @param seconds a whole number.
 * @returns requests per second, the median and the 99th percentile of the time for one in milliseconds, the time that
 * the server's processors needed for one in microseconds, and how many failed.
 */
export async function load(server, request, { seconds, folder }) {
  const url = `http://127.0.0.1:${server.port}${request.target}`
  const before = server.cpuMs()
  const { requests, elapsedSeconds, p50Ms, p99Ms, failed } = await (wrkVersion === undefined
    ? fireAutocannon(url, request, seconds)
    : fireWrk(url, request, seconds, folder))
  const after = server.cpuMs()
  return {
    perSecond: requests / elapsedSeconds,
    requests,
    p50Ms,
    p99Ms,
    failed,
    cpuMicros: before === undefined || requests === 0 ? undefined : ((after - before) * 1000) / requests,
  }
}

async function fireWrk(url, request, seconds, folder) {
  const script = join(folder, 'request.lua')
  const headers = Object.entries(headersOf(request)).map(
    ([name, value]) => `wrk.headers[${quoted(name)}] = ${quoted(value)}`,
  )
  writeFileSync(
    script,
    `wrk.method = ${quoted(request.method)}
${headers.join('\n')}
${request.body === undefined ? '' : bodiesInTurn}
function done(summary, latency)
  local errors = summary.errors
  print(string.format('RESULT {"requests":%d,"micros":%d,"p50":%d,"p99":%d,"failed":%d}', summary.requests,
    summary.duration, latency:percentile(50), latency:percentile(99),
    errors.connect + errors.read + errors.write + errors.timeout))
end
`,
  )
  const { stdout } = await run('wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout=30s', '-s', script, url])
  const { requests, micros, p50, p99, failed } = JSON.parse(/^RESULT (.*)$/m.exec(stdout)[1])
  return { requests, elapsedSeconds: micros / 1e6, p50Ms: p50 / 1000, p99Ms: p99 / 1000, failed }
}

/** Requests that are printed before the first of them is sent. */
const bodiesInTurn = `
local bodies = { ${newPets.map((body) => quoted(body)).join(', ')} }
local requests = {}
local last = 0
function init()
  for index, body in ipairs(bodies) do requests[index] = wrk.format(nil, nil, nil, body) end
end
function request()
  last = last % #requests + 1
  return requests[last]
end`

/** Simple texts look the same in Lua and in JSON. */
function quoted(text) {
  return JSON.stringify(text)
}

async function fireAutocannon(url, request, seconds) {
  const { default: autocannon } = await import('autocannon')
  const { method } = request
  const headers = headersOf(request)
  const requests = request.body === undefined ? undefined : newPets.map((body) => ({ body }))
  const result = await autocannon({ url, connections, duration: seconds, method, headers, requests, timeout: 30 })
  return {
    requests: result.requests.total,
    elapsedSeconds: result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    failed: result.errors,
  }
}
