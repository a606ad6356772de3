/** `petstore scorecard`, with servers that return recorded scorecards, and with mocks. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { defaultKey, varyProfile } from '../../../src/mock/index.ts'
import type { Scorecard } from '../../../src/mock/index.ts'
import { version } from '../../../src/spec/version.ts'
import { makeFolder } from '../../support/folder.ts'
import { mistakeOf, type Result, run as runCommand } from '../../io/cli/command.ts'
import { createAuthority, createCertificate } from '../../support/certificate.ts'
import { type Answer, type Received, sendJson, startServer } from '../../support/http-server.ts'
import { clean, faulty, silent } from './cards.ts'
import { hostile } from '../reporters/reports.ts'
import { serveMock } from '../../support/serve-mock.ts'

const run = (args: readonly string[], env: Record<string, string> = {}): Promise<Result> =>
  runCommand(['scorecard', ...args], { env, cwd: '/' })

/** A server and its received requests. */
async function serve(respond: Answer): Promise<{ origin: string; sent: Received[] }> {
  const { port, requests } = await startServer(respond)
  return { origin: `http://127.0.0.1:${port}`, sent: requests }
}

const responding =
  (value: unknown, status = 200): Answer =>
  (_, response) =>
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(typeof value === 'string' ? value : JSON.stringify(value))

async function send(
  url: string,
  key: string,
  method: string,
  body?: string,
  { query = '', prefer }: { query?: string; prefer?: string } = {},
): Promise<void> {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    ...(prefer !== undefined && { prefer }),
  }
  const sent = { method, headers, ...(body !== undefined && { body }) }
  await (await fetch(`${url}/pets${query}`, sent)).text()
}

/** Tries what a certificate needs. */
async function useAll(
  send: (method: string, body?: string, more?: { prefer: string }) => Promise<void>,
): Promise<void> {
  await send('GET')
  await send('POST', '{"name":"Rex","categoryId":1}')
  await send('GET', undefined, { prefer: 'code=401' })
}

