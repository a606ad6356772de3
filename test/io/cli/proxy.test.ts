/** `petstore proxy`, `petstore exec --proxy`, and their output. */
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Report } from '../../../src/contract/index.ts'
import type { MockOptions } from '../../../src/mock/index.ts'
import { run, runProcess, start } from './command.ts'
import { makeFolder } from '../../support/folder.ts'
import { type Answer, sendJson, startServer } from '../../support/http-server.ts'
import { serveMock } from '../../support/serve-mock.ts'
import { sample } from '../../support/level.ts'

const key = { authorization: 'Bearer petstore-test-key' }

const deployment = async (options: MockOptions = {}): Promise<string> =>
  (await serveMock(options)).url

/** Starts a proxy on a free port, and resolves with its base URL when it listens. */
async function startProxyCommand(target: string, ...args: string[]) {
  const command = start(['proxy', target, '--port', '0', ...args])
  const printed = await Promise.race([command.says(/Base URL {2}http\S+/), command.ended])
  if (typeof printed !== 'string') throw new Error(`it did not start: ${printed.stderr}`)
  return { ...command, url: printed.replace(/^.* /, '') }
}

/** Arguments for exec: a command that sends one request. */
const client = (path: string): string[] => [
  '--',
  process.execPath,
  '-e',
  `const { PETSTORE_BASE_URL: url, PETSTORE_API_KEY: key } = process.env
   fetch(url + '${path}', { headers: { authorization: 'Bearer ' + key } }).then((reply) => reply.text())`,
]
const env = { PETSTORE_API_KEY: 'petstore-test-key' }

describe('petstore proxy', () => {
  test('reports on both sides when it ends', async () => {
    const target = await deployment({ defects: ['list.limit-ignored'] })
    const { url, interrupt, ended } = await startProxyCommand(target)
    expect((await fetch(`${url}/pets?limit=2`, { headers: key })).status).toBe(200)
    expect((await fetch(`${url}/pets?offset=2`, { headers: key })).status).toBe(200)
    interrupt()
    const { code, stdout } = await ended
    expect(code).toBe(1)
    expect(stdout).toContain(`It forwards requests to ${target} and judges both sides.`)
    expect(stdout).toMatch(/✗ list\.limit\.respected/)
    expect(stdout).toMatch(/2 responses seen, 2 checked/)
    expect(stdout).toMatch(/Clients\n\nmain \(default key\) {2}[^]*query\.unknown-parameter/)
  })

  test('writes the reports of verify, and scorecards, into files', async () => {
    const folder = makeFolder()
    const [json, html, card] = ['a.json', 'a.html', 'card.json'].map((name) =>
      join(folder, name),
    ) as [string, string, string]
    const target = await deployment()
    const { url, interrupt, ended } = await startProxyCommand(
      target,
      '--reporter',
      `json=${json}`,
      '--reporter',
      `html=${html}`,
      '--scorecard',
      `json=${card}`,
    )
    await fetch(`${url}/pets`, { headers: key })
    interrupt()
    expect((await ended).code).toBe(0)
    const report = JSON.parse(readFileSync(json, 'utf8')) as Report
    expect(report).toMatchObject({
      verdict: 'conforms',
      target,
      counts: { requests: 1, violated: 0 },
    })
    expect(report.requirements.find(({ id }) => id === 'create.success')).toMatchObject({
      verdict: 'not-verified',
    })
    expect(report.requirements.find(({ id }) => id === 'pet.name')).toMatchObject({
      verdict: 'verified',
    })
    expect(readFileSync(html, 'utf8')).toContain('<h2 id="profile">')
    expect(readFileSync(card, 'utf8')).toContain('"subject": "main (default key)"')
  })

  test('logs each request with its violations', async () => {
    const { url, says } = await startProxyCommand(
      await deployment({ defects: ['list.limit-ignored'] }),
      '--log',
      'text',
    )
    await fetch(`${url}/pets?limit=1`, { headers: key })
    expect(await says(/.*limit=1.*\n/, 'stderr')).toMatch(
      /200 +[\d.]+ ms .* 20 pets, violates list\.limit\.respected\n/,
    )
  })

  test('fails if nothing was forwarded, and prints a command line to copy', async () => {
    const { url, interrupt, ended } = await startProxyCommand(await deployment())
    await fetch(`${url}/nothing`, { headers: key })
    interrupt()
    const { code, stderr } = await ended
    expect(code).toBe(3)
    expect(stderr).toContain('Let a client call the proxy:\n')
    expect(stderr).toContain(
      `  curl -H "Authorization: Bearer $PETSTORE_API_KEY" '${url}/pets?limit=3'\n`,
    )
  })

  test.each<[string, MockOptions, string, number]>([
    ['violations', { defects: ['list.limit-ignored'] }, '/pets?limit=2', 1],
    ['none', { defects: ['list.limit-ignored'] }, '/pets?limit=2', 0],
    ['issues', { defects: ['list.limit-ignored'] }, '/pets?limit=2', 0],
    ['violations', {}, '/pets?limit=abc', 0],
    ['issues', {}, '/pets?limit=abc', 1],
    ['any', {}, '/pets?limit=abc', 1],
    ['any', {}, '/pets', 0],
    ['none', {}, '/nothing', 3],
    ['issues', {}, '/nothing', 1],
  ])('--fail-on %s, %j, %s: exits with %i', async (failOn, options, path, code) => {
    const { url, interrupt, ended } = await startProxyCommand(
      await deployment(options),
      '--fail-on',
      failOn,
    )
    await fetch(url + path, { headers: key })
    interrupt()
    expect((await ended).code).toBe(code)
  })

  test('accepts a deployment of petstore.config.json', async () => {
    const folder = makeFolder()
    const baseUrl = await deployment()
    writeFileSync(
      join(folder, 'petstore.config.json'),
      JSON.stringify({ deployments: { staging: { baseUrl, keyEnv: 'PETSTORE_STAGING_KEY' } } }),
    )
    const { code, stderr } = await runProcess(['exec', '--proxy', 'staging', ...client('/pets')], {
      cwd: folder,
      env: { PETSTORE_STAGING_KEY: 'petstore-test-key' },
    })
    expect({ code, passed: stderr.includes('1 response seen, 1 checked') }).toEqual({
      code: 0,
      passed: true,
    })
  })
})

