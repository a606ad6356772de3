/** Valid texts from outside, mutated at each place, given to what reads them: no hang, no 5xx, nothing of the inside. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request as sendRequest } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { type Command, runCommand } from '../../../src/cli/command.ts'
import { mockFlags } from '../../../src/cli/mock/mock-flags.ts'
import { readMockOptions } from '../../../src/cli/mock/mock-options.ts'
import { openStateFolder } from '../../../src/cli/mock/state-folder.ts'
import { findDeployment } from '../../../src/cli/deployments.ts'
import { command as judge } from '../../../src/cli/proxy/judge-command.ts'
import { startProxy } from '../../../src/cli/proxy/proxy-run.ts'
import { command as compare } from '../../../src/cli/verify/compare-command.ts'
import { command as history } from '../../../src/cli/verify/history-command.ts'
import { command as profile } from '../../../src/cli/verify/profile-command.ts'
import { command as report } from '../../../src/cli/verify/report-command.ts'
import { contentOf } from '../../../src/contract/http/response-body.ts'
import { type Report, reporters, verify } from '../../../src/contract/index.ts'
import { readBaseline, toBaseline } from '../../../src/contract/report/baseline.ts'
import { toHistoryEntry } from '../../../src/contract/report/history.ts'
import { UsageError } from '../../../src/errors.ts'
import { createControlApi } from '../../../src/mock/control/control-api.ts'
import { readInterface } from '../../../src/mock/http/interface-document.ts'
import { createMock, defaultKey } from '../../../src/mock/index.ts'
import type { HttpRequest } from '../../../src/spec/http.ts'
import { parseFlags } from '../../../src/options.ts'
import { operations } from '../../unit/control/document.ts'
import { byLevel, seed } from '../../support/level.ts'
import type { Limited } from '../../support/limited.ts'
import { verifyMock } from '../../support/verify-in-process.ts'

const hostile = [...'\0\x1b\n\r\t "\'\\/{[<%&$?#;0é\u0085\u2028\ud800🐕']
const large = 100_000
/** The places of a text that are tried: all of them, except in files. */
const places = byLevel({ usual: 8, slow: 60, all: 2_000 })

function* mutantsOf(text: string): Generator<string> {
  const step = Math.ceil(text.length / places)
  // As a sample does.
  const first = (seed - 1) % step
  let turn = Math.floor((seed - 1) / step)
  // Each place takes the next of the characters; all of them before a release.
  const perPlace = byLevel({ usual: 1, slow: 2, all: hostile.length })
  for (let at = first; at < text.length; at += step, turn += 1) {
    yield text.slice(0, at)
    for (let nth = 0; nth < perPlace; nth += 1) {
      const put = hostile[(turn + nth) % hostile.length] as string
      yield text.slice(0, at) + put + text.slice(at + 1)
    }
  }
  const tokens = [...text.matchAll(/[\w.-]+|[^\w.-]/g)]
  const tokenStep = Math.ceil(tokens.length / byLevel({ usual: 3, slow: 40, all: 400 }))
  for (const [nth, { 0: token, index }] of tokens.entries()) {
    if (nth % tokenStep !== (seed - 1) % tokenStep) continue
    const long = token.repeat(Math.ceil(large / token.length))
    yield text.slice(0, index) + long + text.slice(index + token.length)
    // A long beginning that fails at its end.
    yield `${text.slice(0, index) + long}\0${text.slice(index + token.length)}`
  }
}

