import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reporters } from '../../../src/contract/index.ts'
import { createMock } from '../../../src/mock/index.ts'
import { type Received, sendJson, startServer } from '../../support/http-server.ts'
import { makeFolder } from '../../support/folder.ts'
import { type Result, run } from '../cli/command.ts'

const key = 'Kit-S3cret_key.7aB/+"<&>'
const gateway = 'gate-Pa55word "quoted" <&> of the shop'
const escaped = (text: string): string =>
  Array.from(text, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')

/** All encodings in which a secret could appear. */
const spellings = [key, gateway].flatMap((secret) => [
  secret,
  secret.slice(0, -1),
  secret.toUpperCase(),
  JSON.stringify(secret).slice(1, -1),
  encodeURIComponent(secret),
  secret
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;'),
  btoa(secret).slice(0, -4),
  btoa(`Bearer ${secret}`).slice(10, -4),
  escaped(secret),
])

/** Fails with the place, but not the secret, if an output contains one. */
function expectClean(what: string, text: string): void {
  const found = spellings.findIndex((secret) => text.includes(secret))
  expect(found === -1 ? 'clean' : `${what} holds spelling ${found}`).toBe('clean')
}

function expectCleanRun(what: string, { stdout, stderr }: Result): void {
  expectClean(`${what}: stdout`, stdout)
  expectClean(`${what}: stderr`, stderr)
}

const toBase64 = (text: string): string => Buffer.from(text).toString('base64')

/** The contents of a request in several encodings. */
function echoOf({ target, headers, body }: Received): string {
  const texts = [headers.authorization ?? '', String(headers['x-gateway'] ?? '')]
  return [...texts, ...texts.map(toBase64), ...texts.map(encodeURIComponent), target, body].join(
    ' | ',
  )
}

/** A store that echoes requests: in headers, in each Error, and in an extra field of each pet. */
async function startEcho(): Promise<string> {
  const mock = createMock({
    pets: 30,
    keys: [key],
    defects: ['error.status-text', 'list.default-10', 'pet.id-text'],
  })
  const { url } = await startServer(async (request, response) => {
    const { method, target, headers, body } = request
    const reply = await mock.handle({ method, target, headers, body })
    const echo = echoOf(request)
    const sent = {
      'x-echo': encodeURI(echo),
      'x-echo-raw': headers.authorization ?? '',
      'x-echo-64': toBase64(echo),
    }
    if (reply.status >= 400) {
      const json = JSON.stringify({ code: echo, message: `No: ${echo}`, status: 'x', also: [echo] })
      response.writeHead(reply.status, { 'content-type': 'application/json', ...sent })
      response.end(`${json.slice(0, -1)},"escaped":"${escaped(key)} ${escaped(gateway)}"}`)
      return
    }
    const { 'content-length': _, ...rest } = reply.headers
    response.writeHead(reply.status, { ...rest, ...sent })
    response.end(reply.body.replaceAll('"name":', `"echo":${JSON.stringify(echo)},"name":`))
  })
  return url
}

test('neither the key nor the value of --header is in any output, for any echo of the target', async () => {
  const url = await startEcho()
  const names = Object.keys(reporters)
  const folder = makeFolder({
    'petstore.config.json': {
      deployments: { echo: { baseUrl: url, keyEnv: 'PETSTORE_SHOP_KEY' } },
    },
    'key.txt': `${key}\n`,
    'summary.md': '',
  })
  const header = ['--header', `X-Gateway: ${gateway}`]
  const files = names.flatMap((name) => ['--reporter', `${name}=out/report.${name}`])

  const env = {
    PETSTORE_API_KEY: key,
    GITHUB_STEP_SUMMARY: join(folder, 'summary.md'),
    FORCE_COLOR: '1',
  }
  const whole = await run(['verify', url, '--settle', '0.3', '--verbose', ...header, ...files], {
    env,
    cwd: folder,
  })
  expect(whole.code).toBe(1)
  const runs: Record<string, Result> = { verify: whole }
  const named = { env: { PETSTORE_SHOP_KEY: key }, cwd: folder }
  const short = ['--read-only', '--settle', '0', '--only', 'error.*', ...header]
  runs['text'] = await run(['verify', 'echo', '--reporter', 'text', ...short], named)
  runs['replay'] = await run(
    ['replay', 'out/report.json', '--times', '1', '--settle', '0.3', ...header],
    { env, cwd: folder },
  )
  expect(runs['replay'].stdout).toContain('STILL FAILING')
  const known = ['--reason', 'known', '--output', 'out/known.json']
  runs['baseline'] = await run(['baseline', 'out/report.json', ...known], { cwd: folder })
  const again = [
    'verify',
    url,
    '--depth',
    'smoke',
    '--key-file',
    'key.txt',
    '--baseline',
    'out/known.json',
    ...header,
  ]
  runs['with a baseline'] = await run(again, { cwd: folder })

  for (const [what, ran] of Object.entries(runs)) expectCleanRun(what, ran)
  const written = (await readdir(join(folder, 'out'))).map((name) => join('out', name))
  expect(written).toHaveLength(names.length + 1)
  for (const file of [...written, 'summary.md']) {
    const text = await readFile(join(folder, file), 'utf8')
    expect(text, file).not.toBe('')
    expectClean(file, text)
  }
  // The key was in the responses: its replacement is in the report.
  expect(await readFile(join(folder, 'out/report.json'), 'utf8')).toMatch(
    /\$PETSTORE_API_KEY[^]*\$PETSTORE_HEADER_X_GATEWAY/,
  )
})

test('nor in the output of a failing command', async () => {
  const { url } = await startServer((request, response) =>
    sendJson(response, 401, { code: 'x', message: echoOf(request), status: 401 }),
  )
  const folder = makeFolder({
    'petstore.config.json': `{"deployments": {"shop": {"baseUrl": "${url}", "key": ${JSON.stringify(key)} "x": 1}}}`,
    'other.json': { deployments: { shop: { baseUrl: url, key, keyEnv: key, token: gateway } } },
    'no-key.txt': '',
    'no-deployments.json': { deployments: {} },
  })
  const env = { PETSTORE_API_KEY: key }
  const header = `X-Gateway: ${gateway}`
  const failures: [string[], number][] = [
    [['verify', url, '--header', header], 3],
    [['verify', url.replace('//', `//user:${encodeURIComponent(key)}@`)], 2],
    [['verify', `https://user:${encodeURIComponent(key)}@petstore.invalid/v1`], 2],
    [['verify', `user:${encodeURIComponent(key)}@petstore.invalid/v1`], 2],
    [['proxy', `user:${key}@petstore.invalid`, '--config', 'other.json'], 2],
    [['proxy', `https:/user:${key}@petstore.invalid`, '--config', 'no-deployments.json'], 2],
    [['verify', url, '--key', `${key} ${key}`], 2],
    [['verify', url, `--keys=${key}`], 2],
    [['verify', url, key], 2],
    [['verify', url, '--header', gateway], 2],
    [['verify', url, '--header', `Authorization: Bearer ${key}`], 2],
    [
      ['verify', url, '--header', `X-Gateway: ${gateway}\n`, '--header', `x-gateway: ${gateway}`],
      2,
    ],
    [['verify', url, '--key-file', 'no-key.txt'], 2],
    [['verify', 'shop'], 2],
    [['verify', 'shop', '--config', 'other.json'], 2],
    [['replay', 'petstore.config.json'], 2],
    [['baseline', 'petstore.config.json', '--reason', 'x'], 2],
  ]
  const ran = await Promise.all(failures.map(([args]) => run(args, { env, cwd: folder })))
  for (const [index, [args, status]] of failures.entries()) {
    const what = `${args[0]}, failure ${index}`
    expect(ran[index]?.code, what).toBe(status)
    expect(ran[index]!.stdout + ran[index]!.stderr, what).not.toBe('')
    expectCleanRun(what, ran[index]!)
  }
})
