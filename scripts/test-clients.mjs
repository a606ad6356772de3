/**
 * `npm run test:clients`: generates a client of the interface in each language whose tools are installed, compiles it, and
 * runs it against mocks that differ in what the specification does not define. Fetches generators from their registries.
 */
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { defaultKey, startMock, varyProfile } from '../dist/mock/index.js'

const root = join(import.meta.dirname, '..')
const generator = '7.25.0'
const jar = join(tmpdir(), `openapi-generator-cli-${generator}.jar`)
const jarUrl = `https://repo.maven.apache.org/maven2/org/openapitools/openapi-generator-cli/${generator}/openapi-generator-cli-${generator}.jar`
const openapiGenerator = (...options) => `java -jar ${jar} generate -i petstore-3.0.json ${options.join(' ')}`

/** Each language: the commands that it needs, its program, what makes the client, and what runs it. */
const languages = [
  {
    name: 'Go (openapi-generator)',
    needs: ['go', 'java'],
    program: 'main.go',
    files: { 'go.mod': 'module example.com/client\n\ngo 1.21\n' },
    make: [
      openapiGenerator(
        '-g go -o petstore --model-name-mappings NewPet=PetDraft',
        '--additional-properties=packageName=petstore,withGoMod=false',
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
    files: {
      'package.json': JSON.stringify({
        type: 'module',
        devDependencies: {
          '@types/node': '*',
          'openapi-fetch': '0.17.0',
          'openapi-typescript': '7.13.0',
          'petstore-kit': `file:${root}`,
          typescript: '5.9.3',
        },
      }),
      'tsconfig.json':
        '{ "compilerOptions": { "module": "nodenext", "target": "es2022", "strict": true, "types": ["node"], "skipLibCheck": true }, "files": ["main.ts"] }',
    },
    make: [
      'npm install --no-audit --no-fund --silent',
      'node_modules/.bin/openapi-typescript petstore.json -o petstore.ts',
    ],
    build: ['node_modules/.bin/tsc'],
    run: 'node main.js',
  },
]

/** The pets that each mock has: a double rounds both integers. */
const data = [{ id: 9_007_199_254_740_993n, name: 'Max', categoryId: -9_223_372_036_854_775_807n, status: 'sold' }]
const profiles = [{}, ...Array.from({ length: 11 }, (_, seed) => varyProfile(seed + 1))]
const expected = [
  'listed 9007199254740993 -9223372036854775807',
  'created Zoë -9223372036854775807',
  'found Zoë -9223372036854775807',
  'error 404 404',
].join('\n')

const only = process.argv[2]?.toLowerCase() ?? ''
const failed = []
for (const language of languages.filter(({ name }) => name.toLowerCase().startsWith(only))) {
  const missing = await lacking(language.needs)
  if (missing.length > 0) console.log(`skipped  ${language.name}: ${missing.join(' and ')} not installed`)
  else {
    const problem = await tryLanguage(language)
    console.log(problem === undefined ? `passed   ${language.name}` : `FAILED   ${language.name}: ${problem}`)
    if (problem !== undefined) failed.push(language.name)
  }
}
process.exitCode = failed.length === 0 ? 0 : 1

/** Makes, compiles and runs a client. Returns what went wrong. */
async function tryLanguage({ program, files = {}, make, build, run }) {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-client-'))
  try {
    await shell(`node ${root}/dist/bin/petstore.js openapi --output petstore.json`, folder)
    await shell(`node ${root}/dist/bin/petstore.js openapi --3.0 --output petstore-3.0.json`, folder)
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    if (make.some((command) => command.includes(jar)) && !existsSync(jar))
      await shell(`curl -sSfo ${jar} ${jarUrl}`, folder)
    for (const command of make) await shell(command, folder)
    mkdirSync(join(folder, program, '..'), { recursive: true })
    cpSync(join(import.meta.dirname, 'clients', program.split('/').at(-1)), join(folder, program))
    for (const command of build) await shell(command, folder)
    for (const profile of profiles) {
      const mock = await startMock({ data, profile: withoutRefusals(profile) })
      const environment = { PETSTORE_BASE_URL: mock.url, PETSTORE_API_KEY: defaultKey }
      const output = await shell(run, folder, environment).catch((error) => error.message)
      await mock.close()
      if (output.trim() !== expected) return `with ${JSON.stringify(profile)}:\n${output}`
    }
    return undefined
  } catch (error) {
    return error.message
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The program creates one pet and reads it at once. */
function withoutRefusals(profile) {
  return { ...profile, 'auth.write-permission': 'granted', 'create.visibility': 'immediate' }
}

/** The commands that are not installed. */
async function lacking(commands) {
  const found = await Promise.allSettled(commands.map((command) => shell(`command -v ${command}`, root)))
  return commands.filter((_, index) => found[index].status === 'rejected')
}

async function shell(command, cwd, environment = {}) {
  const env = { ...process.env, ...environment }
  try {
    return (await promisify(execFile)('sh', ['-c', command], { cwd, env, maxBuffer: 2 ** 26 })).stdout
  } catch (error) {
    const { stdout = '', stderr = '' } = error
    throw new Error(`${command}\n${stdout.slice(-2000)}${stderr.slice(-2000)}`, { cause: error })
  }
}
