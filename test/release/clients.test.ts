/**
 * `npm run test:clients`: generates a client in each language whose tools are installed, compiles it, and runs it
 * against mocks with different unspecified behavior. Downloads generators from their registries.
 */
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { expect, test } from 'vitest'

import { defaultKey, varyProfile } from '../../src/mock/index.ts'
import { runShell, isInstalled, root } from './shell.ts'
import { makeFolder } from '../support/folder.ts'
import { serveMock } from '../support/serve-mock.ts'

interface Language {
  /** The language, and its generator. */
  name: string
  /** The required commands. */
  needs: readonly string[]
  /** Path of the program; its source is in clients/. */
  program: string
  files?: Readonly<Record<string, string>>
  /** Commands that generate the client, before the program is copied, and commands that compile both. */
  make: readonly string[]
  build: readonly string[]
  run: string
}

const generator = '7.25.0'
const jar = join(tmpdir(), `openapi-generator-cli-${generator}.jar`)
const jarUrl = `https://repo.maven.apache.org/maven2/org/openapitools/openapi-generator-cli/${generator}/openapi-generator-cli-${generator}.jar`
const openapiGenerator = (options: string): string =>
  `java -jar ${jar} generate -i petstore-3.0.json ${options}`

const npmInstall = 'npm install --no-audit --no-fund --silent'
/** The files of a TypeScript project with a generated client, and the commands that check and bundle it. */
const projectOf = (file: string, generators: object): Readonly<Record<string, string>> => ({
  'package.json': JSON.stringify({
    type: 'module',
    devDependencies: {
      ...generators,
      '@types/node': '20.19.43',
      esbuild: '0.25.12',
      'petstore-kit': `file:${root}`,
      typescript: '5.9.3',
    },
  }),
  'tsconfig.json': JSON.stringify({
    compilerOptions: {
      module: 'esnext',
      moduleResolution: 'bundler',
      target: 'es2022',
      strict: true,
      types: ['node'],
      skipLibCheck: true,
      noEmit: true,
    },
    files: [file],
  }),
})
const bundling = (file: string): string[] => [
  'node_modules/.bin/tsc',
  `node_modules/.bin/esbuild ${file} --bundle --platform=node --format=esm --outfile=main.mjs --log-level=error`,
]

