import { spawnSync } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Console, createProgress } from '../../../src/cli/command.ts'
import type { Report } from '../../../src/contract/index.ts'
import { requirements } from '../../../src/spec/requirements.ts'
import { sendJson } from '../../support/http-server.ts'
import { key, startStore } from '../../support/store.ts'
import { run, start, startProcess } from './command.ts'
import { makeFolder } from '../../support/folder.ts'

const usual = ['--key', key, '--settle', '0']
/** The smallest selection. */
const one = ['--depth', 'smoke', '--only', 'list-pets.responses']
const whole = [...usual, '--read-only', '--only', 'list-pets.responses']
const parse = (text: string): Report => JSON.parse(text) as Report
/** The checks that the broken store below fails. */
const wrong = [...usual, '--only', 'list-pets.minimum-limit']
/** Starts a store that violates the contract in one response. */
const startBroken = () =>
  startStore({}, ({ target }, response) =>
    target === '/v1/pets?limit=1' ? sendJson(response, 200, [{ id: 'one' }]) : false,
  )

describe('exit codes', () => {
  test('0 when the target conforms', async () => {
    const { url } = await startStore()
    const { code, stdout, stderr } = await run(['verify', url, ...usual])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(
      /^petstore-kit \S+ +http:\/\/127\.0\.0\.1:\d+\/v1\n[^]*\nPASS {2}\d+ of \d+ requirements checked\n$/,
    )
  })

  test('1 for a violation, with a curl line', async () => {
    const { url } = await startBroken()
    const { code, stdout } = await run(['verify', url, ...wrong])
    expect(code).toBe(1)
    expect(stdout).toContain('FAIL')
    expect(stdout).toContain(
      `curl -sS -i '${url}/pets?limit=1' -H "Authorization: Bearer $PETSTORE_API_KEY"`,
    )
  })

  test('1 for a violation, beside what a conforming service responds, in text, HTML and JSON', async () => {
    const { url } = await startStore({}, ({ target }, response) =>
      target.includes('status=sold')
        ? sendJson(response, 200, [{ id: 7, name: 'Rex', categoryId: '5', status: 'sold' }])
        : false,
    )
    const folder = makeFolder()
    const files = ['json', 'html'].flatMap((name) => ['--reporter', `${name}=report.${name}`])
    const args = ['verify', url, ...usual, '--read-only', '--only', 'pet.category-id']
    const { code, stdout } = await run([...args, '--reporter', 'text', ...files], { cwd: folder })
    expect(code).toBe(1)
    expect(stdout).toContain(
      '\n      a conforming service: 200, categoryId 5 (here "5" at /0/categoryId)\n',
    )
    const { findings } = parse(readFileSync(join(folder, 'report.json'), 'utf8'))
    expect(findings[0]?.conforming).toEqual({
      response: {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: '[{"id":7,"name":"Rex","categoryId":5,"status":"sold"}]',
      },
      differences: [
        {
          part: 'body',
          pointer: '/0/categoryId',
          conformingPointer: '/0/categoryId',
          conforming: '5',
          actual: '"5"',
        },
      ],
    })
    const html = readFileSync(join(folder, 'report.html'), 'utf8')
    const marked = [...html.matchAll(/<mark>(.*?)<\/mark>/g)].map(([, text]) => text)
    expect(marked).toEqual(['&#34;categoryId&#34;: &#34;5&#34;', '&#34;categoryId&#34;: 5'])
  })

  test('1 when unspecified behavior differs from --expect-profile, a profile or a report', async () => {
    const { url } = await startStore()
    const file = join(makeFolder(), 'report.json')
    const part = [...usual, '--read-only', '--only', 'undescribed.*']
    await run(['verify', url, ...part, '--reporter', `json=${file}`])
    const same = await run(['verify', url, ...part, '--expect-profile', file])
    expect([same.code, same.stdout]).toEqual([0, expect.stringContaining('PASS (selection)')])
    const { profile } = parse(readFileSync(file, 'utf8'))
    writeFileSync(file, JSON.stringify({ ...profile, 'list.limit.above-maximum': '422' }))
    const { code, stdout } = await run([
      'verify',
      url,
      ...part,
      '--expect-profile',
      file,
      '--reporter',
      'json',
    ])
    expect(code).toBe(1)
    expect(parse(stdout)).toMatchObject({
      verdict: 'conforms',
      exitCode: 1,
      drift: [{ id: 'list.limit.above-maximum', expected: '422', actual: '400' }],
    })
  })

  test('3 when nothing could be verified', async () => {
    const { url } = await startStore()
    const { code, stdout } = await run(['verify', url, '--key', 'another'])
    expect(code).toBe(3)
    expect(stdout).toMatch(
      /INCONCLUSIVE: the key was rejected \(401\), with WWW-Authenticate: Bearer[^\n]*\. No requirement could be checked\.\n/,
    )
    expect(
      (await run(['verify', 'http://127.0.0.1:1/v1', ...usual, '--retry-budget', '0'])).code,
    ).toBe(3)
  })
})

