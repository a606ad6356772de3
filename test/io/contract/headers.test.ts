import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { key, startStore } from '../../support/store.ts'
import { makeFolder } from '../../support/folder.ts'
import { mistakeOf, run } from '../cli/command.ts'

const env = { PETSTORE_API_KEY: key }

test('sends all --header options with each request', async () => {
  const { url, requests } = await startStore()
  const gateway = [
    '--header',
    'X-Gateway: a value: with a colon',
    '--header=x-team:contract',
    '--header',
    'User-Agent: own',
  ]
  expect((await run(['verify', url, '--depth', 'smoke', ...gateway], { env })).code).toBe(0)
  expect(requests.length).toBeGreaterThan(10)
  for (const { headers } of requests) {
    expect(headers).toMatchObject({
      'x-gateway': 'a value: with a colon',
      'x-team': 'contract',
      'user-agent': 'own',
    })
  }
})

const ownHeaders =
  'Accept Accept-Encoding AUTHORIZATION Connection content-length Content-Type Expect Host Keep-Alive ' +
  'Proxy-Authorization TE Trailer Transfer-Encoding Upgrade'

test.each([
  ['s3cret-value', "--header takes 'Name: value'; number 1 of 1 has no colon"],
  [': s3cret-value', "--header takes 'Name: value'; number 1 of 1 has no colon"],
  ['X Gateway: s3cret-value', '--header: "X Gateway" is not a valid header name'],
  ['X-Gateway: s3cret-\u20acvalue', '--header X-Gateway has a character that it cannot carry'],
  ['X-Gateway: s3cret-value\nX: y', '--header X-Gateway has a character that it cannot carry'],
  ...ownHeaders
    .split(' ')
    .map((name): [string, string] => [
      `${name}: s3cret-value`,
      `--header ${name} is set by the suite and cannot be given`,
    ]),
])('--header %j is rejected, and its value is not printed', async (header, message) => {
  expect(await mistakeOf(['verify', 'http://127.0.0.1:1/v1', '--header', header], { env })).toBe(
    message,
  )
})

