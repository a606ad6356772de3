/** `npm run test:install`: packs petstore-kit, installs it into empty projects, and uses it there as its users do. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'

import { projectFiles } from './test-install-files.ts'

const root = join(import.meta.dirname, '..')
const node = process.execPath
const versions = { pnpm: '10.34.9', '@yarnpkg/cli-dist': '4.18.1' }
const compilers = { 'typescript-5': 'npm:typescript@5.9.3', 'typescript-7': 'npm:typescript@7.0.2' }
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  version: string
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
  exports: Record<string, unknown>
}
const jsonEntries = Object.keys(manifest.exports)
  .map((entry) => entry.slice(2))
  .filter((entry) => /^[^*]+\.json$/.test(entry))
  .concat('fixtures/pets.json')

/** A way to install packages. */
interface Manager {
  name: string
  install: string[]
  env?: Record<string, string>
  /** In front of a command of an installed package, and of a script. */
  exec: string[]
  node: string[]
  /** Packages stay in their archives, as in Plug'n'Play, where not everything can read them. */
  zipped?: true
  files?: Record<string, string>
}

/** Installs the package managers that are not there, in a folder. npm is there. */
async function installManagers(folder: string): Promise<Manager[]> {
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: versions }))
  await run(['npm', 'install', '--no-audit', '--no-fund', '--ignore-scripts'], folder)
  const registry = (await run(['npm', 'config', 'get', 'registry'], folder)).trim()
  const pnpm = [node, join(folder, 'node_modules/pnpm/bin/pnpm.cjs')]
  const yarn = [node, join(folder, 'node_modules/@yarnpkg/cli-dist/bin/yarn.js')]
  const ofYarn = (linker: string): Omit<Manager, 'name' | 'node'> => ({
    install: [...yarn, 'install'],
    exec: [...yarn, 'run'],
    files: { '.yarnrc.yml': `nodeLinker: ${linker}\n`, 'yarn.lock': '' },
    env: {
      YARN_NPM_REGISTRY_SERVER: registry,
      YARN_ENABLE_TELEMETRY: '0',
      YARN_ENABLE_IMMUTABLE_INSTALLS: '0',
      YARN_ENABLE_SCRIPTS: '0',
      YARN_GLOBAL_FOLDER: join(folder, 'yarn'),
      YARN_NPM_MINIMAL_AGE_GATE: '0',
    },
  })
  const npmInstall = ['npm', 'install', '--no-audit', '--no-fund']
  const pnpmInstall = [...pnpm, 'install', '--no-frozen-lockfile', `--store-dir=${join(folder, 'pnpm')}`]
  return [
    { name: 'npm', install: npmInstall, exec: ['npm', 'exec', '--no', '--'], node: [node] },
    {
      name: 'pnpm',
      install: pnpmInstall,
      env: { npm_config_registry: registry },
      exec: [...pnpm, 'exec'],
      node: [node],
    },
    { name: 'yarn, node_modules', ...ofYarn('node-modules'), node: [node] },
    { name: "yarn, Plug'n'Play", ...ofYarn('pnp'), node: [...yarn, 'node'], zipped: true },
  ]
}

interface Project {
  folder: string
  manager: Manager
  /** Runs a command of an installed package, or a script, and returns what it printed. */
  exec: (...args: string[]) => Promise<string>
  script: (...args: string[]) => Promise<string>
}

/** What is tried in a project. It throws when it does not work; `onDisk` needs packages that are not in archives. */
type Step = readonly [name: string, run: (project: Project) => Promise<unknown>, onDisk?: 'onDisk' | undefined]