/** The block of code of a page that contains a word. */
const blockOf = (page: string, word: string): string =>
  readFileSync(join(root, page), 'utf8')
    .split(/^ *```(?:ts)?$/m)
    .find((block) => block.includes(`${word}<`)) ?? ''

const languages: readonly Language[] = [
  {
    name: 'Go (openapi-generator)',
    needs: ['go', 'java'],
    program: 'main.go',
    files: { 'go.mod': 'module example.com/client\n\ngo 1.21\n' },
    make: [
      openapiGenerator(
        '-g go -o petstore --model-name-mappings NewPet=PetDraft --additional-properties=packageName=petstore,withGoMod=false',
      ),
    ],
    build: ['rm -rf petstore/test', 'go mod tidy', 'go build -o client .'],
    run: './client',
  },
  {
    name: 'Java (openapi-generator)',
    needs: ['java', 'mvn'],
    program: 'src/main/java/Main.java',
    make: [openapiGenerator('-g java --library native -o .')],
    build: ['mvn -q -B compile dependency:build-classpath -Dmdep.outputFile=classpath'],
    run: 'java -Dstdout.encoding=UTF-8 -cp target/classes:$(cat classpath) Main',
  },
  {
    name: 'Python (openapi-python-client)',
    needs: ['python3'],
    program: 'main.py',
    make: [
      'python3 -m venv env && env/bin/pip install -q openapi-python-client==0.29.1',
      'env/bin/openapi-python-client generate --path petstore.json --output-path client --meta none',
    ],
    build: [],
    run: 'env/bin/python main.py',
  },
  {
    name: 'Rust (progenitor)',
    needs: ['cargo'],
    program: 'src/main.rs',
    files: {
      'Cargo.toml': `[package]
name = "client"
version = "0.1.0"
edition = "2021"

[dependencies]
futures = "0.3"
progenitor = "0.11"
progenitor-client = "0.11"
reqwest = { version = "0.12", default-features = false, features = ["json", "stream"] }
serde = { version = "1", features = ["derive"] }
serde_json = "1"
tokio = { version = "1", features = ["macros", "rt"] }
`,
    },
    make: [],
    build: ['cargo build -q'],
    run: 'target/debug/client',
  },
  {
    name: 'TypeScript (openapi-typescript, openapi-fetch)',
    needs: ['node'],
    program: 'main.ts',
    files: projectOf('main.ts', { 'openapi-fetch': '0.17.0', 'openapi-typescript': '7.13.0' }),
    make: [npmInstall, 'node_modules/.bin/openapi-typescript petstore.json -o petstore.ts'],
    build: bundling('main.ts'),
    run: 'node main.mjs',
  },
  {
    name: 'TypeScript (hey-api)',
    needs: ['node'],
    program: 'hey-api.ts',
    files: projectOf('hey-api.ts', { '@hey-api/openapi-ts': '0.95.0' }),
    make: [npmInstall, 'node_modules/.bin/openapi-ts -i petstore.json -o client'],
    build: bundling('hey-api.ts'),
    run: 'node main.mjs',
  },
  {
    name: 'TypeScript (orval)',
    // JSON.rawJSON
    needs: ['rawJSON' in JSON ? 'node' : 'node-22'],
    program: 'orval.ts',
    files: {
      ...projectOf('orval.ts', { orval: '7.13.2' }),
      'orval.config.mjs': `export default {
  petstore: {
    input: 'petstore.json',
    output: {
      target: 'client/api.ts',
      client: 'fetch',
      override: { mutator: { path: 'exact-fetch.ts', name: 'exactFetch' } },
    },
  },
}`,
      'exact-fetch.ts': blockOf('docs/how-to/other-languages.md', 'exactFetch'),
    },
    make: [npmInstall, 'node_modules/.bin/orval'],
    build: bundling('orval.ts'),
    run: 'node main.mjs',
  },
]

/** The pets of each mock: a double would round both integers. */
const data = [
  {
    id: 9_007_199_254_740_993n,
    name: 'Max',
    categoryId: -9_223_372_036_854_775_807n,
    status: 'sold' as const,
  },
]
const profiles = [{}, ...Array.from({ length: 11 }, (_, seed) => varyProfile(seed + 1))]
const expected = [
  'listed 9007199254740993 -9223372036854775807',
  'created Zoë -9223372036854775807',
  'found Zoë -9223372036854775807',
  'error 404 404\n',
].join('\n')

for (const { name, needs, program, files = {}, make, build, run } of languages) {
  const missing = needs.filter((command) => !isInstalled(command))
  const title = missing.length === 0 ? name : `${name}: ${missing.join(' and ')} not installed`
  test.skipIf(missing.length > 0)(title, async () => {
    const folder = makeFolder(files)
    await runShell(`node ${root}/dist/bin/petstore.js openapi --output petstore.json`, folder)
    await runShell(
      `node ${root}/dist/bin/petstore.js openapi --openapi 3.0 --output petstore-3.0.json`,
      folder,
    )
    if (make.some((command) => command.includes(jar)) && !existsSync(jar))
      await runShell(`curl -sSfo ${jar} ${jarUrl}`, folder)
    for (const command of make) await runShell(command, folder)
    mkdirSync(dirname(join(folder, program)), { recursive: true })
    cpSync(
      join(import.meta.dirname, 'clients', program.split('/').at(-1) ?? ''),
      join(folder, program),
    )
    for (const command of build) await runShell(command, folder)
    for (const profile of profiles) {
      // The program creates one pet and reads it at once.
      const granted = {
        'auth.write-permission': 'granted',
        'create.visibility': 'immediate',
      } as const
      const mock = await serveMock({ data, profile: { ...profile, ...granted } })
      const environment = { PETSTORE_BASE_URL: mock.url, PETSTORE_API_KEY: defaultKey }
      expect(await runShell(run, folder, environment), JSON.stringify(profile)).toBe(expected)
    }
  })
}
