/**
 * Runs the checks of all faces with other versions of MSW and Node, from the packed package as a user installs it, and
 * writes what came of it to docs/matrix.md. Packages and runtimes come from the npm registry.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { build } from 'vite'

process.chdir(join(import.meta.dirname, '..'))

/** What is put together: ranges of MSW and of the user's own undici, and a major version of Node. */
const combinations = [
  { msw: '2.4.9', undici: '^7', node: '20' },
  { msw: '^2.4.9', undici: '^7', node: '20' },
  { msw: '^3.0.0', undici: '^8', node: '22' },
  { msw: '^3.0.0', undici: '^8', node: '24' },
  { msw: '^3.0.0', undici: '^8', node: '26' },
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
const results = await runAll(kit)
process.stdout.write('\\n' + JSON.stringify(results))
process.exit()
`

const folder = mkdtempSync(join(tmpdir(), 'petstore-kit-matrix-'))
try {
  const tarball = pack()
  await bundle()
  const rows = combinations.map((combination, index) => run(combination, join(folder, String(index)), tarball))
  writeFileSync('docs/matrix.md', pageOf(rows))
  const failed = rows.filter((row) => row.results.some((result) => wrongOf(row, result).length > 0))
  for (const row of failed) {
    for (const result of row.results) {
      for (const { name, why } of wrongOf(row, result)) {
        console.error(`msw ${row.msw}, Node ${row.node}, ${result.face}: ${name}: ${why}`)
      }
    }
  }
  console.log(failed.length === 0 ? 'matrix: all alike; see docs/matrix.md' : 'matrix: FAILED')
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
      ssr: 'test/faces/run-all.ts',
      target: 'node20',
      outDir: join(folder, 'checks'),
      emptyOutDir: true,
      rolldownOptions: { output: { entryFileNames: 'run-all.js' } },
    },
  })
}

/** Installs one combination and runs the checks there. */
function run(combination, home, tarball) {
  const runtime = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  const { platform } = process
  mkdirSync(home)
  writeFileSync(join(home, 'package.json'), '{ "private": true, "type": "module" }')
  const wanted = [tarball, `msw@${combination.msw}`, `undici@${combination.undici}`, `${runtime}@${combination.node}`]
  npm(['install', '--ignore-scripts', '--no-audit', '--no-fund', ...wanted], home)
  writeFileSync(join(home, 'run-all.js'), readFileSync(join(folder, 'checks', 'run-all.js')))
  writeFileSync(join(home, 'entry.js'), entry)
  const installed = (name) => JSON.parse(readFileSync(join(home, 'node_modules', name, 'package.json'), 'utf8')).version
  const executable = join(home, 'node_modules', runtime, 'bin', platform === 'win32' ? 'node.exe' : 'node')
  const { stdout, stderr, status } = spawnSync(executable, ['entry.js'], { cwd: home, encoding: 'utf8' })
  if (status !== 0) throw new Error(`msw ${combination.msw}, Node ${combination.node}: ${stderr}`)
  const row = {
    msw: installed('msw'),
    undici: installed('undici'),
    node: installed(runtime),
    results: JSON.parse(stdout.split('\n').at(-1)),
  }
  console.log(`msw ${row.msw}, undici ${row.undici}, Node ${row.node}: ${cellsOf(row)}`)
  return row
}

function npm(args, cwd) {
  const { stdout, stderr, status } = spawnSync('npm', args, {
    cwd,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  if (status !== 0) throw new Error(`npm ${args.join(' ')}: ${stderr}`)
  return stdout
}

function pageOf(rows) {
  const faces = rows[0].results.map(({ face }) => face)
  const met = ownWays.filter((way) =>
    rows.some((row) => row.results.some(({ wrong }) => wrong.some(isOwnWay(row, way)))),
  )
  return `# Versions that were tried

\`npm run test:matrix\` packs the package, installs it beside these versions of MSW, undici and Node, sends the same
requests through every face, and compares each answer, byte for byte, with that of the mock itself. It then checks faults,
aborts, redirects, base URLs, and that requests to other origins pass. A cell says how many of these checks agreed.

| MSW | undici | Node | ${faces.join(' | ')} |
| --- | --- | --- | ${faces.map(() => '---').join(' | ')} |
${rows.map((row) => `| ${row.msw} | ${row.undici} | ${row.node} | ${cellsOf(row)} |`).join('\n')}

The faces through undici have a Dispatcher of the undici that the package depends on, and the functions of the one in the
table. MSW does not intercept these functions.
${met.length === 0 ? '' : `\n${met.map(({ tell }) => `- ${tell}\n`).join('')}`}`
}

function cellsOf({ results }) {
  return results.map(({ checked, wrong }) => `${checked - wrong.length} of ${checked}`).join(' | ')
}

/** What went wrong besides what MSW does in its own way. */
function wrongOf(row, { wrong }) {
  return wrong.filter((one) => !ownWays.some((way) => isOwnWay(row, way)(one)))
}

function isOwnWay(row, way) {
  return ({ name }) => way.msw === row.msw && way.check === name
}