describe('headers from the environment and the configuration', () => {
  const secret = 'cf-secret-0815'
  const variables = { ...env, PETSTORE_CF: secret, CF: secret }
  const least = ['--depth', 'smoke', '--only', 'list-pets.responses']
  const deployments = (url: string, headers: object): object => ({
    deployments: { staging: { baseUrl: url, keyEnv: 'PETSTORE_API_KEY', headers } },
  })

  test('--header-env sends the value of a variable, and the next run does, too', async () => {
    const { url, requests } = await startStore()
    const { code, stdout } = await run(
      ['verify', url, '--depth', 'smoke', '--header-env', 'CF-Access-Client-Secret: CF'],
      { env: variables },
    )
    expect(code).toBe(0)
    for (const { headers } of requests) expect(headers['cf-access-client-secret']).toBe(secret)
    expect(stdout).toContain(" --header-env 'CF-Access-Client-Secret: CF'")
    expect(stdout).not.toContain(secret)
  })

  test('a deployment has its own, of which the command line overrides each', async () => {
    const { url, requests } = await startStore()
    const headers = { 'CF-Secret': { env: 'PETSTORE_CF' }, 'X-Env': 'stage', 'X-Team': 'a' }
    const cwd = makeFolder({ 'petstore.config.json': deployments(url, headers) })
    const args = ['verify', 'staging', ...least, '--header', 'x-team: b']
    expect((await run(args, { env: variables, cwd })).code).toBe(0)
    for (const received of requests)
      expect(received.headers).toMatchObject({
        'cf-secret': secret,
        'x-env': 'stage',
        'x-team': 'b',
      })
  })

  test.each([
    ['--header-env', ['--header-env', 'X-Gate: CF', '--header-env', 'User-Agent: AGENT'], ''],
    ['the configuration', [], ''],
    [
      '--header',
      ['--header', `X-Gate: ${secret}`, '--header', 'User-Agent: shop'],
      'PETSTORE_HEADER_X_GATE=... PETSTORE_HEADER_USER_AGENT=...',
    ],
  ])('the curl commands of a run with %s run as printed', async (_, args, unset) => {
    const { url } = await startStore({ defects: ['list.limit-ignored'] }, (request, response) =>
      request.headers['x-gate'] === secret && request.headers['user-agent'] === 'shop'
        ? false
        : response.writeHead(403).end(),
    )
    const headers = { 'X-Gate': { env: 'PETSTORE_CF' }, 'User-Agent': { env: 'PETSTORE_AGENT' } }
    const cwd = makeFolder({ 'petstore.config.json': deployments(url, headers) })
    const target = args.length > 0 ? url : 'staging'
    const env = { ...variables, AGENT: 'shop', PETSTORE_AGENT: 'shop' }
    const { stdout, stderr } = await run(
      ['verify', target, '--depth', 'smoke', '--settle', '0.3', ...args],
      { env, cwd },
    )
    expect(stdout + stderr).not.toContain(secret)
    const commands = stdout
      .split('\n')
      .flatMap((line) => /(?<=^ *(?:\$ )?)curl .*/.exec(line) ?? [])
    expect(commands.length).toBeGreaterThan(0)
    if (unset === '') expect(stderr).not.toContain('export')
    else expect(stderr).toContain(`export ${unset}  # then the commands`)
    const set = { PETSTORE_HEADER_X_GATE: secret, PETSTORE_HEADER_USER_AGENT: 'shop' }
    for (const command of commands) {
      const { stdout: shown } = await promisify(execFile)('sh', ['-c', command], {
        env: { ...process.env, ...env, ...(unset !== '' && set) },
      })
      expect(shown, command).toMatch(/^HTTP\/1.1 200 /)
    }
  })

  test('each side of a comparison gets its own headers only', async () => {
    const [a, b] = [await startStore(), await startStore()]
    const sides = {
      a: { baseUrl: a.url, keyEnv: 'PETSTORE_API_KEY', headers: { 'X-Own': 'a' } },
      b: {
        baseUrl: b.url,
        keyEnv: 'PETSTORE_API_KEY',
        headers: { 'X-Own': { env: 'PETSTORE_CF' } },
      },
    }
    const cwd = makeFolder({ 'petstore.config.json': { deployments: sides } })
    const args = ['compare', 'a', 'b', ...least, '--header', 'X-Both: 1']
    expect((await run(args, { env: variables, cwd })).code).toBe(0)
    for (const { headers } of a.requests)
      expect(headers).toMatchObject({ 'x-own': 'a', 'x-both': '1' })
    for (const { headers } of b.requests)
      expect(headers).toMatchObject({ 'x-own': secret, 'x-both': '1' })
  })

  test.each([
    ['--header-env', 'X: NOT_SET', '--header-env X names a variable that is not set'],
    ['--header-env', 'X: $(id)', '--header-env X names a variable that is not set'],
    ['--header-env', 'NOT_SET', "--header-env takes 'Name: VARIABLE'; number 1 of 1 has no colon"],
  ])('%s %j is rejected', async (flag, text, message) => {
    expect(await mistakeOf(['verify', 'http://127.0.0.1:1/v1', flag, text], { env })).toBe(message)
  })

  test('a configuration names variables of the kit only, and those that are set', async () => {
    const mistake = async (name: string): Promise<string> => {
      const config = deployments('http://127.0.0.1:1/v1', { 'X-Secret': { env: name } })
      const cwd = makeFolder({ 'petstore.config.json': config })
      return (await run(['verify', 'staging'], { env: variables, cwd })).stderr
    }
    expect(await mistake('CF')).toMatch(
      /the header X-Secret of staging must come from a variable that begins with PETSTORE_.*--header-env 'X-Secret: CF'\n$/,
    )
    expect(await mistake('PETSTORE_NONE')).toMatch(
      /the header X-Secret of staging needs the variable PETSTORE_NONE, which is not set\n$/,
    )
  })
})
