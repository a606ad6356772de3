import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { defaultKey, sandboxKey } from '../../../src/mock/index.ts'
import { mistakeOf, start, startMockCommand, startProcess } from './command.ts'
import { makeFolder } from '../../support/folder.ts'

const list = (url: string, more: Record<string, string> = {}) =>
  fetch(`${url}/pets?limit=1`, { headers: { authorization: `Bearer ${defaultKey}`, ...more } })
const statuses = async (url: string, count: number) => {
  const seen: number[] = []
  for (let index = 0; index < count; index += 1) seen.push((await list(url)).status)
  return seen
}

function writeRules(rules: unknown): string {
  const file = join(makeFolder(), 'rules.json')
  writeFileSync(file, typeof rules === 'string' ? rules : JSON.stringify(rules))
  return file
}

describe('--rules', () => {
  const outage = { when: { operation: 'listPets' }, reply: { status: 503 }, times: 2 }

  test('is read from the environment, too', async () => {
    const env = { PETSTORE_MOCK_RULES: writeRules([outage]), PETSTORE_MOCK_PORT: '0' }
    const { says } = start(['mock'], { env })
    expect(await says(/Faults .*/)).toBe(`Faults    --rules ${env.PETSTORE_MOCK_RULES}`)
    const url = (await says(/http:\S+\/v1/)).trim()
    expect(await statuses(url, 3)).toEqual([503, 503, 200])
  })

  test('reports every mistake with line, column and JSON pointer', async () => {
    const file = writeRules(
      '[\n  { "delayMs": 5 },\n  { "reply": { "status": 600 },\n    "times": "x", "foo": 1 }\n]',
    )
    const message = await mistakeOf(['mock', '--rules', file, '--delay', '5'])
    expect(message.split('\n')).toEqual([
      expect.stringMatching(
        /rules\.json:3:26: \/1\/reply\/status must be a status from 200 to 599, but was 600\.$/,
      ),
      expect.stringMatching(/rules\.json:4:14: \/1\/times must be an integer/),
      expect.stringMatching(/rules\.json:4:26: \/1\/foo is unknown; there are when, reply/),
    ])
  })
})

test.each<[string, string[], Record<string, string>]>([
  [
    'options',
    ['--cors-origin', 'http://localhost:5173', '--cors-origin', 'https://app.example'],
    {},
  ],
  ['a variable', [], { PETSTORE_MOCK_CORS_ORIGIN: 'http://localhost:5173, https://app.example' }],
])('pages of the origins in %s may send credentials', async (_, args, env) => {
  const { says } = start(['mock', '--port', '0', ...args], { env })
  const url = (await says(/http:\S+\/v1/)).trim()
  const allowed = async (origin: string): Promise<(string | null)[]> => {
    const { headers } = await fetch(`${url}/pets`, { headers: { origin } })
    return ['origin', 'credentials'].map((name) => headers.get(`access-control-allow-${name}`))
  }
  expect(await allowed('https://app.example')).toEqual(['https://app.example', 'true'])
  expect(await allowed('http://localhost:5173')).toEqual(['http://localhost:5173', 'true'])
  expect(await allowed('https://other.example')).toEqual([null, null])
})

describe('rules of --rules that no request used', () => {
  const of = (limit: string) => ({ when: { query: { limit } }, reply: { status: 503 } })
  const endOf = async (
    rules: object[],
    use: (url: string) => Promise<unknown>,
    ...more: string[]
  ) => {
    const file = writeRules(rules)
    const running = start(['mock', '--port', '0', '--quiet', '--rules', file, ...more])
    await use((await running.says(/http:\S+\/v1/)).trim())
    running.interrupt()
    expect(await running.ended).toMatchObject({ code: 0 })
    return running.stderr().replaceAll(file, 'rules.json')
  }

  test('are named when the mock stops, with the nearest request', async () => {
    const stderr = await endOf([of('1'), of('5')], async (url) => statuses(url, 2), '--delay', '1')
    expect(stderr.trimEnd()).toBe(
      `rules.json:1:${JSON.stringify([of('1')]).length + 1}: no request used rule-3. ` +
        'The nearest request is 2, GET /v1/pets?limit=1: query limit is "1", not "5".',
    )
  })

  test('are none that a request used before a reset, or in a sandbox that is gone', async () => {
    const stderr = await endOf([of('1'), of('2')], async (url) => {
      const control = url.replace('/v1', '/_petstore')
      const authorization = `Bearer ${sandboxKey('team-a')}`
      expect((await list(url)).status).toBe(503)
      await fetch(`${control}/reset`, { method: 'POST' })
      const seen = await fetch(`${url}/pets?limit=2`, { headers: { authorization } })
      expect(seen.status).toBe(503)
      await fetch(`${control}/sandboxes/team-a`, { method: 'DELETE' })
      await fetch(`${url}/pets?limit=3`, { headers: { authorization: `Bearer ${defaultKey}` } })
    })
    expect(stderr).toBe('')
  })

  test('are not named without any request, and at most ten are', async () => {
    const many = Array.from({ length: 12 }, (_, index) => of(String(index + 50)))
    expect(await endOf(many, async () => {})).toBe('')
    const lines = (await endOf(many, async (url) => statuses(url, 1))).trimEnd().split('\n')
    expect(lines).toHaveLength(11)
    expect(lines.at(-1)).toBe('No request used 2 more rules.')
  })
})

