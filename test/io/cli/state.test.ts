/** petstore mock --state: all sandboxes continue from a folder, with the same command line for each start. */
import {
  existsSync,
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
import { basename, dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { mockFlags } from '../../../src/cli/mock/mock-flags.ts'
import { openStateFolder } from '../../../src/cli/mock/state-folder.ts'
import { parseFlags } from '../../../src/options.ts'
import { createInnerMock } from '../../../src/mock/sandbox/mock.ts'
import { readSettings } from '../../../src/mock/sandbox/settings.ts'
import { parseJson, printJson } from '../../../src/json.ts'
import { defaultKey, type KeptSandbox, sandboxKey, startMock } from '../../../src/mock/index.ts'
import { mistakeOf, run, runProcess, startMockCommand, startProcess } from './command.ts'
import { version } from '../../../src/spec/version.ts'
import { makeFolder } from '../../support/folder.ts'
import { sample } from '../../support/level.ts'
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

/** A folder for a state, its lock, the file of the mock's own sandbox, and the arguments for it. */
function fresh(pets = '0') {
  const folder = join(makeFolder(), 'state')
  const args = ['--state', folder, '--pets', pets]
  return { folder, lock: join(folder, '.lock'), own: join(folder, 'own.json'), args }
}

/** A folder whose start was killed, with another lock. */
function locked(owner: string) {
  const all = fresh()
  mkdirSync(all.folder)
  writeFileSync(all.lock, `${owner}, 4711`)
  return all
}

const inUse = (folder: string, lock: string, who: string): string =>
  `petstore: --state ${folder} is in use by process ${who}, which renews the lock ${lock}; stop that mock, or give each mock its own\n`
const contentOf = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '')
const onDisk = (file: string): string => join(dirname(file), `.${basename(file)}.on-disk`)
/** Without the hidden ones. */
const filesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((file) => !file.startsWith('.'))
    .toSorted()
const temporariesIn = (folder: string): string[] =>
  readdirSync(folder).filter((file) => file.endsWith('.tmp'))
const sandboxFile = (folder: string, name: string): string => join(folder, `sandbox.${name}.json`)

/** Starts a mock, lets a test change it, and stops it. */
async function once(args: readonly string[], change: (url: string) => Promise<void>) {
  const mock = await startMockCommand(...args)
  await change(mock.url)
  mock.interrupt()
  return mock.ended
}

test('the first start creates the folder, readable only by its owner, and later ones continue from it', async () => {
  const { folder } = fresh()
  const args = ['--state', folder, '--pets', '2', '--ids', 'large']
  const big = '{"name":"Zoë","categoryId":9007199254740993}'
  const first = await once(args, async (url) => {
    expect((await create(url, big)).status).toBe(201)
    expect((await create(url, '{"name":"Tom","categoryId":1}', sandboxKey('team-a'))).status).toBe(
      201,
    )
  })
  expect(first).toMatchObject({ code: 0, stderr: '' })
  const files = ['own.json', 'petstore-state.json', 'sandbox.team-a.json']
  expect(filesIn(folder)).toEqual(files)
  for (const file of files) expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600)

  let startedAt = ''
  await once(args, async (url) => {
    expect(await list(url)).toContain(
      '"id":9007199254740997,"name":"Zoë","categoryId":9007199254740993',
    )
    expect(await list(url, sandboxKey('team-a'))).toContain('"name":"Tom"')
    // Ids continue, too.
    expect(await (await create(url, big)).text()).toContain('"id":9007199254740999')
    ;({ startedAt } = (await (await control(url, '/clock', 'GET')).json()) as { startedAt: string })
  })
  await once(args, async (url) => {
    expect(JSON.parse(await list(url))).toHaveLength(4)
    expect(await (await control(url, '/clock', 'GET')).json()).toMatchObject({ startedAt })
  })
})