/** Traces of an internal error. */
const trace =
  /\n\s+at (?:async |file:|\/|\S+ \()|node:internal|\.[jt]s:\d+:\d+|\b(?:Type|Range|Reference|Syntax)Error\b/

const post = (body: string): HttpRequest => ({
  method: 'POST',
  target: '/v1/pets',
  headers: { authorization: `Bearer ${defaultKey}`, 'content-type': 'application/json', host: 'x' },
  body,
})
const rex =
  '{"name":"Rex \\u00e9 \\n","categoryId":9007199254740993,"status":"sold","x":[{"y":-1.5e3}]}'
/** As many fields as fit into a body, of which one has fields itself. */
const fields = Array.from({ length: 80_000 }, (_, nth) => `"${nth}":[]`)
const manyFields = `{"name":"Rex","categoryId":1,"x":{"y":1},${fields.join()}}`
const get: HttpRequest = { ...post(''), method: 'GET', target: '/v1/pets?limit=5&status=sold' }

const requests: (readonly [what: string, text: string, made: (text: string) => HttpRequest])[] = [
  ['a body', rex, post],
  ['a target', get.target, (target) => ({ ...get, target })],
  ['the target of a pet', '/v1/pets/9007199254740993', (target) => ({ ...get, target })],
  ...Object.entries({
    authorization: `Bearer ${defaultKey}`,
    'content-type': 'application/json; charset="utf-8"',
    'content-encoding': 'identity',
    accept: 'text/html, application/json;q=0.9, */*;q=0',
    prefer: 'delay=0, status=503; x="y"',
    origin: 'https://example.test',
    cookie: 'a=b; token=c',
    'x-api-key': 'undefined',
    'x-request-id': '0af7651916cd43dd8448eb211c80319c',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)',
  }).map(([name, value]) => {
    const toRequest = (text: string): HttpRequest => {
      const request = post(rex)
      return { ...request, headers: { ...request.headers, [name]: text } }
    }
    return [`the header ${name}`, value, toRequest] as const
  }),
]