const compile = (name: keyof typeof compilers, resolution: string): Step => [
  `types, ${name}, ${resolution}`,
  ({ folder, manager, exec, script }) =>
    manager.zipped
      ? exec('tsc', '--project', `tsconfig.${resolution}.json`)
      : script(join(folder, 'node_modules', name, 'bin/tsc'), '--project', `tsconfig.${resolution}.json`),
  // The compiler that is written in Go reads no archives of yarn.
  name === 'typescript-7' ? 'onDisk' : undefined,
]
const steps: readonly Step[] = [
  ['JavaScript, each entry', async ({ script }) => expectMatch(await script('use.js'), /^used\s*$/)],
  // What Node requires of ECMAScript modules, it looks for on disk alone.
  ['CommonJS, and JSON', async ({ script }) => expectMatch(await script('use.cjs'), /^used\s*$/), 'onDisk'],
  compile('typescript-5', 'nodenext'),
  compile('typescript-5', 'bundler'),
  compile('typescript-7', 'nodenext'),
  compile('typescript-7', 'bundler'),
  [
    'the command: --version, key, exec',
    async ({ exec }) => {
      expectMatch(await exec('petstore', '--version'), new RegExp(`^${manifest.version.replaceAll('.', '\\.')}\\s*$`))
      expectMatch(await exec('petstore', 'key', 'our-shop'), /^petstore_sandbox_our-shop_[0-9a-f]{8}\s*$/)
      await exec('petstore', 'exec', '--', node, '--version')
    },
  ],
  ['the command: mock, and verify against it', verifyMock],
  ['vitest: describeContract', ({ exec }) => exec('vitest', 'run')],
  [
    'Vite: a page for production',
    async ({ folder, exec }) => {
      const printed = await exec('vite', 'build')
      if (/externalized|warn/i.test(printed)) throw new Error(printed)
      const assets = join(folder, 'dist/assets')
      const built = readdirSync(assets).map((file) => readFileSync(join(assets, file), 'utf8'))
      expectMatch(built.join('\n'), /Whippet/)
      const [found] = /\bfrom\s*"(node:[^"]+)"|require\("[^"]+"\)/.exec(built.join('\n')) ?? []
      if (found !== undefined) throw new Error(`The page holds ${found}`)
    },
  ],
]
/** What is tried where petstore-kit is installed and nothing else, as `npx petstore-kit` does it. */
const stepsAlone: readonly Step[] = [
  [
    'nothing runs at installation, and at most 15 MB',
    async ({ folder }) => {
      const paths = readdirSync(join(folder, 'node_modules'), { recursive: true, withFileTypes: true })
        .filter((one) => one.isFile())
        .map(({ parentPath, name }) => join(parentPath, name))
      for (const path of paths.filter((one) => /node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(one))) {
        const { scripts = {} } = JSON.parse(readFileSync(path, 'utf8')) as { scripts?: Record<string, string> }
        if (scripts['preinstall'] ?? scripts['install'] ?? scripts['postinstall'])
          throw new Error(`${path} has a script.`)
      }
      const bytes = paths.reduce((sum, path) => sum + statSync(path).size, 0)
      if (bytes > 15_000_000) throw new Error(`${bytes} bytes are more than 15 MB.`)
    },
  ],
  [
    'each entry that needs no peer',
    ({ script }) => {
      const entries = ['', '/mock', '/contract', '/fetch', '/undici', '/fixtures', '/types', '/json']
      const imports = entries.map((entry) => `await import('petstore-kit${entry}')`).join('\n')
      return script('--input-type=module', '--eval', imports)
    },
  ],
  [
    'petstore-kit/msw names what is missing',
    async ({ script }) => {
      const error = await script('--input-type=module', '--eval', `await import('petstore-kit/msw')`).catch(String)
      expectMatch(error, /Cannot find package 'msw'[^]*ERR_MODULE_NOT_FOUND/)
    },
  ],
  ['npx petstore-kit', ({ exec }) => exec('petstore-kit', 'exec', '--', node, '--version')],
]

async function verifyMock({ folder, manager, exec }: Project): Promise<void> {
  // A group of its own: what stands between us and the command may not pass a signal on.
  const [program = '', ...args] = manager.exec.concat('petstore', 'mock', '--port', '0', '--quiet')
  const child = spawn(program, args, { cwd: folder, env: environment(manager.env), detached: true })
  const closed = once(child, 'close')
  try {
    let printed = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (printed += text))
    while (!/^http\S+\s/m.test(printed) && child.exitCode === null)
      await Promise.race([once(child.stdout, 'data', { signal: AbortSignal.timeout(60_000) }), closed])
    const [url = `The mock ended early: ${printed}`] = /^http\S+(?=\s)/m.exec(printed) ?? []
    await exec('petstore', 'verify', url, '--key', 'petstore-test-key')
  } finally {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM')
    await closed
  }
}

