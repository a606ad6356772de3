/**
 * `npm run test:matrix`: the checks of all adapters with other versions of MSW and Node, and those of the server, the
 * command, and the adapters for fetch with Bun and Deno, from the packed package. Writes the results to
 * docs/project/matrix.md. Installs packages and runtimes from the npm registry into a temporary folder.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { build } from 'vite'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { environment } from '../support/environment.ts'
import { install, installExample, pack, root, run } from './shell.ts'
import { makeFolder } from '../support/folder.ts'

/** An npm package with a runtime for one platform, without install scripts. */
interface Runtime {
  title: string
  package: string
  version: string
  file: string
  args?: readonly string[]
}
interface Combination {
  /** Version ranges of MSW, and of the undici of the user. */
  msw: string
  undici: string
  runtime: Runtime
  /** Default: all. */
  faces?: readonly string[]
  /** Whether to run the tests of examples/react-msw, too. */
  example?: true
}
interface Result {
  face: string
  checked: number
  wrong: { name: string; why: string }[]
}
interface Row {
  msw: string
  undici: string
  runtime: string
  results: Result[]
}

const node = (version: string): Runtime => ({
  title: 'Node',
  package: `node-${process.platform}-${process.arch}`,
  version,
  file: 'bin/node',
})
const bun = { title: 'Bun', package: '@oven/bun-linux-x64', version: '^1.0.0', file: 'bin/bun' }
const deno = {
  title: 'Deno',
  package: '@deno/linux-x64-glibc',
  version: '^2.0.0',
  file: 'deno',
  args: ['run', '-A'],
}
/** The supported adapters: undici, and MSW with node:http, work only in Node. */
const adaptersElsewhere = [
  'server, by node:http',
  "server, by Node's fetch",
  'petstore-kit/fetch',
  'petstore-kit/msw, by fetch',
]

const combinations: readonly Combination[] = [
  { msw: '2.4.9', undici: '^7', runtime: node('20') },
  { msw: '^2.4.9', undici: '^7', runtime: node('20'), example: true },
  { msw: '^3.0.0', undici: '^8', runtime: node('22'), example: true },
  { msw: '^3.0.0', undici: '^8', runtime: node('24') },
  { msw: '^3.0.0', undici: '^8', runtime: node('26') },
  ...(process.platform === 'linux' && process.arch === 'x64'
    ? [bun, deno].map((runtime) => ({
        msw: '^2.4.9',
        undici: '^7',
        runtime,
        faces: adaptersElsewhere,
      }))
    : []),
]

/** Known differences of a version of MSW: these checks may fail, and the page lists them. */
const ownWays = [
  {
    msw: '2.4.9',
    check: 'a request with an aborted signal does not reach the mock',
    text: 'MSW 2.4.9 does not check whether a request was aborted before it is sent: `fetch` rejects with a TypeError instead of an AbortError.',
  },
  {
    msw: '2.4.9',
    check: 'a redirect is followed, rejected or returned, according to the request',
    text: 'MSW 2.4.9 follows a redirect, but leaves `response.redirected` false.',
  },
]

/** Differences of JavaScript engines, independent of the mock. */
const engines = [
  'The `fetch` of Deno and that of Bun send a GET again when a connection that served a request before is reset. With the fault `reset` and `times: 1` the second one gets the ordinary response: leave `times` out.',
  '`setupServer` of MSW 3 does not reach the `fetch` of Bun and Deno: requests go to the network. Use MSW 2 there, or `petstore-kit/fetch`.',
  'In WebKit, a body that a handler of MSW cuts off (fault `truncated-body`) never ends, so the page waits forever. From the server, it ends in an error.',
  'In WebKit, a redirect that a handler of MSW sends is followed, but `response.redirected` stays false.',
  'In Firefox, a body that a handler of MSW cuts off ends in an `AbortError`, and one from the server in a `TypeError`.',
]