describe('petstore exec --proxy', () => {
  test('exits with the code of the command, and does not use its stdout', async () => {
    const target = await deployment()
    const script = ['--', process.execPath, '-e', 'console.log("mine"); process.exit(7)']
    const { code, stdout } = await run(['exec', '--proxy', target, ...script], { env })
    expect({ code, stdout }).toEqual({ code: 7, stdout: '' })
  })

  test('says once that nothing could be judged, without a request to a proxy that has ended', async () => {
    const args = ['exec', '--proxy', await deployment(), '--', process.execPath, '-e', '0']
    const { code, stderr } = await run(args, { env })
    expect(code).toBe(3)
    expect(stderr.split('no client has called')).toHaveLength(2)
    expect(stderr).toContain('Let the command send its requests to PETSTORE_BASE_URL.\n')
    expect(stderr).not.toContain('curl')
  })

  const others: [string, Answer, number, string][] = [
    [
      'errors of the service',
      (_, response) => sendJson(response, 500, { code: 'x', message: 'boom', status: 500 }),
      1,
      '✗ list.success  GET /pets responded 500 instead of 200 or 401',
    ],
    [
      'a gateway',
      (_, response) => response.writeHead(503).end('down'),
      3,
      'INCONCLUSIVE: nothing could be judged: 1 request got a response of a gateway or a rate limit.',
    ],
    ...[403, 418].map((status): [string, Answer, number, string] => [
      `the status ${status}`,
      (_, response) => sendJson(response, status, { code: 'x', message: 'no', status }),
      3,
      `INCONCLUSIVE: nothing could be judged: 1 request got no success of an operation, but ${status}.`,
    ]),
    ...(
      [
        [404, '{"error":"Not Found"}', 'application/json'],
        [200, '<!doctype html><title>Sign in</title>', 'text/html'],
        [200, '', 'application/json'],
        [204, '', undefined],
      ] as const
    ).map(([status, body, type]): [string, Answer, number, string] => [
      `another service, ${status} with ${JSON.stringify(body)}`,
      (_, response) => {
        response.writeHead(status, type && { 'content-type': type }).end(body)
      },
      3,
      `INCONCLUSIVE: nothing could be judged: 1 request got no response of the Pet Store Service, but ${status}.`,
    ]),
    [
      'resets',
      (_, { socket }) => socket?.destroy(),
      3,
      'INCONCLUSIVE: nothing could be judged: 1 request got no response from the deployment.',
    ],
    [
      'silence',
      () => {},
      3,
      'INCONCLUSIVE: nothing could be judged: 1 request got no response from the deployment.',
    ],
  ]
  test.each(sample(others, { usual: 3, slow: 1, all: 1 }))(
    'of %s alone, blames no client',
    async (_, respond, code, words) => {
      const file = join(makeFolder(), 'card.json')
      const { url } = await startServer(respond)
      const options = ['--timeout', '500ms', '--fail-on', 'any', '--scorecard', `json=${file}`]
      const args = ['exec', '--proxy', url, ...options, '--reporter', 'text', ...client('/pets')]
      const { code: actual, stderr } = await run(args, { env })
      expect(stderr.replaceAll(/\s+/g, ' ')).toContain(words.replaceAll(/\s+/g, ' '))
      expect(actual).toBe(code)
      // Only responses of the service verify what holds for each of them.
      const isService = /instead of|success of an operation/.test(words)
      expect(stderr.includes('No requirement could be checked')).toBe(!isService)
      const { scorecards } = JSON.parse(readFileSync(file, 'utf8'))
      expect(scorecards).toMatchObject([
        { subject: 'main (default key)', score: 100, issues: [], requests: 1 },
      ])
    },
  )

  test.each(sample(['two words', 'undefined', '%API_KEY%'], { usual: 3, slow: 1, all: 1 }))(
    'the key %j is valid where its request succeeds',
    async (word) => {
      const { url } = await startServer((_, response) => sendJson(response, 200, []))
      const file = join(makeFolder(), 'card.json')
      const args = ['exec', '--proxy', url, '--scorecard', `json=${file}`, '--reporter', 'text']
      const script = `fetch(process.env.PETSTORE_BASE_URL + '/pets', { headers: { authorization: 'Bearer ${word}' } }).then((reply) => reply.text())`
      await run([...args, '--', process.execPath, '-e', script], { env })
      const { scorecards } = JSON.parse(readFileSync(file, 'utf8'))
      expect(scorecards).toMatchObject([{ requests: 1, issues: [] }])
    },
  )

  test('fails according to --fail-on after a successful command', async () => {
    const args = [
      'exec',
      '--proxy',
      await deployment(),
      '--fail-on',
      'issues',
      ...client('/pets?limit=abc'),
    ]
    expect((await run(args, { env })).code).toBe(1)
  })

  test('ends when there is no such command', async () => {
    const { code } = await run(['exec', '--proxy', await deployment(), '--', './no-such-command'], {
      env,
    })
    expect(code).toBe(127)
  })
})

