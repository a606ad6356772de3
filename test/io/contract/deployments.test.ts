import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { chown, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { findDeployment, nameOfDeployment } from '../../../src/cli/deployments.ts'
import { Sanitizer } from '../../../src/proxy/sanitizer.ts'
import { readBaseUrl } from '../../../src/contract/session/options.ts'
import type { Issue, UsageError } from '../../../src/errors.ts'
import { startMock } from '../../../src/index.ts'
import { createFetch } from '../../../src/mock/adapters/fetch.ts'
import { key, startStore } from '../../support/store.ts'
import { cpuOf } from '../../support/cpu.ts'
import { makeFolder, readJson } from '../../support/folder.ts'
import { isConfig } from '../../support/schemas.ts'
import { run } from '../cli/command.ts'

const env = { PETSTORE_SHOP_KEY: key }
const posts = (requests: readonly { method: string }[]): number =>
  requests.filter(({ method }) => method === 'POST').length
const configOf = (deployments: object): object => ({ deployments })
/** The smallest selection. */
const least = ['--depth', 'smoke', '--only', 'list-pets.responses']
const leastWrites = ['--depth', 'smoke', '--only', 'create.success']
const writeReport = ['--reporter', 'json=report.json', '--settle', '0.3']

test('finds a deployment by its name from a folder below its configuration', async () => {
  const { url } = await startStore()
  const folder = makeFolder({
    'petstore.config.json': configOf({ staging: { baseUrl: url, keyEnv: 'PETSTORE_SHOP_KEY' } }),
    'a/b/empty.txt': '',
  })
  const { code, stdout } = await run(['verify', 'staging', ...least], {
    env,
    cwd: join(folder, 'a/b'),
  })
  expect(stdout).toContain(url)
  expect(stdout).toMatch(/^PASS/m)
  expect(code).toBe(0)
})

test('--config names another file, and PETSTORE_API_KEY is not sent to a deployment with its own key', async () => {
  const { url, requests } = await startStore()
  const folder = makeFolder({
    'petstore.config.json': configOf({}),
    'shop/other.json': configOf({ staging: { baseUrl: url, keyEnv: 'PETSTORE_SHOP_KEY' } }),
  })
  const args = ['verify', 'staging', '--config', 'shop/other.json', ...least]
  const other = { PETSTORE_API_KEY: 'Key-of-another.shop' }
  expect((await run(args, { env: { ...env, ...other }, cwd: folder })).code).toBe(0)
  const [first] = requests
  expect(first?.headers.authorization).toBe(`Bearer ${key}`)
  expect(JSON.stringify(requests)).not.toContain(other.PETSTORE_API_KEY)

  const without = await run(args, { env: other, cwd: folder })
  const message = 'the API key is missing: set PETSTORE_SHOP_KEY, or give --key or --key-file'
  expect(without).toEqual({ code: 2, stdout: '', stderr: `petstore: ${message}\n` })
  expect((await run([...args, '--key', key], { env: {}, cwd: folder })).code).toBe(0)
})

describe('production', () => {
  const ofProduction = (more: object = {}) =>
    startStore().then(async ({ url, requests }) => {
      const deployments = { production: { baseUrl: url, keyEnv: 'PETSTORE_SHOP_KEY', ...more } }
      return { requests, folder: makeFolder({ 'petstore.config.json': configOf(deployments) }) }
    })

  test('is read-only: no POST is sent', async () => {
    const { requests, folder } = await ofProduction()
    const { code, stdout } = await run(['verify', 'production'], { env, cwd: folder })
    expect(stdout).toContain('the run is read-only')
    expect(code).toBe(0)
    expect(requests.length).toBeGreaterThan(20)
    expect(requests.filter(({ method }) => !['GET', 'HEAD', 'OPTIONS'].includes(method))).toEqual(
      [],
    )
  })

  test.each([
    ['the configuration', { readOnly: false }, [], {}],
    [
      'the command line, which overrides the configuration',
      { readOnly: true },
      ['--allow-writes'],
      {},
    ],
    [
      'the command line, which overrides the environment',
      {},
      ['--allow-writes'],
      { PETSTORE_READ_ONLY: '1' },
    ],
  ])('gets creations if they are allowed by %s', async (_, more, options, preset) => {
    const { requests, folder } = await ofProduction(more)
    const args = ['verify', 'production', ...leastWrites, ...options]
    expect((await run(args, { env: { ...env, ...preset }, cwd: folder })).code).toBe(0)
    expect(posts(requests)).toBeGreaterThan(0)
  })

  test.each([
    ['the command line', ['--read-only'], {}],
    ['the environment', [], { PETSTORE_READ_ONLY: '1' }],
  ])(
    'gets no creations if %s forbids what the configuration allows',
    async (_, options, preset) => {
      const { requests, folder } = await ofProduction({ readOnly: false })
      await run(['verify', 'production', ...leastWrites, ...options], {
        env: { ...env, ...preset },
        cwd: folder,
      })
      expect(posts(requests)).toBe(0)
    },
  )
})

test('a remote deployment needs an explicit behavior about creations in its configuration or on the command line', async () => {
  const at = { baseUrl: 'https://petstore.invalid/v1', keyEnv: 'PETSTORE_SHOP_KEY' }
  const folder = makeFolder({
    'petstore.config.json': configOf({
      silent: at,
      writing: { ...at, readOnly: false },
      reading: { ...at, readOnly: true },
    }),
  })
  const statusOf = async (...args: string[]) =>
    (await run(['verify', ...args], { env, cwd: folder })).code
  expect(await statusOf('silent')).toBe(2)
  expect(
    await Promise.all([
      statusOf('writing'),
      statusOf('reading'),
      statusOf('silent', '--read-only'),
    ]),
  ).toEqual([3, 3, 3])
})

test('its other fields: maximum of writes, category, baseline relative to it, reporters', async () => {
  const { url, requests } = await startStore({ defects: ['list.default-10'] })
  const staging = {
    baseUrl: url,
    keyEnv: 'PETSTORE_SHOP_KEY',
    maxWrites: 4,
    categoryId: 4,
    baseline: 'known.json',
    reporters: ['junit', 'json=out/report.json'],
  }
  const failure = { requirement: 'list.limit.default', reason: 'old', expires: '2099-12-31' }
  const folder = makeFolder({
    'shop/petstore.config.json': configOf({ staging }),
    'shop/known.json': { schemaVersion: 1, failures: [failure] },
    'shop/deep/none.json': '',
  })
  const { code, stdout } = await run(
    ['verify', 'staging', '--settle', '0.3', '--only', 'create.*', '--only', 'list.limit.default'],
    {
      env,
      cwd: join(folder, 'shop/deep'),
    },
  )
  expect(stdout).toMatch(/^<\?xml /)
  expect(code).toBe(0)
  const report = readJson(folder, 'shop/deep/out/report.json')
  expect(report).toMatchObject({ baseline: { known: [failure] }, counts: { writes: 4 } })
  const bodies = requests
    .filter(({ method, body }) => method === 'POST' && body.includes('Petkit'))
    .map(({ body }) => body)
  expect(bodies[0]).toContain('"categoryId":4')
})

test('the command line overrides the fields of a deployment', async () => {
  const { url, requests } = await startStore()
  const staging = {
    baseUrl: url,
    keyEnv: 'PETSTORE_SHOP_KEY',
    maxWrites: 25,
    categoryId: 4,
    baseline: 'not-there.json',
    reporters: ['junit=not-wanted.xml'],
  }
  const folder = makeFolder({
    'petstore.config.json': configOf({ staging }),
    'none.json': { schemaVersion: 1, failures: [] },
  })
  const options = [
    '--only',
    'create.*',
    '--max-writes',
    '4',
    '--category-id',
    '7',
    '--baseline',
    'none.json',
    ...writeReport,
  ]
  expect((await run(['verify', 'staging', ...options], { env, cwd: folder })).code).toBe(0)
  expect(readJson(folder, 'report.json')).toMatchObject({ counts: { writes: 4 } })
  expect(requests.find(({ method }) => method === 'POST')?.body).toContain('"categoryId":7')
  expect(existsSync(join(folder, 'not-wanted.xml'))).toBe(false)
})

test('accepts a category beyond 2^53', async () => {
  const { url, requests } = await startStore()
  const config = `{"deployments":{"staging":{"baseUrl":"${url}","keyEnv":"PETSTORE_SHOP_KEY","categoryId":9007199254740993}}}`
  const folder = makeFolder({ 'petstore.config.json': `\uFEFF${config}` })
  const args = ['verify', 'staging', ...leastWrites]
  expect((await run(args, { env, cwd: folder })).code).toBe(0)
  expect(requests.find(({ method }) => method === 'POST')?.body).toContain(
    '"categoryId":9007199254740993',
  )
})

describe('a discovered configuration', () => {
  const staging = { baseUrl: 'http://127.0.0.1:1/v1', keyEnv: 'PETSTORE_SHOP_KEY' }
  const config = configOf({ staging })
  const nowhere = 'no petstore.config.json was found in this folder or its parent folders'
  const verifyIn = (folder: string, more: Record<string, string> = {}, ...args: string[]) =>
    run(['verify', 'staging', '--retry-budget', '0', ...args], {
      env: { ...env, ...more },
      cwd: folder,
    })

  test('is named on stderr, with the deployment and its host', async () => {
    const folder = makeFolder({
      'petstore.config.json': config,
      'a/b/.git/HEAD': '',
      'a/c/d/x': '',
    })
    const { code, stderr } = await verifyIn(join(folder, 'a/c/d'))
    const file = join(folder, 'petstore.config.json')
    expect(stderr).toBe(`petstore.config.json: ${file}, deployment staging, http://127.0.0.1:1\n`)
    expect(code).toBe(3)
  })

  test.each([
    ['the root of the repository', { 'repo/.git/HEAD': '' }, 'repo/src', {}],
    ['the root of a worktree', { 'repo/.git': 'gitdir: elsewhere' }, 'repo/src', {}],
    ['the home folder', { 'me/x': '' }, 'me/src', { HOME: 'me' }],
  ])('is not above %s', async (_, files, from, more: { HOME?: string }) => {
    const top = Object.keys(files)[0]?.split('/')[0] ?? ''
    const folder = makeFolder({ 'petstore.config.json': config, ...files, [`${from}/x`]: '' })
    if (more.HOME !== undefined) vi.stubEnv('HOME', join(folder, more.HOME))
    onTestFinished(() => void vi.unstubAllEnvs())
    const above = await verifyIn(join(folder, from))
    expect(above).toMatchObject({
      code: 2,
      stderr: `petstore: "staging" is not a URL, and ${nowhere}\n`,
    })
    await writeFile(join(folder, top, 'petstore.config.json'), JSON.stringify(config))
    expect((await verifyIn(join(folder, from))).code).toBe(3)
  })

  test.skipIf(process.getuid?.() !== 0)(
    'of another user is rejected, unless --config names it (needs root)',
    async () => {
      const folder = makeFolder({
        'petstore.config.json': config,
        'mine/x': '',
        'mine/petstore.config.json': config,
      })
      const file = join(folder, 'mine/petstore.config.json')
      await chown(file, 4242, 4242)
      const message = `${file} belongs to another user; to use it anyway, add --config ${file}`
      expect(await verifyIn(join(folder, 'mine'))).toEqual({
        code: 2,
        stdout: '',
        stderr: `petstore: ${message}\n`,
      })
      expect((await verifyIn(folder, {}, '--config', file)).code).toBe(3)

      await rm(file)
      await chown(join(folder, 'mine'), 4242, 4242)
      expect((await verifyIn(join(folder, 'mine'))).stderr).toContain(nowhere)
    },
  )

  test('cannot name a variable without the prefix PETSTORE_ for the key', async () => {
    for (const keyEnv of ['AWS_SECRET_ACCESS_KEY', 'PETSTORE_CONTROL_TOKEN', 'petstore_key']) {
      const { url, requests } = await startStore()
      const folder = makeFolder({
        'petstore.config.json': configOf({ staging: { baseUrl: url, keyEnv } }),
      })
      const secret = { [keyEnv]: key }
      const { code, stderr } = await verifyIn(folder, secret)
      const { origin } = new URL(url)
      expect(stderr).toBe(
        `petstore: ${join(folder, 'petstore.config.json')}: the keyEnv of staging must begin with PETSTORE_; ` +
          `to send ${keyEnv} to ${origin}, give --key-env ${keyEnv}\n`,
      )
      expect({ code, requests }).toEqual({ code: 2, requests: [] })
      expect((await verifyIn(folder, secret, '--key-env', keyEnv, ...least)).code).toBe(0)
      expect((await verifyIn(folder, {}, '--key', key, ...least)).code).toBe(0)
    }
  })

  test('curl commands read the key from the variable that was used', async () => {
    const broken = await startMock({ keys: [key], defects: ['list.limit-ignored'] })
    onTestFinished(() => broken.close())
    const verifyAs = (args: string[], env: Record<string, string>) =>
      run(['verify', broken.url, '--depth', 'smoke', '--settle', '0.3', ...args], { env })
    const named = await verifyAs(['--key-env', 'SHOP_KEY'], { SHOP_KEY: key })
    expect(named.stdout).toContain('-H "Authorization: Bearer $SHOP_KEY"')
    expect(named.stdout + named.stderr).not.toContain('PETSTORE_API_KEY')
    const given = await verifyAs(['--key', key], {})
    expect(given.stdout).toContain('-H "Authorization: Bearer $PETSTORE_API_KEY"')
    expect(given.stderr).toContain(
      'export PETSTORE_API_KEY=...  # then the commands of the report work',
    )
    const usual = await verifyAs([], { PETSTORE_API_KEY: key })
    expect(usual.stderr).not.toContain('export')
  })

  test('--key-env overrides PETSTORE_API_KEY, excludes --key, and is not printed', async () => {
    const { url } = await startStore()
    const verifyAs = (more: Record<string, string>, ...args: string[]) =>
      run(
        [
          'verify',
          url,
          '--depth',
          'smoke',
          '--only',
          'list-pets.responses',
          '--key-env',
          'OTHER',
          ...args,
        ],
        {
          env: more,
        },
      )
    expect((await verifyAs({ OTHER: key, PETSTORE_API_KEY: 'wrong' })).code).toBe(0)
    expect((await verifyAs({ PETSTORE_API_KEY: key })).stderr).toBe(
      'petstore: the API key is missing: set the variable given with --key-env\n',
    )
    expect((await verifyAs({ OTHER: key }, '--key', key)).stderr).toBe(
      'petstore: --key and --key-env cannot be combined\n',
    )
  })

  test('cannot write a report outside the working folder', async () => {
    const { url, requests } = await startStore()
    const folder = makeFolder({ 'work/x': '', 'other/x': '' })
    const work = join(folder, 'work')
    await symlink('../other', join(work, 'link'))
    for (const name of [
      '../out.json',
      join(folder, 'out.json'),
      'link/out.json',
      'a/../../out.json',
    ]) {
      const reporters = ['text', `json=${name}`]
      const file = join(work, 'petstore.config.json')
      await writeFile(
        file,
        JSON.stringify(configOf({ staging: { ...staging, baseUrl: url, reporters } })),
      )
      const rejected = await verifyIn(work)
      const message = `${file}: json=${name} is outside the working folder; to write it, add --reporter json=${name}`
      expect(rejected.stderr).toContain(`\npetstore: ${message}\n`)
      expect({ code: rejected.code, requests }).toEqual({ code: 2, requests: [] })
    }
    expect(
      (
        await verifyIn(
          work,
          {},
          '--reporter',
          'json=../out.json',
          '--depth',
          'smoke',
          '--only',
          'list-pets.responses',
        )
      ).code,
    ).toBe(0)
  })

  test('cannot print control characters in messages', async () => {
    const text = String.raw`{"deployments":{"\u001b]0;owned\u0007\u202e":{"baseUrl":1}}}`
    const folder = makeFolder({ 'petstore.config.json': text })
    const { code, stderr } = await verifyIn(folder)
    expect(stderr).toContain(String.raw`/deployments/\u001b]0;owned\u0007\u202e must have either`)
    expect(stderr.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    expect(code).toBe(2)
  })
})

/** The messages about the configuration in a folder. */
const mistakesOf = (folder: string): Promise<string> =>
  findDeployment('nobody', undefined, folder).then(String, (error: UsageError) => error.message)

const good = { baseUrl: 'https://petstore.invalid/v1', keyEnv: 'PETSTORE_SHOP_KEY' }
const noKeys =
  'do not store a key in a file that others read; set keyEnv to the name of an environment variable'

describe('reports mistakes together, each with its pointer, and without keys', () => {
  test.each([
    [configOf({}), ['petstore.config.json has no deployment "nobody"; it names none']],
    [
      configOf({ a: good, b: good }),
      ['petstore.config.json has no deployment "nobody"; it names a, b'],
    ],
    [{}, ['petstore.config.json: /deployments is required']],
    [[], ['petstore.config.json: must be an object']],
    ['null', ['petstore.config.json: must be an object']],
    [
      { deployments: [] },
      ['petstore.config.json: /deployments must be an object, a field for each deployment'],
    ],
    [
      {
        apiKey: 's3cret-key',
        timeout: 3,
        deployments: {
          staging: { ...good, key: 's3cret-key', accessToken: 's3cret-key', readonly: true },
          'a/b': {
            baseUrl: 'shop',
            keyEnv: 's3cret-key',
            readOnly: 'yes',
            maxWrites: -1,
            categoryId: 1.5,
          },
          c: { baseline: 1, reporters: 'junit' },
          d: 'https://petstore.invalid/v1',
        },
      },
      [
        `/deployments/staging/key: ${noKeys}`,
        `/deployments/staging/accessToken: ${noKeys}`,
        '/deployments/staging/readonly is unknown; did you mean readOnly?',
        '/deployments/a~1b/baseUrl must be an absolute URL',
        '/deployments/a~1b/keyEnv must be the name of an environment variable, such as PETSTORE_STAGING_KEY',
        '/deployments/a~1b/readOnly must be true or false',
        '/deployments/a~1b/maxWrites must be an integer from 0 to 1000',
        '/deployments/a~1b/categoryId must be an integer within int64',
        '/deployments/c/baseUrl is required',
        '/deployments/c/baseline must be the name of a file',
        '/deployments/c/reporters must be a list',
        '/deployments/d must be an object with baseUrl and keyEnv or keyCommand',
        `/apiKey: ${noKeys}`,
        '/timeout is unknown; there are $schema, deployments',
        '/deployments/c must have either keyEnv or keyCommand',
      ].map((mistake) => `petstore.config.json: ${mistake}`),
    ],
  ])('%j', async (config, mistakes) => {
    const folder = makeFolder({ 'petstore.config.json': config })
    const message = await mistakesOf(folder)
    expect(message.replaceAll(join(folder, '/'), '').split('\n')).toEqual(mistakes)
    expect(message).not.toContain('s3cret')
  })

  test('a file that is not JSON is reported without its text', async () => {
    for (const text of [
      '{"deployments": s3cret-key}',
      '{"deployments":\n {"key": "s3cret-key" "b": 1}}',
      '',
    ]) {
      const folder = makeFolder({ 'petstore.config.json': text })
      const message = await mistakesOf(folder)
      expect(message).toMatch(
        /^.*petstore\.config\.json:\d+:\d+: the configuration is not JSON: .+$/,
      )
      expect(message).not.toMatch(/s3cret|key"/)
    }
  })
})

test('the schema of the configuration accepts the example in the documentation', async () => {
  const page = await readFile(new URL('../../../docs/reference/verify.md', import.meta.url), 'utf8')
  const blocks = [...page.matchAll(/```json\n([^]*?)```/g)].map(([, text = '']) => JSON.parse(text))
  const examples = blocks.filter((block) => 'deployments' in block)
  expect(examples.map((example) => isConfig(example))).toEqual([true])
})

test.skipIf(process.platform === 'win32')(
  'a pipe named petstore.config.json is a mistake, and not waited for',
  async () => {
    const folder = makeFolder()
    execFileSync('mkfifo', [join(folder, 'petstore.config.json')])
    expect(await run(['verify', 'staging'], { env, cwd: folder })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^petstore: \S+ is not a regular file; remove it, or name another/,
      ) as string,
    })
  },
)

test.each(['nowhere', 'petstore.config.json'])(
  'a link to %s named petstore.config.json is a mistake',
  async (target) => {
    const folder = makeFolder()
    await symlink(target, join(folder, 'petstore.config.json'))
    expect(await run(['verify', 'staging'], { env, cwd: folder })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^petstore: \S+ is not a regular file; remove it/) as string,
    })
  },
)

