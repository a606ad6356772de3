/**
 * Runs the checks of all faces with other versions of MSW and Node, and those of the server, the command, and the
 * adapters for fetch under Bun and Deno, from the packed package as a user installs it, and writes what came of it to
 * docs/project/matrix.md. Packages and runtimes come from the npm registry, into a temporary folder.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { build } from 'vite'

process.chdir(join(import.meta.dirname, '..'))

const isWindows = process.platform === 'win32'
const nodePackage = `node-${isWindows ? 'win' : process.platform}-${process.arch}`
const node = (version) => ({
  title: 'Node',
  package: nodePackage,
  version,
  file: isWindows ? 'bin/node.exe' : 'bin/node',
})
/** The packages of one platform, which need no script at installation. */
const bun = { title: 'Bun', package: '@oven/bun-linux-x64', version: '^1.0.0', file: 'bin/bun' }
const deno = { title: 'Deno', package: '@deno/linux-x64-glibc', version: '^2.0.0', file: 'deno', args: ['run', '-A'] }
/** What runs there: undici and what MSW does to node:http are made for Node. */
const facesElsewhere = [
  'server, by node:http',
  "server, by Node's fetch",
  'petstore-kit/fetch',
  'petstore-kit/msw, by fetch',
]

/** What is put together: ranges of MSW and of the user's own undici, and a runtime. */
const combinations = [
  { msw: '2.4.9', undici: '^7', runtime: node('20') },
  { msw: '^2.4.9', undici: '^7', runtime: node('20'), example: true },
  { msw: '^3.0.0', undici: '^8', runtime: node('22'), example: true },
  { msw: '^3.0.0', undici: '^8', runtime: node('24') },
  { msw: '^3.0.0', undici: '^8', runtime: node('26') },
  ...(process.platform === 'linux' && process.arch === 'x64'
    ? [bun, deno].map((runtime) => ({ msw: '^2.4.9', undici: '^7', runtime, faces: facesElsewhere }))
    : []),
]

/** What a version of MSW does in its own way. Checks of it may fail, and the page tells. */
const ownWays = [
  {
    msw: '2.4.9',
    check: 'a request that is aborted already reaches nobody',
    tell: 'MSW 2.4.9 does not look whether a request is aborted before it is sent: `fetch` rejects with a TypeError in place of an AbortError.',
  },
  {
    msw: '2.4.9',
    check: 'a redirect is followed, refused, or handed out, as the request says',
    tell: 'MSW 2.4.9 follows a redirect, but leaves `response.redirected` false.',
  },
]

/** What engines do in their own way, whatever the mock does. */
const engines = [
  'The `fetch` of Deno and that of Bun send a GET again when a connection that served a request before is reset. With the fault `reset` and `times: 1` the second one gets the ordinary response: leave `times` out.',
  '`setupServer` of MSW 3 does not reach the `fetch` of Bun and Deno: requests go to the network. Use MSW 2 there, or `petstore-kit/fetch`.',
  'In WebKit, a body that a handler of MSW cuts off (fault `truncated-body`) never ends: the page waits for ever. From the server it ends in an error.',
  'In WebKit, a redirect that a handler of MSW sends is followed, but `response.redirected` stays false.',
  'In Firefox, a body that a handler of MSW cuts off ends in an `AbortError`, and one from the server in a `TypeError`.',
]

/** What a user has in a file of his own. */
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

