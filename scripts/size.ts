/** `npm run size`: measures what users download, and writes docs/project/size.md. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'

import { build, type Rolldown, version as viteVersion } from 'vite'

/** Sizes in bytes. */
export interface Sizes {
  tarball: { packed: number; unpacked: number; files: number }
  /** The packages that `npm install petstore-kit` installs. */
  installed: { name: string; version: string; bytes: number }[]
  /** Size that an import adds to the script of a page built by Vite, and the packages that it leaves to the page. */
  imports: { entry: string; minified: number; gzip: number; external: string[] }[]
}

/** Characters of code that `src` may have. Whoever makes it smaller lowers this; what enters makes room. */
export const mostCode = 1_364_100

const root = join(import.meta.dirname, '..')
const scripts = {
  'petstore-kit/msw': `import { createHandlers } from 'dist/mock/adapters/msw.js'; globalThis.made = createHandlers()`,
  'petstore-kit/fetch': `import { createFetch } from 'dist/mock/adapters/fetch.js'; globalThis.made = createFetch()`,
}
const readJson = (file: string): unknown => JSON.parse(readFileSync(join(root, file), 'utf8'))

/** The contents of the published package. */
export function pack(): {
  size: number
  unpackedSize: number
  entryCount: number
  files: { path: string }[]
} {
  const options = { cwd: root, encoding: 'utf8', shell: process.platform === 'win32' } as const
  const { stdout } = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], options)
  return (JSON.parse(stdout) as [ReturnType<typeof pack>])[0]
}

/** Measures the built package and its installed dependencies. */
export async function measure(packed = pack()): Promise<Sizes> {
  const { name, version } = readJson('package.json') as { name: string; version: string }
  const { packages } = readJson('package-lock.json') as {
    packages: Record<string, Record<string, unknown>>
  }
  const dependencies = Object.entries(packages)
    .filter(
      ([path, one]) =>
        path !== '' && !['dev', 'peer', 'devOptional', 'optional'].some((kind) => one[kind]),
    )
    .map(([path, one]) => ({
      name: path.split('node_modules/').at(-1) ?? path,
      version: String(one['version']),
      bytes: sizeOf(path),
    }))
    .toSorted((one, other) => other.bytes - one.bytes)
  return {
    tarball: { packed: packed.size, unpacked: packed.unpackedSize, files: packed.entryCount },
    installed: [{ name, version, bytes: packed.unpackedSize }, ...dependencies],
    imports: await Promise.all(
      Object.entries(scripts).map(([entry, script]) => bundle(entry, script)),
    ),
  }
}

function sizeOf(folder: string): number {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}

async function bundle(entry: string, script: string): Promise<Sizes['imports'][number]> {
  const id = '\0script.js'
  const { output } = (await build({
    root,
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    plugins: [
      {
        name: 'script',
        enforce: 'pre',
        resolveId(path) {
          if (path === 'script' || path === id) return id
          if (path.startsWith('dist/')) return join(root, path)
          // The page already has msw.
          return /^[./\0]/.test(path) ? undefined : { id: path, external: true }
        },
        load: (path) => (path === id ? script : undefined),
      },
    ],
    build: { write: false, modulePreload: false, rolldownOptions: { input: 'script' } },
  })) as Rolldown.RolldownOutput
  const all = output.filter((part) => part.type === 'chunk')
  // Lazily loaded chunks, such as the scorecard, do not count.
  const names = new Set(all.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName))
  for (const name of names) {
    for (const next of all.find(({ fileName }) => fileName === name)?.imports ?? []) names.add(next)
  }
  const chunks = all.filter(({ fileName }) => names.has(fileName))
  return {
    entry,
    minified: chunks.reduce((sum, { code }) => sum + Buffer.byteLength(code), 0),
    gzip: chunks.reduce((sum, { code }) => sum + gzipSync(code, { level: 9 }).length, 0),
    external: [...new Set(chunks.flatMap(({ imports }) => imports))].filter(
      (path) => !path.includes('assets/'),
    ),
  }
}

const strings = /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)/.source
const blanksAndComments = new RegExp(`${strings}|/\\*[\\s\\S]*?\\*/|(?<![:\\\\])//.*|\\s+`, 'g')