test('a mistake creates no empty report', async () => {
  const file = join(makeFolder(), 'reports', 'report.json')
  const { code } = await run([
    'verify',
    'https://pets.example.com/v1',
    ...usual,
    '--reporter',
    `json=${file}`,
  ])
  expect(code).toBe(2)
  expect(existsSync(file)).toBe(false)
})

describe('the key', () => {
  const isAccepted = async (args: string[], env: Record<string, string> = {}): Promise<boolean> => {
    const { url } = await startStore()
    const { code } = await run(['verify', url, ...one, ...args], { env })
    return code === 0
  }

  test('is read from a file, without the line break at its end', async () => {
    const file = join(makeFolder(), 'key')
    writeFileSync(file, `${key}\n`)
    expect(await isAccepted(['--key-file', file])).toBe(true)
    expect(await isAccepted(['--key-file', file], { PETSTORE_API_KEY: 'another' })).toBe(true)
    writeFileSync(file, `\uFEFF${key}\r\n`, 'utf16le')
    expect(await isAccepted(['--key-file', file])).toBe(true)
  })

  test('from a variable needs no exact spacing, and a message names the variable', async () => {
    expect(await isAccepted([], { PETSTORE_API_KEY: ` ${key}\r\n` })).toBe(true)
    const wrong = async (args: string[], env: Record<string, string>) => {
      const { code, stderr } = await run(['verify', 'http://127.0.0.1:1/v1', ...args], { env })
      expect(code).toBe(2)
      return stderr
    }
    expect(await wrong([], { PETSTORE_API_KEY: 'Bearer s3cret-key' })).toBe(
      'petstore: PETSTORE_API_KEY must be the key alone, without the word Bearer\n',
    )
    expect(await wrong([], { PETSTORE_API_KEY: 's3cret\nkey' })).toBe(
      'petstore: PETSTORE_API_KEY must be printable ASCII without spaces, which its character 7 is not\n',
    )
    expect(await wrong(['--key-env', 'OTHER'], { OTHER: 's3cret key' })).toMatch(
      /^petstore: the variable given with --key-env must be printable ASCII without spaces, which its character 7 is not/,
    )
    const file = join(makeFolder({ key: 'bearer s3cret-key\n' }), 'key')
    expect(await wrong(['--key-file', file], {})).toMatch(
      /^petstore: the key file .*key must be the/,
    )
  })

  test('on the command line overrides the environment', async () => {
    expect(await isAccepted(['--key', key], { PETSTORE_API_KEY: 'another' })).toBe(true)
  })
})

describe('reporters', () => {
  test('several at once write into new folders', async () => {
    const { url } = await startStore()
    const folder = makeFolder()
    const file = join(folder, 'a', 'b', 'report.json')
    const outputs = ['text', `json=${file}`, `html=${file}.html`].flatMap((output) => [
      '--reporter',
      output,
    ])
    const { code, stdout } = await run(['verify', url, ...whole, ...outputs])
    expect(code).toBe(0)
    expect(stdout, 'and suggests no HTML report').toMatch(/\nPASS[^\n]*\n$/)
    expect(parse(readFileSync(file, 'utf8')).verdict).toBe('conforms')
  })

  test('stderr has the verdict and the written files if every reporter has a file', async () => {
    const [sound, broken] = [await startStore(), await startBroken()]
    const file = join(makeFolder(), 'report.json')
    const write = (url: string) =>
      run(['verify', url, ...usual, '--read-only', '--reporter', `json=${file}`])
    const passed = await write(sound.url)
    expect(passed).toMatchObject({ code: 0, stdout: '' })
    expect(passed.stderr).toMatch(/^PASS {2}\d+ of \d+ requirements checked \(partial\)\n/m)
    expect(passed.stderr).toContain(`wrote ${file}\n`)
    const failed = await write(broken.url)
    expect(failed).toMatchObject({ code: 1, stdout: '' })
    expect(failed.stderr).toMatch(/^ +1 ✗ \S+/m)
    expect(failed.stderr).toMatch(
      /^FAIL {2}\d+ causes, \d+ consequences, \d+ of \d+ requirements checked/m,
    )
  })

  test.skipIf(process.getuid?.() === 0)(
    'a read-only folder is reported before any request (needs another user than root)',
    async () => {
      const { url, requests } = await startStore()
      const folder = join(makeFolder(), 'locked')
      mkdirSync(folder)
      chmodSync(folder, 0o555)
      const { code, stderr } = await run([
        'verify',
        url,
        ...usual,
        '--reporter',
        `json=${folder}/report.json`,
      ])
      expect({ code, requests }).toEqual({ code: 2, requests: [] })
      expect(stderr).toMatch(/cannot be written: permission denied; name another file/)
    },
  )

  test('--verbose also lists verified requirements', async () => {
    const { url } = await startStore()
    const args = ['verify', url, ...whole]
    const brief = (await run(args)).stdout
    const full = (await run([...args, '--verbose'])).stdout
    expect(brief).not.toContain('\nVerified\n')
    expect(full).toContain('\nVerified\n')
  })

  test.each<[env: Record<string, string>, colored: boolean]>([
    [{}, false],
    [{ FORCE_COLOR: '1' }, true],
    [{ FORCE_COLOR: '0' }, false],
    [{ FORCE_COLOR: '1', NO_COLOR: '1' }, false],
    [{ FORCE_COLOR: '1', NO_COLOR: '' }, true],
  ])('with %j in the environment, colors in a pipe: %s', async (env, colored) => {
    const { url } = await startStore()
    const { stdout, stderr } = await run(['verify', url, ...one], {
      env: { PETSTORE_API_KEY: key, ...env },
    })
    expect(stdout.includes('\u001b[')).toBe(colored)
    expect(stderr).toBe('')
  })
})

