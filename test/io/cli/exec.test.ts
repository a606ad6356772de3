import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { onWindows } from '../../../src/cli/exec/exec-command.ts'
import { defaultKey, sandboxKey } from '../../../src/mock/index.ts'
import { run, startProcess } from './command.ts'
import { makeFolder } from '../../support/folder.ts'
import { sample } from '../../support/level.ts'

/** Arguments of a command that runs a script. */
const node = (script: string): string[] => ['--', process.execPath, '-e', script]

/** Runs a script in a separate process, and exec in this one. The script passes its result to `out`. */
async function find(args: readonly string[], script: string, env: Record<string, string> = {}) {
  const file = join(makeFolder(), 'found')
  const out = `const out = (text) => require('node:fs').writeFileSync(${JSON.stringify(file)}, text)\n`
  const ran = await run(['exec', ...args, ...node(out + script)], { env })
  return { ...ran, found: readFileSync(file, 'utf8') }
}

const listPets = `
  const { PETSTORE_BASE_URL: url, PETSTORE_API_KEY: key } = process.env
  fetch(url + '/pets?limit=2', { headers: { authorization: 'Bearer ' + key } })
    .then((reply) => reply.text()).then(out)`
const showEnvironment = `
  const names = ['PETSTORE_BASE_URL', 'PETSTORE_API_KEY', 'PETSTORE_CONTROL_URL', 'PETSTORE_CONTROL_TOKEN']
  out(JSON.stringify(names.map((name) => process.env[name] ?? null)))`

describe('the command', () => {
  test('gets the base URL, the key and the URL of the control API', async () => {
    const { found } = await find(['--key', 'one', '--key', 'two'], showEnvironment)
    const [url, key, control, token] = JSON.parse(found) as string[]
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/)
    expect(key).toBe('one')
    expect(control).toBe(url?.replace('/v1', '/_petstore'))
    expect(token).toBeNull()
  })

  test('gets a working token of the control API if it requires one', async () => {
    const script = `
      const { PETSTORE_CONTROL_URL: url, PETSTORE_CONTROL_TOKEN: token } = process.env
      const get = (headers) => fetch(url + '/clock', { headers }).then(({ status }) => status)
      Promise.all([get({}), get({ authorization: 'Bearer ' + token })]).then((statuses) => out(statuses.join()))`
    expect((await find(['--host', '0.0.0.0'], script)).found).toBe('401,200')
  })

  test('gets no settings of another mock from the environment', async () => {
    const env = {
      PETSTORE_BASE_URL: 'https://example.com/v1',
      PETSTORE_CONTROL_URL: 'https://example.com',
      PETSTORE_CONTROL_TOKEN: 'a-token-of-another',
    }
    const { found } = await find(['--no-control'], showEnvironment, env)
    expect(JSON.parse(found)).toEqual([
      expect.stringMatching(/127\.0\.0\.1/),
      defaultKey,
      null,
      null,
    ])
  })

  test('uses the sandbox of the key in PETSTORE_MOCK_KEY', async () => {
    const env = { PETSTORE_MOCK_KEY: sandboxKey('team-a') }
    const { found, stderr } = await find(['--pets', '1', '--log', 'text'], listPets, env)
    expect(JSON.parse(found)).toHaveLength(1)
    expect(stderr).toMatch(/200 +[\d.]+ ms {2}GET {6}\/v1\/pets\?limit=2 +1 pet, sandbox team-a\n$/)
  })

  test('gets the key of the mock, not that of a deployment', async () => {
    const env = { PETSTORE_API_KEY: 'staging-secret-9f8e7d' }
    const { found, stderr, stdout } = await find([], listPets, env)
    expect(JSON.parse(found)).toHaveLength(2)
    expect(found + stderr + stdout).not.toContain('staging-secret')
  })

  test('gets its arguments and stdin unchanged', async () => {
    const script = `process.stdin.pipe(process.stdout); console.log(process.argv.slice(1).join(' '))`
    const { child, ended } = startProcess([
      'exec',
      ...node(script),
      '--',
      '-h',
      '--help',
      '--port',
      'x',
    ])
    child.stdin.end('from stdin')
    expect(await ended).toMatchObject({
      code: 0,
      stdout: '-h --help --port x\nfrom stdin',
      stderr: '',
    })
  })

  test('accepts the options of petstore mock, also from the environment', async () => {
    const env = {
      PETSTORE_MOCK_PETS: '1',
      PETSTORE_MOCK_BASE_PATH: '/shop/v1',
      PETSTORE_MOCK_PORT: '0',
    }
    const { code, found, stderr } = await find(['--now', '2030-12-06'], listPets, env)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(found)).toMatchObject([{ id: 1 }])
  })
})

test('a command file on Windows runs in cmd.exe, with all arguments unchanged', () => {
  const folder = makeFolder({ 'npm.cmd': '', npm: '', 'node.exe': '' })
  const env = { Path: ['/nowhere', folder].join(delimiter) }
  const words = ['a b', 'c\\"d', 'e\\', '%f%&', '']
  const line = String.raw`""${join(folder, 'npm.cmd')}" ^"a b^" ^"c\\\^"d^" ^"e\\^" ^"^%f^%^&^" ^"^""`
  const inCmd = ['cmd.exe', ['/d', '/s', '/c', line], { windowsVerbatimArguments: true }]
  for (const name of ['npm', 'npm.cmd', join(folder, 'npm')])
    expect(onWindows(name, words, env)).toEqual(inCmd)
  for (const name of ['node', 'nothing'])
    expect(onWindows(name, words, env)).toEqual([name, words, {}])
})

