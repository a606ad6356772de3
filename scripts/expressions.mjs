/**
 * `npm run expressions`: each regular expression of src takes linear time, or `bounded` says what bounds its input. They are read from the
 * syntax tree; what a pattern is built from, besides constants, counts as a word.
 */
import { fork } from 'node:child_process'
import { on, once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { parseSync, Visitor } from 'vite'

const root = join(import.meta.dirname, '..')
/** Those that an earlier run found linear, so that a run takes seconds: `--all` tries them again. */
const known = join(import.meta.dirname, 'linear-expressions.json')

/** Expressions above linear, or that cannot be decided, and why their input is short. */
const bounded = {
  [String.raw`(?:key|token|secret|password|authorization|bearer)[^/]*$`]:
    'the path of a mistake in a configuration of the user',
  [String.raw`(\\*)"`]: 'an argument on a command line',
  [String.raw`^[.-]+|[.-]+$`]: 'the URL of a target, on a command line',
  [String.raw`'\\''|\\+(?:u([0-9a-f]{4})|u\{0*([0-9a-f]{1,4})\}|x([0-9a-f]{2})|[nrt]\s*|)|%([0-9a-f]{2})|&#x0*([0-9a-f]{1,4});?|&#0*(\d{1,5});?|&(amp|lt|gt|quot|apos);?|\s+`]:
    'not decided: the empty alternative behind the backslashes never fails, so that none is tried twice',
  [String.raw`_ALERT_(?:\w*CERTIFICATE|UNKNOWN_CA)`]: 'a code of OpenSSL',
  [String.raw`\.{3}"([^]+)"(?:\.{3})? is not valid JSON$`]:
    'a message of V8, which quotes 40 characters',
  [String.raw`,? ?(?:\.{3})?"[^]*"(?:\.{3})? is not valid JSON$`]:
    'a message of V8, which quotes 40 characters',
  [String.raw`^\/pets\/|\?.*$`]: 'a path that the suite has made',
  [String.raw`\/\/[^]*@`]: 'a URL on a command line',
  [String.raw`\/\/[^@]*[/?#][^]*@`]: 'a URL on a command line',
  [String.raw`\.?( script: .*)?$`]: 'a message of the engine of a shared mock',
  [String.raw`(?:([*+?])|\{(\d+)(,?)(\d*)\})\??`]: 'an expression of a rule: 200 characters',
  [String.raw`(<a\b[^>]*? href=")#`]: 'the HTML report of the kit',
  [String.raw`(\w+)\/\{(\w+)\}`]: 'a path in the table of operations',
  [String.raw`^content-type:[^\n]*json`]: 'what somebody types into a form of the console',
}

/** @param {string} file @param {string} code */
function expressionsIn(file, code) {
  const { program } = parseSync(file, code)
  const constants = new Map()
  const found = []
  const joined = (quasis, expressions, text) =>
    quasis
      .map((part, nth) => text(part) + (expressions[nth] ? textOf(expressions[nth]) : ''))
      .join('')
  function textOf(node) {
    if (node?.type === 'Literal' && !node.regex) return String(node.value)
    if (node?.type === 'BinaryExpression') return textOf(node.left) + textOf(node.right)
    if (node?.type === 'Identifier' && constants.has(node.name))
      return textOf(constants.get(node.name))
    if (node?.type === 'TemplateLiteral')
      return joined(node.quasis, node.expressions, ({ value }) => value.cooked)
    if (node?.type === 'TaggedTemplateExpression')
      return joined(node.quasi.quasis, node.quasi.expressions, ({ value }) => value.raw)
    return '1'
  }
  new Visitor({
    VariableDeclarator({ id, init }) {
      if (id.type === 'Identifier' && init) constants.set(id.name, init)
    },
  }).visit(program)
  const add = (node, source, flags) => {
    const line = code.slice(0, node.start).split('\n').length
    // A sticky one is tried at one place only.
    const tried = flags.includes('y') ? `^(?:${source})` : source
    found.push({ place: `${file}:${line}`, source, tried, flags: flags.replace(/[dgy]/g, '') })
  }
  const built = (node) => {
    const {
      callee,
      arguments: [source, flags],
    } = node
    if (callee.name === 'RegExp' && source) add(node, textOf(source), flags ? textOf(flags) : '')
  }
  new Visitor({
    Literal: (node) => node.regex && add(node, node.regex.pattern, node.regex.flags),
    NewExpression: built,
    CallExpression: built,
  }).visit(program)
  return found
}

if (process.send === undefined) await main(process.argv.includes('--all'))
else await work()

async function work() {
  // The same on each machine: neither Java nor a binary.
  process.env['RECHECK_BACKEND'] = 'pure'
  const { check } = (await import('recheck')).default
  for await (const [{ tried, flags }] of on(process, 'message')) {
    const { status, complexity, error, attack, checker } = await check(tried, flags, {
      timeout: 120_000,
      randomSeed: 1,
    })
    // The fuzzer counts steps that V8 saves: what it suspects is tried.
    const isLinear =
      status === 'safe' ||
      (checker === 'fuzz' && complexity.type === 'polynomial' && isFast(tried, flags, attack))
    process.send?.({ isLinear, summary: complexity?.summary ?? error?.kind })
  }
}

/** Whether V8 takes no time for 100 kB of a suspected attack. Short ones come first, so that none takes long. */
function isFast(tried, flags, { pumps, suffix }) {
  const expression = new RegExp(tried, flags)
  const length = pumps.reduce((sum, { pump }) => sum + pump.length, 1)
  return [100, 1_000, 10_000, 100_000].every((size) => {
    const repeats = Math.ceil(size / length)
    const text = pumps.map(({ prefix, pump }) => prefix + pump.repeat(repeats)).join('') + suffix
    const before = process.cpuUsage().user
    expression.test(text)
    return process.cpuUsage().user - before < 200_000
  })
}

async function main(isAll) {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  const all = files
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => `src/${file.replaceAll('\\', '/')}`)
    .flatMap((file) => expressionsIn(file, readFileSync(join(root, file), 'utf8')))
  const keyOf = ({ tried, flags }) => `/${tried}/${flags}`
  const before = new Set(isAll ? [] : JSON.parse(readFileSync(known, 'utf8')))
  const left = [...new Map(all.map((one) => [keyOf(one), one])).values()].filter(
    (one) => !before.has(keyOf(one)) && !(one.source in bounded),
  )
  const linear = new Set(all.map(keyOf).filter((key) => before.has(key)))
  const faults = Object.keys(bounded)
    .filter((source) => !all.some((one) => one.source === source))
    .map((source) => `${source} is in the table of scripts/expressions.mjs, and nowhere in src.`)
  const queue = [...left]
  await Promise.all(
    Array.from({ length: Math.min(cpus().length, queue.length) }, async () => {
      const worker = fork(import.meta.filename)
      for (let one = queue.shift(); one !== undefined; one = queue.shift()) {
        worker.send(one)
        const [{ isLinear, summary }] = await once(worker, 'message')
        if (isLinear) linear.add(keyOf(one))
        else faults.push(`${one.place}: ${summary}: ${keyOf(one)}`)
      }
      worker.kill()
    }),
  )
  if (process.argv.includes('--write'))
    writeFileSync(known, `${JSON.stringify([...linear].toSorted(), undefined, 2)}\n`)
  console.log(
    `${all.length} regular expressions, ${left.length} of them new: ${faults.length} faults.`,
  )
  for (const fault of faults) console.error(fault)
  process.exitCode = faults.length === 0 ? 0 : 1
}
