/**
 * `npm run test:times`: runs `npm test`, and writes docs/project/tests.md: its processor time, and that of its slowest folders
 * and files. Other programs change it far less than the duration. Needs Linux, where a test file's time includes that of the
 * processes that it starts.
 *
 *     npm run test:times -- [test | test:slow] [test files ...]
 *
 * With arguments, it runs these alone, and only prints.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { arch, availableParallelism, cpus, loadavg, platform, tmpdir } from 'node:os'
import { join, relative } from 'node:path'

import { format } from './files.mjs'

const page = 'docs/project/tests.md'
const most = 25

if (platform() !== 'linux') throw new Error('It needs Linux, which counts what processes take.')
process.chdir(join(import.meta.dirname, '..'))

/** Seconds of CPU of the processes that this one has started, and that have ended. */
function spent() {
  const [, fields] = /\) (.*)/s.exec(readFileSync('/proc/self/stat', 'utf8'))
  const [user, system] = fields.split(' ').slice(13, 15)
  return (Number(user) + Number(system)) / 100
}

/** Runs a script of package.json, and returns what it takes, with a row for each test file. */
function measure(script, files) {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-times-'))
  const log = join(folder, 'times.jsonl')
  const before = spent()
  const startedAt = performance.now()
  const { status } = spawnSync(
    'npm',
    ['run', script, '--silent', '--', '--reporter=dot', ...files],
    {
      stdio: ['ignore', 2, 2],
      env: { ...process.env, TEST_TIMES: log },
    },
  )
  const whole = { seconds: (performance.now() - startedAt) / 1000, cpu: spent() - before }
  const lines = existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : []
  rmSync(folder, { recursive: true })
  const rows = lines.map((line) => {
    const { file, own, started, wall } = JSON.parse(line)
    return { name: relative('.', file), cpu: own + started, started, seconds: wall }
  })
  return { script, status, ...whole, rows }
}

/** Sums the rows of each folder of the second level, such as test/io/cli. */
function byFolder(rows) {
  const sums = new Map()
  for (const { name, cpu, started, seconds } of rows) {
    const folder = name.split('/').slice(0, -1).slice(0, 3).join('/')
    const sum = sums.get(folder) ?? { name: folder, cpu: 0, started: 0, seconds: 0 }
    sums.set(folder, {
      name: folder,
      cpu: sum.cpu + cpu,
      started: sum.started + started,
      seconds: sum.seconds + seconds,
    })
  }
  return [...sums.values()]
}

const table = (what, rows) =>
  [
    `| ${what} | CPU s | of these in processes that it starts | duration in s |`,
    '| --- | --: | --: | --: |',
    ...rows
      .toSorted((one, other) => other.cpu - one.cpu)
      .slice(0, most)
      .map(
        ({ name, cpu, started, seconds }) =>
          `| \`${name}\` | ${[cpu, started, seconds].map((value) => value.toFixed(1)).join(' | ')} |`,
      ),
  ].join('\n')

const sectionOf = ({ script, seconds, cpu, rows }) => `## \`npm run ${script}\`

${Math.round(cpu)} s of CPU, with the build and the compiler of tests, in ${Math.round(seconds)} s: ${rows.length} files.

${table('folder', byFolder(rows))}

${table('file', rows)}
`

const pageOf = (runs) => `# What the tests take

<!-- Written by \`npm run test:times\`. To change it, run it again. -->

Seconds of processor time on a machine with ${availableParallelism()} x ${cpus()[0].model.trim()}, ${arch()}, Node ${process.version}, with
a load of ${loadavg()[2].toFixed(0)}: on a busy machine durations are several times as long, and these up to twice. The ${most} that take most:

${runs.map(sectionOf).join('\n')}`

const args = process.argv.slice(2)
const scripts = args.filter((arg) => /^test(?::slow)?$/.test(arg))
const files = args.filter((arg) => !scripts.includes(arg))
const runs = (scripts.length > 0 ? scripts : ['test']).map((script) => measure(script, files))
if (args.length > 0) console.log(pageOf(runs))
else {
  writeFileSync(page, pageOf(runs))
  format(page)
}
process.exitCode = runs.some(({ status }) => status !== 0) ? 1 : 0
