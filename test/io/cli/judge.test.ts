/** `petstore judge FILE.har`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder, readJson } from '../../support/folder.ts'
import { serveMock } from '../../support/serve-mock.ts'
import type { MockOptions } from '../../../src/mock/index.ts'
import { mistakeOf, run } from './command.ts'

const key = { authorization: 'Bearer petstore-test-key' }

interface Archive {
  log: { entries: { request: { headers: { name: string }[] } }[] }
}

/** The journal of a mock as an archive, after some requests. */
async function record(
  options: MockOptions,
  requests: readonly [path: string, init?: RequestInit][],
): Promise<Archive> {
  const { url, journal } = await serveMock(options)
  for (const [path, init] of requests) await (await fetch(url + path, init)).text()
  return (await journal.toHar()) as Archive
}

const list: [string, RequestInit] = ['/pets?limit=2', { headers: key }]
const create: [string, RequestInit] = [
  '/pets',
  {
    method: 'POST',
    headers: { ...key, 'content-type': 'application/json' },
    body: '{"name":"Rex","categoryId":9007199254740993}',
  },
]

test('a conforming recording passes, with the scorecard of its client', async () => {
  const folder = makeFolder({ 'a.har': await record({}, [list, create, ['/pets']]) })
  const { code, stdout } = await run(['judge', 'a.har'], { cwd: folder })
  expect(code).toBe(0)
  expect(stdout).toMatch(/^PASS/m)
  expect(stdout).toMatch(/3 responses seen, 3 checked/)
  expect(stdout).toMatch(/credentials\.missing/)
})

test('a violation in a recording has exit code 1, its requirement and a curl command', async () => {
  const archive = await record({ defects: ['list.limit-ignored'] }, [list])
  const folder = makeFolder({ 'a.har': archive })
  const { code, stdout } = await run(['judge', 'a.har'], { cwd: folder })
  expect(code).toBe(1)
  expect(stdout).toMatch(/list\.limit\.respected/)
  expect(stdout).toMatch(
    /curl -sS -i '[^']+\/pets\?limit=2' -H "Authorization: Bearer \$PETSTORE_API_KEY"$/m,
  )
  expect(stdout).toContain('\n      a conforming service: 200, 2 pets (here ')
})

test('an archive whose credentials a browser left out accuses nobody', async () => {
  const archive = await record({}, [list])
  for (const { request } of archive.log.entries)
    request.headers = request.headers.filter(({ name }) => name !== 'authorization')
  const folder = makeFolder({ 'a.har': archive })
  const { code, stdout } = await run(['judge', 'a.har', '--fail-on', 'any'], { cwd: folder })
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^PASS/m)])
})

test('a key that is masked in words, or looks like a placeholder, is valid where its request succeeded', async () => {
  const keys = ['[MASKED BY X]', '(removed for privacy)', 'REDACTED BY PROXY', 'undefined', '%KEY%']
  const archive: any = await record(
    {},
    keys.map(() => list),
  )
  delete archive.log.creator
  for (const [index, { request }] of archive.log.entries.entries())
    request.headers = [{ name: 'Authorization', value: `Bearer ${keys[index]}` }]
  const folder = makeFolder({ 'a.har': archive })
  const args = ['judge', 'a.har', '--fail-on', 'any', '--scorecard', 'json=clients.json']
  expect((await run(args, { cwd: folder })).code).toBe(0)
  const { scorecards } = readJson(folder, 'clients.json')
  expect(scorecards).toMatchObject([{ requests: 5, score: 100, issues: [] }])
})

test('requests to other addresses are ignored, and nothing to judge is exit code 3', async () => {
  const folder = makeFolder({ 'a.har': await record({}, [list]) })
  const args = ['judge', 'a.har', '--base-url', 'https://pets.example.com/v1']
  const { code, stdout, stderr } = await run(args, { cwd: folder })
  expect(code).toBe(3)
  expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
    /a\.har has 1 request, but none below https:\/\/pets/,
  )
  expect(stderr).toContain('Give the base URL of the deployment')
})