export const main: Limited = async (begin) => {
  const faults: string[] = []
  const folder = mkdtempSync(join(tmpdir(), 'petstore-kit-'))
  const shown = (text: string): string => `${JSON.stringify(text.slice(0, 200))} (${text.length})`

  /** Runs what reads a text: an expected error is a UsageError without traces. */
  async function attempt(what: string, text: string, run: () => unknown): Promise<void> {
    begin(`${what}: ${shown(text)}`)
    try {
      await run()
    } catch (error) {
      const isExpected = error instanceof UsageError && !trace.test(error.message)
      if (!isExpected) faults.push(`${what}: ${shown(text)}: ${String((error as Error).stack)}`)
    }
  }

  async function service(): Promise<void> {
    const mock = createMock({ pets: 3 })
    await mock.handle(post(manyFields))
    await attempt('the scorecard of a body', manyFields, () => mock.scorecards())
    for (const [what, text, toRequest] of requests) {
      const mock = createMock({ pets: 3, journal: 100 })
      let count = 0
      for (const mutant of mutantsOf(text)) {
        await attempt(what, mutant, async () => {
          const { status, body } = await mock.handle(toRequest(mutant))
          // A client may ask for 503 and others by its header Prefer.
          if ((status >= 500 && what !== 'the header prefer') || trace.test(body))
            faults.push(`${what}: ${shown(mutant)}: ${status} ${body.slice(0, 300)}`)
        })
        if ((count += 1) % 100 === 0)
          await attempt(`the scorecard after ${what}`, mutant, () => mock.scorecards())
      }
      await attempt(`the scorecard after ${what}`, '', () => mock.scorecards())
    }
  }

  async function control(): Promise<void> {
    const mock = createMock({ pets: 3, journal: 100 })
    const api = createControlApi({ mock, host: '127.0.0.1', readInterface })
    const headers = { host: '127.0.0.1', 'content-type': 'application/json' }
    const call = async (what: string, mutant: string, request: HttpRequest): Promise<void> => {
      await attempt(what, mutant, async () => {
        const reply = await api.respond(request)
        const body = 'stream' in reply ? '' : reply.body
        if (reply.status === 500 || trace.test(body))
          faults.push(`${what}: ${shown(mutant)}: ${reply.status} ${body.slice(0, 300)}`)
      })
    }
    for (const { method, path, operation } of operations) {
      // A wait would take its time.
      const query = (operation.parameters ?? [])
        .filter((one: any) => one.in === 'query' && !/^wait|timeout/.test(one.name))
        .map((one: any) => `${one.name}=${one.schema.type === 'integer' ? 10 : 'true'}`)
        .join('&')
      const target = path.replaceAll('{sandbox}', 'team-a').replaceAll(/\{\w+\}/g, '1')
      const example = operation.requestBody?.content['application/json'].example
      const body = example === undefined ? '' : JSON.stringify(example)
      mock.sandboxes.get('team-a')
      const whole = query === '' ? target : `${target}?${query}`
      for (const mutant of mutantsOf(whole))
        await call(`${method} target`, mutant, { method, target: mutant, headers, body })
      for (const mutant of mutantsOf(body))
        await call(`${method} ${path}`, mutant, { method, target, headers, body: mutant })
    }
    for (const name of ['host', 'content-type', 'origin', 'authorization', 'sec-fetch-site'])
      for (const mutant of mutantsOf('http://127.0.0.1:4010'))
        await call(`control ${name}`, mutant, {
          method: 'GET',
          target: '/_petstore/pets',
          headers: { ...headers, [name]: mutant },
          body: '',
        })
  }

  const output = { text: '' }
  const consoleOf = (args: string[]) => ({
    args,
    env: {},
    folder,
    print: (text: string) => Promise.resolve(void (output.text += text)),
    notify: (text: string) => void (output.text += text),
    terminal: { stdout: false, stderr: false },
    interrupted: new Promise<void>(() => {}),
  })
  async function commands(): Promise<void> {
    const found = await verifyMock(
      { pets: 3, defects: ['list.limit-ignored'] },
      { only: ['list.*'], depth: 'smoke' },
    )
    const mock = createMock({ pets: 3 })
    for (const request of [get, post(rex), { ...post('{'), headers: {} }])
      await mock.handle(request)
    const har = (await mock.journal.toHar()) as { log: { entries: { request: { url: string } }[] } }
    for (const { request } of har.log.entries)
      request.url = request.url.replace(/^(?:https?:\/\/[^/]*)?/, 'http://pets.test')
    const run = (name: string, command: Command, ...args: string[]) =>
      [name, () => runCommand(command, consoleOf(args))] as const
    const file = (name: string): string => join(folder, name)
    const options = async (...args: string[]): Promise<void> => {
      const started = consoleOf(args)
      const read = await readMockOptions(started, parseFlags(mockFlags, args, {}))
      const { data = [], rules = [] } = read.options
      createMock({ data, rules })
    }
    async function openState(): Promise<void> {
      const opened = await openStateFolder(
        consoleOf([]),
        parseFlags(mockFlags, [], {}),
        file('state'),
        {},
      )
      await opened.release()
    }
    mkdirSync(file('state'))
    await openState()
    const small = found
    const texts: (readonly [string, string, () => unknown])[] = [
      ['report.json', JSON.stringify(small), run('', report, file('report.json'))[1]],
      ['a.json', JSON.stringify(small), run('', compare, file('a.json'), file('a.json'))[1]],
      [
        'profile.json',
        JSON.stringify(found.profile),
        run('', profile, 'diff', file('profile.json'), file('profile.json'))[1],
      ],
      [
        'x.ndjson',
        `${JSON.stringify(toHistoryEntry(found, 'x'))}\n`.repeat(3),
        run('', history, 'x', '--history', folder)[1],
      ],
      [
        'state/petstore-state.json',
        readFileSync(file('state/petstore-state.json'), 'utf8'),
        openState,
      ],
      ['a.har', JSON.stringify(har), run('', judge, file('a.har'))[1]],
      [
        'pets.json',
        JSON.stringify([{ id: 1, name: 'Rex', categoryId: 3, status: 'sold' }]),
        () => options('--data', file('pets.json')),
      ],
      [
        'rules.json',
        JSON.stringify([
          {
            when: {
              operation: 'listPets',
              query: { limit: '5' },
              headers: { 'x-a': { regex: '^a+$' } },
            },
            reply: {
              status: 503,
              headers: { 'retry-after': '1' },
              body: { code: 'x', message: 'y' },
            },
            times: 2,
          },
        ]),
        () => options('--rules', file('rules.json')),
      ],
      [
        'petstore.config.json',
        JSON.stringify({
          deployments: {
            staging: {
              baseUrl: 'https://staging.pets.test/v1',
              keyEnv: 'STAGING_KEY',
              headers: { 'x-team': 'a' },
              readOnly: true,
              reporters: ['html=report.html'],
              baseline: 'baseline.json',
            },
          },
        }),
        () => findDeployment('staging', file('petstore.config.json'), folder),
      ],
    ]
    for (const [name, text, read] of texts) {
      writeFileSync(file(name), text)
      begin(`${name} as it is`)
      // Throws where the text itself is not valid: its mutants would test nothing.
      await read()
      for (const mutant of mutantsOf(text)) {
        output.text = ''
        writeFileSync(file(name), mutant)
        await attempt(name, mutant, read)
        if (trace.test(output.text))
          faults.push(`${name}: ${shown(mutant)}: ${output.text.slice(0, 300)}`)
      }
    }
    const baseline = JSON.stringify(toBaseline(found, { reason: 'known' }))
    for (const mutant of mutantsOf(baseline))
      await attempt('a baseline', mutant, () => {
        let value: unknown
        try {
          value = JSON.parse(mutant)
        } catch {
          return
        }
        readBaseline(value, 'x')
      })
    for (const mutant of mutantsOf(`[${rex},{"name":1,"name":2}]`))
      await attempt('a response', mutant, () =>
        contentOf({ bytes: Buffer.from(mutant), problem: undefined } as never),
      )
  }

  /** Responses on a socket, to the suite and to the proxy: a run ends with a report, a client gets a response or its end. */
  async function responses(): Promise<void> {
    const pets = '[{"id":1,"name":"Rex","categoryId":3,"status":"sold"}]'
    const whole =
      'HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\nCache-Control: max-age=0\r\n' +
      `Retry-After: 1\r\nContent-Length: ${pets.length}\r\nConnection: close\r\n\r\n${pets}`
    const mutants = [whole, ...mutantsOf(whole)]
    const server = createServer((socket) => {
      socket.on('error', () => {})
      // The first segment of a path names the response.
      socket.once('data', (data) =>
        socket.end(mutants[Number(/^GET \/(\d+)/.exec(String(data))?.[1])] ?? ''),
      )
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const urlOf = (nth: number): string => `http://127.0.0.1:${port}/${nth}/v1`
    const pass = async (nth: number): Promise<Report> => {
      const proxy = await startProxy({
        target: new URL(urlOf(nth)),
        proxy: undefined,
        timeoutMs: 1_000,
        port: 0,
        host: '127.0.0.1',
      })
      await new Promise<void>((resolve) => {
        const headers = { authorization: `Bearer ${defaultKey}` }
        const url = `${proxy.url}/pets`
        const request = sendRequest(url, { headers, agent: false }, (response) => {
          response.on('error', () => {})
          response.resume().once('close', resolve)
        })
        request.once('error', () => resolve()).end()
      })
      await proxy.close()
      return proxy.report()
    }
    begin('the response as it is')
    const { counts } = await pass(0)
    if (counts.verified === 0) faults.push('the response as it is is not judged')
    const judge = async (mutant: string, made: () => Promise<Report>): Promise<void> =>
      attempt('a response', mutant, async () => {
        const report = await made()
        for (const [name, toReport] of Object.entries(reporters)) {
          const text = toReport(report)
          const isBroken = trace.test(text) || /(?:defect|mismatch) of petstore-kit/.test(text)
          if (isBroken) faults.push(`${name}: ${shown(mutant)}: ${text.slice(0, 300)}`)
        }
      })
    for (const [nth, mutant] of mutants.entries()) await judge(mutant, () => pass(nth))
    const suite = { apiKey: defaultKey, only: ['list.success'], depth: 'smoke' } as const
    const soon = { observations: false, settleMs: 0, timeoutMs: 1_000, retryBudgetMs: 0 }
    const verified = (nth: number) => verify({ baseUrl: urlOf(nth), ...suite, ...soon })
    // A run waits before it asks again; many wait together.
    for (let at = 0; at < mutants.length; at += 50) {
      const some = mutants.slice(at, at + 50)
      await Promise.all(some.map((mutant, nth) => judge(mutant, () => verified(at + nth))))
    }
    server.close()
  }

  await service()
  await control()
  await responses()
  await commands()
  rmSync(folder, { recursive: true, force: true })
  return faults.slice(0, 20)
}
