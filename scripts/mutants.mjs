/**
 * `npm run mutants`: makes one small change after the other to the mock and to the judging parts of the suite, and runs
 * their unit tests each time. A failing test kills a mutant. One that survives shows a boundary that no test holds, or a
 * change without an effect. Writes docs/project/mutants.md. Needs `npm run build`.
 *
 *     npm run mutants -- [--every N] [--from N] [--only FILE:LINE] [--dry]
 *
 * `--every` takes one mutant in N, beginning with number `--from`; `--only` those of a file or a line. `--dry` writes nothing.
 */
import { fork } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { parseAst } from 'rolldown/parseAst'
import { createVitest } from 'vitest/node'

import { filesIn, format } from './files.mjs'

const root = join(import.meta.dirname, '..')

/** The code that is changed, by folders, and the folders of test/unit of which one must notice, in this order. */
const parts = [
  // The others are tested over sockets, with an engine, by adapters or by the proof.
  {
    folder: 'src/mock',
    only: ['journal', 'pets', 'rules', 'sandbox', 'schemas', 'service'],
    tests: ['mock', 'control'],
  },
  { folder: 'src/mock/control', only: [], tests: ['control'] },
  { folder: 'src/mock/scorecard', only: [], tests: ['scorecard', 'control'] },
  {
    folder: 'src/contract',
    only: ['http', 'judge', 'session', 'claims', 'suite'],
    tests: ['contract', 'reporters'],
  },
  { folder: 'src/contract/reporters', only: [], tests: ['reporters', 'contract'] },
  { folder: 'src/report', only: [], tests: ['report', 'reporters'] },
]

/** The files of a part. A folder that was renamed must not leave its code untried. */
function filesOf({ folder, only }) {
  const inside = only.length === 0 ? [''] : only
  return inside.flatMap((name) => {
    const path = join(folder, name)
    if (!existsSync(join(root, path)))
      throw new Error(`There is no folder ${path}: change \`parts\` in scripts/mutants.mjs.`)
    return filesIn(join(root, path))
      .filter((file) => /(?<!\.gen)\.ts$/.test(file))
      .map((file) => join(path, file))
      .toSorted((one, other) => (one < other ? -1 : 1))
  })
}

/** Replacements of an operator, and what their kind is called. */
const operators = {
  '<': ['boundary', '<='],
  '<=': ['boundary', '<'],
  '>': ['boundary', '>='],
  '>=': ['boundary', '>'],
  '===': ['equality', '!=='],
  '!==': ['equality', '==='],
  '&&': ['logic', '||'],
  '||': ['logic', '&&'],
}
/** Milliseconds after which the tests of a mutant are ended: it loops. */
const patienceMs = 600_000

/** All mutants of a file, in the order of their places. */
function mutantsOf(file) {
  const code = readFileSync(join(root, file), 'utf8')
  const found = []
  const add = (kind, start, end, text) => {
    const line = code.slice(0, start).split('\n').length
    found.push({ file, line, kind, start, end, text, old: code.slice(start, end) })
  }
  const visit = (node) => {
    if (Array.isArray(node)) return node.forEach(visit)
    if (typeof node?.type !== 'string') return undefined
    if (/^TS(?!As|NonNull|Satisfies)/.test(node.type)) return undefined
    const [kind, text] = operators[node.operator] ?? []
    if (/^(?:Binary|Logical)Expression$/.test(node.type) && text !== undefined) {
      const start = code.indexOf(node.operator, endOf(node.left, code))
      add(kind, start, start + node.operator.length, text)
    }
    if (node.type === 'Literal' && Number.isInteger(node.value))
      add('number', node.start, node.end, String(node.value + 1))
    return Object.entries(node).forEach(([name, child]) => {
      if (name !== 'typeAnnotation' && typeof child === 'object') visit(child)
    })
  }
  visit(parseAst(code, { lang: 'ts' }, file).body)
  return found.toSorted((one, other) => one.start - other.start)
}

/** The end of an operand with its closing parentheses and the comments after it. */
function endOf({ end }, code) {
  return end + /^(?:\s|\)|\/\*[^]*?\*\/|\/\/.*\n)*/.exec(code.slice(end))[0].length
}

/** Runs the tests of each mutant that the parent process sends, and responds whether one failed. */
async function work() {
  const vitest = await createVitest('test', {
    root,
    config: join(root, 'vitest.mutants.config.ts'),
    watch: false,
    reporters: [{ onTestModuleEnd: (module) => ended.push(module) }],
  })
  /** The modules of the latest run alone: Vitest also returns those of all runs before. */
  let ended = []
  const specifications = new Map()
  for (const tests of new Set(parts.flatMap((part) => part.tests)))
    specifications.set(tests, await vitest.globTestSpecifications([`test/unit/${tests}/`]))
  const judge = async ({ mutant, tests }) => {
    const file = mutant && join(root, mutant.file)
    globalThis.mutant = mutant && { ...mutant, file }
    if (file !== undefined) vitest.invalidateFile(file)
    ended = []
    const { unhandledErrors } = await vitest.runTestSpecifications(specifications.get(tests))
    // The next mutant is perhaps in another file.
    if (file !== undefined) vitest.invalidateFile(file)
    const failed = ended.find((module) => !module.ok())
    const [test] = failed?.children.allTests('failed') ?? []
    const [error] = test?.result().errors ?? failed?.errors() ?? unhandledErrors
    const name = test?.fullName ?? failed?.relativeModuleId
    process.send({ killedBy: failed || error ? `${name}: ${error?.message}` : undefined })
  }
  process.on('message', (message) => void judge(message))
  process.send('ready')
}

