/** `npm run test:install`: packs petstore-kit, installs it into empty projects, and uses it there. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { projectFiles } from './project-files.ts'
import { environment } from '../support/environment.ts'
import { pack, root, run } from './shell.ts'
import { makeFolder } from '../support/folder.ts'

const node = process.execPath
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

const folder = makeFolder({}, afterAll)
const managers = join(folder, 'managers')
/** The packed package. */
const kit = { 'petstore-kit': `file:${join(folder, `petstore-kit-${manifest.version}.tgz`)}` }
let registry = ''
beforeAll(async () => {
  await pack(folder)
  const versions = { pnpm: '10.34.9', '@yarnpkg/cli-dist': '4.18.1' }
  mkdirSync(managers)
  writeFileSync(
    join(managers, 'package.json'),
    JSON.stringify({ private: true, dependencies: versions }),
  )
  await run(['npm', 'install', '--no-audit', '--no-fund', '--ignore-scripts'], managers)
  registry = (await run(['npm', 'config', 'get', 'registry'], managers)).trim()
})

interface Manager {
  name: string
  install: string[]
  env?: () => Record<string, string>
  /** Prefixes of a command of an installed package, and of a script. */
  exec: string[]
  node: string[]
  /** Whether packages stay in archives (Plug'n'Play), which some tools cannot read. */
  isZipped?: boolean
  files?: Record<string, string>
}

const npm: Manager = {
  name: 'npm',
  install: ['npm', 'install', '--no-audit', '--no-fund'],
  exec: ['npm', 'exec', '--no', '--'],
  node: [node],
}
const pnpm = [node, join(managers, 'node_modules/pnpm/bin/pnpm.cjs')]
const yarn = [node, join(managers, 'node_modules/@yarnpkg/cli-dist/bin/yarn.js')]
const ofYarn = (linker: string): Omit<Manager, 'name' | 'node'> => ({
  install: [...yarn, 'install'],
  exec: [...yarn, 'run'],
  files: { '.yarnrc.yml': `nodeLinker: ${linker}\n`, 'yarn.lock': '' },
  env: () => ({
    YARN_NPM_REGISTRY_SERVER: registry,
    YARN_ENABLE_TELEMETRY: '0',
    YARN_ENABLE_IMMUTABLE_INSTALLS: '0',
    YARN_ENABLE_SCRIPTS: '0',
    YARN_GLOBAL_FOLDER: join(managers, 'yarn'),
    YARN_NPM_MINIMAL_AGE_GATE: '0',
  }),
})
const all: readonly Manager[] = [
  npm,
  {
    name: 'pnpm',
    install: [...pnpm, 'install', '--no-frozen-lockfile', `--store-dir=${join(managers, 'pnpm')}`],
    env: () => ({ npm_config_registry: registry }),
    exec: [...pnpm, 'exec'],
    node: [node],
  },
  { name: 'yarn, node_modules', ...ofYarn('node-modules'), node: [node] },
  { name: "yarn, Plug'n'Play", ...ofYarn('pnp'), node: [...yarn, 'node'], isZipped: true },
]

/** Creates a project, in which a manager installs these packages before the following tests. */
function createProject(
  { name, install, env, exec, node: script, files }: Manager,
  dependencies: object,
  more = {},
) {
  const home = join(folder, name.replaceAll(/\W+/g, '-') + Object.keys(dependencies).length)
  beforeAll(async () => {
    mkdirSync(home)
    const own = {
      'package.json': JSON.stringify({
        name: 'project',
        private: true,
        type: 'module',
        dependencies,
      }),
    }
    for (const [file, text] of Object.entries({ ...own, ...files, ...more }))
      writeFileSync(join(home, file), text)
    await run(install, home, env?.())
  })
  return {
    home,
    /** Runs a command of an installed package, or a script, and returns its stdout. */
    exec: (...args: string[]) => run([...exec, ...args], home, env?.()),
    script: (...args: string[]) => run([...script, ...args], home, env?.()),
  }
}

