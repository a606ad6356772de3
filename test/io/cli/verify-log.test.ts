/** `petstore verify --log FILE`. */
import { readFileSync, statSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { HttpArchive } from '../../../src/contract/index.ts'
import { inertLines } from '../../../src/report/text.ts'
import { makeFolder } from '../../support/folder.ts'
import { sendJson } from '../../support/http-server.ts'
import { key, startStore } from '../../support/store.ts'
import { run } from './command.ts'

interface Entry {
  request: { method: string; url: string; headers: { name: string; value: string }[] }
  response: { status: number; content: { size: number; text?: string } }
}

test('has every request of the run, which petstore judge judges again', async () => {
  const cwd = makeFolder()
  const { url, requests } = await startStore({}, ({ index, target }, response) => {
    if (index === 20) return response.destroy()
    const error = { code: 'slow_down', message: 'a\u009b2J \u202e ##[error]b', status: 429 }
    if (index === 30)
      return sendJson(response, 429, error, { 'retry-after': '0', 'x-note': '\u009b2J ::error::x' })
    return target === '/v1/pets?limit=1' ? sendJson(response, 200, [{ id: 'one' }]) : false
  })
  const args = ['verify', url, '--key', key, '--settle', '0', '--log', 'log.har']
  const verified = await run([...args, '--reporter', 'json=report.json'], { cwd })
  expect(verified).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/wrote log\.har: \d+ req/),
  })
  const text = readFileSync(`${cwd}/log.har`, 'utf8')
  expect(text).not.toContain(key)
  expect(inertLines(text)).toBe(text)
  expect(statSync(`${cwd}/log.har`).mode & 0o077).toBe(0)
  const { entries } = (JSON.parse(text) as HttpArchive).log as unknown as { entries: Entry[] }
  expect(entries).toHaveLength(requests.length)
  for (const { content } of entries.map(({ response }) => response))
    expect(content.size).toBe(content.text === undefined ? -1 : Buffer.byteLength(content.text))
  const statuses = entries.map(({ response }) => response.status)
  expect(statuses).toEqual(expect.arrayContaining([0, 200, 201, 400, 401, 404, 429]))
  const judged = await run(['judge', 'log.har'], { cwd })
  expect(judged.code).toBe(1)
  expect(judged.stdout).toContain('pet.fields')
  expect(judged.stdout).toMatch(/curl -sS -i '[^']+\/pets\?limit=1'/)
})

test('of a conforming deployment passes', async () => {
  const cwd = makeFolder()
  const { url } = await startStore()
  expect((await run(['verify', url, '--key', key, '--log', 'log.har'], { cwd })).code).toBe(0)
  const { code, stdout } = await run(['judge', 'log.har'], { cwd })
  expect(code).toBe(0)
  expect(stdout).toMatch(/^PASS/m)
})
