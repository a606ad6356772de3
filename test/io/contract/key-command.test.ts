/** Keys that a command prints, and that expire. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { MockOptions } from '../../../src/mock/index.ts'
import { makeFolder } from '../../support/folder.ts'
import { startStore } from '../../support/store.ts'
import { run } from '../cli/command.ts'

const keyOf = (number: number): string => `K3y-of-the-hour-${number}-Qr7Zt`
const rejection = { code: 'unauthorized', message: 'The key has expired.', status: 401 }

/** Starts a store that accepts the latest key for a number of requests, and writes a command that prints the next one. */
async function startWithLogin(lifetime: number, options: MockOptions = {}) {
  const folder = makeFolder({
    count: '0\n',
    'login.sh': `read n < count; n=$((n + 1)); echo $n > count; echo "issued ${keyOf(9)}" >&2; echo "K3y-of-the-hour-$n-Qr7Zt"\n`,
  })
  let [latest, used] = [0, 0]
  const keys = Array.from({ length: 50 }, (_, index) => keyOf(index + 1))
  const store = await startStore({ keys, ...options }, ({ headers }, response) => {
    const number = 1 + keys.indexOf(String(headers.authorization).replace('Bearer ', ''))
    const now = Number(readFileSync(join(folder, 'count'), 'utf8'))
    if (now !== latest) [latest, used] = [now, 0]
    if (number === 0 || (number === now && ++used <= lifetime)) return false
    return response
      .writeHead(401, { 'content-type': 'application/json' })
      .end(JSON.stringify(rejection))
  })
  return { ...store, folder, issued: () => Number(readFileSync(join(folder, 'count'), 'utf8')) }
}

describe('--key-command', () => {
  test('gives the run a new key each time one has expired', async () => {
    const { url, folder, issued } = await startWithLogin(50)
    const args = ['verify', url, '--key-command', 'sh login.sh', '--strict', '--settle', '0.2']
    const { code, stdout, stderr } = await run(args, { cwd: folder })
    expect(stdout).toMatch(/PASS {2}49 of 49 requirements/)
    expect(code).toBe(0)
    expect(issued()).toBeGreaterThan(2)
    expect(stdout + stderr).not.toMatch(/K3y-of/)
  })

  test('keeps old and new keys out of every output', async () => {
    const { url, folder, issued } = await startWithLogin(80, {
      defects: ['list.limit-ignored'],
      data: [1, 2, 3].map((number) => ({
        id: number,
        name: `said ${keyOf(number)}`,
        categoryId: 1,
        status: 'available' as const,
      })),
    })
    const reporters = ['json=a.json', 'html=a.html', 'junit=a.xml', 'text']
    const { code, stdout, stderr } = await run(
      [
        ...`verify ${url} --settle 0.2 --save pets.json --key-command`.split(' '),
        'sh login.sh',
        ...reporters.flatMap((reporter) => ['--reporter', reporter]),
      ],
      { cwd: folder },
    )
    expect(code).toBe(1)
    expect(issued()).toBeGreaterThan(1)
    const files = ['a.json', 'a.html', 'a.xml', 'pets.json'].map((name) =>
      readFileSync(join(folder, name), 'utf8'),
    )
    const used = Array.from({ length: issued() }, (_, index) => keyOf(index + 1))
    for (const text of [stdout, stderr, ...files])
      for (const key of used) expect(text).not.toContain(key)
    expect(stderr).toContain(
      'export PETSTORE_API_KEY=... PETSTORE_KEY_COMMAND=...  # then the commands',
    )
  })

  test('of a configuration overrides PETSTORE_API_KEY, and each side of a comparison has its own', async () => {
    const [a, b] = [
      await startStore({ keys: ['key-of-a'] }),
      await startStore({ keys: ['key-of-b'] }),
    ]
    const deployments = {
      a: { baseUrl: a.url, keyCommand: 'echo key-of-a' },
      b: { baseUrl: b.url, keyCommand: 'echo key-of-b' },
    }
    const cwd = makeFolder({ 'petstore.config.json': { deployments } })
    const least = ['--depth', 'smoke', '--only', 'list-pets.responses', '--settle', '0.2']
    const args = ['compare', 'a', 'b', '--config', 'petstore.config.json', ...least]
    const { code } = await run(args, { env: { PETSTORE_API_KEY: 'other' }, cwd })
    expect(code).toBe(0)
    expect(JSON.stringify(a.requests)).not.toContain('key-of-b')
    expect(JSON.stringify(b.requests)).not.toContain('key-of-a')
  })

  test('says in the verdict line why there is no other key, without repeating what it printed', async () => {
    const { url, folder } = await startWithLogin(30)
    const command = `read n < count; [ $n = 0 ] && sh login.sh || { echo "${keyOf(1)}"; echo "no ${keyOf(1)}" >&2; exit 7; }`
    const args = ['verify', url, '--key-command', command, '--settle', '0.2']
    const { code, stdout, stderr } = await run(args, { cwd: folder })
    expect(code).toBe(3)
    expect(stdout).toMatch(
      /INCONCLUSIVE: the key was accepted and then rejected.*getting another one failed: --key-command ended with exit code 7: no \$?\[?\w+\]?/,
    )
    expect(stdout + stderr).not.toContain(keyOf(1))
  })

  test.each([
    [`echo sk_9aXcD3fG`],
    [`printf '\\357\\273\\277%s\\r\\n' sk_9aXcD3fG`],
    [`echo Logged in as the team of the shop.; echo sk_9aXcD3fG`],
    [`echo '{"token":"sk_9aXcD3fG","scope":"pets and all else that the shop has"}'`],
  ])('that fails shows nothing of what it printed: %s', async (command) => {
    const failing = `${command}; echo "cannot use sk_9aXcD3fG now" >&2; exit 7`
    expect(await run(['verify', 'http://127.0.0.1:1/v1', '--key-command', failing])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'petstore: --key-command ended with exit code 7: cannot use [redacted] now\n',
    })
  })
})

