/** Adds to the file TEST_TIMES, a line each, what test files take: `npm run test:times` reads it. */
import { appendFileSync, readFileSync } from 'node:fs'
import { afterAll, expect } from 'vitest'

const log = process.env['TEST_TIMES']

/** Seconds of CPU of this process so far, and of those that it started and that ended. Only Linux tells the second. */
function spent(): [own: number, started: number] {
  const { user, system } = process.cpuUsage()
  let started = 0
  if (process.platform === 'linux') {
    // After the name of the process in parentheses; in ticks of 10 ms.
    const [, fields = ''] = /\) (.*)/s.exec(readFileSync('/proc/self/stat', 'utf8')) ?? []
    const [inUser, inSystem] = fields.split(' ').slice(13, 15)
    started = (Number(inUser) + Number(inSystem)) / 100
  }
  return [(user + system) / 1e6, started]
}

if (log !== undefined) {
  const before = spent()
  const startedAt = performance.now()
  afterAll(() => {
    const [own, started] = spent().map((seconds, place) => seconds - (before[place] ?? 0))
    const { testPath } = expect.getState()
    const wall = (performance.now() - startedAt) / 1_000
    appendFileSync(log, `${JSON.stringify({ file: testPath, own, started, wall })}\n`)
  })
}
