/** Servers in separate processes: start, resources, end and load. */
import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { headersOf, newPets, operations, requestOf } from './contestants.mjs'

/** Time limit of the first response in milliseconds. */
const longestStartMs = 60_000

const running = new Set()
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')))

/**
 * Starts a contestant and waits for its first expected response.
 *
 * @returns undefined if there is none in time.
 */
export async function startServer(contestant, { pets, folder, operation = operations[0] }) {
  const port = await freePort()
  const [script, ...args] = contestant.command({ port, pets, folder }).map(String)
  const startedAt = performance.now()
  const stdio = ['ignore', 'ignore', 'pipe']
  const child = spawn(process.execPath, [script, ...args], {
    cwd: folder,
    env: environment(),
    stdio,
  })
  running.add(child)
  let complaints = ''
  child.stderr.on('data', (text) => void (complaints = (complaints + text).slice(-2_000)))
  const ended = once(child, 'exit').then(() => running.delete(child))
  const request = requestOf(contestant, operation)
  const server = {
    contestant,
    port,
    url: `http://127.0.0.1:${port}${request.target}`,
    origin: `http://127.0.0.1:${port}`,
    memory: () => residentMemory(child.pid),
    cpuMs: () => cpuMs(child.pid),
    async stop() {
      child.kill('SIGKILL')
      await ended
    },
  }
  while (performance.now() - startedAt < longestStartMs && child.exitCode === null) {
    if ((await statusOf({ ...request, url: server.url })) === request.status) {
      return { ...server, startMs: performance.now() - startedAt }
    }
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  await server.stop()
  process.stderr.write(`${contestant.id} did not start with ${pets} pets.\n${complaints}\n`)
  return undefined
}

/** The status of the response to a request, or undefined if there is none. */
export function statusOf(request) {
  return new Promise((resolve) => {
    const options = {
      method: request.method,
      headers: headersOf(request),
      agent: false,
      timeout: longestStartMs,
    }
    const sent = httpRequest(request.url, options, (response) => {
      response.resume().on('end', () => resolve(response.statusCode))
    })
    sent.on('error', () => resolve(undefined)).on('timeout', () => sent.destroy())
    sent.end(request.body)
  })
}

/** The body of the response to a request. */
export async function bodyOf(request) {
  const { method, body } = request
  const response = await fetch(request.url, {
    method,
    headers: headersOf(request),
    ...(body && { body }),
  })
  return response.text()
}

/** Returns a free port. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

/** The environment without settings that could affect the measured servers. */
function environment() {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(PETSTORE_|MOCKOON_|NODE_)/.test(name),
  )
  return { ...Object.fromEntries(kept), NODE_ENV: 'production' }
}

/** The resident memory of a process in bytes. */
function residentMemory(pid) {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) * 1024
  } catch {
    return (
      Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024
    )
  }
}

/** CPU time of all threads of a process in milliseconds, or undefined if the system does not provide it. */
export function cpuMs(pid) {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`)
    const times = tasks.map(
      (task) => readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0],
    )
    return times.reduce((sum, nanoseconds) => sum + Number(nanoseconds) / 1e6, 0)
  } catch {
    return undefined
  }
}

/** Default number of connections, each with one request at a time. */
export const connections = 32

const runProgram = promisify(execFile)

/** Name and version of the load generator, if it is installed. */
export function generator() {
  const { stdout } = spawnSync('wrk', ['--version'], { encoding: 'utf8' })
  const [, version] = /wrk (?:debian\/)?(\S+)/.exec(stdout ?? '') ?? []
  return version === undefined ? undefined : `wrk ${version}, one thread`
}

/**
 * Sends the same request repeatedly.
 *
 * @param seconds a whole number.
 * @param at the number of connections.
 * @returns requests per second, the median and 99th percentile of the response time in milliseconds, and the CPU time
 * of the server per request in microseconds.
 */
export async function load(server, request, { seconds, folder, at = connections }) {
  const script = join(folder, 'request.lua')
  writeFileSync(script, toLua(request))
  const before = server.cpuMs()
  const url = `${server.origin}${request.target}`
  const { stdout } = await runProgram('wrk', [
    '-t1',
    `-c${at}`,
    `-d${seconds}s`,
    '--timeout=30s',
    '-s',
    script,
    url,
  ])
  const after = server.cpuMs()
  const { requests, micros, p50, p99 } = JSON.parse(/^RESULT (.*)$/m.exec(stdout)[1])
  return {
    perSecond: requests / (micros / 1e6),
    requests,
    p50Ms: p50 / 1000,
    p99Ms: p99 / 1000,
    cpuMicros:
      before === undefined || requests === 0 ? undefined : ((after - before) * 1000) / requests,
  }
}

/** The script for wrk, which sends the request and prints the results. Simple strings are the same in Lua and JSON. */
function toLua(request) {
  const headers = Object.entries(headersOf(request)).map(
    ([name, value]) => `wrk.headers[${JSON.stringify(name)}] = ${JSON.stringify(value)}`,
  )
  return `wrk.method = ${JSON.stringify(request.method)}
${headers.join('\n')}
${request.body === undefined ? '' : bodiesInTurn}
function done(summary, latency)
  print(string.format('RESULT {"requests":%d,"micros":%d,"p50":%d,"p99":%d}', summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(99)))
end
`
}

/** Lua code that formats all requests before the first of them is sent. */
const bodiesInTurn = `
local bodies = { ${newPets.map((body) => JSON.stringify(body)).join(', ')} }
local requests = {}
local last = 0
function init()
  for index, body in ipairs(bodies) do requests[index] = wrk.format(nil, nil, nil, body) end
end
function request()
  last = last % #requests + 1
  return requests[last]
end`