describe('a recording', () => {
  test('contains exact pets and options, readable only by its owner', async () => {
    const folder = makeFolder()
    const [pets, profile] = [join(folder, 'pets.json'), join(folder, 'profile.json')]
    const data = [
      { id: 9007199254740993n, name: 'Rex', categoryId: -9223372036854775808n, status: 'sold' },
      { id: 9223372036854775807n, name: 'Mia', categoryId: 1 },
    ] as const
    const target = await deployment({ data, profile: { 'list.order': 'oldest-first' } })
    writeFileSync(pets, 'an old file', { mode: 0o644 })
    const args = [
      'exec',
      '--proxy',
      target,
      '--save',
      pets,
      '--keep-names',
      '--save-profile',
      profile,
      ...client('/pets'),
    ]
    const result = await run(args, { env })
    expect(result.stderr).toContain(`wrote ${pets}: 2 pets, with their names\n`)
    const text = readFileSync(pets, 'utf8')
    expect(text).toContain(
      '{"id":9007199254740993,"name":"Rex","categoryId":-9223372036854775808,"status":"sold"}',
    )
    expect([pets, profile].map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600])
    expect(JSON.parse(readFileSync(profile, 'utf8'))).toMatchObject({
      'pet.extra-fields': 'absent',
    })
  })

  test('replaces only names, deterministically', async () => {
    const file = join(makeFolder(), 'pets.json')
    const data = ['Ada Lovelace', 'Rex', 'Ada Lovelace'].map((name, index) => ({
      id: index + 1,
      name,
      categoryId: 7,
    }))
    const target = await deployment({ data })
    await run(['exec', '--proxy', target, '--save', file, ...client('/pets')], {
      env,
    })
    const text = readFileSync(file, 'utf8')
    expect(text).not.toMatch(/Ada|Rex/)
    const saved = JSON.parse(text) as { id: number; name: string }[]
    expect(saved).toMatchObject([{ id: 1, categoryId: 7 }, { id: 2 }, { id: 3 }])
    expect(saved[0]?.name).toBe(saved[2]?.name)
    expect(saved[0]?.name).not.toBe(saved[1]?.name)
  })
})
