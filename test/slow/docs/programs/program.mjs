/**
 * Replaces the programs that the pages call: `petstore` and `npx petstore-kit` run the built command on a free port; a
 * mock ends when it is ready; `npm run` only checks that the script exists; `curl` has a timeout for streams. Other
 * packages of npx are not run, and `npx petstore` fails, because it would be a package of that name.
 */
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

const {
  DOCS_ROOT: root = '',
  DOCS_PAGE: page = '',
  DOCS_MOCK: mock = '',
  DOCS_FAIL: failOnStatus,
  PATH = '',
} = process.env
const [program = '', ...args] = process.argv.slice(2)
const command = join(root, 'dist/bin/petstore.js')

const run = (file, words) => spawnSync(file, words, { stdio: 'inherit' }).status ?? 1

function petstore([name, ...words]) {
  if (name === 'mock' && !words.some((word) => ['--help', '--list-defects'].includes(word)))
    return startMock(words)
  const hasUrl =
    words.some((word) => word.startsWith('http')) || process.env.PETSTORE_CONTROL_URL !== undefined
  const more = name === 'scorecard' && !hasUrl && !words.includes('--help') ? [mock] : []
  return run(process.execPath, [command, ...(name === undefined ? [] : [name]), ...words, ...more])
}

function startMock(words) {
  const at = words.indexOf('--port')
  const others = at < 0 ? words : words.toSpliced(at, 2)
  const child = spawn(process.execPath, [command, 'mock', ...others, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  child.stdout.on('data', (text) => {
    process.stdout.write(text)
    child.kill('SIGTERM')
  })
  return new Promise((resolve) => child.once('close', (code) => resolve(code ?? 1)))
}

function npm(words) {
  const [name, ...rest] = words.filter(
    (word) => word !== '--silent' && word !== '-s' && word !== 'run',
  )
  if (name === 'ci' || name === 'install' || name === 'init') return 0
  const { scripts } = JSON.parse(readFileSync(join(dirname(page), 'package.json'), 'utf8'))
  if (!Object.hasOwn(scripts, name)) {
    console.error(`there is no script ${name}`)
    return 1
  }
  const [, own] = /^node scripts\/run\.mjs (\w+)$/.exec(scripts[name]) ?? []
  return own === undefined ? 0 : petstore([own, ...rest.filter((word) => word !== '--')])
}

function curl(words) {
  const isStream = words.includes('-N')
  const bin = PATH.split(delimiter).slice(1).join(delimiter)
  const status = spawnSync(
    'curl',
    [
      '-sS',
      ...(failOnStatus ? ['--fail-with-body'] : []),
      ...(isStream ? ['--max-time', '0.5'] : []),
      ...words,
    ],
    {
      stdio: 'inherit',
      env: { ...process.env, PATH: bin },
    },
  ).status
  return isStream && status === 28 ? 0 : (status ?? 1)
}

const programs = {
  petstore,
  npm,
  curl,
  npx([name, ...words]) {
    // As npm sets it.
    process.env.npm_command = 'exec'
    return name === 'petstore-kit' ? petstore(words) : Number(name === 'petstore')
  },
}
delete process.env.npm_command
process.exitCode = await programs[program](args)
