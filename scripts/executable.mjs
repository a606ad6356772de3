/**
 * `npm run executable`: writes executable/petstore, the command with Node.js in one file, for the platform of this machine.
 * It is a single executable application: Node.js starts the bundled script, which reads the files of dist/ from its assets.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

import { rolldown } from 'rolldown'

import { foreignPackages, writeNotices } from './bundle.mjs'
import { filesIn } from './files.mjs'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')
const folder = join(root, 'executable')
const [isMac, isWindows] = [process.platform === 'darwin', process.platform === 'win32']
const executable = join(folder, isWindows ? 'petstore.exe' : 'petstore')
const postject = 'postject@1.0.0-alpha.6'

const assets = [
  ...filesIn(join(dist, 'console')).map((file) => `console/${file}`),
  ...filesIn(join(dist, 'spec'))
    .filter((file) => /^openapi.*\.(?:json|yaml)$/.test(file))
    .map((file) => `spec/${file}`),
].map((file) => file.replaceAll('\\', '/'))

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder)
const output = await bundle(join(folder, 'petstore.cjs'))
writeNotices(foreignPackages(output), join(folder, 'THIRD-PARTY-NOTICES'))
// Distributions of Node.js have it beside their folder of commands, and other ways of installation elsewhere.
const license = join(dirname(process.execPath), isWindows ? '.' : '..', 'LICENSE')
if (existsSync(license)) copyFileSync(license, join(folder, 'NODE-LICENSE'))
writeFileSync(
  join(folder, 'sea.json'),
  JSON.stringify({
    main: join(folder, 'petstore.cjs'),
    output: join(folder, 'petstore.blob'),
    disableExperimentalSEAWarning: true,
    assets: Object.fromEntries(assets.map((path) => [path, join(dist, path)])),
  }),
)
run(process.execPath, ['--experimental-sea-config', join(folder, 'sea.json')])
copyFileSync(process.execPath, executable)
chmodSync(executable, 0o755)
// A signature covers the whole file.
if (isMac) run('codesign', ['--remove-signature', executable])
run(isWindows ? 'npx.cmd' : 'npx', [
  '--yes',
  postject,
  executable,
  'NODE_SEA_BLOB',
  join(folder, 'petstore.blob'),
  // The fuse of Node.js, at which it finds out that it has an application.
  '--sentinel-fuse',
  'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2',
  ...(isMac ? ['--macho-segment-name', 'NODE_SEA'] : []),
])
if (isMac) run('codesign', ['--sign', '-', executable])
for (const name of ['petstore.cjs', 'petstore.blob', 'sea.json']) rmSync(join(folder, name))
console.log(`wrote ${relative(process.cwd(), executable)}`)

/** Bundles the command and its dependencies into one CommonJS file, because Node.js starts no other from an executable. */
async function bundle(file) {
  const files = `import { getAsset } from 'node:sea'
const names = ${JSON.stringify(assets)}
export const readPackageFile = async (path) => getAsset(path, 'utf8')
export const packageFilesIn = async (folder) =>
  names.filter((name) => name.startsWith(folder + '/')).map((name) => name.slice(folder.length + 1))
`
  let isReplaced = false
  const bundled = await rolldown({
    input: join(dist, 'cli.js'),
    platform: 'node',
    external: [/^node:/],
    // Of a package with both, not the form that loads its parts by paths.
    resolve: { mainFields: ['module', 'main'] },
    logLevel: 'silent',
    plugins: [
      {
        name: 'assets',
        load(id) {
          if (!/[\\/]package-files\.js$/.test(id)) return null
          isReplaced = true
          return files
        },
      },
    ],
  })
  const { output } = await bundled.write({
    file,
    format: 'cjs',
    comments: false,
    codeSplitting: false,
  })
  await bundled.close()
  if (!isReplaced) throw new Error('No module reads the files of the package.')
  return output
}

function run(command, args) {
  execFileSync(command, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: isWindows && command.endsWith('.cmd'),
  })
}
