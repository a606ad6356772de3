import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from './run.ts'
import { run } from './run.ts'

/** A way to install packages. */
export interface Manager {
  name: string
  /** Installs what package.json asks for. */
  install: Command
  env: Readonly<Record<string, string>>
  /** The command line for a command of an installed package. */
  exec: (...command: string[]) => Command
  /** The command line for a script. */
  node: (...args: string[]) => Command
  /** Whether packages stay in their archives, as in Plug'n'Play, where not everything can read them. */
  zipped: boolean
  /** Files that a project needs. */
  files: Readonly<Record<string, string>>
}

const versions = { pnpm: '10.34.9', '@yarnpkg/cli-dist': '4.18.1' }

/** Installs the package managers that are not there, in a folder. npm is there. */
export async function installManagers(folder: string): Promise<Manager[]> {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: versions }))
  await run(['npm', 'install', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: folder })
  const registry = (await run(['npm', 'config', 'get', 'registry'], { cwd: folder })).trim()
  const node = process.execPath
  const pnpm = join(folder, 'node_modules/pnpm/bin/pnpm.cjs')
  const yarn = join(folder, 'node_modules/@yarnpkg/cli-dist/bin/yarn.js')
  const plain = { node: (...args: string[]): Command => [node, ...args], zipped: false, files: {} }
  const yarnEnvironment = {
    YARN_NPM_REGISTRY_SERVER: registry,
    YARN_ENABLE_TELEMETRY: '0',
    YARN_ENABLE_IMMUTABLE_INSTALLS: '0',
    YARN_ENABLE_SCRIPTS: '0',
    YARN_GLOBAL_FOLDER: join(folder, 'yarn'),
    YARN_NPM_MINIMAL_AGE_GATE: '0',
  }
  return [
    {
      ...plain,
      name: 'npm',
      install: ['npm', 'install', '--no-audit', '--no-fund'],
      env: {},
      exec: (...command) => ['npm', 'exec', '--no', '--', ...command],
    },
    {
      ...plain,
      name: `pnpm ${versions.pnpm}`,
      install: [node, pnpm, 'install', '--no-frozen-lockfile', `--store-dir=${join(folder, 'pnpm')}`],
      env: { npm_config_registry: registry },
      exec: (...command) => [node, pnpm, 'exec', ...command],
    },
    {
      ...plain,
      name: `yarn ${versions['@yarnpkg/cli-dist']}, node_modules`,
      install: [node, yarn, 'install'],
      env: yarnEnvironment,
      exec: (...command) => [node, yarn, 'run', ...command],
      files: { '.yarnrc.yml': 'nodeLinker: node-modules\n', 'yarn.lock': '' },
    },
    {
      name: `yarn ${versions['@yarnpkg/cli-dist']}, Plug'n'Play`,
      install: [node, yarn, 'install'],
      env: yarnEnvironment,
      exec: (...command) => [node, yarn, 'run', ...command],
      node: (...args) => [node, yarn, 'node', ...args],
      zipped: true,
      files: { '.yarnrc.yml': 'nodeLinker: pnp\n', 'yarn.lock': '' },
    },
  ]
}