describe('npm, petstore-kit alone', () => {
  const { home, exec, script } = createProject(npm, kit)

  test('has no install scripts, and at most 15 MB', () => {
    const paths = readdirSync(join(home, 'node_modules'), { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
    for (const path of paths.filter((one) =>
      /node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(one),
    )) {
      const { scripts = {} } = JSON.parse(readFileSync(path, 'utf8')) as { scripts?: object }
      expect(
        Object.keys(scripts).filter((name) => /^(pre|post)?install$/.test(name)),
        path,
      ).toEqual([])
    }
    expect(paths.reduce((sum, path) => sum + statSync(path).size, 0)).toBeLessThanOrEqual(
      15_000_000,
    )
  })

  test('each entry without peer dependencies', () => {
    const entries = ['', '/mock', '/contract', '/fetch', '/undici', '/fixtures', '/types', '/json']
    const imports = entries.map((entry) => `await import('petstore-kit${entry}')`).join('\n')
    return script('--input-type=module', '--eval', imports)
  })

  test('petstore-kit/msw names the missing package', () =>
    expect(
      script('--input-type=module', '--eval', `await import('petstore-kit/msw')`),
    ).rejects.toThrow(/Cannot find package 'msw'[^]*ERR_MODULE_NOT_FOUND/))

  test('npx petstore-kit', () => exec('petstore-kit', 'exec', '--', node, '--version'))
})

describe.each(all)('$name', (manager) => {
  const { isZipped = false } = manager
  const pinned = { ...manifest.dependencies, ...manifest.devDependencies }
  const names = [
    'msw',
    'openapi-fetch',
    'vite',
    'vitest',
    '@types/node',
    'undici',
    ...(isZipped ? ['@msw/data'] : []),
  ]
  // With archives, yarn patches the compiler to find packages, but only under its own name.
  const typescript = isZipped
    ? { typescript: compilers['typescript-5'].replace(/.*@/, '') }
    : compilers
  const dependencies = {
    ...kit,
    ...Object.fromEntries(names.map((name) => [name, pinned[name]])),
    ...typescript,
  }
  const { home, exec, script } = createProject(
    manager,
    dependencies,
    projectFiles(jsonEntries, isZipped),
  )

  test('JavaScript, each entry', async () => expect(await script('use.js')).toMatch(/^used\s*$/))

  // Node requires ECMAScript modules only from disk.
  test.each([isZipped].filter((zipped) => !zipped))('CommonJS, and JSON', async () =>
    expect(await script('use.cjs')).toMatch(/^used\s*$/),
  )

  describe.each(['nodenext', 'bundler'])('types, %s', (resolution) => {
    const project = ['--project', `tsconfig.${resolution}.json`]
    // The compiler written in Go cannot read archives of yarn.
    test.each(isZipped ? ['typescript-5'] : Object.keys(compilers))('%s', async (compiler) => {
      if (isZipped) await exec('tsc', ...project)
      else await script(join(home, 'node_modules', compiler, 'bin/tsc'), ...project)
    })
  })

  test('the command: --version, key, exec', async () => {
    expect((await exec('petstore', '--version')).trim()).toBe(manifest.version)
    expect(await exec('petstore', 'key', 'our-shop')).toMatch(
      /^petstore_sandbox_our-shop_[0-9a-f]{8}\s*$/,
    )
    await exec('petstore', 'exec', '--', node, '--version')
  })

  test('the command: mock, and verify against it', async () => {
    // A separate process group, because the package manager may not forward signals.
    const [program = '', ...prefix] = manager.exec
    const args = [...prefix, 'petstore', 'mock', '--port', '0', '--quiet']
    const child = spawn(program, args, {
      cwd: home,
      env: environment(manager.env?.()),
      detached: true,
    })
    const closed = once(child, 'close')
    let printed = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (printed += text))
    try {
      await expect.poll(() => printed, { timeout: 60_000 }).toMatch(/^http\S+\s/m)
      const [url = ''] = /^http\S+/m.exec(printed) ?? []
      await exec('petstore', 'verify', url, '--key', 'petstore-test-key')
    } finally {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM')
      await closed
    }
  })

  test('vitest: describeContract', () => exec('vitest', 'run'))

  test('Vite: a page for production', async () => {
    expect(await exec('vite', 'build')).not.toMatch(/externalized|warn/i)
    const assets = join(home, 'dist/assets')
    const built = readdirSync(assets).map((file) => readFileSync(join(assets, file), 'utf8'))
    expect(built.join('\n')).toMatch(/Whippet/)
    expect(built.join('\n')).not.toMatch(/\bfrom\s*"node:[^"]+"|require\("[^"]+"\)/)
  })
})

test('the script that tries the package on macOS and Windows passes here', async () => {
  expect(await run([process.execPath, 'scripts/try-package.mjs'])).toMatch(/^The package works/m)
})