test('--list shows every requirement, needs no URL and no key, and sends nothing', async () => {
  const { url, requests } = await startStore()
  const { code, stdout } = await run(['verify', url, '--list'])
  expect({ code, requests }).toEqual({ code: 0, requests: [] })
  for (const { id } of requirements) expect(stdout).toContain(`\n${id}\n`)
  expect(await run(['verify', '--list'])).toMatchObject({ code: 0, stdout })
})

describe('options reach the run', () => {
  test('--category-id beyond 2^53, --max-writes, --only and --skip', async () => {
    const { url, requests } = await startStore({ pets: 0 })
    const selection = ['--only', 'create.*', '--skip', 'create.401']
    const writing = ['--category-id', '9223372036854775807', '--max-writes', '8']
    const { stdout } = await run([
      'verify',
      url,
      ...usual,
      ...selection,
      ...writing,
      '--reporter',
      'json',
    ])
    const created = requests.filter(({ method }) => method === 'POST')
    expect(created.length).toBeGreaterThan(0)
    expect(created.some(({ body }) => body.includes('"categoryId":9223372036854775807'))).toBe(true)
    expect(parse(stdout).counts.writes).toBeLessThanOrEqual(8)
    expect(parse(stdout).requirements.find(({ id }) => id === 'create.401')).toMatchObject({
      verdict: 'not-applicable',
    })
  })

  test('--min-verified, by number, percentage or environment', async () => {
    const { url } = await startStore()
    const verify = (least: string[], env = {}) =>
      run(['verify', url, ...usual, '--read-only', ...least], { env })
    const few = await verify(['--min-verified', '49'])
    expect(few).toMatchObject({ code: 3 })
    expect(few.stdout).toMatch(
      /^INCONCLUSIVE: --min-verified 49 demands more\. \d+ of 49 requirements could still be checked\./m,
    )
    expect(await verify([], { PETSTORE_MIN_VERIFIED: '100%' })).toMatchObject({ code: 3 })
    expect(await verify(['--min-verified', '50%'])).toMatchObject({ code: 0 })
    const never = await verify(['--min-verified', '60'])
    expect(never.code).toBe(2)
    expect(never.stderr).toBe(
      'petstore: --min-verified must be at most 49, the number of requirements that can be verified\n',
    )
  })
})

