/**
 * `node scripts/try-package.mjs`: packs the built package, installs it into an empty folder and uses it, on Linux, macOS and
 * Windows: the mock, the suite against it, `exec`, the adapters for MSW and fetch, and the exit codes. Prints a line for each
 * step, and exits with 1 at the first that fails. Needs the npm registry; `try-package.mjs FOLDER` uses the package and msw
 * that are installed in FOLDER.
 */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const isWindows = process.platform === 'win32'
const readJson = (...path) => JSON.parse(readFileSync(join(...path), 'utf8'))
const { name, version, devDependencies } = readJson(root, 'package.json')

// A blank in a path breaks commands that are joined without quotes.
const [, , given] = process.argv
const folder = given ?? mkdtempSync(join(tmpdir(), 'petstore kit '))
const petstore = join(folder, 'node_modules', name, 'dist/bin/petstore.js')
const env = Object.fromEntries(
  Object.entries(process.env).filter(([one]) => !one.startsWith('PETSTORE_')),
)

async function main() {
  if (given === undefined) install()
  const shim = join(folder, 'node_modules/.bin', isWindows ? 'petstore.cmd' : 'petstore')
  assert(existsSync(shim), `npm wrote no ${shim}`)
  assert(
    run([`"${shim}"`, '--version'], { shell: true })
      .stdout.trim()
      .endsWith(version),
  )
  done('the command that npm installs')

  const key = run([process.execPath, petstore, 'key', 'our-shop']).stdout.trim()
  assert.match(key, /^petstore_sandbox_our-shop_/)
  assert.equal(petstoreExits(['verify', 'no-url']), 2)
  assert.equal(petstoreExits(['verify', 'http://127.0.0.1:9/v1', '--key', 'x', '--read-only']), 3)
  done('key; exit codes 2 and 3')

  const { url, mock, ended } = await startMock('--save', 'saved.json')
  const report = ['--reporter', 'json=report.json', '--reporter', 'junit=report.xml']
  assert.equal(petstoreExits(['verify', url, '--key', 'petstore-test-key', ...report]), 0)
  assert.equal(readJson(folder, 'report.json').verdict, 'conforms')
  assert.match(readFileSync(join(folder, 'report.xml'), 'utf8'), /<testsuites /)
  await stop(mock, ended)
  // Windows ends a process at once, instead of sending it a signal.
  if (!isWindows) assert(readJson(folder, 'saved.json').length > 100)
  done('mock; verify: exit code 0, reports')

  const broken = await startMock('--defect', 'list.limit-ignored')
  assert.equal(petstoreExits(['verify', broken.url, '--key', 'petstore-test-key']), 1)
  await stop(broken.mock, broken.ended)
  done('verify: exit code 1')

  const list = `import { get } from 'node:http'
const headers = { authorization: 'Bearer ' + process.env.PETSTORE_API_KEY }
get(process.env.PETSTORE_BASE_URL + '/pets?limit=3', { headers }, async (response) => {
  process.exitCode = JSON.parse(Buffer.concat(await response.toArray())).length
})`
  writeFileSync(join(folder, 'list.mjs'), list)
  assert.equal(petstoreExits(['exec', '--', 'node', 'list.mjs']), 3)
  done('exec, and the exit code of its command')

  writeFileSync(join(folder, 'adapters.mjs'), adapters)
  run([process.execPath, 'adapters.mjs'])
  done('createFetch and MSW')
}

function install() {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  npm(root, 'pack', '--ignore-scripts', '--pack-destination', folder)
  const quietly = ['--ignore-scripts', '--no-audit', '--no-fund']
  npm(folder, 'install', ...quietly, `./${name}-${version}.tgz`, `msw@${devDependencies.msw}`)
  done('npm pack, npm install')
}

const adapters = `import assert from 'node:assert/strict'
import { setupServer } from 'msw/node'
import { createFetch } from 'petstore-kit/fetch'
import { defaultKey } from 'petstore-kit/mock'
import { createHandlers } from 'petstore-kit/msw'

const baseUrl = 'https://api.example.com/v1'
const headers = { authorization: 'Bearer ' + defaultKey, 'content-type': 'application/json' }
const body = '{"name":"Zoë","categoryId":9223372036854775807}'
const creates = async (fetch, url) => {
  const response = await fetch(url + '/pets', { method: 'POST', headers, body })
  assert.equal(response.status, 201)
  assert.match(await response.text(), /"name":"Zoë","categoryId":9223372036854775807/)
  assert.equal((await fetch(url + '/pets')).status, 401)
}

await creates(createFetch({}, { baseUrl }), baseUrl)

const server = setupServer(...createHandlers({}, { baseUrl }))
server.listen({ onUnhandledRequest: 'error' })
await creates(fetch, baseUrl)
server.close()
`

/** Starts the mock, and resolves when it is ready. */
async function startMock(...options) {
  const mock = spawn(process.execPath, [petstore, 'mock', '--port', '0', ...options], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(mock, 'close')
  let printed = ''
  for await (const chunk of mock.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    printed += chunk
    if (printed.includes('Ctrl-C')) break
  }
  mock.stdout.resume()
  const [, url] = /Base URL +(\S+)/.exec(printed) ?? []
  assert(url, `the mock did not start:\n${printed}`)
  return { url, mock, ended }
}

async function stop(mock, ended) {
  mock.kill('SIGINT')
  const [code] = await ended
  if (!isWindows) assert.equal(code, 0)
}

const petstoreExits = (args) =>
  spawnSync(process.execPath, [petstore, ...args], { cwd: folder, env, stdio: 'ignore' }).status

/** Runs a command to its end. Throws with its output if it fails. */
function run([program, ...args], options = {}) {
  const result = spawnSync(program, args, { cwd: folder, env, encoding: 'utf8', ...options })
  assert.equal(
    result.status,
    0,
    `${program} ${args.join(' ')}\n${result.error ?? ''}${result.stdout}${result.stderr}`,
  )
  return result
}

// npm is a command file on Windows, which only a shell starts.
const npm = (cwd, ...args) =>
  run(['npm', ...args.map((one) => (isWindows ? `"${one}"` : one))], { cwd, shell: isWindows })

function done(step) {
  console.log(`ok: ${step}`)
}

try {
  await main()
  console.log(`The package works with Node.js ${process.version} on ${process.platform}.`)
} finally {
  if (given === undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