test('a working folder that cannot be read is named', async () => {
  const gone = join(makeFolder(), 'gone')
  await expect(findDeployment('staging', undefined, gone)).rejects.toThrow(
    /^the working folder cannot be read: it does not exist$/,
  )
})

test('a name that looks like a host shows the mistakes in its configuration', async () => {
  const deployment = { baseUrl: 'https://eu.example/v1', keyEnv: 'PETSTORE_KEY', readonly: true }
  const cwd = makeFolder({ 'petstore.config.json': { deployments: { 'eu.staging': deployment } } })
  expect(await run(['verify', 'eu.staging'], { env, cwd })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('/deployments/eu.staging/readonly is unknown') as string,
  })
})

test('an address with many slashes takes no time', async () => {
  const baseUrl = `http://127.0.0.1:1/v1${'/'.repeat(200_000)}x`
  const folder = makeFolder({
    'petstore.config.json': configOf({ staging: { baseUrl, keyEnv: 'PETSTORE_SHOP_KEY' } }),
  })
  const taken = await cpuOf(async () => {
    const issues: Issue[] = []
    expect(readBaseUrl(baseUrl, issues)).toBe(baseUrl)
    expect(readBaseUrl(`http://127.0.0.1:1/v1${'/'.repeat(200_000)}`, issues)).toBe(
      'http://127.0.0.1:1/v1',
    )
    expect((await nameOfDeployment(baseUrl, undefined, folder))?.toString()).toBe('staging')
    expect(() => createFetch({}, { baseUrl })).toThrow('basePath')
    new Sanitizer('/v1').target(`/v1/pets${'?a'.repeat(100_000)}`)
  })
  // Quadratic time is minutes.
  expect(taken).toBeLessThan(5_000)
})