/** The file of a user. */
const entry = `
import { createMock, startMock } from 'petstore-kit/mock'
import { createFetch } from 'petstore-kit/fetch'
import { createHandlers } from 'petstore-kit/msw'
import { createDispatcher } from 'petstore-kit/undici'
import { http } from 'msw'
import { setupServer } from 'msw/node'
import * as undici from 'undici'
import { runAll } from './run-all.js'

const kit = { createMock, startMock, createFetch, createHandlers, createDispatcher, setupServer, http, undici }
const faces = JSON.parse(process.env.FACES ?? 'null')
const results = await runAll(kit, (face) => faces === null || faces.includes(face))
process.stdout.write('\\n' + JSON.stringify(results))
process.exit()
`

const folder = makeFolder({}, afterAll)
const page = join(root, 'docs/project/matrix.md')
const rows: Row[] = []
let tarball = ''
beforeAll(async () => {
  tarball = await pack(folder)
  // The checks as JavaScript, for Node 20.
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    build: {
      ssr: 'test/io/adapters/run-all.ts',
      target: 'node20',
      outDir: folder,
      emptyOutDir: false,
      rolldownOptions: { output: { entryFileNames: 'run-all.js' } },
    },
  })
})
afterAll(() => {
  if (rows.length === combinations.length) writeFileSync(page, toPage())
})

test.each(combinations)(
  'msw $msw, undici $undici, $runtime.title $runtime.version',
  async (combination) => {
    const { msw, undici, runtime, faces, example } = combination
    const home = join(folder, String(combinations.indexOf(combination)))
    mkdirSync(home)
    writeFileSync(join(home, 'package.json'), '{ "private": true, "type": "module" }')
    await install(
      home,
      tarball,
      `msw@${msw}`,
      `undici@${undici}`,
      `${runtime.package}@${runtime.version}`,
    )
    cpSync(join(folder, 'run-all.js'), join(home, 'run-all.js'))
    writeFileSync(join(home, 'entry.js'), entry)
    const installed = (name: string): string =>
      (
        JSON.parse(readFileSync(join(home, 'node_modules', name, 'package.json'), 'utf8')) as {
          version: string
        }
      ).version
    const command = [
      join(home, 'node_modules', runtime.package, runtime.file),
      ...(runtime.args ?? []),
    ]
    const printed = await run(
      [...command, 'entry.js'],
      home,
      faces && { FACES: JSON.stringify(faces) },
    )
    const results = JSON.parse(printed.split('\n').at(-1) ?? '') as Result[]
    results.push(await tryCommand(command, home))
    if (example) results.push(await tryExample(command, home, installed('msw')))
    const row = {
      msw: installed('msw'),
      undici: installed('undici'),
      runtime: `${runtime.title} ${installed(runtime.package)}`,
      results,
    }
    rows.push(row)
    const ways = new Set(ownWays.filter((way) => way.msw === row.msw).map(({ check }) => check))
    const wrong = results.flatMap((result) =>
      result.wrong.map((one) => ({ face: result.face, ...one })),
    )
    expect(wrong.filter(({ name }) => !ways.has(name))).toEqual([])
  },
)

