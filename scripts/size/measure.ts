import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Bundle, bundle, withoutWords } from './bundle.ts'

/** What users download, in bytes. */
export interface Sizes {
  /** The file that npm downloads. */
  tarball: { packed: number; unpacked: number; files: number }
  /** What `npm install petstore-kit` puts on disk: the kit and each package that comes along. */
  installed: { name: string; version: string; bytes: number; neededBy: string[] }[]
  /** By the entry that a page imports. */
  faces: { entry: string; bundle: Bundle; withoutWords: Bundle }[]
}

const faces = {
  'petstore-kit/msw': `import { createHandlers } from 'dist/mock/adapters/msw.js'; globalThis.made = createHandlers()`,
  'petstore-kit/fetch': `import { createFetch } from 'dist/mock/adapters/fetch.js'; globalThis.made = createFetch()`,
}

/** Measures a package that is built, and installed with its dependencies. */
export async function measure(root: string): Promise<Sizes> {
  const manifest = readJson(join(root, 'package.json')) as { name: string; version: string }
  const tarball = measureTarball(root)
  const words = withoutWords(root)
  const measured: Sizes['faces'] = []
  for (const [entry, script] of Object.entries(faces)) {
    measured.push({ entry, bundle: await bundle(root, script), withoutWords: await bundle(root, script, words) })
  }
  return {
    tarball,
    installed: [
      { name: manifest.name, version: manifest.version, bytes: tarball.unpacked, neededBy: [] },
      ...dependencies(root, manifest.name),
    ],
    faces: measured,
  }
}

function measureTarball(root: string): Sizes['tarball'] {
  const { stdout } = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  const [pack] = JSON.parse(stdout) as { size: number; unpackedSize: number; entryCount: number }[]
  if (pack === undefined) throw new Error('npm pack tells of no package.')
  return { packed: pack.size, unpacked: pack.unpackedSize, files: pack.entryCount }
}

interface LockedPackage {
  version: string
  dependencies?: Record<string, string>
  dev?: true
  peer?: true
  devOptional?: true
  optional?: true
}

/** The packages that are installed for users, from the largest to the smallest. */
function dependencies(root: string, kit: string): Sizes['installed'] {
  const lock = readJson(join(root, 'package-lock.json')) as { packages: Record<string, LockedPackage> }
  const nameOf = (path: string): string => (path === '' ? kit : (path.split('node_modules/').at(-1) ?? path))
  const forUsers = Object.entries(lock.packages).filter(
    ([, { dev, peer, devOptional, optional }]) => !dev && !peer && !devOptional && !optional,
  )
  return forUsers
    .filter(([path]) => path !== '')
    .map(([path, { version }]) => ({
      name: nameOf(path),
      version,
      bytes: sizeOf(join(root, path)),
      neededBy: forUsers
        .filter(([, other]) => nameOf(path) in (other.dependencies ?? {}))
        .map(([other]) => nameOf(other)),
    }))
    .toSorted((one, other) => other.bytes - one.bytes)
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'))
