import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Manager } from './managers.ts'
import { run } from './run.ts'

/** A package that was packed, and what its projects are made of. */
export interface Packed {
  /** The path of the tarball. */
  tarball: string
  version: string
  /** Its dependencies, by name and version. */
  dependencies: Readonly<Record<string, string>>
  /** What it is developed with, by name and version. */
  devDependencies: Readonly<Record<string, string>>
  /** The path of each file that a user can read as JSON, such as `openapi.json`. */
  jsonEntries: readonly string[]
}

/** Packs the package that is built in a folder. */
export async function pack(root: string, folder: string): Promise<Packed> {
  mkdirSync(folder)
  await run(['npm', 'pack', '--ignore-scripts', '--pack-destination', folder], { cwd: root })
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    version: string
    dependencies: Record<string, string>
    devDependencies: Record<string, string>
    exports: Record<string, unknown>
  }
  const [tarball = ''] = readdirSync(folder)
  const entries = Object.keys(manifest.exports).map((entry) => entry.slice(2))
  return {
    tarball: join(folder, tarball),
    version: manifest.version,
    dependencies: manifest.dependencies,
    devDependencies: manifest.devDependencies,
    jsonEntries: [...entries.filter((entry) => /^[^*]+\.json$/.test(entry)), 'fixtures/pets.json'],
  }
}

/** Packages that a project asks for besides petstore-kit. */
export type Wanted = Readonly<Record<string, string>>

/** Writes a project and installs what it asks for. Returns its folder. */
export async function createProject(
  folder: string,
  manager: Manager,
  { tarball }: Packed,
  wanted: Wanted,
  files: Readonly<Record<string, string>>,
): Promise<string> {
  mkdirSync(folder, { recursive: true })
  const manifest = {
    name: 'project',
    private: true,
    type: 'module',
    dependencies: { 'petstore-kit': `file:${tarball}`, ...wanted },
  }
  for (const [name, text] of Object.entries({ ...manager.files, ...files })) writeFileSync(join(folder, name), text)
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  await run(manager.install, { cwd: folder, env: manager.env })
  return folder
}
