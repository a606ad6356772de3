/**
 * The contents of the tarball and its size. `npm run size` updates docs/project/size.md.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { measure, pack, type Sizes } from '../../../scripts/size.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
}

/** The files built from a file of src/. */
function builtFrom(source: string): string[] {
  const target = source.replace(/^src/, 'dist')
  if (target.startsWith('dist/console/')) return []
  if (target.endsWith('.json')) return [target]
  return target.endsWith('.ts') ? [target.replace(/ts$/, 'js'), target.replace(/ts$/, 'd.ts')] : []
}

const tarball = pack()
const packed = tarball.files.map(({ path }) => path)

test('the package contains only the build, fixtures, docs, deploy and examples', () => {
  const expected = [
    ...filesIn('src').flatMap(builtFrom),
    'dist/spec/openapi.yaml',
    'dist/spec/openapi-3.0.json',
    'dist/spec/openapi-3.0.yaml',
    ...filesIn('fixtures'),
    ...filesIn('deploy'),
    ...filesIn('docs'),
    ...filesIn('examples').filter(
      (path) => !/node_modules|__pycache__|\/dist\/|package-lock|\/\.(gitignore|npmrc)$/.test(path),
    ),
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'LICENSE',
    'README.md',
    'THIRD-PARTY-NOTICES',
    'package.json',
  ]
  expect(packed.filter((path) => !/^dist\/(?:bin|console)\//.test(path)).toSorted()).toEqual(
    expected.toSorted(),
  )
})

test('THIRD-PARTY-NOTICES has the license of each package whose code or data is in the package', () => {
  const notices = readFileSync(join(root, 'THIRD-PARTY-NOTICES'), 'utf8')
  const bundled = new Set(
    filesIn('src/console').flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/(?:from|import)\s+'([^.'][^']*)'/g)].map(
        ([, name = '']) => name.split('/', name.startsWith('@') ? 2 : 1).join('/'),
      ),
    ),
  )
  expect([...bundled]).toContain('preact')
  for (const name of bundled) {
    const folder = join(root, 'node_modules', name)
    expect(notices).toContain(readFileSync(join(folder, 'LICENSE'), 'utf8').trim())
    const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    for (const dependency of Object.keys(dependencies)) bundled.add(dependency)
  }
  // Helpers of the bundler are in dist/bin/.
  expect(notices).toContain(
    readFileSync(join(root, 'node_modules/rolldown/LICENSE'), 'utf8').trim(),
  )
  const faker = fileURLToPath(new URL('../LICENSE', import.meta.resolve('@faker-js/faker')))
  expect(notices).toContain(readFileSync(faker, 'utf8').trim())
})