/** The characters of code without blanks and comments, so that nobody is paid for a wide line. */
export const codeCharacters = (text: string): number =>
  text.replace(blanksAndComments, (_, string: string | undefined) => string ?? '').length

/** The files and the code characters of each folder of src, without the console and what the build writes. */
export function measureCode(): { folder: string; files: number; characters: number }[] {
  const folders = new Map<string, { files: number; characters: number }>()
  for (const path of readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })) {
    if (!/\.tsx?$/.test(path) || /\.gen\.ts$|^console\b/.test(path)) continue
    const folder = join('src', dirname(path))
    const { files, characters } = folders.get(folder) ?? { files: 0, characters: 0 }
    const text = readFileSync(join(root, 'src', path), 'utf8')
    folders.set(folder, { files: files + 1, characters: characters + codeCharacters(text) })
  }
  return [...folders]
    .map(([folder, size]) => ({ folder, ...size }))
    .toSorted((one, other) => one.folder.localeCompare(other.folder))
}

/** What a request enters of the built package, at a mock that has served one like it before. */
function measurePaths(): { what: string; files: number; functions: number }[] {
  const { stdout } = spawnSync(process.execPath, [join(root, 'scripts/paths.mjs')], {
    encoding: 'utf8',
  })
  return JSON.parse(stdout) as ReturnType<typeof measurePaths>
}

const kilo = (bytes: number): string =>
  `${(bytes / 1000).toLocaleString('en-US', { maximumFractionDigits: 1 })} kB`
const mega = (bytes: number): string => `${(bytes / 1_000_000).toFixed(2)} MB`

function toPage(
  { tarball, installed, imports }: Sizes,
  paths: ReturnType<typeof measurePaths>,
): string {
  const folders = measureCode()
  const characters = folders.reduce((sum, one) => sum + one.characters, 0)
  const total = installed.reduce((sum, { bytes }) => sum + bytes, 0)
  const row = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return `# Size

Written by \`npm run size\`; a test holds the numbers. 1 kB is 1,000 bytes, 1 MB a million. Measured with Vite ${viteVersion}.

## In the browser

What an import adds to the script of a page, as Vite builds it for production. MSW is not counted: the page has its own. At most 45.7 kB with gzip for MSW, and 46.5 kB for fetch.

| import | minified | with gzip |
| --- | --- | --- |
${imports.map(({ entry, minified, gzip }) => row(`\`${entry}\``, kilo(minified), kilo(gzip))).join('\n')}

The home of the site loads the mock when somebody presses a button: less than 60 kB with gzip, and less than 85 kB once a request has a mistake.

A page that imports the mock only in development (\`if (import.meta.env.DEV)\`) ships none of it; [examples/react-msw](../../examples/react-msw) does so, and a test inspects what it builds.

## On disk

\`npm install petstore-kit\` downloads ${kilo(tarball.packed)} for the package itself (${tarball.files} files) and puts ${mega(total)} on disk. At most 15.1 MB. Nothing runs at installation.

| package | version | size |
| --- | --- | --- |
${installed.map(({ name, version, bytes }) => row(name, version, mega(bytes))).join('\n')}

msw and vitest are optional peers: only \`petstore-kit/msw\` and \`petstore-kit/vitest\` import them.

\`npm run test:install\` installs the tarball into empty projects with npm, pnpm and yarn, and uses each entry there. With Plug'n'Play, Node 20 cannot require ECMAScript modules from the archives of yarn: \`mock.pets\` needs the class Collection there (\`createMock({ Collection })\`), and \`require('petstore-kit/mock')\` does not work there, but \`import\` does.

## In the code

\`src\` without the console has ${kilo(characters)} of code: characters without blanks and comments. At most ${kilo(mostCode)}: the bound in \`scripts/size.ts\` is only lowered.

| folder | files | code |
| --- | --- | --- |
${folders.map((one) => row(`\`${one.folder}\``, String(one.files), kilo(one.characters))).join('\n')}

What a request enters at a mock that has served one like it before, from socket to socket:

| request | files | functions |
| --- | --- | --- |
${paths.map((one) => row(`\`${one.what}\``, String(one.files), String(one.functions))).join('\n')}
`
}

/** Writes the page. */
export async function main(): Promise<void> {
  writeFileSync(join(root, 'docs/project/size.md'), toPage(await measure(), measurePaths()))
}
