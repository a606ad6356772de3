/** petstore mock --state: all sandboxes continue from a file, with the same command line for each start. */
import {
  existsSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { execFileSync } from 'node:child_process'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { mockFlags } from '../../../src/cli/mock/mock-flags.ts'
import { openStateFile } from '../../../src/cli/mock/state-file.ts'
import { parseFlags } from '../../../src/options.ts'
import { createInnerMock } from '../../../src/mock/sandbox/mock.ts'
import { readSettings } from '../../../src/mock/sandbox/settings.ts'
import { parseJson, printJson } from '../../../src/json.ts'
import { defaultKey, type MockState, sandboxKey, startMock } from '../../../src/mock/index.ts'
import { mistakeOf, run, runProcess, startMockCommand, startProcess } from './command.ts'
import { version } from '../../../src/spec/version.ts'
import { makeFolder } from '../../support/folder.ts'
import { serveMock } from '../../support/serve-mock.ts'

const headersOf = (key: string) => ({
  authorization: `Bearer ${key}`,
  'content-type': 'application/json',
})
const list = async (url: string, key = defaultKey) =>
  (await fetch(`${url}/pets?limit=100`, { headers: headersOf(key) })).text()
const create = (url: string, pet: string, key = defaultKey) =>
  fetch(`${url}/pets`, { method: 'POST', headers: headersOf(key), body: pet })
const control = (url: string, path: string, method: string, body?: object) =>
  fetch(`${url.replace(/v1$/, '_petstore')}${path}`, {
    method,
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  })

/** A state file, its lock, and the arguments for it. */
function fresh() {
  const folder = makeFolder()
  const file = join(folder, 'mock.state')
  return { file, lock: join(folder, '.mock.state.lock'), args: ['--state', file, '--pets', '0'] }
}

const inUse = (file: string, lock: string, who: string): string =>
  `petstore: --state ${file} is in use by process ${who}, which renews the lock ${lock}; stop that mock, or give each mock its own\n`

/** Starts a mock, lets a test change it, and stops it. */
async function once(args: readonly string[], change: (url: string) => Promise<void>) {
  const mock = await startMockCommand(...args)
  await change(mock.url)
  mock.interrupt()
  return mock.ended
}

test('the first start creates the file, readable only by its owner, and later ones continue from it', async () => {
  const file = join(makeFolder(), 'mock.state')
  const args = ['--state', file, '--pets', '2', '--ids', 'large']
  const big = '{"name":"Zoë","categoryId":9007199254740993}'
  const first = await once(args, async (url) => {
    expect((await create(url, big)).status).toBe(201)
    expect((await create(url, '{"name":"Tom","categoryId":1}', sandboxKey('team-a'))).status).toBe(
      201,
    )
  })
  expect(first).toMatchObject({ code: 0, stderr: '' })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readdirSync(join(file, '..'))).toEqual(['mock.state'])

  await once(args, async (url) => {
    expect(await list(url)).toContain(
      '"id":9007199254740997,"name":"Zoë","categoryId":9007199254740993',
    )
    expect(await list(url, sandboxKey('team-a'))).toContain('"name":"Tom"')
    // Ids continue, too.
    expect(await (await create(url, big)).text()).toContain('"id":9007199254740999')
  })
  await once(args, async (url) => expect(JSON.parse(await list(url))).toHaveLength(4))
})

test('rules with their counts, the clock, settings and snapshots are kept, and a reset restores the start', async () => {
  const args = ['--state', join(makeFolder(), 'mock.state'), '--pets', '3']
  await once(args, async (url) => {
    await control(url, '/rules', 'POST', { reply: { status: 503 }, times: 3 })
    await control(url, '/clock', 'PUT', { now: '2030-12-07' })
    await control(url, '/settings', 'PATCH', { explain: true, defects: ['list.limit-ignored'] })
    await control(url, '/snapshots/one', 'PUT')
    await control(url, '/pets', 'PUT', [])
    for (const _ of '12') expect((await create(url, '{}')).status).toBe(503)
  })
  await once(args, async (url) => {
    expect((await create(url, '{}')).status).toBe(503)
    expect((await create(url, '{}')).status).toBe(400)
    const reply = await fetch(`${url}/pets/1`, { headers: headersOf(defaultKey) })
    expect([reply.status, reply.headers.get('petstore-explain')]).toEqual([
      410,
      'get.after-removal=410',
    ])
    expect(await list(url)).toBe('[]')
    expect((await control(url, '/snapshots/one/restore', 'POST')).status).toBe(204)
    expect(JSON.parse(await list(url))).toHaveLength(3)
    await control(url, '/reset', 'POST')
  })
  await once(args, async (url) => {
    const reply = await fetch(`${url}/pets/1`, { headers: headersOf(defaultKey) })
    expect([reply.status, reply.headers.get('petstore-explain')]).toEqual([200, null])
  })
})

