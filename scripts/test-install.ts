/** `npm run test:install`: packs petstore-kit, installs it into empty projects, and uses it there as its users do. */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

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
  env: Readonly<Record<string, string>>
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
  const env = {
    YARN_NPM_REGISTRY_SERVER: registry,
    YARN_ENABLE_TELEMETRY: '0',
    YARN_ENABLE_IMMUTABLE_INSTALLS: '0',
    YARN_ENABLE_SCRIPTS: '0',
    YARN_GLOBAL_FOLDER: join(folder, 'yarn'),
    YARN_NPM_MINIMAL_AGE_GATE: '0',
  }
  const ofYarn = (linker: string): Omit<Manager, 'name' | 'node'> => ({
    install: [...yarn, 'install'],
    env,
    exec: [...yarn, 'run'],
    files: { '.yarnrc.yml': `nodeLinker: ${linker}\n`, 'yarn.lock': '' },
  })
  return [
    {
      name: 'npm',
      install: ['npm', 'install', '--no-audit', '--no-fund'],
      env: {},
      exec: ['npm', 'exec', '--no', '--'],
      node: [node],
    },
    {
      name: `pnpm ${versions.pnpm}`,
      install: [...pnpm, 'install', '--no-frozen-lockfile', `--store-dir=${join(folder, 'pnpm')}`],
      env: { npm_config_registry: registry },
      exec: [...pnpm, 'exec'],
      node: [node],
    },
    { name: `yarn ${versions['@yarnpkg/cli-dist']}, node_modules`, ...ofYarn('node-modules'), node: [node] },
    {
      name: `yarn ${versions['@yarnpkg/cli-dist']}, Plug'n'Play`,
      ...ofYarn('pnp'),
      node: [...yarn, 'node'],
      zipped: true,
    },
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
interface Step {
  name: string
  run: (project: Project) => Promise<unknown>
  onDisk?: boolean
}

const compile = (name: keyof typeof compilers, resolution: string): Step => ({
  name: `types, ${name}, ${resolution}`,
  // The compiler that is written in Go reads no archives of yarn.
  onDisk: name === 'typescript-7',
  run: ({ folder, manager, exec, script }) =>
    manager.zipped
      ? exec('tsc', '--project', `tsconfig.${resolution}.json`)
      : script(join(folder, 'node_modules', name, 'bin/tsc'), '--project', `tsconfig.${resolution}.json`),
})
const steps: readonly Step[] = [
  { name: 'JavaScript, each entry', run: async ({ script }) => expectMatch(await script('use.js'), /^used\s*$/) },
  // What Node requires of ECMAScript modules, it looks for on disk alone.
  {
    name: 'CommonJS, and JSON',
    onDisk: true,
    run: async ({ script }) => expectMatch(await script('use.cjs'), /^used\s*$/),
  },
  ...(['typescript-5', 'typescript-7'] as const).flatMap((name) => [
    compile(name, 'nodenext'),
    compile(name, 'bundler'),
  ]),
  {
    name: 'the command: --version, key, exec',
    async run({ exec }) {
      expectMatch(await exec('petstore', '--version'), new RegExp(`^${manifest.version.replaceAll('.', '\\.')}\\s*$`))
      expectMatch(await exec('petstore', 'key', 'our-shop'), /^petstore_sandbox_our-shop_[0-9a-f]{8}\s*$/)
      await exec('petstore', 'exec', '--', node, '--version')
    },
  },
  {
    name: 'the command: mock, and verify against it',
    async run({ folder, manager, exec }) {
      // A group of its own: what stands between us and the command may not pass a signal on.
      const [program, ...args] = [...manager.exec, 'petstore', 'mock', '--port', '0', '--quiet']
      const child = spawn(program, args, {
        ...where(folder, manager.env),
        stdio: ['ignore', 'pipe', 'inherit'],
        detached: true,
      })
      const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
      try {
        let printed = ''
        const url = await new Promise<string>((resolve, reject) => {
          child.stdout.setEncoding('utf8').on('data', (text: string) => {
            const [found] = /^http\S+(?=\s)/m.exec((printed += text)) ?? []
            if (found !== undefined) resolve(found)
          })
          child.once('error', reject)
          void closed.then(() => reject(new Error(`The mock ended early: ${printed}`)))
        })
        await exec('petstore', 'verify', url, '--key', 'petstore-test-key')
      } finally {
        if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM')
        await closed
      }
    },
  },
  { name: 'vitest: describeContract', run: ({ exec }) => exec('vitest', 'run') },
  {
    name: 'Vite: a page for production',
    async run({ folder, exec }) {
      const printed = await exec('vite', 'build')
      if (/externalized|warn/i.test(printed)) throw new Error(printed)
      const assets = join(folder, 'dist/assets')
      const built = readdirSync(assets)
        .map((file) => readFileSync(join(assets, file), 'utf8'))
        .join('\n')
      expectMatch(built, /Whippet/)
      const [found] = /\bfrom\s*"(node:[^"]+)"|require\("[^"]+"\)/.exec(built) ?? []
      if (found !== undefined) throw new Error(`The page holds ${found}`)
    },
  },
]
/** What is tried where petstore-kit is installed and nothing else, as `npx petstore-kit` does it. */
const stepsAlone: readonly Step[] = [
  {
    name: 'nothing runs at installation, and at most 25 MB',
    async run({ folder }) {
      const files = readdirSync(join(folder, 'node_modules'), { recursive: true, withFileTypes: true }).filter((one) =>
        one.isFile(),
      )
      const paths = files.map(({ parentPath, name }) => join(parentPath, name))
      for (const path of paths.filter((one) => /node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(one))) {
        const { scripts = {} } = JSON.parse(readFileSync(path, 'utf8')) as { scripts?: Record<string, string> }
        if (scripts['preinstall'] ?? scripts['install'] ?? scripts['postinstall'])
          throw new Error(`${path} has a script.`)
      }
      const bytes = paths.reduce((sum, path) => sum + statSync(path).size, 0)
      if (bytes > 25_000_000) throw new Error(`${bytes} bytes are more than 25 MB.`)
    },
  },
  {
    name: 'each entry that needs no peer',
    run: ({ script }) =>
      script(
        '--input-type=module',
        '--eval',
        ['', '/mock', '/contract', '/fetch', '/undici', '/fixtures', '/types', '/json']
          .map((entry) => `await import('petstore-kit${entry}')`)
          .join('\n'),
      ),
  },
  {
    name: 'petstore-kit/msw names what is missing',
    run: async ({ script }) => {
      const error = await script('--input-type=module', '--eval', `await import('petstore-kit/msw')`).catch(String)
      expectMatch(error, /Cannot find package 'msw'[^]*ERR_MODULE_NOT_FOUND/)
    },
  },
  { name: 'npx petstore-kit', run: ({ exec }) => exec('petstore-kit', 'exec', '--', node, '--version') },
]