function expectMatch(text: string, pattern: RegExp): void {
  if (!pattern.test(text)) throw new Error(`${String(pattern)} does not match:\n${text.slice(0, 2_000)}`)
}

/** The environment without what npm, which runs this script, says to the commands below it. */
const environment = (more = {}): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(npm_|PETSTORE_|NODE_OPTIONS$|VITE|INIT_CWD)/i.test(name)),
  ),
  ...more,
})

/** Runs a command to its end, and returns what it printed to stdout. Throws all that it printed when it fails. */
async function run([program = '', ...args]: readonly string[], cwd: string, env = {}): Promise<string> {
  const options = { cwd, env: environment(env), maxBuffer: 2 ** 26 }
  return promisify(execFile)(program, args, options).then(
    ({ stdout }) => stdout,
    (error: Error & { stdout: string; stderr: string }) => {
      throw new Error(`${error.message}\n${error.stdout}${error.stderr}`)
    },
  )
}

/** Installs one project, runs the steps there, and returns the names of those that failed. */
async function tryProject(
  manager: Manager,
  folder: string,
  dependencies: Record<string, string | undefined>,
  tried: readonly Step[],
) {
  const failures: string[] = []
  const project: Project = {
    folder,
    manager,
    exec: (...args) => run([...manager.exec, ...args], folder, manager.env),
    script: (...args) => run([...manager.node, ...args], folder, manager.env),
  }
  mkdirSync(folder, { recursive: true })
  const files = {
    'package.json': JSON.stringify({ name: 'project', private: true, type: 'module', dependencies }),
    ...manager.files,
    ...(tried === steps && projectFiles(jsonEntries, manager.zipped === true)),
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const install: Step = ['install', () => run(manager.install, folder, manager.env)]
  for (const [name, runStep, onDisk] of [install, ...tried]) {
    if (onDisk && manager.zipped) continue
    const startedAt = performance.now()
    try {
      await runStep(project)
      console.log(`  ok      ${name} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`)
    } catch (error) {
      console.log(`  FAILED  ${name}\n${String(error).replaceAll(/^/gm, '          ')}`)
      failures.push(`${manager.name}: ${name}`)
      if (name === 'install') break
    }
  }
  return failures
}

/** Packs, installs, uses. `--only NAME`: managers whose name begins so. Returns the exit code. */
export async function main(args: string[]): Promise<number> {
  const { only } = parseArgs({ args, options: { only: { type: 'string', default: '' } } }).values
  const folder = mkdtempSync(join(tmpdir(), 'petstore-kit-install-'))
  const failures: string[] = []
  try {
    const packed = await run(['npm', 'pack', '--ignore-scripts', '--json', '--pack-destination', folder], root)
    const tarball = join(folder, (JSON.parse(packed) as { filename: string }[])[0]?.filename ?? '')
    const kit = { 'petstore-kit': `file:${tarball}` }
    for (const manager of await installManagers(join(folder, 'managers'))) {
      if (!manager.name.startsWith(only)) continue
      if (manager.name === 'npm') {
        console.log('\nnpm, petstore-kit alone')
        failures.push(...(await tryProject(manager, join(folder, 'alone'), kit, stepsAlone)))
      }
      const pinned = { ...manifest.dependencies, ...manifest.devDependencies }
      const names = ['msw', 'openapi-fetch', 'vite', 'vitest', '@types/node', 'undici']
      const wanted = names
        .concat(manager.zipped ? '@msw/data' : [])
        .map((name): [string, string | undefined] => [name, pinned[name]])
      // In archives, yarn teaches the compiler where packages are, if it has its own name.
      const typescript = manager.zipped ? { typescript: compilers['typescript-5'].replace(/.*@/, '') } : compilers
      console.log(`\n${manager.name}`)
      const project = join(folder, `project-${manager.name.replaceAll(/\W+/g, '-')}`)
      const dependencies = { ...kit, ...Object.fromEntries(wanted), ...typescript }
      failures.push(...(await tryProject(manager, project, dependencies, steps)))
    }
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
  console.log(failures.length === 0 ? '\nAll is well.' : `\n${failures.length} failed: ${failures.join('; ')}`)
  return failures.length === 0 ? 0 : 1
}
