import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Report } from '../../../src/contract/index.ts'
import type { DefectId } from '../../../src/mock/index.ts'
import { makeFolder } from '../../support/folder.ts'
import { sendJson } from '../../support/http-server.ts'
import { serveMock } from '../../support/serve-mock.ts'
import { key, startStore } from '../../support/store.ts'
import { start } from '../cli/command.ts'
import { sample } from '../../support/level.ts'

const terminals = [
  ['a pipe', { stdout: false, stderr: false }],
  ['a terminal', { stdout: true, stderr: true }],
] as const
/** So long that no run of a test waits for it. */
const settle = ['--settle', '600']
const headline = /FAIL so far {2}list\.401: GET \/pets/
const reason = 'the run was stopped before its end'

describe.each(sample(terminals, { usual: 2, slow: 1, all: 1 }))('on %s', (_, terminal) => {
  const verify = (url: string, ...more: string[]) => {
    const file = join(makeFolder(), 'report.json')
    const outputs = ['--reporter', 'text', '--reporter', `json=${file}`]
    const command = start(['verify', url, '--key', key, ...outputs, ...more], { terminal })
    return { ...command, report: () => JSON.parse(readFileSync(file, 'utf8')) as Report }
  }
  const serve = (...defects: DefectId[]) => serveMock({ pets: 130, keys: [key], defects })

  test('what is certain is shown before a wait, and is what an interrupted run reports', async () => {
    const { url } = await serve('auth.list-open', 'create.forgets-previous')
    const { says, interrupt, ended, report } = verify(url, ...settle)
    await says(headline, 'stderr')
    interrupt()
    const { code, stdout, stderr } = await ended
    expect(code).toBe(1)
    expect(stderr).toContain(`  curl -sS -i '${url}/pets`)
    expect(stderr.split('FAIL so far')).toHaveLength(2)
    expect(stdout).toMatch(/FAIL {2}1 cause/)
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(`more: ${reason}`)
    expect(report()).toMatchObject({ exitCode: 1, reason })
    expect(report().findings.map(({ requirement }) => requirement)).not.toContain('create.stored')
    expect(stdout + stderr + JSON.stringify(report())).not.toContain(key)
  })

  test('a run that is not interrupted reports it, too', async () => {
    const { url } = await serve('auth.list-open', 'create.forgets-previous')
    const { ended, report } = verify(url, '--settle', '3')
    const { code, stderr } = await ended
    expect(code).toBe(1)
    expect(stderr.split('FAIL so far')).toHaveLength(2)
    const requirements = report().findings.map(({ requirement }) => requirement)
    expect(requirements).toEqual(expect.arrayContaining(['list.401', 'create.stored']))
  })

  test('a run that was interrupted while nothing is certain exits with 3', async () => {
    let reached: () => void = () => {}
    const inTheMiddle = new Promise<void>((resolve) => (reached = resolve))
    const { url } = await startStore({}, ({ index }) => {
      if (index === 40) reached()
      return false
    })
    const { interrupt, ended, report } = verify(url)
    await inTheMiddle
    interrupt()
    const { code, stderr } = await ended
    expect(code).toBe(3)
    expect(stderr).not.toContain('so far')
    expect(report()).toMatchObject({ verdict: 'not-verified', reason, findings: [] })
  })

  test('a pause that the target demands', async () => {
    const { url } = await startStore({}, ({ index, target }, response) => {
      if (target === '/v1/pets?limit=1') return sendJson(response, 200, [{ id: 'one' }])
      if (index < 40) return false
      const error = { code: 'slow_down', message: '', status: 429 }
      return sendJson(response, 429, error, { 'retry-after': '50' })
    })
    const { says, interrupt, ended, stderr } = verify(url)
    await says(/FAIL so far {2}pet\.fields/, 'stderr')
    if (terminal.stderr) await says(/waiting 50 s: the target responded 429/, 'stderr')
    interrupt()
    expect((await ended).code).toBe(1)
    expect(stderr()).not.toContain(key)
  })
})