describe('--delay', () => {
  test('delays every response, also those of rules', async () => {
    const { url } = await startMockCommand(
      '--delay',
      '50',
      '--rules',
      writeRules([{ reply: { status: 500 }, times: 1 }]),
    )
    for (const status of [500, 200]) {
      const before = performance.now()
      expect((await list(url)).status).toBe(status)
      // Timers may be early by a millisecond.
      expect(performance.now() - before).toBeGreaterThanOrEqual(49)
    }
  })

  test.each([
    ['20-30', 20, 30],
    // 200 is six standard defects away.
    ['median=5,p99=20', 0, 200],
  ])('%s draws a delay for each response', async (delay, least, most) => {
    const { url, says } = await startMockCommand('--delay', delay, '--log', 'text')
    await statuses(url, 8)
    // The log has the whole time, which is longer on a busy machine.
    const logged = Number(/ ([\d.]+) ms/.exec(await says(/200 +[\d.]+ ms/))?.[1])
    expect(logged).toBeGreaterThanOrEqual(least)
    const journal = await fetch(new URL('/_petstore/journal', url))
    const { entries } = (await journal.json()) as { entries: { delayMs: number }[] }
    const drawn = entries.map(({ delayMs }) => delayMs)
    expect(drawn).toHaveLength(8)
    expect(new Set(drawn).size).toBeGreaterThan(1)
    for (const ms of drawn) {
      expect(ms).toBeGreaterThanOrEqual(least)
      expect(ms).toBeLessThanOrEqual(most)
    }
  })
})

test('--rate-limit rejects further requests with 429 and Retry-After', async () => {
  const { url } = await startMockCommand('--rate-limit', '2/60')
  expect(await statuses(url, 2)).toEqual([200, 200])
  const reply = await list(url)
  expect(reply.status).toBe(429)
  expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(reply.headers.get('ratelimit-policy')).toBe('"default";q=2;w=60')
})

describe('switches', () => {
  const key = sandboxKey('team-a')

  test('a key in PETSTORE_MOCK_KEY is accepted, and not printed; that of a deployment is ignored', async () => {
    const env = { PETSTORE_MOCK_KEY: key, PETSTORE_API_KEY: 'staging-secret-9f8e7d' }
    const { says, stdout, stderr } = start(['mock', '--port', '0'], { env })
    expect(await says(/Try it.*/)).toContain('"Authorization: Bearer $PETSTORE_MOCK_KEY"')
    const url = (await says(/http:\S+\/v1/)).trim()
    await says(/Ctrl-C/)
    expect(stdout()).toContain('API key   from PETSTORE_MOCK_KEY')
    expect(stdout() + stderr()).not.toMatch(new RegExp(`${key}|staging-secret`))
    expect((await list(url, { authorization: 'Bearer staging-secret-9f8e7d' })).status).toBe(401)
    expect((await list(url, { authorization: `Bearer ${key}` })).status).toBe(200)
  })

  test('are read from the environment, too', async () => {
    const env = {
      PETSTORE_MOCK_KEY: 'one, two',
      PETSTORE_MOCK_PORT: '0',
      PETSTORE_MOCK_PETS: '2',
      PETSTORE_MOCK_IDS: 'large',
      PETSTORE_MOCK_NO_SANDBOXES: '1',
      PETSTORE_MOCK_NO_OVERRIDES: '1',
      PETSTORE_MOCK_NO_CONTROL: '1',
      PETSTORE_MOCK_EXPLAIN: '1',
      PETSTORE_MOCK_RATE_LIMIT: '9/60',
      PETSTORE_MOCK_DELAY: '1',
      PETSTORE_MOCK_NOW: '2030-12-06',
      PETSTORE_MOCK_LOG: 'text',
    }
    const { says, stdout } = start(['mock'], { env })
    await says(/Ctrl-C/)
    expect(stdout()).toMatch(
      /\n\n {2}Data {6}--pets 2 --ids large --now 2030-12-06\n {2}Faults {4}--delay 1 --rate-limit 9\/60 --no-overrides\n\nPress/,
    )
    expect(stdout()).not.toMatch(/Sandbox|Control/)
    expect(stdout()).toContain('ready, with 2 pets.')
    const url = (await says(/http:\S+\/v1/)).trim()
    const reply = await list(url, { authorization: 'Bearer two', prefer: 'code=503' })
    expect(reply.status).toBe(200)
    expect(await reply.text()).toContain('"id":9007199254740995')
    expect(reply.headers.get('petstore-explain')).toContain('list.success')
    expect(reply.headers.get('ratelimit-policy')).toBe('"default";q=9;w=60')
    expect((await list(url, { authorization: `Bearer ${key}` })).status).toBe(401)
    await says(/ [\d.]+ ms {2}GET/)
  })
})

