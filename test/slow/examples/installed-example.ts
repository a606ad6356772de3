import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'
import { makeFolder } from '../../support/folder.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

interface Manifest {
  version: string
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
}

const manifestIn = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest

/**
 * Copies an example to a temporary folder, and installs petstore-kit as from the registry and the dependencies of the
 * example, without downloads. Removes the folder after the tests of the file.
 *
 * @throws if the example pins another version of a package than the installed one.
 */
export function installExample(name: string): string {
  const folder = makeFolder({}, afterAll)
  const example = join(root, 'examples', name)
  // Skip local installations and builds.
  const left = new Set(
    ['node_modules', 'dist', 'public', 'reports'].map((one) => join(example, one)),
  )
  cpSync(example, folder, { recursive: true, filter: (source) => !left.has(source) })
  const { dependencies = {}, devDependencies = {} } = existsSync(join(folder, 'package.json'))
    ? manifestIn(folder)
    : {}
  const { 'petstore-kit': _, ...pinned } = { ...dependencies, ...devDependencies } as Record<
    string,
    string
  >
  for (const [dependency, version] of Object.entries(pinned)) link(dependency, version, folder)
  installKit(folder)
  return folder
}

/** Installs the contents of the package, its dependencies and its command. */
function installKit(folder: string): void {
  const kit = join(folder, 'node_modules/petstore-kit')
  for (const part of ['dist', 'fixtures', 'package.json'])
    cpSync(join(root, part), join(kit, part), { recursive: true })
  for (const [dependency, version] of Object.entries(manifestIn(root).dependencies ?? {}))
    link(dependency, version, folder)
  const bin = join(folder, 'node_modules/.bin')
  mkdirSync(bin, { recursive: true })
  symlinkSync(join(kit, 'dist/bin/petstore.js'), join(bin, 'petstore'))
  chmodSync(join(kit, 'dist/bin/petstore.js'), 0o755)
}

function link(dependency: string, version: string, folder: string): void {
  const source = join(root, 'node_modules', dependency)
  const { version: installed } = manifestIn(source)
  if (installed !== version)
    throw new Error(`${dependency} is pinned to ${version}, but ${installed} is installed.`)
  const place = join(folder, 'node_modules', dependency)
  mkdirSync(dirname(place), { recursive: true })
  if (!existsSync(place)) symlinkSync(source, place)
}