const folder = mkdtempSync(join(tmpdir(), 'petstore-kit-matrix-'))
try {
  const tarball = pack()
  await bundle()
  const rows = []
  for (const combination of combinations) rows.push(await run(combination, join(folder, String(rows.length)), tarball))
  writeFileSync('docs/project/matrix.md', pageOf(rows))
  const failed = rows.filter((row) => row.results.some((result) => wrongOf(row, result).length > 0))
  for (const row of failed) {
    for (const result of row.results) {
      for (const { name, why } of wrongOf(row, result)) {
        console.error(`msw ${row.msw}, ${row.runtime}, ${result.face}: ${name}: ${why}`)
      }
    }
  }
  console.log(failed.length === 0 ? 'matrix: all alike; see docs/project/matrix.md' : 'matrix: FAILED')
  process.exitCode = failed.length === 0 ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** The package as it is published. */
function pack() {
  if (spawnSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' }).status !== 0) throw new Error('no build')
  const packed = npm(['pack', '--ignore-scripts', '--json', '--pack-destination', folder], process.cwd())
  return join(folder, JSON.parse(packed)[0].filename)
}

/** The checks as plain JavaScript, which Node 20 can read. */
async function bundle() {
  await build({
    configFile: false,
    logLevel: 'error',
    build: {
      ssr: 'test/io/adapters/run-all.ts',
      target: 'node20',
      outDir: join(folder, 'checks'),
      emptyOutDir: true,
      rolldownOptions: { output: { entryFileNames: 'run-all.js' } },
    },
  })
  // Vite says production there; the example needs what it is developed with.
  delete process.env.NODE_ENV
}

/** Installs one combination and runs the checks there. */
async function run({ msw, undici, runtime, faces, example }, home, tarball) {
  mkdirSync(home)
  writeFileSync(join(home, 'package.json'), '{ "private": true, "type": "module" }')
  const wanted = [tarball, `msw@${msw}`, `undici@${undici}`, `${runtime.package}@${runtime.version}`]
  npm(['install', '--ignore-scripts', '--no-audit', '--no-fund', ...wanted], home)
  writeFileSync(join(home, 'run-all.js'), readFileSync(join(folder, 'checks', 'run-all.js')))
  writeFileSync(join(home, 'entry.js'), entry)
  const installed = (name) => JSON.parse(readFileSync(join(home, 'node_modules', name, 'package.json'), 'utf8')).version
  const command = [join(home, 'node_modules', runtime.package, runtime.file), ...(runtime.args ?? [])]
  const { stdout, stderr, status } = spawnSync(command[0], [...command.slice(1), 'entry.js'], {
    cwd: home,
    encoding: 'utf8',
    env: { ...process.env, ...(faces && { FACES: JSON.stringify(faces) }) },
  })
  if (status !== 0) throw new Error(`msw ${msw}, ${runtime.title} ${runtime.version}: ${stderr}`)
  const row = {
    msw: installed('msw'),
    undici: installed('undici'),
    runtime: `${runtime.title} ${installed(runtime.package)}`,
    results: [...JSON.parse(stdout.split('\n').at(-1)), await tryCommand(command, home)],
  }
  if (example) row.results.push(tryExample(command[0], join(home, 'example'), { msw: row.msw, tarball }))
  console.log(`msw ${row.msw}, undici ${row.undici}, ${row.runtime}: ${cellsOf(row, facesOf([row]))}`)
  return row
}

/** `petstore mock`, run by a runtime and called by this one: nothing of a response may be lost on the way. */
async function tryCommand([executable, ...args], home) {
  const petstore = join(home, 'node_modules/petstore-kit/dist/bin/petstore.js')
  const child = spawn(executable, [...args, petstore, 'mock', '--port', '0'], { cwd: home })
  const result = { face: '`petstore mock`', checked: 0, wrong: [] }
  const check = (name, is, expected) => {
    result.checked += 1
    if (is !== expected) result.wrong.push({ name, why: `${is} in place of ${expected}` })
  }
  try {
    let printed = ''
    child.stdout.setEncoding('utf8').on('data', (text) => (printed += text))
    child.stderr.resume()
    while (!/http:\S+\/v1/.test(printed)) await once(child.stdout, 'data', { signal: AbortSignal.timeout(30_000) })
    const [base] = /http:\S+\/v1/.exec(printed)
    const headers = { authorization: 'Bearer petstore-test-key', 'content-type': 'application/json' }
    const list = await fetch(`${base}/pets`, { headers })
    check('list: status', list.status, 200)
    check('list: type', list.headers.get('content-type'), 'application/json')
    check('list: pets', (await list.json()).length, 20)
    const body = '{"name":"Zoë","categoryId":9007199254740993,"status":"sold"}'
    const created = await fetch(`${base}/pets`, { method: 'POST', headers, body })
    check('create: status', created.status, 201)
    check('create: body', await created.text(), body.replace('{', '{"id":101,'))
    check('get: body', await (await fetch(`${base}/pets/101`, { headers })).text(), body.replace('{', '{"id":101,'))
    check('401: body', (await (await fetch(`${base}/pets`)).json()).status, 401)
    const health = await fetch(new URL('/_petstore/health', base))
    check('control API: body', (await health.json()).status, 'ok')
  } catch (error) {
    result.checked += 1
    result.wrong.push({ name: 'the command', why: String(error) })
  } finally {
    const ended = child.exitCode === null ? once(child, 'exit') : undefined
    child.kill()
    await ended
  }
  return result
}

/** The tests of examples/react-msw, with another version of MSW. */
function tryExample(executable, home, { msw, tarball }) {
  cpSync('examples/react-msw', home, { recursive: true, filter: (path) => !/node_modules|dist|public/.test(path) })
  const manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
  Object.assign(manifest.devDependencies, { msw, 'petstore-kit': `file:${tarball}` })
  writeFileSync(join(home, 'package.json'), JSON.stringify(manifest))
  npm(['install', '--ignore-scripts', '--no-audit', '--no-fund'], home)
  const { stdout, stderr } = spawnSync(executable, ['node_modules/vitest/vitest.mjs', 'run', '--reporter=json'], {
    cwd: home,
    encoding: 'utf8',
  })
  if (stdout === '') throw new Error(`examples/react-msw: ${stderr}`)
  const { numTotalTests: checked, testResults } = JSON.parse(stdout)
  const failed = testResults.flatMap((file) => file.assertionResults).filter(({ status }) => status !== 'passed')
  const wrong = failed.map(({ title, failureMessages }) => ({
    name: title,
    why: failureMessages.join(' ').slice(0, 500),
  }))
  return { face: 'examples/react-msw', checked, wrong }
}

function npm(args, cwd) {
  const { stdout, stderr, status } = spawnSync('npm', args, {
    cwd,
    encoding: 'utf8',
    shell: isWindows,
  })
  if (status !== 0) throw new Error(`npm ${args.join(' ')}: ${stderr}`)
  return stdout
}

function pageOf(rows) {
  const faces = facesOf(rows)
  const met = ownWays.filter((way) =>
    rows.some((row) => row.results.some(({ wrong }) => wrong.some(isOwnWay(row, way)))),
  )
  // `npm run test:browsers` writes it.
  const [browsers = ''] = /^## Browsers\n[^]*?(?=^## )/m.exec(readFileSync('docs/project/matrix.md', 'utf8')) ?? []
  return `# Versions that were tried

\`npm run test:matrix\` packs the package, installs it beside these versions of MSW, undici and Node, sends the same
requests through every adapter, and compares each response, byte for byte, with that of the mock itself. It then checks faults,
aborts, redirects, base URLs, and that requests to other origins pass. A cell says how many of these checks agreed.
\`petstore mock\` is started by the runtime, and called by Node. A dash stands for what is not tried there.

| MSW | undici | runtime | ${faces.join(' | ')} |
| --- | --- | --- | ${faces.map(() => '---').join(' | ')} |
${rows.map((row) => `| ${row.msw} | ${row.undici} | ${row.runtime} | ${cellsOf(row, faces)} |`).join('\n')}

${browsers}## What differs

The adapters through undici have a Dispatcher of the undici that the package depends on, and the functions of the one in the
table. MSW does not intercept these functions.

${[...met.map(({ tell }) => tell), ...engines].map((tell) => `- ${tell}\n`).join('')}`
}

function facesOf(rows) {
  return [...new Set(rows.flatMap(({ results }) => results.map(({ face }) => face)))]
}

function cellsOf({ results }, faces) {
  const cells = faces.map((face) => results.find((result) => result.face === face))
  return cells
    .map((cell) => (cell === undefined ? '-' : `${cell.checked - cell.wrong.length} of ${cell.checked}`))
    .join(' | ')
}

/** What went wrong besides what MSW does in its own way. */
function wrongOf(row, { wrong }) {
  return wrong.filter((one) => !ownWays.some((way) => isOwnWay(row, way)(one)))
}

function isOwnWay(row, way) {
  return ({ name }) => way.msw === row.msw && way.check === name
}
