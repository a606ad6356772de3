import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Manager } from './managers.ts'
import type { Packed } from './project.ts'
import { type Command, run, start } from './run.ts'

/** What is tried in a project. It throws when it does not work. */
export interface Step {
  name: string
  run: (project: Project) => Promise<void>
  /** Whether a manager can do it at all; always by default. */
  needs?: 'files'
}

export interface Project {
  folder: string
  manager: Manager
  packed: Packed
}

/** The compilers. Both are installed under names of their own. */
export const compilers = { 'typescript-5': 'npm:typescript@5.9.3', 'typescript-7': 'npm:typescript@7.0.2' }

const inProject = ({ folder, manager }: Project, command: Command): Promise<string> =>
  run(command, { cwd: folder, env: manager.env })

/** Runs one of the project's files, which says at its end that it has come there. */
async function use(project: Project, file: string): Promise<void> {
  const said = await inProject(project, project.manager.node(file))
  expectText(said.trim(), 'used')
}

function expectText(actual: string, expected: string): void {
  if (actual !== expected) throw new Error(`${JSON.stringify(expected)} was expected, and there was:\n${actual}`)
}

const compile = (name: 'typescript-5' | 'typescript-7', resolution: 'nodenext' | 'bundler'): Step => ({
  name: `types, ${name}, ${resolution}`,
  // The compiler that is written in Go reads no archives of yarn.
  ...(name === 'typescript-7' && { needs: 'files' as const }),
  async run(project) {
    const { folder, manager } = project
    const tsc = manager.zipped ? 'tsc' : join(folder, 'node_modules', name, 'bin/tsc')
    const args = ['--project', `tsconfig.${resolution}.json`]
    await inProject(project, manager.zipped ? manager.exec(tsc, ...args) : manager.node(tsc, ...args))
  },
})

/** All steps, in the order in which they are tried. */
export const steps: readonly Step[] = [
  { name: 'JavaScript, each entry', run: (project) => use(project, 'use.js') },
  // What Node requires of ECMAScript modules, it looks for on disk alone.
  { name: 'CommonJS, and JSON', needs: 'files', run: (project) => use(project, 'use.cjs') },
  compile('typescript-5', 'nodenext'),
  compile('typescript-5', 'bundler'),
  compile('typescript-7', 'nodenext'),
  compile('typescript-7', 'bundler'),
  {
    name: 'the command: --version, key, exec --verify',
    async run(project) {
      const { exec } = project.manager
      expectText((await inProject(project, exec('petstore', '--version'))).trim(), project.packed.version)
      const key = (await inProject(project, exec('petstore', 'key', 'our-shop'))).trim()
      if (!/^petstore_sandbox_our-shop_[0-9a-f]{8}$/.test(key)) throw new Error(`petstore key printed ${key}`)
      await inProject(project, exec('petstore', 'exec', '--verify', '--', process.execPath, '--version'))
    },
  },
  {
    name: 'the command: mock, and verify against it',
    async run(project) {
      const { folder, manager } = project
      const mock = start(manager.exec('petstore', 'mock', '--port', '0', '--quiet'), {
        cwd: folder,
        env: manager.env,
      })
      try {
        const url = await mock.line
        await inProject(project, manager.exec('petstore', 'verify', url, '--key', 'petstore-test-key'))
      } finally {
        await mock.stop()
      }
    },
  },
  {
    name: 'vitest: describeContract',
    run: async (project) => void (await inProject(project, project.manager.exec('vitest', 'run'))),
  },
  {
    name: 'Vite: a page for production',
    async run(project) {
      const said = await inProject(project, project.manager.exec('vite', 'build'))
      if (/externalized|warn/i.test(said)) throw new Error(said)
      const assets = join(project.folder, 'dist/assets')
      const built = readdirSync(assets).map((file) => readFileSync(join(assets, file), 'utf8'))
      if (!built.some((text) => text.includes('Whippet'))) throw new Error('The mock is not in what was built.')
      const [found] = /\bfrom\s*"(node:[^"]+)"|require\("[^"]+"\)/.exec(built.join('\n')) ?? []
      if (found !== undefined) throw new Error(`What was built holds ${found}`)
    },
  },
]

/** The packages of an installation that have a script for npm to run, and the bytes of all its files. */
export function inspect(folder: string): { withScripts: string[]; bytes: number; packages: number } {
  const files = readdirSync(join(folder, 'node_modules'), { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  const manifests = files
    .filter(({ name }) => name === 'package.json')
    .map(({ parentPath }) => join(parentPath, 'package.json'))
    .filter((file) => /node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(file))
  const withScripts = manifests.filter((file) => {
    const { scripts = {} } = JSON.parse(readFileSync(file, 'utf8')) as { scripts?: Record<string, string> }
    return ['preinstall', 'install', 'postinstall'].some((name) => name in scripts)
  })
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
  return { withScripts, bytes, packages: manifests.length }
}