describe('the exit code', () => {
  test.each([0, 255])('is that of the command: %i', async (code) => {
    expect(await run(['exec', ...node(`process.exit(${code})`)])).toMatchObject({
      code,
      stdout: '',
      stderr: '',
    })
  })

  test('is 128 plus the signal that ended the command', async () => {
    expect((await run(['exec', ...node(`process.kill(process.pid, 'SIGKILL')`)])).code).toBe(137)
  })

  test('is 127 when the command was not found, and 126 when it cannot be executed', async () => {
    expect(await run(['exec', '--', 'petstore-kit-no-such-command', '-h'])).toEqual({
      code: 127,
      stdout: '',
      stderr: 'petstore: the command "petstore-kit-no-such-command" was not found\n',
    })
    const folder = makeFolder()
    expect(await run(['exec', '--', folder])).toMatchObject({
      code: 126,
      stderr: `petstore: the command ${JSON.stringify(folder)} cannot be executed: permission denied\n`,
    })
  })
})

describe('signals', () => {
  // The mock must still respond while the command cleans up.
  const graceful = `
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, async () => {
      const reply = await fetch(process.env.PETSTORE_BASE_URL + '/pets')
      console.log(signal + ' ' + reply.status)
      process.exit(9)
    })
    setInterval(() => {}, 1000)
    console.log('ready')`

  test.each(sample(['SIGINT', 'SIGTERM', 'SIGHUP'] as const, { usual: 3, slow: 1, all: 1 }))(
    '%s reaches the command, and the mock runs until it has ended',
    async (signal) => {
      const { child, says, ended } = startProcess(['exec', ...node(graceful)])
      await says(/ready/)
      child.kill(signal)
      expect(await ended).toEqual({
        code: 9,
        signal: null,
        stdout: `ready\n${signal} 401\n`,
        stderr: '',
      })
    },
  )

  test('ends a command without a handler', async () => {
    const { child, says, ended } = startProcess([
      'exec',
      ...node(`setInterval(() => {}, 1000); console.log('ready')`),
    ])
    await says(/ready/)
    child.kill('SIGTERM')
    expect((await ended).code).toBe(143)
  })

  test('a command that ignores a signal gets the next one', async () => {
    const script = `
      let seen = 0
      process.on('SIGINT', () => { seen += 1; console.log('seen ' + seen); if (seen === 2) process.exit(3) })
      setInterval(() => {}, 1000)
      console.log('ready')`
    const { child, says, ended } = startProcess(['exec', ...node(script)])
    await says(/ready/)
    child.kill('SIGINT')
    await says(/seen 1/)
    child.kill('SIGINT')
    expect((await ended).code).toBe(3)
  })
})

describe('--save', () => {
  test('writes the pets after the command has ended', async () => {
    const file = join(makeFolder(), 'pets.json')
    const script = `
      const { PETSTORE_BASE_URL: url, PETSTORE_API_KEY: key } = process.env
      const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' }
      fetch(url + '/pets', { method: 'POST', headers, body: '{"name":"Rex","categoryId":9007199254740993}' })`
    const args = [
      'exec',
      '--pets',
      '0',
      '--behavior',
      'create.visibility=delayed',
      '--save',
      file,
      ...node(script),
    ]
    expect(await run(args)).toMatchObject({ code: 0, stderr: '' })
    expect(readFileSync(file, 'utf8')).toBe(
      '[\n{"id":1,"name":"Rex","categoryId":9007199254740993,"status":"available"}\n]\n',
    )
  })

  test.each([
    [0, 4],
    [7, 7],
  ])('when it fails, exit code %i of the command becomes %i', async (code, expected) => {
    const folder = join(makeFolder(), 'state')
    mkdirSync(folder)
    const script = `require('fs').rmdirSync(${JSON.stringify(folder)}); process.exitCode = ${code}`
    const result = await run(['exec', '--save', join(folder, 'pets.json'), ...node(script)])
    expect(result.code).toBe(expected)
    expect(result.stderr).toMatch(/^petstore: .*pets\.json could not be written: /)
  })

  test('a command that was not found leaves the state to the next mock at once', async () => {
    const folder = join(makeFolder(), 'state')
    const args = ['exec', '--state', folder, '--']
    expect((await run([...args, 'petstore-kit-no-such-command'])).code).toBe(127)
    expect(readdirSync(folder)).not.toContain('.lock')
    expect(await run([...args, process.execPath, '--version'])).toMatchObject({
      code: 0,
      stderr: '',
    })
  })

  test('a command that was not found leaves the file unchanged', async () => {
    const file = join(makeFolder(), 'pets.json')
    writeFileSync(file, 'as it was')
    expect((await run(['exec', '--save', file, '--', 'petstore-kit-no-such-command'])).code).toBe(
      127,
    )
    expect(readFileSync(file, 'utf8')).toBe('as it was')
    rmSync(file)
  })
})