describe('petstore scorecard', () => {
  test('prints the scorecards of a mock, at its origin or its base URL', async () => {
    const { origin, sent } = await serve(responding({ scorecards: [faulty(), silent()] }))
    for (const url of [origin, `${origin}/`, `${origin}/v1`, `${origin}/v1/pets?limit=5`]) {
      const { code, stdout, stderr } = await run([url])
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toMatch(/^key 2 {2}97 of 100\n/)
    }
    expect(sent.map(({ method, target }) => `${method} ${target}`)).toEqual(
      Array(4).fill('GET /_petstore/scorecard'),
    )
    expect(sent[0]?.headers.authorization).toBeUndefined()
  })

  test('shows the sandbox of a key that is the token', async () => {
    const mock = await serveMock({ controlToken: 'token-of-the-mock' })
    const { key } = mock.sandboxes.get('our-shop')
    await send(mock.url, key, 'GET')
    await send(mock.url, defaultKey, 'GET')
    const { code, stdout, stderr } = await run([mock.url, '--token', key])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^sandbox our-shop {2}100 of 100\n1 request,/)
    const other = await run([mock.url, '--token', key, '--sandbox', 'another'])
    expect(other).toMatchObject({ code: 3, stdout: '' })
    expect(other.stderr).toContain('/_petstore/sandboxes/our-shop')
    expect(other.stderr).not.toContain(key)
  })

  test('requests one sandbox with a token', async () => {
    const { origin, sent } = await serve(responding({ scorecards: [clean()] }))
    await run([origin, '--sandbox', 'team a/b', '--token', 'a-token'])
    await run([], { PETSTORE_BASE_URL: `${origin}/v1`, PETSTORE_CONTROL_TOKEN: 'another-token' })
    expect(sent.map(({ target, headers }) => [target, headers.authorization])).toEqual([
      ['/_petstore/sandboxes/team%20a%2Fb/scorecard', 'Bearer a-token'],
      ['/_petstore/scorecard', 'Bearer another-token'],
    ])
  })

  test('writes several reports at once', async () => {
    const { origin } = await serve(responding({ scorecards: [faulty()] }))
    const path = makeFolder()
    const files = ['json', 'markdown', 'html'].map((name) => join(path, 'reports', name))
    const reporters = ['json', 'markdown', 'html'].map((name, index) => `${name}=${files[index]}`)
    const { stdout } = await run([
      origin,
      '--reporter',
      'text',
      ...reporters.flatMap((value) => ['--reporter', value]),
    ])
    expect(stdout).toContain('97 of 100')
    const [json = '', markdown = '', html = ''] = files.map((file) => readFileSync(file, 'utf8'))
    expect(JSON.parse(json)).toEqual({ scorecards: [faulty()] })
    expect(markdown).toMatch(/^## /)
    expect(html).toMatch(/^<!DOCTYPE html>/)
  })

  test.each([
    ['97', 0, ''],
    ['98', 1, 'petstore: 1 of 2 clients scored below 98\n'],
    ['0', 0, ''],
  ])('--min-score %s exits with %i', async (least, code, stderr) => {
    const { origin } = await serve(responding({ scorecards: [faulty(), clean(), silent()] }))
    expect(await run([origin, '--min-score', least])).toMatchObject({ code, stderr })
  })

  test('--min-score exits with 3 when the journal has lost requests, unless a score is too low', async () => {
    const lossy = { ...faulty(), journal: { kept: 10_000, counted: 10_000, received: 12_345 } }
    const { origin } = await serve(responding({ scorecards: [clean(), lossy] }))
    expect(await run([origin])).toMatchObject({ code: 0, stderr: '' })
    expect(await run([origin, '--min-score', '98'])).toMatchObject({ code: 1 })
    expect(await run([origin, '--min-score', '97'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('only 10000 of 12345 requests are counted'),
    })
  })

  describe('--min-coverage', () => {
    test('the default requires more than one request for a score of 100', async () => {
      const mock = await serveMock({ port: 0 })
      await send(mock.url, defaultKey, 'GET')
      const { code, stderr } = await run([mock.url, '--min-score', '100'])
      expect({ code, stderr }).toEqual({
        code: 3,
        stderr:
          'petstore: a client has a coverage of 6%, less than 20%: its score says little; send more requests, or give another --min-coverage\n',
      })
      expect(await run([mock.url, '--min-score', '100', '--min-coverage', '0'])).toMatchObject({
        code: 0,
        stderr: '',
      })
      expect(await run([mock.url])).toMatchObject({ code: 0, stderr: '' })
      await send(mock.url, defaultKey, 'POST', '{"name":"Rex","categoryId":1}')
      expect(await run([mock.url, '--min-score', '100'])).toMatchObject({ code: 0, stderr: '' })
      expect(await run([mock.url, '--min-coverage', '60'])).toMatchObject({ code: 3 })
      // A low score takes precedence.
      await send(mock.url, defaultKey, 'POST', '{}')
      expect(await run([mock.url, '--min-score', '100', '--min-coverage', '60'])).toMatchObject({
        code: 1,
      })
    })
  })

  describe('--certificate', () => {
    const start = async () => {
      const options = {
        profile: { 'list.order': 'by-name' },
        defects: ['list.limit-ignored'],
        seed: 7,
      } as const
      const mock = await serveMock({ port: 0, ...options })
      const sandbox = mock.sandboxes.get('our-shop')
      const certify = (file: string, ...more: string[]) =>
        run([mock.url, '--sandbox', 'our-shop', '--certificate', file, ...more])
      return { mock, sandbox, send: send.bind(null, mock.url, sandbox.key), certify }
    }

    test('has client, dates, versions, options and coverage, as JSON and as HTML', async () => {
      const { mock, sandbox, send, certify } = await start()
      await useAll(send)
      const [json, page] = [
        join(makeFolder(), 'certificate.json'),
        join(makeFolder(), 'certificate.html'),
      ]
      const before = Date.now()
      expect(await certify(json)).toMatchObject({ code: 0, stderr: `wrote ${json}\n` })
      const made = JSON.parse(readFileSync(json, 'utf8'))
      expect(made).toEqual({
        certificate: 1,
        kit: version,
        issuedAt: expect.any(String),
        minima: { score: 100, coverage: 20 },
        mock: {
          url: new URL(mock.url).origin,
          seed: sandbox.settings.seed,
          options: { 'list.order': 'by-name' },
          defects: ['list.limit-ignored'],
        },
        clients: [
          {
            subject: 'sandbox our-shop',
            requests: 3,
            score: 100,
            coverage: 26,
            neverTried: expect.arrayContaining(['listPets: limit', 'createPet: a 401 response']),
            firstAt: expect.any(String),
            lastAt: expect.any(String),
          },
        ],
      })
      expect(Date.parse(made.issuedAt)).toBeGreaterThanOrEqual(before)
      expect(await certify(page)).toMatchObject({ code: 0 })
      const text = readFileSync(page, 'utf8')
      for (const part of [
        'sandbox our-shop',
        'list.order=by-name',
        `<dd>${version}</dd>`,
        'list.limit-ignored',
        '26%',
        '<h1>A score of 100 of 100 in 3 requests, coverage 26%</h1>',
      ]) {
        expect(text).toContain(part)
      }
      // Readable times: `20, 2026-11-20 12:00:00 UTC`.
      expect(text).toMatch(/<dd>\d+, \d{4}-\d\d-\d\d \d\d:\d\d:\d\d (?:to [\d :-]+ )?UTC<\/dd>/)
      expect(text).not.toMatch(/\dT\d\d:/)
    })

    test.each([
      [{ profile: varyProfile(4711) }, 4711],
      [{ profile: { ...varyProfile(7), 'auth.write-permission': '403' as const } }, 7],
      [{ profile: varyProfile(20_261_129) }, undefined],
      [{}, undefined],
    ])('has the seed of --vary: %#', async (options, vary) => {
      const mock = await serveMock({ port: 0, ...options })
      await useAll(send.bind(null, mock.url, defaultKey))
      const file = join(makeFolder(), 'certificate.json')
      await run([mock.url, '--certificate', file, '--min-score', '0', '--min-coverage', '0'])
      expect(JSON.parse(readFileSync(file, 'utf8')).mock.vary).toBe(vary)
      const page = file.replace('json', 'html')
      await run([mock.url, '--certificate', page, '--min-score', '0', '--min-coverage', '0'])
      // Of other seeds, nothing is known.
      expect(/<dt>--vary<\/dt>\s*<dd>(.*)<\/dd>/.exec(readFileSync(page, 'utf8'))?.[1]).toBe(
        vary?.toString(),
      )
    })

    test('--har writes the journal as an HTTP archive', async () => {
      const { mock, sandbox, send } = await start()
      await send('POST', '{"name":"Rex","categoryId":9007199254740993}')
      const file = join(makeFolder(), 'requests.har')
      expect(await run([mock.url, '--sandbox', 'our-shop', '--har', file])).toMatchObject({
        code: 0,
      })
      const text = readFileSync(file, 'utf8')
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(await sandbox.journal.toHar())))
      expect(text).not.toContain(sandbox.key)
      expect(await run([mock.url, '--har', makeFolder()])).toMatchObject({ code: 2 })
    })

    test('is not written below a minimum or without requests, with a one-line reason', async () => {
      const { sandbox, send, certify } = await start()
      const file = join(makeFolder(), 'certificate.json')
      await send('GET')
      const none = '; no certificate is written\n'
      const small = await certify(file)
      expect(small).toMatchObject({
        code: 1,
        stderr: `petstore: a client has not tried createPet, an error: a certificate needs requests to listPets and createPet, and one that got an error${none}`,
      })
      for (const query of ['?limit=1', '?status=available', '?status=pending', '?status=sold'])
        await send('GET', undefined, { query })
      expect(await certify(file, '--min-coverage', '0')).toMatchObject({ code: 1 })
      await send('POST', '{"name":"Rex","categoryId":1}')
      expect((await certify(file)).stderr).toContain('a client has not tried an error: ')
      expect(existsSync(file)).toBe(false)
      await useAll(send)
      const uncovered = await certify(file, '--min-coverage', '90')
      expect(uncovered).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^petstore: a client has a coverage of \d+%, .*\n$/),
      })
      expect(uncovered.stderr.endsWith(none)).toBe(true)
      expect(await certify(file)).toMatchObject({ code: 0 })
      rmSync(file)
      await send('POST', '{}')
      const low = await certify(file, '--min-coverage', '0')
      expect(low).toMatchObject({
        code: 1,
        stderr: `petstore: 1 of 1 clients scored below 100${none}`,
      })
      expect(await certify(file, '--min-coverage', '0', '--min-score', '50')).toMatchObject({
        code: 0,
      })
      rmSync(file)
      sandbox.journal.clear()
      expect(await certify(file)).toMatchObject({ code: 3 })
      expect(existsSync(file)).toBe(false)
    })

    test('is not written if requests are lost', async () => {
      const card = { ...clean(), journal: { kept: 2, counted: 2, received: 3 } }
      const { origin } = await serve(responding({ scorecards: [card] }))
      const file = join(makeFolder(), 'certificate.html')
      const { code, stderr } = await run([origin, '--certificate', file, '--min-coverage', '0'])
      expect(code).toBe(3)
      expect(stderr).toMatch(
        /^petstore: only 2 of 3 requests are counted, .*; no certificate is written\n$/,
      )
      expect(existsSync(file)).toBe(false)
    })
  })

  test('exits with 3 if the mock had no requests', async () => {
    const { origin } = await serve(responding({ scorecards: [silent()] }))
    expect(await run([origin, '--min-score', '0'])).toEqual({
      code: 3,
      stdout: 'No requests yet: key 3.\n',
      stderr: 'petstore: the mock has received no requests yet; let your client call it first\n',
    })
  })

  test('exits with 3 if there is no mock, and writes a report without scorecards', async () => {
    const server = await serve(responding(''))
    const { origin } = server
    const file = join(makeFolder(), 'scorecard.json')
    const gone = new URL(origin)
    gone.port = '1'
    const { code, stdout, stderr } = await run([gone.href, '--reporter', `json=${file}`])
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toMatch(
      /^petstore: no mock can be reached at http:\/\/127\.0\.0\.1:1 \(\w+\); start one with petstore mock, or give its URL\n/,
    )
    expect(readFileSync(file, 'utf8')).toContain('"scorecards": []')
  })

  test.each<[string, Answer, string]>([
    [
      'a token is required',
      responding({ code: 'x', message: 'It needs its token.', status: 401 }, 401),
      'rejects: It needs its token; give --token, or set PETSTORE_CONTROL_TOKEN',
    ],
    [
      'there is no control API',
      responding('<html>', 404),
      'there is no control API at ORIGIN; is it a mock of this kit, started without --no-control?',
    ],
    [
      'the response is not JSON',
      responding('<html>'),
      'is not a mock of this kit: it has no scorecards',
    ],
    [
      'the response is other JSON',
      responding([]),
      'is not a mock of this kit: it has no scorecards',
    ],
    [
      'the scorecards are invalid',
      responding({ scorecards: [{ ...clean(), score: 'high' }] }),
      'it has no scorecards',
    ],
    ['the response is 500', responding('', 500), 'rejects: The control API returned 500'],
    ['the message is hostile', responding({ message: hostile }, 403), 'rejects: '],
    [
      'it hangs up',
      (_, response) => void response.socket?.destroy(),
      'no mock can be reached at ORIGIN (ECONNRESET)',
    ],
    [
      'the response is a redirect',
      (_, response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      'The control API returned 302',
    ],
  ])('exits with 3 and one line when %s', async (_, listener, words) => {
    const { origin } = await serve(listener)
    const { code, stdout, stderr } = await run([origin])
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr.replaceAll(origin, 'ORIGIN')).toContain(words)
    expect(stderr).toMatch(/^petstore: [^\p{Cc}\p{Cf}]+\n$/u)
  })

  test.each<[string, Answer]>([
    [
      'fails',
      (request, response) =>
        responding({ message: request.headers.authorization }, 500)(request, response),
    ],
    ['says something else', responding('<html>')],
    ['says nothing', responding(null)],
    ['hangs up', (_, response) => void response.socket?.destroy()],
  ])('exits with 3 and one line when the mock %s after its scorecards', async (_, listener) => {
    const { origin } = await serve((request, response) => {
      const isCard = request.target.endsWith('/scorecard')
      return isCard
        ? responding({ scorecards: [clean()] })(request, response)
        : listener(request, response)
    })
    const options = ['--token', 'token-of-the-mock', '--min-score', '0', '--min-coverage', '0']
    for (const part of ['--har', '--certificate']) {
      const file = join(makeFolder(), 'file.json')
      const { code, stderr } = await run([origin, part, file, ...options])
      expect(code).toBe(3)
      expect(stderr).toMatch(/^petstore: (no|the) mock .*\n$|^petstore: the server .*\n$/)
      expect(stderr).not.toContain('token-of-the-mock')
      expect(existsSync(file)).toBe(false)
    }
  })

  test('--sandbox main shows the keys of the mock itself, unless a sandbox has this name', async () => {
    const mock = await serveMock({ port: 0 })
    const subjects = async (): Promise<string[]> => {
      const { stdout } = await run([mock.url, '--sandbox', 'main', '--reporter', 'json'])
      return JSON.parse(stdout).scorecards.map(({ subject }: Scorecard) => subject)
    }
    mock.sandboxes.get('team-a')
    expect(await subjects()).toEqual(['main (default key)'])
    mock.sandboxes.get('main')
    expect(await subjects()).toEqual(['sandbox main'])
  })

  test('--ca trusts a private authority, and no other certificate', async () => {
    const [own, other] = [createAuthority('own'), createAuthority('other')]
    const secure = createCertificate({ name: 'mock', hosts: ['127.0.0.1'] }, own)
    const respond: Answer = (_, response) => sendJson(response, 200, { scorecards: [clean()] })
    const { url } = await startServer(respond, secure)
    const folder = makeFolder({ 'own.pem': own.cert, 'other.pem': other.cert })
    expect(await run([url])).toMatchObject({ code: 0 })
    expect(await run([url, '--ca', join(folder, 'own.pem')])).toMatchObject({ code: 0 })
    const { code, stderr } = await run([url, '--ca', join(folder, 'other.pem')])
    expect([code, stderr]).toEqual([3, expect.stringContaining('no mock can be reached')])
    expect(await mistakeOf(['scorecard', url, '--ca', 'missing.pem'])).toContain('missing.pem')
  })

  test('lists the sandboxes if the requested one is missing', async () => {
    const mock = await serveMock()
    const missing = (): Promise<Result> => run([mock.url, '--sandbox', 'alise'])
    const [, origin] = /^(.*)\/v1$/.exec(mock.url) ?? []
    expect(await missing()).toMatchObject({
      code: 3,
      stderr: `petstore: there is no sandbox "alise" at ${origin}; the mock has none yet\n`,
    })
    for (const name of ['alice', 'bob']) mock.sandboxes.get(name)
    expect((await missing()).stderr).toBe(
      `petstore: there is no sandbox "alise" at ${origin}; the mock has alice, bob\n`,
    )
    const { origin: other } = await serve(responding({}, 404))
    expect((await run([other, '--sandbox', 'alice'])).stderr).toContain('there is no control API')
  })

  test.each([
    [['http://a.test', 'secret-word'], 'takes one URL, but got 2 words'],
    [['http://user:secret-word@127.0.0.1/'], 'takes the URL of a mock'],
    [['--reporter', 'sarif'], 'there are text, json, markdown, html'],
    [['--reporter', 'text', '--reporter', 'json'], 'only one reporter can write to stdout'],
    [['--mn-score', '5'], 'did you mean --min-score?'],
  ])('rejects %j', async (args, words) => {
    const mistake = await mistakeOf(['scorecard', ...args])
    expect(mistake).toContain(words)
    expect(mistake).not.toContain('secret-word')
  })

  test('--help explains the exit codes', async () => {
    const { code, stdout } = await run(['--help'])
    expect(code).toBe(0)
    expect([...stdout.matchAll(/^ {2}(\d) {2}\S/gm)].map(([, digit]) => digit)).toEqual([
      '0',
      '1',
      '2',
      '3',
      '4',
    ])
  })
})