/** Runs `petstore mock` with a runtime, and checks its responses from this one. */
async function tryCommand(
  [executable = '', ...args]: readonly string[],
  home: string,
): Promise<Result> {
  const petstore = join(home, 'node_modules/petstore-kit/dist/bin/petstore.js')
  const child = spawn(executable, [...args, petstore, 'mock', '--port', '0'], {
    cwd: home,
    env: environment(),
  })
  const ended = once(child, 'exit')
  const result: Result = { face: '`petstore mock`', checked: 0, wrong: [] }
  const check = (name: string, is: unknown, wanted: unknown): void => {
    result.checked += 1
    if (is !== wanted)
      result.wrong.push({ name, why: `${String(is)} instead of ${String(wanted)}` })
  }
  try {
    let printed = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
    child.stderr.resume()
    await expect.poll(() => printed).toMatch(/http:\S+\/v1/)
    const [base = ''] = /http:\S+\/v1/.exec(printed) ?? []
    const headers = {
      authorization: 'Bearer petstore-test-key',
      'content-type': 'application/json',
    }
    const list = await fetch(`${base}/pets`, { headers })
    check('list: status', list.status, 200)
    check('list: type', list.headers.get('content-type'), 'application/json')
    check('list: pets', ((await list.json()) as unknown[]).length, 20)
    const body = '{"name":"Zoë","categoryId":9007199254740993,"status":"sold"}'
    const created = await fetch(`${base}/pets`, { method: 'POST', headers, body })
    check('create: status', created.status, 201)
    check('create: body', await created.text(), body.replace('{', '{"id":101,'))
    check(
      'get: body',
      await (await fetch(`${base}/pets/101`, { headers })).text(),
      body.replace('{', '{"id":101,'),
    )
    const statusIn = async (url: URL | string): Promise<unknown> =>
      ((await (await fetch(url)).json()) as { status: unknown }).status
    check('401: body', await statusIn(`${base}/pets`), 401)
    check('control API: body', await statusIn(new URL('/_petstore/health', base)), 'ok')
  } finally {
    child.kill()
    await ended
  }
  return result
}

/** Runs the tests of examples/react-msw with another version of MSW. */
async function tryExample(
  [executable = '']: readonly string[],
  project: string,
  msw: string,
): Promise<Result> {
  const home = join(project, 'example')
  await installExample('react-msw', home, { msw, 'petstore-kit': `file:${tarball}` })
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=json', '--testTimeout=60000']
  const { stdout } = spawnSync(executable, vitest, {
    cwd: home,
    encoding: 'utf8',
    env: environment(),
  })
  const { numTotalTests: checked, testResults } = JSON.parse(stdout) as {
    numTotalTests: number
    testResults: {
      assertionResults: { title: string; status: string; failureMessages: string[] }[]
    }[]
  }
  const failed = testResults
    .flatMap((file) => file.assertionResults)
    .filter(({ status }) => status !== 'passed')
  const wrong = failed.map(({ title, failureMessages }) => ({
    name: title,
    why: failureMessages.join(' '),
  }))
  return { face: 'examples/react-msw', checked, wrong }
}

function toPage(): string {
  const faces = [...new Set(rows.flatMap(({ results }) => results.map(({ face }) => face)))]
  const cellsOf = ({ results }: Row): string[] =>
    faces.map((face) => {
      const cell = results.find((result) => result.face === face)
      return cell === undefined ? '-' : `${cell.checked - cell.wrong.length} of ${cell.checked}`
    })
  const met = ownWays.filter((way) =>
    rows.some(
      ({ msw, results }) =>
        msw === way.msw &&
        results.some(({ wrong }) => wrong.some(({ name }) => name === way.check)),
    ),
  )
  // Written by `npm run test:browsers`.
  const [browsers = ''] = /^## Browsers\n[^]*?(?=^## )/m.exec(readFileSync(page, 'utf8')) ?? []
  return `# Versions that were tried

\`npm run test:matrix\` packs the package, installs it beside these versions of MSW, undici and Node, sends the same
requests through every adapter, and compares each response, byte for byte, with that of the mock itself. It then checks faults,
aborts, redirects, base URLs, and that requests to other origins pass. A cell says how many of these checks agreed.
\`petstore mock\` is started by the runtime, and called by Node. A dash stands for what is not tried there.

| MSW | undici | runtime | ${faces.join(' | ')} |
| --- | --- | --- | ${faces.map(() => '---').join(' | ')} |
${rows.map((row) => `| ${[row.msw, row.undici, row.runtime, ...cellsOf(row)].join(' | ')} |`).join('\n')}

${browsers}## What differs

The adapters through undici have a Dispatcher of the undici that the package depends on, and the functions of the one in the
table. MSW does not intercept these functions.

${[...met.map(({ text }) => text), ...engines].map((text) => `- ${text}\n`).join('')}`
}