test('rules with their counts, the clock, settings and snapshots are kept, and a reset restores the start', async () => {
  const { args } = fresh('3')
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

test('each sandbox has a file that is current while the mock runs, and goes with it', async () => {
  const { folder, own, args } = fresh()
  const { url } = await startMockCommand(...args)
  await create(url, '{"name":"Rex","categoryId":1}')
  await expect.poll(() => contentOf(own)).toContain('"Rex"')
  const team = sandboxFile(folder, 'team-a')
  await create(url, '{"name":"Tom","categoryId":1}', sandboxKey('team-a'))
  await expect.poll(() => contentOf(team)).toContain('"Tom"')
  const before = statSync(own).mtimeMs
  // Reading writes nothing, and neither does a change elsewhere.
  await list(url)
  await control(url, '/sandboxes/team-a/rules', 'POST', { reply: { status: 503 } })
  await expect.poll(() => contentOf(team)).toContain('503')
  expect(statSync(own).mtimeMs).toBe(before)
  await control(url, '/sandboxes/team-a', 'DELETE')
  await expect.poll(() => existsSync(team)).toBe(false)
  await create(url, '{"name":"Tim","categoryId":1}', sandboxKey('team-a'))
  await expect.poll(() => contentOf(team)).toMatch(/^(?!.*Tom).*Tim/s)
})

test('changes of each kind are there after a start', async () => {
  const { folder } = fresh()
  const args = ['--state', folder, '--pets', '3', '--behavior', 'list.order=oldest-first']
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
  const isSaved = async (url: string): Promise<boolean> =>
    (await (await control(url, '/metrics', 'GET')).text()).includes(
      'petstore_state_unsaved_seconds 0\n',
    )
  let wanted: unknown[] = []
  await once(args, async (url) => {
    for (const [method, path, body] of changes) {
      const reply = await control(url, path, method, body)
      expect(reply.status, `${method} ${path}`).toBeLessThan(300)
      expect(await isSaved(url), `${method} ${path}`).toBe(false)
      await expect.poll(() => isSaved(url)).toBe(true)
    }
    wanted = await shown(url)
  })
  await once(args, async (url) => {
    expect(await shown(url)).toEqual(wanted)
    expect(await (await create(url, '{"name":"Next","categoryId":1}')).text()).toContain('"id":4')
  })
})

describe('a folder that cannot be read gives one clear line, and stays unchanged', () => {
  const whole = async (...args: string[]) => {
    const all = fresh('2')
    await once([...all.args, ...args], async () => {})
    return { ...all, head: join(all.folder, 'petstore-state.json') }
  }
  test.each<[what: string, damage: (text: string) => string | Uint8Array]>([
    ['empty', () => ''],
    ['cut', (text) => text.slice(0, -10)],
    ['of something else', () => '{"name":"x"}'],
    ['without a version', (text) => text.replace('"petstoreState":4,', '')],
    ['without what it was made from', (text) => text.replace(/"start":\{[^}]*\}/, '"start":null')],
    ['without options', (text) => text.replace(/"options":.*/, '"options":[]}').replace('[]', '0')],
    ['deep', () => '['.repeat(100_000)],
  ])('with a head that is %s', async (_, damage) => {
    const { folder, head, args } = await whole()
    const text = damage(readFileSync(head, 'utf8'))
    writeFileSync(head, text)
    expect(await mistakeOf(['mock', '--port', '0', ...args])).toBe(
      `--state ${folder} is damaged: petstore-state.json is not complete; it was not changed; move it, or give another folder`,
    )
    expect(Buffer.compare(readFileSync(head), Buffer.from(text))).toBe(0)
  })

  test.each([1, 3, 5])('of the version %i', async (format) => {
    const { folder, head, args } = await whole()
    const text = readFileSync(head, 'utf8')
      .replace('"petstoreState":4', `"petstoreState":${format}`)
      .replace(/"kit":"[^"]*"/, '"kit":"9.1.0"')
    writeFileSync(head, text)
    expect(await mistakeOf(['mock', '--port', '0', ...args])).toBe(
      `--state ${folder} was written by petstore-kit 9.1.0 in format ${format}, and ${version} reads only format 4: it was not changed; move it, or give another folder`,
    )
    expect(readFileSync(head, 'utf8')).toBe(text)
  })

  test('of a mock with other settings, which are named', async () => {
    const { folder } = await whole()
    const stays = ': it was not changed; move it, or give another folder'
    expect(await mistakeOf(['mock', '--state', folder, '--seed', '7', '--ids', 'large'])).toBe(
      `--state ${folder} was created with --seed 1, not 7, and --pets 2, not 100, and --ids small, not large${stays}`,
    )
    const data = join(makeFolder(), 'pets.json')
    writeFileSync(data, '[]')
    expect(await mistakeOf(['mock', '--state', folder, '--data', data])).toContain(
      'other pets of --data or --pets-from',
    )
    const ofData = join(makeFolder(), 'state')
    await once(['--state', ofData, '--data', data], async () => {})
    await once(['--state', ofData, '--data', data], async () => {})
    writeFileSync(data, '[{"id":1,"name":"Rex","categoryId":1}]')
    expect(await mistakeOf(['mock', '--state', ofData, '--data', data])).toBe(
      `--state ${ofData} was created with other pets of --data or --pets-from${stays}`,
    )
  })

  test('of somebody else', async () => {
    const folder = makeFolder()
    writeFileSync(join(folder, 'own.json'), 'mine')
    expect(await mistakeOf(['mock', '--port', '0', '--state', folder])).toBe(
      `--state ${folder} has other files, such as own.json, and no state; name a folder of its own`,
    )
    expect(readdirSync(folder)).toEqual(['own.json'])
    // Such as the state of a preview.
    const file = join(folder, 'own.json')
    expect(await mistakeOf(['mock', '--port', '0', '--state', file])).toBe(
      `--state ${file} is not a folder, which a state is: name a new one`,
    )
  })
})

test('files of others in the folder stay as they are', async () => {
  const { folder, args } = fresh()
  mkdirSync(join(folder, 'lost+found'), { recursive: true })
  writeFileSync(join(folder, '.DS_Store'), 'x')
  await once(args, async () => {})
  const others = [
    'notes.txt',
    'sandbox.A.json',
    '.own.json.tmp',
    'own.json.bak',
    `.x.${crypto.randomUUID()}.tmp`,
  ]
  for (const other of others) writeFileSync(join(folder, other), other)
  await once(args, async (url) => {
    await control(url, '/sandboxes', 'POST', { name: 'team-a' })
    await control(url, '/sandboxes/team-a', 'DELETE')
  })
  for (const other of others) expect(readFileSync(join(folder, other), 'utf8')).toBe(other)
  // With the head, the file of the mock's own sandbox, and that on disk.
  expect(readdirSync(folder)).toHaveLength(others.length + 5)
})

describe('a sandbox that is damaged', () => {
  const whole = async () => {
    const all = fresh()
    await once(all.args, async (url) => {
      await create(url, '{"name":"Rex","categoryId":1}')
      for (const name of ['team-a', 'team-b'])
        await create(url, '{"name":"Tom","categoryId":1}', sandboxKey(name))
    })
    return { ...all, team: sandboxFile(all.folder, 'team-a') }
  }

  // As a power failure leaves it: with its name, and without its content.
  test.each<[how: string, restore: (team: string) => void, continues: string]>([
    ['starts anew', (team) => rmSync(onDisk(team)), '[]'],
    ['starts anew', (team) => writeFileSync(onDisk(team), ''), '[]'],
    ['continues from an older version', () => {}, 'Tom'],
  ])('is set aside, and its sandbox %s, while the others start', async (how, change, pet) => {
    const { folder, team, args } = await whole()
    rmSync(team)
    writeFileSync(team, '\0\0')
    change(team)
    const { code, stderr } = await once(args, async (url) => {
      expect(await list(url)).toContain('Rex')
      expect(await list(url, sandboxKey('team-b'))).toContain('Tom')
      // At once, so that a kill does not take it.
      if (pet !== '[]') expect(contentOf(team)).toContain(pet)
      expect(await list(url, sandboxKey('team-a'))).toContain(pet)
    })
    const aside = filesIn(folder).find((file) => file.includes('damaged')) ?? ''
    expect([code, stderr]).toEqual([
      0,
      `petstore: ${team} is damaged: its sandbox ${how}, and the file is now ${join(folder, aside)}\n`,
    ])
    expect(aside).toMatch(/^sandbox\.team-a\.json\.damaged-\d{8}T\d{9}Z$/)
    expect(readFileSync(join(folder, aside), 'utf8')).toBe('\0\0')
    expect(temporariesIn(folder)).toEqual([])
    const again = await once(args, async (url) =>
      expect(await list(url, sandboxKey('team-a'))).toContain(pet),
    )
    expect(again).toMatchObject({ code: 0, stderr: '' })
  })

  test('has an older version on disk soon after it has changed, which goes with it', async () => {
    const { folder, team, args } = await whole()
    const { url, interrupt, ended } = await startMockCommand(...args)
    await create(url, '{"name":"Max","categoryId":1}', sandboxKey('team-a'))
    await expect.poll(() => contentOf(onDisk(team))).toContain('Max')
    await control(url, '/sandboxes/team-a', 'DELETE')
    await expect.poll(() => existsSync(team)).toBe(false)
    expect(existsSync(onDisk(team))).toBe(false)
    interrupt()
    await ended
    // That of a sandbox whose deletion was killed in between.
    writeFileSync(onDisk(team), 'x')
    await once(args, async () => {})
    expect(filesIn(folder)).toEqual(['own.json', 'petstore-state.json', 'sandbox.team-b.json'])
    expect(existsSync(onDisk(team))).toBe(false)
  })

  test('is recognized at any byte where its file may be cut or changed, or if it is that of another', async () => {
    const { folder, own, team, args } = await whole()
    const bytes = readFileSync(team)
    const read = async () => {
      const lines: string[] = []
      const terminal = { stdout: false, stderr: false }
      const console = { notify: (text: string) => void lines.push(text), terminal, env: {} }
      const options = { pets: 0 }
      const { state, release } = await openStateFolder(
        console as never,
        parseFlags(mockFlags, [], {}),
        folder,
        options,
      )
      await release()
      return [state?.map(({ name }) => name).toSorted(), lines.length]
    }
    expect(await read()).toEqual([[null, 'team-a', 'team-b'], 0])
    const without = [[null, 'team-b'], 1]
    for (const cut of sample([...bytes.keys()], { usual: 8, slow: 1, all: 1 })) {
      writeFileSync(team, bytes.subarray(0, cut))
      expect(await read(), `cut at ${cut}`).toEqual(without)
      writeFileSync(
        team,
        bytes.map((byte, place) => (place === cut ? byte ^ 1 : byte)),
      )
      expect(await read(), `changed at ${cut}`).toEqual(without)
    }
    for (const other of [
      Buffer.concat([bytes, bytes]),
      Buffer.concat([bytes, Buffer.from('\n')]),
      readFileSync(own),
    ]) {
      writeFileSync(team, other)
      expect(await read()).toEqual(without)
    }
    expect(args).toContain(folder)
  })
})

test('other changed options take effect after a reset, and stderr names them', async () => {
  const { folder } = fresh()
  await once(['--state', folder], async () => {})
  const { stderr } = await once(['--state', folder, '--explain', '--delay', '1'], async (url) => {
    expect((await fetch(`${url}/pets`)).headers.get('petstore-explain')).toBeNull()
    await control(url, '/reset', 'POST')
    expect((await fetch(`${url}/pets`)).headers.get('petstore-explain')).not.toBeNull()
  })
  expect(stderr).toBe(
    `${folder} was created with another value of --explain, --rules, --delay or --rate-limit, which stays in use until a reset.\n`,
  )
})

test('reports once that the state cannot be written, tries again, and exits with 4', async () => {
  const { folder, own, args } = fresh()
  const { url, says, interrupt, ended } = await startMockCommand(...args)
  await expect.poll(() => existsSync(own)).toBe(true)
  renameSync(folder, `${folder}.away`)
  await create(url, '{"name":"Rex","categoryId":1}')
  await create(url, '{"name":"Rex","categoryId":1}', sandboxKey('team-a'))
  await says(/^petstore: \S+\.json could not be written: there is no folder \S+$/m, 'stderr')
  renameSync(`${folder}.away`, folder)
  await expect.poll(() => contentOf(own)).toContain('"Rex"')
  await says(/^The state is in/m, 'stderr')
  rmSync(folder, { recursive: true })
  await create(url, '{"name":"Tom","categoryId":1}')
  interrupt()
  const { code, stderr } = await ended
  expect([code, stderr.trimEnd().split('\n')]).toEqual([
    4,
    [
      expect.stringContaining('could not be written'),
      `The state is in ${folder} again.`,
      expect.stringContaining('could not be written'),
    ],
  ])
})

test('one sandbox that cannot be written does not keep the others from it, and shows', async () => {
  const { folder, own, args } = fresh()
  const { url, interrupt, ended } = await startMockCommand(...args, '--ready-needs-state')
  await expect.poll(() => existsSync(own)).toBe(true)
  mkdirSync(join(sandboxFile(folder, 'team-a'), 'x'), { recursive: true })
  await create(url, '{"name":"Tom","categoryId":1}', sandboxKey('team-a'))
  for (const name of ['Rex', 'Max']) {
    await create(url, `{"name":"${name}","categoryId":1}`)
    await expect.poll(() => contentOf(own)).toContain(name)
  }
  const ready = async () => (await control(url, '/ready', 'GET')).status
  await expect.poll(ready, { interval: 100 }).toBe(503)
  await expect
    .poll(async () => (await control(url, '/metrics', 'GET')).text())
    .toMatch(/^petstore_state_unsaved_seconds [1-9]/m)
  rmSync(sandboxFile(folder, 'team-a'), { recursive: true })
  await expect.poll(ready).toBe(200)
  interrupt()
  expect(await ended).toMatchObject({ code: 0 })
})

test('a second mock with the same folder does not start, and one after a kill does', async () => {
  const { folder, own, lock, args } = fresh()
  const one = startProcess(['mock', '--port', '0', '--quiet', ...args])
  const url = (await one.says(/^https?:\S+\n/)).trim()
  await create(url, '{"name":"Rex","categoryId":1}')
  await expect.poll(() => contentOf(own)).toContain('"Rex"')
  expect(await runProcess(['mock', '--port', '0', ...args])).toEqual({
    code: 2,
    signal: null,
    stdout: '',
    stderr: inUse(folder, lock, `${one.child.pid} on ${hostname()}`),
  })
  one.child.kill('SIGKILL')
  await one.ended
  // A while later.
  utimesSync(lock, 0, 0)
  // What a kill during a save leaves.
  for (const half of ['own.json', '.own.json.on-disk', 'petstore-state.json', 'lock'])
    writeFileSync(join(folder, `.${half}.${crypto.randomUUID()}.tmp`), 'half')
  await once(args, async (url) => expect(await list(url)).toContain('"Rex"'))
  expect(filesIn(folder)).toEqual(['own.json', 'petstore-state.json'])
  expect(temporariesIn(folder)).toEqual([])
})

test('of mocks that start at once, one has the folder', async () => {
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
      const { folder, lock, args } = locked(who)
      const renewing = setInterval(() => utimesSync(lock, new Date(), new Date()), 200)
      onTestFinished(() => clearInterval(renewing))
      expect(await run(['mock', '--port', '0', ...args])).toEqual({
        code: 2,
        stdout: '',
        stderr: inUse(folder, lock, who),
      })
      clearInterval(renewing)
      const hoursAgo = Date.now() / 1_000 - 3 * 3_600
      utimesSync(lock, hoursAgo, hoursAgo)
      expect(await once(args, async () => {})).toMatchObject({ code: 0, stderr: '' })
      expect(filesIn(folder)).toEqual(['own.json', 'petstore-state.json'])
    },
  )

  test('is shown without control characters', async () => {
    const { folder, lock, args } = locked('\u001b[31m1 on x')
    const renewing = setInterval(() => utimesSync(lock, new Date(), new Date()), 200)
    onTestFinished(() => clearInterval(renewing))
    expect(await run(['mock', '--port', '0', ...args])).toMatchObject({
      stderr: inUse(folder, lock, 'of another mock'),
    })
  })

  test.skipIf(process.platform === 'win32').each<[what: string, make: (lock: string) => void]>([
    ['a pipe', (lock) => execFileSync('mkfifo', [lock])],
    ['a link', (lock) => symlinkSync('/dev/zero', lock)],
    ['a link to nothing', (lock) => symlinkSync('nothing', lock)],
    ['a folder', (lock) => mkdirSync(lock)],
  ])('is refused at once if it is %s', async (_, make) => {
    const { folder, lock, args } = fresh()
    mkdirSync(folder)
    make(lock)
    expect(await runProcess(['mock', '--port', '0', ...args])).toMatchObject({
      code: 2,
      stderr: `petstore: the lock of --state ${folder}, ${lock}, cannot be read: it is a link, a folder, a pipe or a device; delete it if no mock uses the state\n`,
    })
  })
})