describe('the control API', () => {
  const token = 'a-token-of-the-user'
  const clock = (url: string, more: Record<string, string> = {}) =>
    fetch(url.replace(/v1$/, '_petstore/clock'), { headers: more })

  test('has the URL in the greeting, and is disabled by --no-control', async () => {
    const { says } = start(['mock', '--port', '0'])
    const url = /Control +(\S+)$/.exec(await says(/Control .*/))?.[1]
    expect((await fetch(`${url}/clock`)).status).toBe(200)
    const without = await startMockCommand('--no-control')
    expect((await clock(without.url)).status).toBe(404)
  })

  test('requires the token of the user, which the greeting does not show', async () => {
    const { says, stdout, stderr } = start(['mock', '--port', '0', '--control-token', token])
    await says(/Ctrl-C/)
    expect(stdout()).toMatch(/Control +\S+, with the token that was set\n/)
    expect(stdout() + stderr()).not.toContain(token)
    const url = await says(/http:\S+\/v1/)
    expect((await clock(url)).status).toBe(401)
    expect((await clock(url, { authorization: `Bearer ${token}` })).status).toBe(200)
  })

  test('generates a token if other machines can reach it', async () => {
    const { says } = start(['mock', '--port', '0', '--host', '0.0.0.0'])
    const made = /with the token (\S+)$/.exec(await says(/Control .*/))?.[1]
    const url = await says(/http:\S+\/v1/)
    expect((await clock(url)).status).toBe(401)
    expect((await clock(url, { authorization: `Bearer ${made}` })).status).toBe(200)
  })

  test('prints the addresses at which other machines can reach it', async () => {
    const { says, stdout } = start(['mock', '--port', '0', '--host', '0.0.0.0'])
    await says(/Press Ctrl-C/)
    const { port } = new URL(await says(/http:\S+\/v1/))
    const addresses = Object.values(networkInterfaces())
      .flatMap((all) => all ?? [])
      .filter(({ family, internal }) => family === 'IPv4' && !internal)
    expect(stdout().match(/Network .*/g) ?? []).toEqual(
      addresses.map(({ address }) => `Network   http://${address}:${port}/v1`),
    )
    for (const { address } of addresses)
      expect((await list(`http://${address}:${port}/v1`)).status).toBe(200)
  })

  test('prints a generated token to stderr if stdout has only the base URL', async () => {
    const { url, interrupt, ended } = await startMockCommand('--host', '0.0.0.0')
    interrupt()
    const { stdout, stderr } = await ended
    expect(stdout).toBe(`${url}\n`)
    expect(stderr).toMatch(/^The token of the control API is \S{16,}$/m)
  })

  test('--no-control overrides a token in the environment', async () => {
    const { says } = start(['mock', '--port', '0', '--quiet', '--no-control'], {
      env: { PETSTORE_CONTROL_TOKEN: token },
    })
    expect((await clock(await says(/http:\S+/))).status).toBe(404)
  })
})

describe('the console', () => {
  test('has the URL in the greeting, and is disabled by --no-console', async () => {
    const { says } = start(['mock', '--port', '0'])
    const url = /Console +(\S+)$/.exec(await says(/Console .*/))?.[1] ?? ''
    expect((await fetch(url)).headers.get('content-type')).toBe('text/html; charset=utf-8')
    const without = start(['mock', '--port', '0', '--no-console'])
    await without.says(/Ctrl-C/)
    expect(without.stdout()).not.toContain('Console')
    const control = /Control +(\S+)/.exec(without.stdout())?.[1]
    expect((await fetch(`${control}/console/`)).status).toBe(404)
  })

  test.skipIf(process.platform !== 'linux')(
    '--open starts the browser of the desktop',
    async () => {
      const folder = makeFolder()
      const opened = join(folder, 'opened')
      writeFileSync(
        join(folder, 'xdg-open'),
        `#!/bin/sh\necho "$1" > ${opened}.part && mv ${opened}.part ${opened}\n`,
      )
      chmodSync(join(folder, 'xdg-open'), 0o755)
      const { says } = startProcess(['mock', '--port', '0', '--open'], {
        env: { PATH: `${folder}:${process.env['PATH']}` },
      })
      const url = /Console +(\S+)$/.exec(await says(/Console .*/))?.[1]
      await expect.poll(() => readFileSync(opened, 'utf8')).toBe(`${url}\n`)
    },
  )

  test('--open prints the URL if there is no desktop', async () => {
    const { says } = startProcess(['mock', '--port', '0', '--open'], { env: { PATH: '/nowhere' } })
    await says(
      /^No browser could be started; the console is at http:\S+\/_petstore\/console\/$/m,
      'stderr',
    )
  })
})

test('reports mistakes of several files together', async () => {
  const files = ['--data', '/nowhere', '--rules', '/nowhere', '--profile', '/nowhere']
  expect((await mistakeOf(['mock', ...files])).split('\n')).toHaveLength(3)
})
