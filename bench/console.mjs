/** Measures the console in Chromium while requests come: long tasks of its page, and what it costs those requests. */
import { once } from 'node:events'
import { Agent, request as httpRequest } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

import packed from '@sparticuz/chromium'
import { chromium } from 'playwright-core'

import { key, mock } from './contestants.mjs'
import { startServer } from './servers.mjs'

/** Requests a second, and those that the journal holds. */
const perSecond = 200
const journal = 10_000

const agent = new Agent({ keepAlive: true, maxSockets: 16 })
const headers = { authorization: `Bearer ${key}` }

/** Sends a request, and returns the milliseconds until the end of its response. */
async function send(origin) {
  const startedAt = performance.now()
  const sent = httpRequest(`${origin}/v1/pets?limit=5`, { headers, agent }).end()
  const [response] = await once(sent, 'response')
  await once(response.resume(), 'end')
  return performance.now() - startedAt
}

/** Sends `perSecond` requests a second, whether or not the earlier ones have their responses. */
async function sendSteadily(origin, ms) {
  const startedAt = performance.now()
  const responses = []
  while (performance.now() - startedAt < ms) {
    const due = ((performance.now() - startedAt) / 1_000) * perSecond
    while (responses.length < due) responses.push(send(origin))
    await sleep(2)
  }
  return Promise.all(responses)
}

const at = (numbers, share) =>
  numbers.toSorted((one, other) => one - other)[Math.floor((numbers.length - 1) * share)]
const rounded = (ms) => `${ms.toFixed(1)} ms`

/** Runs in the page: notes its long tasks, and how often and how late its first row changes. */
function watchPage() {
  const seen = { tasks: [], changes: 0, longest: 0 }
  window.seen = seen
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) seen.tasks.push(duration)
  }).observe({ type: 'longtask' })
  let first = ''
  let last = performance.now()
  const look = () => {
    const now = document.querySelector('.requests tbody td')?.textContent ?? ''
    if (now === first) return
    first = now
    seen.changes += 1
    seen.longest = Math.max(seen.longest, performance.now() - last)
    last = performance.now()
  }
  const changes = { childList: true, subtree: true, characterData: true }
  new MutationObserver(look).observe(document.querySelector('main'), changes)
}

/** The processor time of the page's main thread, in milliseconds. */
async function startClock(page) {
  const client = await page.context().newCDPSession(page)
  await client.send('Performance.enable', { timeDomain: 'threadTicks' })
  return async () => {
    const { metrics } = await client.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'TaskDuration').value * 1_000
  }
}

/** A row for each open screen, the first one without a console. Each mock has a full journal. */
export async function byConsole({ folder, consoleMs }) {
  const browser = await chromium.launch({
    executablePath: await packed.executablePath(),
    args: ['--no-sandbox', '--disable-gpu'],
  })
  const percent = (ms) => `${((100 * ms) / consoleMs).toFixed(0)} %`
  const found = []
  for (const [title, hash] of [
    ['closed', undefined],
    ['requests', '#/requests'],
    ['requests, with a filter', '#/requests?search=limit'],
    ['requests and one of them', `#/requests/${journal}`],
    ['scorecard', '#/scorecard'],
  ]) {
    const server = await startServer(mock, { pets: 100, folder })
    for (let sent = 0; sent < journal; sent += 200)
      await Promise.all(Array.from({ length: 200 }, () => send(server.origin)))
    const page = hash === undefined ? undefined : await browser.newPage()
    await page?.goto(`${server.origin}/_petstore/console/${hash}`)
    await sleep(1_000)
    await page?.evaluate(watchPage)
    const pageMs = page && (await startClock(page))
    const before = [server.cpuMs(), await pageMs?.()]
    const times = await sendSteadily(server.origin, consoleMs)
    const mockShare = percent(server.cpuMs() - before[0])
    const row = [title, rounded(at(times, 0.5)), rounded(at(times, 0.95)), mockShare]
    if (page === undefined) found.push([...row, '', '', '', ''])
    else {
      const pageShare = percent((await pageMs()) - before[1])
      const { tasks, changes, longest } = await page.evaluate(() => window.seen)
      const longestTask = `${Math.max(0, ...tasks).toFixed(0)} ms`
      const rate = ((changes * 1_000) / consoleMs).toFixed(1)
      const rows = changes === 0 ? '' : `${rate}, after at most ${longest.toFixed(0)} ms`
      found.push([...row, pageShare, tasks.length, longestTask, rows])
    }
    await page?.close()
    await server.stop()
  }
  await browser.close()
  return found
}

/** The part of the page about these rows. */
export const consoleSection = (table, rows) => `## The console

${perSecond} requests a second to a mock with ${journal.toLocaleString('en')} requests in its journal, without and with the console in Chromium on the same machine: the time of a response, processor time of the mock and of the page's main thread, the page's long tasks (over 50 ms of wall time), and how often the first row of the table changes. Aim: the median stays.

${table(
  ['open', 'median', 'p95', 'mock', 'page', 'long tasks', 'longest', 'rows change, a second'],
  rows,
)}
`