function expectMatch(text: string, pattern: RegExp): void {
  if (!pattern.test(text)) throw new Error(`${String(pattern)} does not match:\n${text.slice(0, 2_000)}`)
}

/** A folder, and the environment without what npm, which runs this script, says to the commands below it. */
function where(
  cwd: string,
  env: Readonly<Record<string, string>>,
): { cwd: string; env: Record<string, string | undefined> } {
  const clean = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|PETSTORE_|NODE_OPTIONS$|VITE|INIT_CWD)/i.test(name),
  )
  return { cwd, env: { ...Object.fromEntries(clean), ...env } }
}

/** Runs a command to its end, and returns what it printed to stdout. Throws all that it printed when it fails. */
function run([program = '', ...args]: readonly string[], cwd: string, env = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...where(cwd, env), stdio: ['ignore', 'pipe', 'pipe'] })
    let [stdout, stderr] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
    child.once('error', reject)
    child.once('close', (code, signal) => {
      if (code === 0) resolve(stdout)
      else reject(new Error(`${program} ${args.join(' ')} ended with ${code ?? signal}:\n${stdout}${stderr}`))
    })
  })
}

const failures: string[] = []

/** Installs one project, runs the steps there, and notes those that failed. */
async function tryProject(
  title: string,
  folder: string,
  manager: Manager,
  tarball: string,
  wanted: Record<string, string>,
  tried: readonly Step[],
): Promise<void> {
  console.log(`\n${title}`)
  const project: Project = {
    folder,
    manager,
    exec: (...args) => run([...manager.exec, ...args], folder, manager.env),
    script: (...args) => run([...manager.node, ...args], folder, manager.env),
  }
  async function install(): Promise<void> {
    mkdirSync(folder, { recursive: true })
    const dependencies = { 'petstore-kit': `file:${tarball}`, ...wanted }
    const own = { 'package.json': JSON.stringify({ name: 'project', private: true, type: 'module', dependencies }) }
    const files = {
      ...own,
      ...manager.files,
      ...(tried === steps && projectFiles(jsonEntries, manager.zipped === true)),
    }
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    await run(manager.install, folder, manager.env)
  }
  for (const step of [{ name: 'install', run: install }, ...tried] as Step[]) {
    const startedAt = performance.now()
    if (step.onDisk && manager.zipped) console.log(`  -       ${step.name}: not with Plug'n'Play`)
    else {
      try {
        await step.run(project)
        console.log(`  ok      ${step.name} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`)
      } catch (error) {
        console.log(`  FAILED  ${step.name}\n${String(error).replaceAll(/^/gm, '          ')}`)
        failures.push(`${title}: ${step.name}`)
        if (step.name === 'install') break
      }
    }
  }
}

/** Packs, installs, uses. `--only NAME`: managers whose name begins so. `--keep` leaves the projects. Returns the exit code. */
export async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { only: { type: 'string', default: '' }, keep: { type: 'boolean' } } })
  const folder = mkdtempSync(join(tmpdir(), 'petstore-kit-install-'))
  try {
    const packed = await run(['npm', 'pack', '--ignore-scripts', '--json', '--pack-destination', folder], root)
    const tarball = join(folder, (JSON.parse(packed) as { filename: string }[])[0]?.filename ?? '')
    const managers = await installManagers(join(folder, 'managers'))
    const pinned = (...names: string[]) =>
      Object.fromEntries(
        names.map((name) => [name, manifest.devDependencies[name] ?? manifest.dependencies[name] ?? '*']),
      )
    for (const [index, manager] of managers.entries()) {
      if (!manager.name.startsWith(values.only)) continue
      if (manager.name === 'npm')
        await tryProject('npm, petstore-kit alone', join(folder, 'alone'), manager, tarball, {}, stepsAlone)
      const wanted = {
        ...pinned(
          'msw',
          'openapi-fetch',
          'vite',
          'vitest',
          '@types/node',
          'undici',
          ...(manager.zipped ? ['@msw/data'] : []),
        ),
        // In archives, yarn teaches the compiler where packages are, if it has its own name.
        ...(manager.zipped ? { typescript: compilers['typescript-5'].replace('npm:typescript@', '') } : compilers),
      }
      await tryProject(manager.name, join(folder, `project-${index}`), manager, tarball, wanted, steps)
    }
  } finally {
    if (values.keep) console.log(`\nThe projects are in ${folder}`)
    else rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
  console.log(failures.length === 0 ? '\nAll is well.' : `\n${failures.length} failed: ${failures.join('; ')}`)
  return failures.length === 0 ? 0 : 1
}