test('the file is current while the mock runs', async () => {
  const file = join(makeFolder(), 'mock.state')
  const { url } = await startMockCommand('--state', file, '--pets', '0')
  await create(url, '{"name":"Rex","categoryId":1}')
  await expect.poll(() => readFileSync(file, 'utf8')).toContain('"Rex"')
  const before = readFileSync(file, 'utf8')
  // Reading writes nothing.
  await list(url)
  await control(url, '/rules', 'POST', { reply: { status: 503 } })
  await expect.poll(() => readFileSync(file, 'utf8')).toContain('503')
  // What changes is appended: one write with a hash.
  const [appended = '', ...others] = readFileSync(file, 'utf8').split(before).slice(1)
  expect(others).toEqual([])
  // A creation during the first write may be appended once more.
  expect(appended.split('\n').slice(-3)).toEqual([
    expect.stringMatching(/^\{"sandbox":null,"change":\{"parts":\{"rules":/),
    expect.stringMatching(/^\{"sha256":/),
    '',
  ])
})

test('changes of each kind that were appended are there after a start', async () => {
  const file = join(makeFolder(), 'mock.state')
  const args = ['--state', file, '--pets', '3', '--behavior', 'list.order=oldest-first']
  const shown = async (url: string) => [
    await list(url),
    await list(url, sandboxKey('team-a')),
    (
      (await (await control(url, '/sandboxes', 'GET')).json()) as {
        sandboxes: { name: string; pets: number }[]
      }
    ).sandboxes.map(({ name, pets }) => [name, pets]),
    await (await control(url, '/rules', 'GET')).text(),
    await (await control(url, '/snapshots', 'GET')).text(),
  ]
  const changes: [method: string, path: string, body?: object][] = [
    ['PATCH', '/pets/2', { name: 'Tom' }],
    ['PATCH', '/pets/2', { status: 'sold' }],
    ['DELETE', '/pets/1'],
    ['POST', '/pets', [{ id: 9, name: 'Nine', categoryId: 1 }]],
    ['PUT', '/snapshots/one'],
    ['POST', '/sandboxes', { name: 'team-a' }],
    ['POST', '/sandboxes', { name: 'team-b' }],
    ['DELETE', '/sandboxes/team-b/pets'],
    ['DELETE', '/sandboxes/team-b'],
    ['DELETE', '/sandboxes/team-a/pets'],
    ['POST', '/rules', { reply: { status: 503 }, times: 1, when: { operation: 'getPet' } }],
  ]
  let wanted: unknown[] = []
  await once(args, async (url) => {
    await expect.poll(() => existsSync(file)).toBe(true)
    for (const [method, path, body] of changes) {
      const size = statSync(file).size
      const reply = await control(url, path, method, body)
      expect(reply.status, `${method} ${path}`).toBeLessThan(300)
      await expect.poll(() => statSync(file).size).toBeGreaterThan(size)
    }
    wanted = await shown(url)
  })
  await once(args, async (url) => {
    expect(await shown(url)).toEqual(wanted)
    expect(await (await create(url, '{"name":"Next","categoryId":1}')).text()).toContain('"id":4')
  })
})

describe('the last write', () => {
  test.each<[string, (text: string) => string]>([
    ['cut', (text) => text.slice(0, -10)],
    ['cut before its hash', (text) => text.slice(0, text.lastIndexOf('{"sha256"'))],
    ['cut to its beginning', (text) => text.slice(0, text.lastIndexOf('{"sandbox"') + 1)],
    ['full of zeros', (text) => text.slice(0, -200) + '\0'.repeat(200)],
  ])('that is %s is left out, and the next one takes its place', async (_, damage) => {
    const file = join(makeFolder(), 'mock.state')
    const args = ['--state', file, '--pets', '0']
    await once(args, async (url) => {
      for (const name of ['Rex', 'Tom']) {
        await create(url, `{"name":"${name}","categoryId":1}`)
        await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8')).toContain(name)
      }
    })
    writeFileSync(file, damage(readFileSync(file, 'utf8')))
    await once(args, async (url) => {
      const pets = await list(url)
      expect(pets).toContain('Rex')
      expect(pets).not.toContain('Tom')
      await create(url, '{"name":"Pip","categoryId":1}')
    })
    await once(args, async (url) => expect(await list(url)).toMatch(/Pip.*Rex/))
  })

  test('a damaged write before others is no torn one', async () => {
    const file = join(makeFolder(), 'mock.state')
    const args = ['--state', file, '--pets', '0']
    await once(args, async (url) => {
      for (const name of ['Rex', 'Tom', 'Pip']) {
        await create(url, `{"name":"${name}","categoryId":1}`)
        await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8')).toContain(name)
      }
    })
    writeFileSync(file, readFileSync(file, 'utf8').replace('Tom', 'Tim'))
    expect(await mistakeOf(['mock', '--port', '0', ...args])).toContain('is damaged')
  })
})

test('a file that changes have doubled is written anew', async () => {
  const file = join(makeFolder(), 'mock.state')
  await once(['--state', file, '--pets', '0'], async (url) => {
    await expect.poll(() => existsSync(file)).toBe(true)
    const sizes: number[] = []
    for (let count = 0; count < 8; count += 1) {
      const pets = Array.from({ length: 5 }, (_, id) => ({
        id,
        name: 'x'.repeat(50_000),
        categoryId: 1,
      }))
      const before = statSync(file).size
      expect((await control(url, '/pets', 'PUT', pets)).status).toBeLessThan(300)
      await expect.poll(() => statSync(file).size).not.toBe(before)
      sizes.push(statSync(file).size)
    }
    expect(Math.max(...sizes)).toBeLessThan(1_800_000)
    expect(sizes.filter((size, place) => size < (sizes[place - 1] ?? 0)).length).toBeGreaterThan(0)
  })
})

describe('a file that cannot be read gives one clear line, and stays unchanged', () => {
  const whole = async (...args: string[]) => {
    const file = join(makeFolder(), 'mock.state')
    await once(['--state', file, '--pets', '2', ...args], async () => {})
    return file
  }
  test.each<[what: string, damage: (text: string) => string | Uint8Array]>([
    ['empty', () => ''],
    ['cut', (text) => text.slice(0, -10)],
    ['cut after a line', (text) => text.slice(0, text.lastIndexOf('{'))],
    ['cut to its first line', (text) => text.slice(0, text.indexOf('\n') + 1)],
    ['changed by hand', (text) => text.replace('"id":1', '"id":7')],
    [
      'with bytes that are no text',
      (text) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text)]),
    ],
    ['deep', () => '['.repeat(100_000)],
  ])('%s', async (_, damage) => {
    const file = await whole()
    const text = damage(readFileSync(file, 'utf8'))
    writeFileSync(file, text)
    expect(await mistakeOf(['mock', '--port', '0', '--pets', '2', '--state', file])).toBe(
      `--state ${file} is damaged, or not a state file: it was not changed; move it, or give another file`,
    )
    expect(Buffer.compare(readFileSync(file), Buffer.from(text))).toBe(0)
  })

  test.each([1, 2, 4])('of the version %i', async (format) => {
    const file = await whole()
    const text = readFileSync(file, 'utf8')
      .replace('"petstoreState":3', `"petstoreState":${format}`)
      .replace(/"kit":"[^"]*"/, '"kit":"9.1.0"')
    writeFileSync(file, text)
    expect(await mistakeOf(['mock', '--port', '0', '--pets', '2', '--state', file])).toBe(
      `--state ${file} was written by petstore-kit 9.1.0 in format ${format}, and ${version} reads only format 3: it was not changed; move it, or give another file`,
    )
    expect(readFileSync(file, 'utf8')).toBe(text)
  })

  test('of a mock with other settings, which are named', async () => {
    const file = await whole()
    const stays = ': it was not changed; move it, or give another file'
    expect(await mistakeOf(['mock', '--state', file, '--seed', '7', '--ids', 'large'])).toBe(
      `--state ${file} was created with --seed 1, not 7, and --pets 2, not 100, and --ids small, not large${stays}`,
    )
    const data = join(file, '../pets.json')
    writeFileSync(data, '[]')
    expect(await mistakeOf(['mock', '--state', file, '--data', data])).toContain(
      'other pets of --data or --pets-from',
    )
    const ofData = join(file, '../data.state')
    await once(['--state', ofData, '--data', data], async () => {})
    await once(['--state', ofData, '--data', data], async () => {})
    writeFileSync(data, '[{"id":1,"name":"Rex","categoryId":1}]')
    expect(await mistakeOf(['mock', '--state', ofData, '--data', data])).toBe(
      `--state ${ofData} was created with other pets of --data or --pets-from${stays}`,
    )
  })
})

test('other changed options take effect after a reset, and stderr names them', async () => {
  const file = join(makeFolder(), 'mock.state')
  await once(['--state', file], async () => {})
  const { stderr } = await once(['--state', file, '--explain', '--delay', '1'], async (url) => {
    expect((await fetch(`${url}/pets`)).headers.get('petstore-explain')).toBeNull()
    await control(url, '/reset', 'POST')
    expect((await fetch(`${url}/pets`)).headers.get('petstore-explain')).not.toBeNull()
  })
  expect(stderr).toBe(
    `${file} was created with another value of --explain, --rules, --delay or --rate-limit, which stays in use until a reset.\n`,
  )
})

test('reports once that the state cannot be written, tries again, and exits with 4', async () => {
  const folder = join(makeFolder(), 'state')
  mkdirSync(folder)
  const file = join(folder, 'mock.state')
  const { url, says, interrupt, ended } = await startMockCommand('--state', file, '--pets', '0')
  await expect.poll(() => existsSync(file)).toBe(true)
  renameSync(folder, `${folder}.away`)
  await create(url, '{"name":"Rex","categoryId":1}')
  await says(/^petstore: \S+mock\.state could not be written: there is no folder \S+$/m, 'stderr')
  renameSync(`${folder}.away`, folder)
  await expect.poll(() => readFileSync(file, 'utf8')).toContain('"Rex"')
  rmSync(folder, { recursive: true })
  await create(url, '{"name":"Tom","categoryId":1}')
  interrupt()
  const { code, stderr } = await ended
  expect([code, stderr.trimEnd().split('\n')]).toEqual([
    4,
    [
      expect.stringContaining('could not be written'),
      `The state is in ${file} again.`,
      expect.stringContaining('could not be written'),
    ],
  ])
})

test('a second mock with the same file does not start, and one after a kill does', async () => {
  const { file, lock, args } = fresh()
  const one = startProcess(['mock', '--port', '0', '--quiet', ...args])
  const url = (await one.says(/^https?:\S+\n/)).trim()
  await create(url, '{"name":"Rex","categoryId":1}')
  await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8')).toContain('"Rex"')
  expect(await runProcess(['mock', '--port', '0', ...args])).toEqual({
    code: 2,
    signal: null,
    stdout: '',
    stderr: inUse(file, lock, `${one.child.pid} on ${hostname()}`),
  })
  one.child.kill('SIGKILL')
  await one.ended
  // A while later.
  utimesSync(lock, 0, 0)
  // What a kill during a save leaves.
  const left = `.mock.state.${crypto.randomUUID()}.tmp`
  writeFileSync(join(file, '..', left), 'half')
  await once(args, async (url) => expect(await list(url)).toContain('"Rex"'))
  expect(readdirSync(join(file, '..'))).toEqual(['mock.state'])
})

test('of mocks that start at once, one has the file', async () => {
  const { args } = fresh()
  const started = [1, 2, 3].map(() => startProcess(['mock', '--port', '0', ...args]))
  const ended = await Promise.any(started.map(({ ended }) => ended))
  expect(ended.code).toBe(2)
  const others = await Promise.any(
    started.map(async (one) => {
      const end = await one.ended
      if (end === ended) throw new Error('the first')
      return end
    }),
  )
  expect(others.code).toBe(2)
  for (const { child } of started) child.kill()
  const codes = await Promise.all(started.map(async (one) => (await one.ended).code))
  expect(codes.filter((code) => code === 0)).toHaveLength(1)
  expect(codes.filter((code) => code === 2)).toHaveLength(2)
})

describe('a lock that another process has left', () => {
  // No process has the second number; the first is that of a program which is no mock, or of another container.
  test.each([`${process.pid} on ${hostname()}`, `4194305 on ${hostname()}`, '1 on elsewhere'])(
    'counts while it is renewed, and no longer: process %s',
    async (who) => {
      const { file, lock, args } = fresh()
      writeFileSync(lock, `${who}, 4711`)
      const renewing = setInterval(() => utimesSync(lock, new Date(), new Date()), 200)
      onTestFinished(() => clearInterval(renewing))
      expect(await run(['mock', '--port', '0', ...args])).toEqual({
        code: 2,
        stdout: '',
        stderr: inUse(file, lock, who),
      })
      clearInterval(renewing)
      const hoursAgo = Date.now() / 1_000 - 3 * 3_600
      utimesSync(lock, hoursAgo, hoursAgo)
      expect(await once(args, async () => {})).toMatchObject({ code: 0, stderr: '' })
      expect(readdirSync(join(lock, '..'))).toEqual(['mock.state'])
    },
  )

  test('is shown without control characters', async () => {
    const { file, lock, args } = fresh()
    writeFileSync(lock, '\u001b[31m1 on x, 4711')
    const renewing = setInterval(() => utimesSync(lock, new Date(), new Date()), 200)
    onTestFinished(() => clearInterval(renewing))
    expect(await run(['mock', '--port', '0', ...args])).toMatchObject({
      stderr: inUse(file, lock, 'of another mock'),
    })
  })

  test.skipIf(process.platform === 'win32').each<[what: string, make: (lock: string) => void]>([
    ['a pipe', (lock) => execFileSync('mkfifo', [lock])],
    ['a link', (lock) => symlinkSync('/dev/zero', lock)],
    ['a link to nothing', (lock) => symlinkSync('nothing', lock)],
    ['a folder', (lock) => mkdirSync(lock)],
  ])('is refused at once if it is %s', async (_, make) => {
    const { file, lock, args } = fresh()
    make(lock)
    expect(await runProcess(['mock', '--port', '0', ...args])).toMatchObject({
      code: 2,
      stderr: `petstore: the lock of --state ${file}, ${lock}, cannot be read: it is a link, a folder, a pipe or a device; delete it if no mock uses the state\n`,
    })
  })
})

test('a mock that lost its lock responds to nothing but probes, and overwrites nothing', async () => {
  const { file, lock, args } = fresh()
  const { url, says, interrupt, ended } = await startMockCommand(...args)
  await expect.poll(() => existsSync(file)).toBe(true)
  writeFileSync(lock, '1 on elsewhere, 4711')
  await create(url, '{"name":"Tom","categoryId":1}')
  await says(
    /^petstore: another mock has taken over \S+; this one no longer responds: stop it$/m,
    'stderr',
  )
  const replies = [
    await create(url, '{"name":"Tim","categoryId":1}'),
    await control(url, '/rules', 'POST', { reply: { status: 503 } }),
    await control(url, '/ready', 'GET'),
  ]
  expect(replies.map((reply) => [reply.status, reply.headers.get('retry-after')])).toEqual([
    [503, '1'],
    [503, '1'],
    [503, null],
  ])
  expect(await replies[0]!.json()).toMatchObject({
    message: `another mock has taken over ${file}; this one no longer responds: stop it`,
  })
  expect((await control(url, '/health', 'GET')).status).toBe(200)
  interrupt()
  expect((await ended).code).toBe(4)
  expect(readFileSync(file, 'utf8')).not.toMatch(/Tom|Tim/)
  expect(readFileSync(lock, 'utf8')).toContain('elsewhere')
})

test('a deleted lock is made again', async () => {
  const { lock, args } = fresh()
  const { url, interrupt, ended } = await startMockCommand(...args)
  rmSync(lock)
  await expect.poll(() => existsSync(lock)).toBe(true)
  expect((await create(url, '{"name":"Rex","categoryId":1}')).status).toBe(201)
  interrupt()
  expect(await ended).toMatchObject({ code: 0, stderr: '' })
})

test('reports a read-only file at the start', async () => {
  const file = join(makeFolder(), 'mock.state')
  await once(['--state', file], async () => {})
  chmodSync(file, 0o400)
  const { code, stderr } = await run(['mock', '--state', file, '--port', 'x'])
  expect([code, stderr]).toEqual([2, expect.stringContaining('--port takes')])
})

test('repeats each minute that the state cannot be written, and keeps what could not be', async () => {
  const folder = makeFolder()
  const lines: string[] = []
  const terminal = { stdout: false, stderr: false }
  const console = { notify: (text: string) => void lines.push(text), terminal, env: {} }
  const file = join(folder, 'away', 'mock.state')
  mkdirSync(join(folder, 'away'))
  const { log, release } = await openStateFile(
    console as never,
    parseFlags(mockFlags, [], {}),
    file,
    {},
  )
  const state = createInnerMock(readSettings({}, []), { table: { defects: [] } })
    .enter(null)
    .machine.save()
  const keep = async () =>
    log.keep([], () => ({ number: 1, sandboxes: [{ name: null, state }] })).catch(() => {})
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const gone = join(folder, 'gone')
  renameSync(join(folder, 'away'), gone)
  for (const seconds of [0, 1, 58, 1, 1, 60]) {
    vi.advanceTimersByTime(seconds * 1000)
    await keep()
  }
  expect(lines.map((line) => line.replace(/^petstore: \S+ (.*) \S+\n$/, '$1'))).toEqual(
    Array.from('123', () => 'could not be written: there is no folder'),
  )
  expect(log.isBusy()).toBe(true)
  renameSync(gone, join(folder, 'away'))
  await keep()
  expect(lines.at(-1)).toBe(`The state is in ${file} again.\n`)
  expect(log.isBusy()).toBe(false)
  await release()
  expect(readdirSync(join(folder, 'away'))).toEqual(['mock.state'])
})

describe('in process', () => {
  test('startMock passes its state on, and continues from it', async () => {
    const states: MockState[] = []
    const keepState = async (state: MockState) => void states.push(state)
    const one = await startMock({ pets: 1, keepState })
    one.sandboxes.get('team-a').catalog.add([{ name: 'Rex', categoryId: 2n ** 60n }])
    await one.close()
    const text = printJson(states.at(-1))
    const other = await serveMock({ pets: 1, state: parseJson(text) as unknown as MockState })
    expect(other.sandboxes.list().map(({ name, pets }) => [name, pets])).toEqual([['team-a', 2]])
    expect(other.sandboxes.get('team-a').catalog.export().at(-1)?.categoryId).toBe(2n ** 60n)
  })

  test('a function rule is left out with one notice, and rejected among the options', async () => {
    const notices: string[] = []
    const states: MockState[] = []
    const keepState = async (state: MockState) => void states.push(state)
    const mock = await startMock({ keepState, onNotice: (notice) => notices.push(notice) })
    const outage = () => ({ reply: { status: 503 } })
    mock.use(outage, { reply: { status: 500 } }, outage)
    await mock.close()
    expect(notices).toEqual([
      expect.stringMatching(/^rule-1 is a function, which is not part of the state/),
    ])
    expect(states.at(-1)?.sandboxes[0]?.state.rules.rules.map(({ id }) => id)).toEqual(['rule-2'])
    await expect(startMock({ keepState, rules: [outage] })).rejects.toThrow(
      /a rule that is a function is not part/,
    )
  })

  test('a state with unknown settings is rejected', async () => {
    const states: MockState[] = []
    const mock = await startMock({ keepState: async (state) => void states.push(state) })
    await mock.close()
    const { name, state } = states.at(-1)!.sandboxes[0]!
    const settings = { ...state.settings, defects: ['list.gone'] }
    const start = (more: object) =>
      startMock({ state: { sandboxes: [{ name, state: { ...state, ...more } }] } })
    await expect(start({ settings })).rejects.toThrow(/there is no defect "list.gone"/)
    await expect(start({ version: 2 })).rejects.toThrow(/another version/)
  })
})