/** A process that judges mutants, replaced when one of them loops. */
class Judge {
  async judge(message) {
    this.child ??= await this.#start()
    const { child } = this
    return new Promise((resolve) => {
      const end = (result) => {
        clearTimeout(timer)
        child.removeAllListeners()
        resolve(result)
      }
      const giveUp = (result) => {
        this.child = undefined
        endGroup(child)
        end(result)
      }
      const timer = setTimeout(() => giveUp({ isTimeout: true }), patienceMs)
      child.once('message', end)
      child.once('exit', () => giveUp({ killedBy: 'the end of its process' }))
      child.send(message)
    })
  }

  #start() {
    const child = fork(import.meta.filename, ['--work'], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      // A group of its own, so that its workers end with it, also within an endless loop.
      detached: true,
    })
    return new Promise((resolve, reject) => {
      child.once('message', () => resolve(child))
      child.once('exit', () => reject(new Error('The tests cannot be started.')))
    })
  }

  close() {
    if (this.child !== undefined) endGroup(this.child)
  }
}

function endGroup({ pid }) {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

async function main() {
  const { values } = parseArgs({
    options: {
      every: { type: 'string', default: '40' },
      from: { type: 'string', default: '0' },
      only: { type: 'string', default: '' },
      dry: { type: 'boolean', default: false },
    },
  })
  const all = parts.flatMap((one, part) =>
    filesOf(one).flatMap((name) => mutantsOf(name).map((mutant) => ({ mutant, part }))),
  )
  const chosen = all.filter(({ mutant: { file, line } }, index) =>
    values.only === ''
      ? index % Number(values.every) === Number(values.from)
      : `${file}:${line}`.startsWith(values.only),
  )
  const judge = new Judge()
  for (const tests of new Set(chosen.flatMap((one) => parts[one.part].tests))) {
    const { killedBy, isTimeout } = await judge.judge({ tests })
    if (killedBy !== undefined || isTimeout)
      throw new Error(
        `Without a mutant, the tests must pass in ${patienceMs / 60_000} minutes, but one does not: ${killedBy ?? 'a timeout'}`,
      )
  }
  const results = []
  for (const { mutant, part } of chosen) {
    let [killedBy, isTimeout] = [undefined, false]
    for (const tests of parts[part].tests) {
      ;({ killedBy, isTimeout = false } = await judge.judge({ mutant, tests }))
      if (killedBy !== undefined || isTimeout) break
    }
    results.push({ ...mutant, killedBy, isTimeout, folder: parts[part].folder })
    const { file, line, old, text } = mutant
    console.log(
      `${isTimeout ? 'TIMEOUT ' : killedBy === undefined ? 'SURVIVED' : 'killed  '} ${file}:${line} ${old} -> ${text}  ${(killedBy ?? '').slice(0, 100)}`,
    )
  }
  judge.close()
  const page = pageOf(results, all.length, values)
  if (values.dry || values.only !== '') console.log(page)
  else {
    const file = join(root, 'docs/project/mutants.md')
    writeFileSync(file, page)
    format(file)
  }
}

const cell = (text) => text.replaceAll('|', '\\|')

function pageOf(results, count, { every, from }) {
  const killed = (some) => some.filter(({ killedBy }) => killedBy !== undefined).length
  const share = (some) =>
    some.length === 0
      ? '-'
      : `${killed(some)} of ${some.length} (${Math.round((100 * killed(some)) / some.length)} %)`
  const rows = parts.map(({ folder }) => {
    const own = results.filter((one) => one.folder === folder)
    const ofKinds = ['boundary', 'number', 'equality', 'logic'].map((kind) =>
      share(own.filter((one) => one.kind === kind)),
    )
    const timeouts = own.filter(({ isTimeout }) => isTimeout).length
    return `| \`${folder}\` | ${[share(own), ...ofKinds, timeouts].join(' | ')} |`
  })
  const survivors = results
    .filter(({ killedBy, isTimeout }) => killedBy === undefined && !isTimeout)
    .map(({ file, line, old, text }) => {
      const source = readFileSync(join(root, file), 'utf8').split('\n')[line - 1].trim()
      return `| \`${file}:${line}\` | \`${cell(old)}\` to \`${cell(text)}\` | \`${cell(source)}\` |`
    })
  return `# Mutants

Written by \`npm run mutants\`, which makes one small change after the other to the code and runs the unit tests each time: a
boundary (\`<\` for \`<=\`), a number (\`256\` for \`255\`), an equality, or a logical operator. A failing test kills the mutant. The
proof and the tests over sockets, which would kill more, do not run.

One in ${every} of ${count} mutants, beginning with number ${from}. Killed, and those whose tests did not end in ten minutes, which
count as not killed:

| Code | all | boundary | number | equality | logic | timeouts |
| --- | --- | --- | --- | --- | --- | --- |
${rows.join('\n')}

## Survivors

Each is a boundary that no unit test holds, or a change without an effect, such as that of the size of a cache.

| Place | Change | Code |
| --- | --- | --- |
${survivors.join('\n')}
`
}

await (process.argv.includes('--work') ? work() : main())
