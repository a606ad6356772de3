/** Bundles the command line and the console, and writes the licenses of what they contain. */
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

import { rolldown } from 'rolldown'
import { build } from 'vite'

import { filesIn, writeChanged } from './files.mjs'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')

/**
 * Writes dist/bin/ from the compiled files. `petstore mock` loads three files instead of a hundred, each of which would
 * take part of a millisecond to find, open and link. Modules for other commands are in separate chunks. Comments are
 * removed: without comments, and in ASCII, V8 reads a file in a tenth less time. The format is CommonJS, which Node loads
 * faster: on Node 24, a mock starts with half of the CPU.
 */
export async function bundleCommand() {
  /** Modules that a mock needs until its first response. */
  const atStart = withImports(['cli/command.js', 'cli/mock/mock-command.js', 'mock/start.js'])
  /** Modules for rarely used options of a mock. */
  const ofOptions = withImports(['cli/json-file.js', 'mock/sandbox/profile.js'])
  /** Modules of verify. */
  const ofSuite = withImports(['cli/command.js', 'cli/verify/verify-command.js', 'verify/index.js'])
  const shared = new Set([...atStart].filter((file) => ofSuite.has(file)))
  // Without a chunk of their own, verify would load the parser of files and, with it, the mock.
  const behaviors = new Set([...ofOptions].filter((file) => ofSuite.has(file)))
  const groups = Object.entries({
    shared,
    mock: atStart,
    behaviors,
    options: ofOptions,
    suite: ofSuite,
  })

  const bundled = await rolldown({
    input: { petstore: join(dist, 'cli.js') },
    platform: 'node',
    external: [/^node:/, 'undici', '@msw/data', 'jsonc-parser', 'ioredis'],
    logLevel: 'silent',
  })
  const { output } = await bundled.generate({
    format: 'cjs',
    exports: 'named',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
    minifyInternalExports: false,
    comments: false,
    charset: 'ascii',
    codeSplitting: {
      groups: groups.map(([name, files]) => ({ name, test: (id) => files.has(id) })),
    },
  })
  await bundled.close()

  // The package itself has ECMAScript modules.
  const manifest = { fileName: 'package.json', source: '{ "type": "commonjs" }\n' }
  writeAll(join(dist, 'bin'), [...output, manifest])
  return foreignPackages(output)
}

/** Writes dist/console/: a page, a script and a stylesheet, the latter two with a hash in their names. */
export async function bundleConsole() {
  const { output } = await build({
    configFile: false,
    logLevel: 'error',
    root: join(dist, '../src/console'),
    base: './',
    build: {
      write: false,
      target: ['chrome123', 'firefox120', 'safari17.5'],
      modulePreload: false,
      rolldownOptions: {
        output: {
          entryFileNames: 'console-[hash].js',
          assetFileNames: 'console-[hash][extname]',
          codeSplitting: false,
        },
      },
    },
  })
  writeAll(join(dist, 'console'), output)
  return foreignPackages(output)
}

/**
 * Writes THIRD-PARTY-NOTICES: the license texts of packages whose code is in a bundle, and of faker, whose
 * words are in the names of generated pets. Dependencies are installed with licenses of their own.
 */
export function writeNotices(folders, file = join(root, 'THIRD-PARTY-NOTICES')) {
  const faker = join(dirname(fileURLToPath(import.meta.resolve('@faker-js/faker'))), '..')
  const notices = [...new Set([...folders, faker])]
    .map((folder) => {
      const { name, version, license } = JSON.parse(
        readFileSync(join(folder, 'package.json'), 'utf8'),
      )
      return { title: `${name} ${version} (${license})`, text: licenseOf(folder) }
    })
    .toSorted((one, other) => (one.title < other.title ? -1 : 1))
    .map(({ title, text }) => `${'='.repeat(80)}\n${title}\n${'='.repeat(80)}\n\n${text.trim()}\n`)
  const preface = 'petstore-kit contains code and data of the following projects.\n'
  writeChanged(file, [preface, ...notices].join('\n'))
}

/** Returns the text of a license. A package without one cannot be bundled. */
function licenseOf(folder) {
  const file = readdirSync(folder).find((name) => /^licen[cs]e(?:\.(?:md|txt))?$/i.test(name))
  if (file === undefined) throw new Error(`${folder} is bundled, but has no license file.`)
  return readFileSync(join(folder, file), 'utf8')
}

/** Returns the folders of the packages whose modules are in a bundle, that of the bundler for its helpers included. */
export function foreignPackages(output) {
  return output
    .flatMap(({ moduleIds = [] }) => moduleIds)
    .flatMap((id) =>
      id.startsWith('\0rolldown/')
        ? [join(root, 'node_modules/rolldown')]
        : (/^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id) ?? []),
    )
}

/** Writes the files of a bundle, and removes all others. */
function writeAll(target, output) {
  const names = new Set(output.map(({ fileName }) => join(fileName)))
  for (const name of filesIn(target)) if (!names.has(name)) rmSync(join(target, name))
  for (const { fileName, code, source } of output) {
    const mode = fileName === 'petstore.js' ? 0o755 : 0o644
    writeChanged(join(target, fileName), String(code ?? source), mode)
  }
}

/** Modules of dist/ with all their static imports. */
function withImports(files) {
  const found = new Set(files.map((file) => join(dist, file)))
  for (const file of found) {
    const imports = readFileSync(file, 'utf8').matchAll(
      /^(?:import|export)\s[^'"]*?from\s+'(\.[^']+)'/gm,
    )
    for (const [, path] of imports) found.add(resolve(dirname(file), path))
  }
  return found
}