test('links of packaged pages lead to packaged files', () => {
  const dead = packed
    .filter((path) => path.endsWith('.md'))
    .flatMap((page) =>
      [...readFileSync(join(root, page), 'utf8').matchAll(/\]\((?!https?:)([^)#\s]+)/g)]
        .map(([, link = '']) => join(dirname(page), link))
        .filter(
          (target) => !packed.some((path) => path === target || path.startsWith(join(target, '/'))),
        )
        .map((target) => `${page}: ${target}`),
    )
  expect(dead).toEqual([])
})

test('docs/reference/javascript.md names each entry', () => {
  const page = readFileSync(join(root, 'docs/reference/javascript.md'), 'utf8')
  const entries = Object.keys(manifest.exports).filter((entry) => entry !== './package.json')
  expect(
    entries.filter((entry) => !page.includes(`${entry.slice(2) || 'petstore-kit'}\``)),
  ).toEqual([])
})

test('the console is a page, a script and a stylesheet of at most 44.5 kB, compressed', () => {
  const files = packed.filter((path) => path.startsWith('dist/console/'))
  expect(files.map((path) => path.replace(/-[\w-]+\./, '-HASH.')).toSorted()).toEqual([
    'dist/console/console-HASH.css',
    'dist/console/console-HASH.js',
    'dist/console/index.html',
  ])
  const bytes = files.map((path) => gzipSync(readFileSync(join(root, path))).length)
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(44_500)
})

test('the command is one bundle without unused files', () => {
  const found = new Set<string>()
  const visit = (path: string): void => {
    if (found.has(path)) return
    found.add(path)
    const imports = readFileSync(join(root, path), 'utf8').matchAll(
      /require\(["'](\.[^"']+)["']\)/g,
    )
    for (const [, target = ''] of imports) visit(join(dirname(path), target))
  }
  visit(manifest.bin.petstore)
  expect(packed.filter((path) => path.startsWith('dist/bin/')).toSorted()).toEqual(
    [...found, 'dist/bin/package.json'].toSorted(),
  )
})

test('the package contains every export and the command', () => {
  const targets = (entry: unknown): string[] => {
    return typeof entry === 'string' ? [entry] : Object.values(entry as object).flatMap(targets)
  }
  const promised = [
    ...Object.values(manifest.exports).flatMap(targets),
    ...Object.values<string>(manifest.bin),
  ]
  const isPacked = (target: string) => {
    const [before = '', after] = target.replace(/^\.\//, '').split('*')
    return packed.some((path) =>
      after === undefined ? path === before : path.startsWith(before) && path.endsWith(after),
    )
  }
  expect(promised.filter((target) => !isPacked(target))).toEqual([])
})

/** Allowed install scripts of development dependencies, with the reason. Runtime dependencies have none. */
const harmless: Record<string, string> = {
  'node_modules/msw':
    'copies its worker script into the folders that msw.workerDirectory of package.json names: none',
}

test('dependencies are pinned, and run no install script', () => {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, object>
  }
  expect(manifest).not.toHaveProperty('msw')
  const versions = Object.values<string>({ ...manifest.dependencies, ...manifest.devDependencies })
  expect(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([])
  const { '': _, ...installed } = lock.packages
  for (const [path, entry] of Object.entries(installed)) {
    expect(entry, path).toMatchObject({ integrity: expect.stringMatching(/^sha512-/) })
    expect(entry, path).not.toHaveProperty('resolved')
    const installedManifest = join(root, path, 'package.json')
    if (!existsSync(installedManifest)) continue // for another platform
    const { scripts = {} } = JSON.parse(readFileSync(installedManifest, 'utf8'))
    const onInstall = ['preinstall', 'install', 'postinstall'].filter((name) => name in scripts)
    if (onInstall.length > 0)
      expect(Object.keys(harmless), `${path} runs ${onInstall.join()}`).toContain(path)
    if (path in harmless) expect(entry, path).toMatchObject({ dev: true })
  }
})

test('the README names each runtime dependency with a link', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const [, list = ''] = /petstore-kit depends on (.*?)\. Each is /s.exec(readme) ?? []
  const named = [...list.matchAll(/\[([^\]]+)\]\(/g)].map(([, name]) => name)
  expect(new Set(named)).toEqual(new Set(Object.keys(manifest.dependencies)))
})

test('deploy/package-lock.json locks the runtime dependencies at the versions of the checkout', () => {
  const read = (file: string) =>
    JSON.parse(readFileSync(join(root, file), 'utf8')) as {
      packages: Record<string, { dependencies?: Record<string, string> }>
    }
  const { packages: all } = read('package-lock.json')
  const { packages: locked } = read('deploy/package-lock.json')
  expect(locked['']?.dependencies).toEqual(manifest.dependencies)
  const { '': _, ...installed } = locked
  for (const [path, entry] of Object.entries(installed)) expect(entry).toEqual(all[path])
  const required = Object.values(locked).flatMap(({ dependencies = {} }) =>
    Object.keys(dependencies),
  )
  expect(
    Object.keys(installed)
      .map((path) => path.replace('node_modules/', ''))
      .toSorted(),
  ).toEqual([...new Set(required)].toSorted())
})

test('everything in deploy/ and its page builds and runs the same image', () => {
  const files = [...filesIn('deploy'), 'docs/how-to/host-one-mock.md'].filter(
    (file) => !file.endsWith('.json'),
  )
  const named = files.flatMap((file) =>
    [
      ...readFileSync(join(root, file), 'utf8').matchAll(
        /(?:image: |-t |petstore.state |docker tag )(petstore-kit\S*)/g,
      ),
    ].map(([, image]) => `${file}: ${image}`),
  )
  expect(named).toEqual([
    'deploy/Dockerfile: petstore-kit:1',
    'deploy/compose.dev.yaml: petstore-kit:1',
    'deploy/compose.yaml: petstore-kit:1',
    'deploy/kubernetes/petstore.yaml: petstore-kit:1',
    ...Array<string>(3).fill('docs/how-to/host-one-mock.md: petstore-kit:1'),
  ])
})

test('the package has no install script', () => {
  expect(
    Object.keys(manifest.scripts).filter((name) =>
      /^(preinstall|install|postinstall|prepare)$/.test(name),
    ),
  ).toEqual([])
})

test('the command can be executed', () => {
  const command = join(root, manifest.bin.petstore)
  expect(statSync(command).mode & 0o111).toBe(0o111)
  expect(readFileSync(command, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/)
})

const page = readFileSync(join(root, 'docs/project/size.md'), 'utf8')
let sizes: Sizes
beforeAll(async () => {
  sizes = await measure(tarball)
})
const installed = (): number => sizes.installed.reduce((sum, { bytes }) => sum + bytes, 0)

test('petstore-kit/msw adds at most 45.7 kB with gzip to a page, petstore-kit/fetch 46.5 kB, and only msw is external', () => {
  expect(sizes.imports.map(({ entry, external }) => [entry, external])).toEqual([
    ['petstore-kit/msw', ['msw']],
    ['petstore-kit/fetch', []],
  ])
  const [msw, fetch] = sizes.imports
  const advice =
    'Load on demand, or take out, what a page does not need. If it needs all of it, raise the limit here, in scripts/size.ts and in the row "Size of a page" of docs/project/decisions.md, with the reason, and run `npm run size`.'
  expect(msw?.gzip, advice).toBeLessThanOrEqual(45_700)
  expect(fetch?.gzip, advice).toBeLessThanOrEqual(46_500)
})

test('an installation takes at most 15.1 MB', () => {
  expect(
    installed(),
    'A row of the table in docs/project/size.md shows what grew: `npm run size` renews it. Raise the limit here only with a line in docs/project/decisions.md.',
  ).toBeLessThanOrEqual(15_100_000)
})

/** Whether the size on the page differs by more than 5 % and rounding. */
function isOff(is: number, pattern: string): boolean {
  const [, number, unit] =
    new RegExp(pattern.replace('SIZE', String.raw`([\d.,]+) (kB|MB)`)).exec(page) ?? []
  const stated = Number(number?.replaceAll(',', '')) * (unit === 'MB' ? 1_000_000 : 1_000)
  return !(Math.abs(is - stated) <= 0.05 * stated + (unit === 'MB' ? 5_000 : 50))
}

test('docs/project/size.md has the current sizes to within 5 %', () => {
  const stated: [is: number, pattern: string][] = [
    ...sizes.imports.flatMap(({ entry, minified, gzip }): [number, string][] => [
      [minified, String.raw`\| \`${entry}\` \| SIZE`],
      [gzip, String.raw`\| \`${entry}\` \| [^|]+ \| SIZE`],
    ]),
    [sizes.tarball.packed, 'downloads SIZE'],
    [installed(), 'puts SIZE on disk'],
    ...sizes.installed.map(({ name, bytes }): [number, string] => [
      bytes,
      String.raw`\| ${name} \| [\d.]+ \| SIZE`,
    ]),
  ]
  expect(
    stated.filter(([is, pattern]) => isOff(is, pattern)),
    'npm run size updates the page',
  ).toEqual([])
})
