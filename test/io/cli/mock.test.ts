import { spawnSync } from 'node:child_process'
import { connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { defaultKey, defects } from '../../../src/mock/index.ts'
import { run, start, startMockCommand, startProcess } from './command.ts'

const get = (url: string, key = defaultKey) =>
  fetch(url, { headers: { authorization: `Bearer ${key}` } })

describe('the greeting', () => {
  test('shows the base URL, the key, and a working command line', async () => {
    const { says, stdout, stderr } = start(['mock', '--port', '0'])
    await says(/Press Ctrl-C to stop\.\n$/)
    const url = /Base URL +(\S+)\n/.exec(stdout())?.[1] ?? ''
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/)
    expect(stdout()).toContain('with 100 pets')
    expect(/API key +(\S+)\n/.exec(stdout())?.[1]).toBe(defaultKey)
    expect(stderr()).toBe('')
    const line = /Try it +(curl .*)\n/.exec(stdout())?.[1] ?? ''
    // A shell runs the line with a fake curl, which prints its arguments.
    const { stdout: words } = spawnSync('sh', ['-c', `curl() { printf '%s\\n' "$@"; }; ${line}`], {
      encoding: 'utf8',
    })
    const [flag, header = '', target = ''] = words.split('\n')
    expect(flag).toBe('-H')
    const [name = '', value = ''] = header.split(/: (.*)/)
    const reply = await fetch(target, { headers: { [name]: value } })
    expect(reply.status).toBe(200)
    expect(await reply.json()).toHaveLength(3)
  })

  test('quotes a key with an apostrophe for the shell', async () => {
    const { says } = start(['mock', '--port', '0', '--key', "it's"])
    expect(await says(/Try it .*/)).toContain(String.raw`'Authorization: Bearer it'\''s'`)
  })

  test('shows a line for cmd.exe and PowerShell on Windows', async () => {
    const { platform } = process
    onTestFinished(() => void Object.defineProperty(process, 'platform', { value: platform }))
    Object.defineProperty(process, 'platform', { value: 'win32' })
    const { says } = start(['mock', '--port', '0'])
    await says(
      / curl\.exe -H "Authorization: Bearer petstore-test-key" "http:\S+\/pets\?limit=3"\n/,
    )
  })

  test('shows deliberate defects', async () => {
    const [defect] = defects
    const { says } = start(['mock', '--port', '0', '--defect', defect?.id ?? ''])
    expect(await says(/Behavior .*/)).toBe(`Behavior  --defect ${defect?.id}`)
  })

  test.each([
    [
      '0.0.0.0',
      [],
      '127.0.0.1',
      /^Other machines can reach this mock\..* the default key is public/,
    ],
    ['0.0.0.0', ['--key', 'one'], '127.0.0.1', /^Other machines .* key protects its data\.$/m],
    ['LOCALHOST', [], 'LOCALHOST', /^$/],
  ])('warns if other machines can reach the mock: %s %o', async (host, more, inUrl, notice) => {
    const { says, ended, interrupt } = start(['mock', '--port', '0', '--host', host, ...more])
    expect(await says(/Base URL.*/)).toContain(`http://${inUrl}:`)
    await says(/Ctrl-C/)
    interrupt()
    expect((await ended).stderr).toMatch(notice)
  })
})

describe('options', () => {
  test('are read from flags', async () => {
    const keys = ['--key', 'one', '--key', 'two']
    const behaviors = ['--behavior', 'list.order=oldest-first', '--now', '2030-12-06']
    const { url } = await startMockCommand(
      '--pets',
      '3',
      '--seed=7',
      '--base-path',
      '/shop/v1',
      ...keys,
      ...behaviors,
    )
    expect(url).toMatch(/\/shop\/v1$/)
    const pets = (await (await get(`${url}/pets`, 'two')).json()) as { id: number }[]
    expect(pets.map(({ id }) => id)).toEqual([1, 2, 3])
    expect((await get(`${url}/pets`)).status).toBe(401)
  })

  test('from flags override the environment', async () => {
    const { says } = start(['mock', '--port', '0', '--pets', '4'], {
      env: { PETSTORE_MOCK_PETS: '2', PETSTORE_MOCK_PORT: 'x' },
    })
    expect(await says(/with \d+ pets/)).toBe('with 4 pets')
  })
})

describe('it ends at once, with exit code 0', () => {
  test('on SIGBREAK, which is Ctrl-Break on Windows', async () => {
    const script = `setInterval(() => process.emit('SIGBREAK'), 20).unref()`
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` }
    expect(await startProcess(['mock', '--port', '0', '--quiet'], { env }).ended).toMatchObject({
      code: 0,
      stderr: '',
    })
  })

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'on %s, with an idle connection and a request under way',
    async (signal) => {
      const { child, ended, says } = startProcess(['mock', '--port', '0', '--quiet'])
      const url = (await says(/^http:\S+\n/)).trim()
      const { port } = new URL(url)
      const open = async (text: string): Promise<void> => {
        const socket = connect(Number(port), '127.0.0.1')
        socket.on('error', () => {})
        onTestFinished(() => void socket.destroy())
        await new Promise<void>((resolve) => socket.write(text, () => resolve()))
      }
      await open('')
      await open('POST /v1/pets HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{"name"')
      // This connection stays open after its response, which also shows that the others were accepted.
      await (await get(`${url}/pets`)).text()
      const before = performance.now()
      child.kill(signal)
      expect(await ended).toMatchObject({ code: 0, signal: null, stderr: '' })
      // Waiting for the connections would take 30 s or more.
      expect(performance.now() - before).toBeLessThan(25_000)
    },
  )
})

describe('a mistake gives one clear line on stderr, and exit code 2', () => {
  test('names the variable for a mistake in the environment', async () => {
    const { stderr, code } = await run(['mock'], { env: { PETSTORE_MOCK_PORT: 'http' } })
    expect(stderr).toBe(
      'petstore: PETSTORE_MOCK_PORT takes an integer from 0 to 65535, not "http"\n',
    )
    expect(code).toBe(2)
  })
})

test('--list-defects shows each defect with the requirement that it violates', async () => {
  const { code, stdout } = await run(['mock', '--list-defects'])
  expect(code).toBe(0)
  for (const { id, requirement } of defects)
    expect(stdout).toContain(`${id}\n  breaks ${requirement}: `)
})