describe('keyCommand of a configuration', () => {
  const configOf = (url: string): object => ({
    deployments: { staging: { baseUrl: url, keyCommand: 'touch ran; echo key-of-staging' } },
  })

  test('runs only if --config names the file', async () => {
    const { url, requests } = await startStore({ keys: ['key-of-staging'] })
    const folder = makeFolder({ 'petstore.config.json': configOf(url) })
    const args = [
      'verify',
      'staging',
      '--depth',
      'smoke',
      '--only',
      'list-pets.responses',
      '--settle',
      '0.2',
    ]
    const found = await run(args, { cwd: folder })
    expect(found).toEqual({
      code: 2,
      stdout: '',
      stderr: `petstore: ${join(folder, 'petstore.config.json')}: the keyCommand of staging starts a program; to allow it, add --config ${join(folder, 'petstore.config.json')}\n`,
    })
    expect(requests).toEqual([])
    expect(() => readFileSync(join(folder, 'ran'))).toThrow(/ENOENT/)
    const named = await run([...args, '--config', 'petstore.config.json'], { cwd: folder })
    expect(named.code).toBe(0)
  })

  test('gives its key to a command behind a proxy', async () => {
    const { url } = await startStore({ keys: ['key-of-staging'] })
    const folder = makeFolder({ 'config.json': configOf(url) })
    const command = [process.execPath, '-e', 'process.exit(process.env.PETSTORE_API_KEY.length)']
    const args = ['exec', '--proxy', 'staging', '--config', 'config.json', '--', ...command]
    expect((await run(args, { cwd: folder })).code).toBe('key-of-staging'.length)
  })

  test.each([{}, { keyEnv: 'PETSTORE_KEY', keyCommand: 'true' }])(
    'or keyEnv must be given, not %j',
    async (key) => {
      const deployment = { baseUrl: 'http://127.0.0.1:1/v1', ...key }
      const folder = makeFolder({ 'config.json': { deployments: { staging: deployment } } })
      const { code, stderr } = await run(['verify', 'staging', '--config', 'config.json'], {
        cwd: folder,
      })
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr:
          'petstore: config.json: /deployments/staging must have either keyEnv or keyCommand\n',
      })
    },
  )
})