test('a mock that lost its lock responds to nothing but probes, and overwrites nothing', async () => {
  const { folder, own, lock, args } = fresh()
  const { url, says, interrupt, ended } = await startMockCommand(...args)
  await expect.poll(() => existsSync(own)).toBe(true)
  writeFileSync(lock, '1 on elsewhere, 4711')
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
    message: `another mock has taken over ${folder}; this one no longer responds: stop it`,
  })
  expect((await control(url, '/health', 'GET')).status).toBe(200)
  interrupt()
  await ended
  expect(contentOf(own)).not.toContain('Tim')
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

test('repeats each minute that the state cannot be written', async () => {
  const { folder } = fresh()
  mkdirSync(folder)
  const lines: string[] = []
  const terminal = { stdout: false, stderr: false }
  const console = { notify: (text: string) => void lines.push(text), terminal, env: {} }
  const { target, release } = await openStateFolder(
    console as never,
    parseFlags(mockFlags, [], {}),
    folder,
    {},
  )
  const state = createInnerMock(readSettings({}, []), { loaded: { defects: [] } })
    .findOrCreate(null)
    .machine.save()
  const save = async () => target.save({ name: null, state }).catch(() => {})
  renameSync(folder, `${folder}.away`)
  // Only for messages: the lock goes on by another clock.
  const from = Date.now()
  const now = vi.spyOn(Date, 'now')
  onTestFinished(() => now.mockRestore())
  for (const seconds of [0, 1, 59, 60, 61, 120]) {
    now.mockReturnValue(from + seconds * 1_000)
    await save()
  }
  now.mockRestore()
  expect(lines.map((line) => line.replace(/^petstore: \S+ (.*) \S+\n$/, '$1'))).toEqual(
    Array.from('123', () => 'could not be written: there is no folder'),
  )
  renameSync(`${folder}.away`, folder)
  await save()
  expect(lines.at(-1)).toBe(`The state is in ${folder} again.\n`)
  await release()
  expect(filesIn(folder)).toEqual(['own.json', 'petstore-state.json'])
})