test('a recording without bodies accuses nobody, and says what to record', async () => {
  const archive: any = await record({}, [list, create, create, ['/pets']])
  for (const { request, response } of archive.log.entries) {
    delete request.postData
    delete response.content.text
  }
  const folder = makeFolder({ 'a.har': archive })
  const { code, stdout, stderr } = await run(
    ['judge', 'a.har', '--scorecard', 'json=clients.json', '--reporter', 'text'],
    { cwd: folder },
  )
  expect(code).toBe(3)
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain('4 too large, not recorded or in another')
  expect(stderr).toContain('Record responses with their bodies, too: "with content" in a browser')
  const [{ issues }] = readJson(folder, 'clients.json').scorecards
  expect(issues.map(({ id }: { id: string }) => id)).toEqual(['credentials.missing'])
})

test('an archive without responses accuses nobody, and says that they are missing', async () => {
  const archive: any = await record({}, [list, create, create])
  for (const entry of archive.log.entries) entry.response = { status: 0, headers: [], content: {} }
  const folder = makeFolder({ 'a.har': archive })
  const args = ['judge', 'a.har', '--scorecard', 'json=clients.json', '--reporter', 'text']
  const { code, stdout, stderr } = await run(args, { cwd: folder })
  expect(code).toBe(3)
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
    'INCONCLUSIVE: nothing could be judged: 3 requests have no recorded response.',
  )
  expect(stdout).not.toMatch(/abort/i)
  expect(stderr).toContain('Record responses with their bodies, too')
  const [card] = readJson(folder, 'clients.json').scorecards
  expect([card.requests, card.score, card.issues]).toEqual([3, 100, []])
  expect(card.coverage.operations.map(({ responses }: any) => responses)).toEqual([{}, {}, {}])
})

test('an archive in which no operation succeeded is inconclusive, with the statuses', async () => {
  const wrong: [string, RequestInit] = ['/pets', { headers: { authorization: 'Bearer wrong' } }]
  const folder = makeFolder({ 'a.har': await record({}, [wrong, wrong, ['/pets/7']]) })
  const { code, stdout, stderr } = await run(['judge', 'a.har', '--reporter', 'text'], {
    cwd: folder,
  })
  expect(code).toBe(3)
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
    'INCONCLUSIVE: nothing could be judged: 3 requests got no success of an operation, but 401.',
  )
  expect(stderr).toContain('Record requests with a valid key, to a deployment that is up.')
})

test.each<[string, [string, RequestInit][], number]>([
  ['an unknown pet', [['/pets/987654321', { headers: key }]], 0],
  ['an invalid creation', [['/pets', { ...create[1], body: '{}' }]], 0],
  ['a violation in a failure', [['/pets?limit=2', { headers: { ...key, prefer: 'code=500' } }]], 1],
])('%s alone has a verdict', async (_, requests, code) => {
  const folder = makeFolder({ 'a.har': await record({}, requests) })
  expect((await run(['judge', 'a.har'], { cwd: folder })).code).toBe(code)
})

test('wrong files and several deployments are usage errors', async () => {
  const one = await record({}, [list])
  const two = await record({}, [list])
  const folder = makeFolder({ 'no.har': {}, 'none.har': { log: { entries: [] } } })
  writeFileSync(
    join(folder, 'both.har'),
    JSON.stringify({ log: { entries: [...one.log.entries, ...two.log.entries] } }),
  )
  const mistake = (file: string): Promise<string> => mistakeOf(['judge', file], { cwd: folder })
  expect(await mistake('no.har')).toMatch(/^no\.har is not an HTTP archive/)
  expect(await mistake('none.har')).toMatch(/no request to \/pets; give the base URL/)
  expect(await mistake('both.har')).toMatch(/several deployments; give one with --base-url: http/)
})
