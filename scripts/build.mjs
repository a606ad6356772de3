/**
 * Builds dist/, THIRD-PARTY-NOTICES and deploy/package-lock.json: writes the generated modules, compiles src/, copies its JSON files, and bundles
 * the command and the console. Keeps unchanged files, so that a mock can continue to run from dist/, and removes files without a source.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

import { stringify } from 'yaml'

import { filesIn, writeChanged } from './files.mjs'
import { mapValues, writeValidators } from './validators.mjs'
import { writeWords } from './words.mjs'

process.chdir(join(import.meta.dirname, '..'))
// For what reads the build, of whatever age: in a new clone there is none.
if (process.argv.includes('--if-missing') && existsSync('dist/bin/petstore.js')) process.exit()
writeWords()
await writeValidators()

const sources = filesIn('src').filter(
  (file) => /\.(?:ts|json)$/.test(file) && !/^console[\\/]/.test(file),
)
const outputs = new Set(
  sources.flatMap((file) =>
    file.endsWith('.ts') ? [file.replace(/ts$/, 'js'), file.replace(/ts$/, 'd.ts')] : [file],
  ),
)

for (const file of filesIn('dist')) {
  // The bundler manages dist/bin/ and dist/console/.
  if (
    !outputs.has(file) &&
    !/^\.tsbuildinfo$|^(?:bin|console)[\\/]|[\\/]openapi[^\\/]*$/.test(file)
  )
    rmSync(join('dist', file))
}
// The incremental compiler does not restore missing outputs.
if ([...outputs].some((file) => !file.endsWith('.json') && !existsSync(join('dist', file)))) {
  rmSync('dist/.tsbuildinfo', { force: true })
}

const compiler = join(
  dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
  'bin/tsc',
)
const { status } = spawnSync(process.execPath, [compiler, '--project', 'tsconfig.build.json'], {
  stdio: 'inherit',
})

for (const file of sources.filter((name) => name.endsWith('.json'))) {
  writeChanged(join('dist', file), readFileSync(join('src', file), 'utf8'))
}
if (existsSync('dist/cli.js')) {
  chmodSync('dist/cli.js', 0o755)
  const { bundleCommand, bundleConsole, writeNotices } = await import('./bundle.mjs')
  const { parseJson, printJson } = await import('../dist/json.js')
  const document = parseJson(readFileSync('src/spec/openapi.json', 'utf8'))
  const old = toOpenApi30(document)
  // Not every generator reads anchors.
  const yaml = { lineWidth: 0, aliasDuplicateObjects: false }
  writeChanged('dist/spec/openapi.yaml', stringify(document, yaml))
  writeChanged('dist/spec/openapi-3.0.yaml', stringify(old, yaml))
  writeChanged('dist/spec/openapi-3.0.json', `${printJson(old, 2)}\n`)
  writeNotices((await Promise.all([bundleCommand(), bundleConsole()])).flat())
}
writeChanged(
  'deploy/package-lock.json',
  `${JSON.stringify(ofRuntime(JSON.parse(readFileSync('package-lock.json', 'utf8'))), null, 2)}\n`,
)
process.exitCode = status ?? 1

/** The lock file for an installation of the package alone, from which the image is made. */
function ofRuntime({ packages: { '': own, ...installed }, ...lock }) {
  const { name, version, license, dependencies, bin, engines } = own
  const runtime = Object.entries(installed).filter(
    ([, { dev, devOptional }]) => !dev && !devOptional,
  )
  return {
    ...lock,
    packages: {
      '': { name, version, license, dependencies, bin, engines },
      ...Object.fromEntries(runtime),
    },
  }
}

/** Converts the document to OpenAPI 3.0.3, for generators without support for newer versions. */
function toOpenApi30(document) {
  const { summary, description, license, ...info } = document.info
  return {
    ...document,
    openapi: '3.0.3',
    // Generators write it into the files of packages, where a summary belongs. The tag keeps the whole text.
    info: { ...info, description: summary, license: { name: license.name } },
    tags: document.tags.map((tag) => ({
      ...tag,
      description: `${tag.description}\n\n${description}`,
    })),
    paths: mapValues(document.paths, (path) =>
      mapValues(path, ({ responses: { default: error, ...responses }, ...operation }) => {
        return { ...operation, responses: { ...responses, '4XX': error, '5XX': error } }
      }),
    ),
    components: {
      ...document.components,
      // Without it, generators for Java and Go forbid additional fields.
      schemas: mapValues(document.components.schemas, (schema) =>
        schema.type === 'object' ? { ...schema, additionalProperties: true } : schema,
      ),
    },
  }
}