describe('in process', () => {
  const keepIn = (kept: Map<string | null, KeptSandbox>) => async (sandbox: KeptSandbox) =>
    void kept.set(sandbox.name, sandbox)

  test('startMock passes its state on, and continues from it', async () => {
    const kept = new Map<string | null, KeptSandbox>()
    const one = await startMock({ pets: 1, keepState: keepIn(kept) })
    one.sandboxes.get('team-a').catalog.add([{ name: 'Rex', categoryId: 2n ** 60n }])
    one.sandboxes.get('team-b')
    await expect.poll(() => kept.has('team-b')).toBe(true)
    one.sandboxes.delete('team-b')
    await one.close()
    expect([...kept.keys()]).toEqual([null, 'team-a', 'team-b'])
    const text = printJson([...kept.values()] as never)
    const other = await serveMock({ pets: 1, state: parseJson(text) as never })
    expect(other.sandboxes.list().map(({ name, pets }) => [name, pets])).toEqual([['team-a', 2]])
    expect(other.sandboxes.get('team-a').catalog.export().at(-1)?.categoryId).toBe(2n ** 60n)
    expect(other.clock.startedAt).toEqual(one.clock.startedAt)
  })

  test('a function rule is left out with one notice, and rejected among the options', async () => {
    const notices: string[] = []
    const kept = new Map<string | null, KeptSandbox>()
    const keepState = keepIn(kept)
    const mock = await startMock({ keepState, onNotice: (notice) => notices.push(notice) })
    const outage = () => ({ reply: { status: 503 } })
    mock.use(outage, { reply: { status: 500 } }, outage)
    await mock.close()
    expect(notices).toEqual([
      expect.stringMatching(/^rule-1 is a function, which is not part of the state/),
    ])
    expect(kept.get(null)?.state?.rules.rules.map(({ id }) => id)).toEqual(['rule-2'])
    await expect(startMock({ keepState, rules: [outage] })).rejects.toThrow(
      /a rule that is a function is not part/,
    )
  })

  test('a state with unknown settings is rejected', async () => {
    const kept = new Map<string | null, KeptSandbox>()
    const mock = await startMock({ keepState: keepIn(kept) })
    await mock.close()
    const { name, state } = kept.get(null)!
    const settings = { ...state!.settings, defects: ['list.gone'] }
    const start = (more: object) => startMock({ state: [{ name, state: { ...state!, ...more } }] })
    await expect(start({ settings })).rejects.toThrow(/there is no defect "list.gone"/)
    await expect(start({ version: 2 })).rejects.toThrow(/another version/)
  })
})