describe('progress', () => {
  /** Runs the command with the given streams as terminals. */
  async function progressOf(terminal: {
    stdout: boolean
    stderr: boolean
  }): Promise<{ shown: string[]; printed: string }> {
    const { url } = await startStore()
    const { stdout, stderr } = await run(['verify', url, ...usual, '--reporter', 'json'], {
      terminal,
    })
    return { shown: stderr.split(/(?=\r)/).filter((text) => text !== ''), printed: stdout }
  }

  test('ends with a whole word where the terminal is too narrow', () => {
    const written: string[] = []
    const notify = (text: string): void => void written.push(text)
    const terminal = { stdout: true, stderr: true }
    createProgress({ terminal, env: {}, notify, columns: () => 60 } as Console).show(
      'waiting 5 s: 13 responses may come from replicas that lag (--settle)',
    )
    expect(written).toEqual([
      '\r\u001b[2Kwaiting 5 s: 13 responses may come from replicas that lag…',
    ])
  })

  test('is one line on a terminal, erased at the end, and never on stdout', async () => {
    const { shown, printed } = await progressOf({ stdout: true, stderr: true })
    expect(shown[0]).toMatch(/\d+ checks.* pets/)
    expect(shown.every((text) => text.startsWith('\r\u001b[2K'))).toBe(true)
    expect(shown.length).toBeGreaterThan(5)
    expect(shown.at(-1)).toBe('\r\u001b[2K')
    expect(shown.join('')).not.toContain('\n')
    expect(parse(printed).verdict).toBe('conforms')
  })

  test('is not shown in a pipe', async () => {
    expect((await progressOf({ stdout: true, stderr: false })).shown).toEqual([])
  })
})

describe('Ctrl-C', () => {
  test('ends the run with a report of the results so far', async () => {
    let reached: () => void = () => {}
    const underWay = new Promise<void>((resolve) => (reached = resolve))
    const { url } = await startStore({}, ({ index }) => {
      if (index < 20) return false
      reached()
      return undefined // no response
    })
    const { interrupt, ended } = start(['verify', url, ...usual, '--reporter', 'json'])
    await underWay
    interrupt()
    const { code, stdout, stderr } = await ended
    expect({ code, stderr }).toEqual({ code: 3, stderr: '' })
    expect(parse(stdout)).toMatchObject({
      verdict: 'not-verified',
      reason: 'the run was stopped before its end',
      findings: [],
    })
  })
})

test.skipIf(process.platform === 'win32')(
  'a second signal ends the command at once, even while it writes a report',
  async () => {
    const pipe = join(makeFolder(), 'report')
    const states = new EventEmitter()
    const [started, stopped] = [once(states, 'start'), once(states, 'stop')]
    const { url } = await startStore({}, (_, response) => {
      response.once('close', () => states.emit('stop'))
      states.emit('start')
      return undefined // no response
    })
    const { child, ended } = startProcess(['verify', url, ...usual, '--reporter', `text=${pipe}`])
    await started
    // The pipe has no reader, so writing the report blocks.
    expect(spawnSync('mkfifo', [pipe]).status).toBe(0)
    child.kill('SIGINT')
    await stopped
    child.kill('SIGINT')
    expect(await ended).toMatchObject({ code: null, signal: 'SIGINT' })
  },
)

test.skipIf(process.platform !== 'linux')(
  'a signal ends a command that still reads its input',
  async () => {
    const pipe = join(makeFolder(), 'report')
    expect(spawnSync('mkfifo', [pipe]).status).toBe(0)
    const writer = await open(pipe, 'r+')
    const file = `/proc/${process.pid}/fd/${writer.fd}`
    for (const args of [
      ['verify', 'staging', '--config', file],
      ['baseline', file, '--reason', 'known'],
    ]) {
      const { child, ended } = startProcess(args)
      // The pipe takes this many bytes only when the command reads them.
      await writer.write(Buffer.alloc(300_000))
      child.kill('SIGTERM')
      expect(await ended).toMatchObject({ code: null, signal: 'SIGTERM' })
    }
    await writer.close()
  },
)

test
  .skipIf(process.platform === 'win32')
  .each([
    [['mock', '--rules', 'rf']],
    [['mock', '--data', 'rf']],
    [['mock', '--save', 'rf']],
    [['judge', 'rf']],
    [['replay', 'rf']],
    [['verify', 'http://127.0.0.1:1', '--key-file', 'rf']],
    [['verify', 'http://127.0.0.1:1', '--key', 'abc', '--ca', 'rf']],
  ])('a named pipe is a mistake, and not waited for: %j', async (args) => {
  const folder = makeFolder()
  expect(spawnSync('mkfifo', [join(folder, 'rf')]).status).toBe(0)
  expect(await run(args, { cwd: folder })).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /rf cannot be (?:read|written): it is not a regular file/,
    ) as string,
  })
})

test('a closed pipe loses neither the exit code nor the other reports', async () => {
  const { url } = await startBroken()
  const file = join(makeFolder(), 'report.json')
  const { child, ended } = startProcess([
    'verify',
    url,
    ...wrong,
    '--reporter',
    'text',
    '--reporter',
    `json=${file}`,
  ])
  child.stdout.destroy()
  const { code, stderr } = await ended
  expect(code).toBe(1)
  expect(stderr).toContain(`wrote ${file}\n`)
  expect(parse(readFileSync(file, 'utf8')).verdict).toBe('violates')
})
