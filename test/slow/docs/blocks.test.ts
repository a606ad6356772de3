/**
 * Checks the pages: runs every command, validates every JSON text, compiles and runs all code, and looks up every id,
 * option, variable, script and link. `npm run docs` writes the output of the commands into the pages.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ValidateFunction } from 'ajv'
import { afterAll, describe, expect, test } from 'vitest'
import { checks } from '../../../src/contract/index.ts'
import { issueKinds } from '../../../src/mock/scorecard/issues.ts'
import { createMock, defects } from '../../../src/mock/index.ts'
import { sandboxName } from '../../../src/mock/service/sandbox-key.ts'
import { type Behavior, behaviors } from '../../../src/spec/behaviors.ts'
import { requirements } from '../../../src/spec/requirements.ts'
import { commands } from '../../io/cli/command.ts'
import { ajv, areScorecards, isBaseline, isConfig, isReport } from '../../support/schemas.ts'
import { uncalledOperations, withOperations } from '../../unit/docs/control-api.ts'
import { withReality } from '../../unit/docs/readme.ts'
import { type Block, blocksOf, commandsOf, isThere, readPage, root, Shell } from './blocks.ts'
import { compile } from './compile.ts'

const manifest = JSON.parse(readPage('package.json')) as { exports: object }
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'bench/README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map(
    (name) => `docs/${name}`,
  ),
  'examples/README.md',
  ...readdirSync(join(root, 'examples'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `examples/${name}/README.md`),
]
  // Wrong command lines contain unknown names, and wrong-commands.test.ts runs them.
  .filter((page) => page.endsWith('.md') && page !== 'docs/reference/wrong-commands.md')
const hasCurl = spawnSync('curl', ['--version']).status === 0

/** Tables and numbers of a page that are generated from the tables of the kit. */
const generated: Record<string, (text: string) => string | Promise<string>> = {
  'README.md': withReality,
  'docs/reference/control-api.md': withOperations,
}

const counts = { run: 0, notRun: [] as string[] }
afterAll(() => {
  console.log(
    `docs: ${counts.run} blocks run, ${counts.notRun.length} not run\n${counts.notRun.join('\n')}`,
  )
})

/** A test of a page that has something to test. */
const onlyWith = (some: readonly unknown[], isPossible = true) =>
  test.runIf(isPossible).each(some.slice(0, 1))

describe.each(pages)('%s', (page) => {
  const text = readPage(page)
  const blocks = blocksOf(text)
  for (const { noRun, line, language } of blocks) {
    if (noRun !== undefined) counts.notRun.push(`  ${page}:${line} ${language}: ${noRun}`)
  }
  const shells = blocks.filter(
    ({ language, noRun }) => ['sh', 'console'].includes(language) && noRun === undefined,
  )
  onlyWith(shells, hasCurl)('its commands print the shown output', async () => {
    const shell = new Shell(page)
    let made = (await generated[page]?.(text)) ?? text
    try {
      for (const block of shells) {
        if (block.language === 'sh') {
          const { code, text: printed } = await shell.run(block.text, block.mockOptions, true)
          expect(code, `${page}:${block.line} printed\n${printed}`).toBe(0)
        } else made = made.replace(block.text, await printedBlock(shell, page, block))
        counts.run += 1
      }
    } finally {
      shell.remove()
    }
    await expect(made).toMatchFileSnapshot(join(root, page))
  })

  const json = blocks.filter(({ language, noRun }) => language === 'json' && noRun === undefined)
  onlyWith(json)('its JSON is valid for the kit', () => {
    for (const { text: source, line } of json) {
      const [kind, problem] = judgeJson(JSON.parse(source))
      expect(problem, `${page}:${line} as ${kind}`).toBe('')
      counts.run += 1
    }
  })

  const code = blocks.filter(({ language }) => ['js', 'ts'].includes(language))
  onlyWith(code)('its code compiles and runs', () => {
    const { problems, programOf, remove } = compile(code)
    try {
      expect(problems).toBe('')
      for (const [index, { line, noRun }] of code.entries()) {
        if (noRun !== undefined) continue
        const { status, stderr } = spawnSync(
          process.execPath,
          [join(root, 'test/slow/docs/programs/run.mjs'), programOf(index)],
          { encoding: 'utf8', timeout: 30_000 },
        )
        expect(status, `${page}:${line} printed\n${stderr}`).toBe(0)
        counts.run += 1
      }
    } finally {
      remove()
    }
  })

  test('each id, option, variable, script, entry, key and link in it exists', () => {
    expect(unknownWords(page, text)).toEqual([])
  })
})

test('docs/reference/control-api.md shows a command for each operation', () => {
  expect(uncalledOperations(readPage('docs/reference/control-api.md'))).toEqual([])
})

/** A `console` block with the current output of its commands. A command without output only must not exit with 2. */
async function printedBlock(shell: Shell, page: string, block: Block): Promise<string> {
  const parts: string[] = []
  for (const { command, output } of commandsOf(block.text)) {
    const { code, text } = await shell.run(command, block.mockOptions)
    expect(code, `${page}:${block.line} $ ${command}\n${text}`).not.toBe(2)
    parts.push(`$ ${command}\n${output === '' ? '' : `${text.trimEnd()}\n`}`)
  }
  return parts.join('\n')
}

/** The kind of a JSON text, and its first problem. */
function judgeJson(value: unknown): [kind: string, problem: string] {
  const against = (kind: string, judge: ValidateFunction): [string, string] => [
    kind,
    judge(value) ? '' : ajv.errorsText(judge.errors),
  ]
  const fields = Object.keys(value as object)
  if (fields.includes('failures')) return against('a baseline', isBaseline)
  if (fields.includes('deployments')) return against('a configuration', isConfig)
  if (fields.includes('scorecards')) return against('scorecards', areScorecards)
  if (fields.includes('findings')) return against('a report', isReport)
  if (Array.isArray(value)) {
    createMock({ rules: value })
    return ['rules', '']
  }
  return ['an unknown kind', 'add its kind to this function']
}

const ids = new Set<string>([
  ...[requirements, behaviors, defects, checks, issueKinds].flatMap(
    (table: readonly { id: string }[]) => table.map(({ id }) => id),
  ),
  'every-response',
])
const groups = new Set([...ids].map((id) => id.split('.')[0]))
const flags = Object.values(commands).flatMap((command) => command.flags)
const options = new Set(flags.map(({ name }) => name))
const variables = new Set(flags.map(({ env }) => env))

/** Unknown names in inline code, and dead links. */
function unknownWords(page: string, text: string): string[] {
  const prose = text.replaceAll(/^```[^]*?^```$/gm, '')
  const words = [...prose.matchAll(/(?<!`)`([^`\n]+)`(?!`)/g)].map(([, word = '']) => word)
  const unknown = words.filter((word) => {
    const [id = '', option] = word.split('=')
    if (
      /^[a-z]+(-[a-z]+)*(\.[a-z0-9-]+)+$/.test(id) &&
      groups.has(id.split('.')[0]) &&
      !/\.(json|md|ts|js)$/.test(id)
    ) {
      const behavior = (behaviors as readonly Behavior[]).find((one) => one.id === id)
      return (
        !ids.has(id) ||
        (option !== undefined &&
          (!behavior ||
            (behavior.free === undefined &&
              !behavior.options.some(({ value }) => value === option))))
      )
    }
    if (word.startsWith('petstore_sandbox_'))
      return /^\w+-?\w+_[0-9a-f]{8}$/.test(word) && sandboxName(word) === undefined
    if (/^PETSTORE_[A-Z_]+$/.test(word)) return !variables.has(word) && !known.has(word)
    if (word.startsWith('petstore-kit/')) return !isExported(word.slice('petstore-kit'.length))
    if (/^npm run [a-z:-]+/.test(word)) return !scriptsOf(page).includes(word.split(' ')[2] ?? '')
    const named = [...word.matchAll(/(?:^|\s)--([a-z][a-z-]+)/g)].map(([, name = '']) => name)
    return (
      (word.startsWith('--') || word.startsWith('petstore ')) &&
      named.some((name) => !options.has(name) && !known.has(`--${name}`))
    )
  })
  const links = [...prose.matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, link = '']) => link)
  const dead = links.filter((link) => {
    const [path = '', anchor] = link.split('#')
    const file = path === '' ? page : join(dirname(page), path)
    return !isThere(file) || (anchor !== undefined && !anchorsOf(file).has(anchor))
  })
  return [...unknown, ...dead]
}

/** Options and variables that are not in the tables of src/cli. */
const known = new Set([
  '--help',
  '--version',
  '--update',
  '--quick',
  '--against',
  '--all',
  '--every',
  '--skip',
  '--max-old-space-size',
  '--no-peers',
  '--rounds',
  '--scale',
  'PETSTORE_BASE_URL',
  // Variables of the helpers in examples, and of curl commands.
  'PETSTORE_SANDBOX',
  'PETSTORE_HEADER_',
  'PETSTORE_HEADER_X_GATEWAY',
  'PETSTORE_CONTROL_URL',
  'PETSTORE_STAGING_KEY',
  'PETSTORE_PRODUCTION_KEY',
])

function scriptsOf(page: string): string[] {
  return ['package.json', join(dirname(page), 'package.json')].filter(isThere).flatMap((file) => {
    const { scripts = {} } = JSON.parse(readPage(file)) as { scripts?: object }
    return Object.keys(scripts)
  })
}

function isExported(path: string): boolean {
  return Object.keys(manifest.exports).some(
    (entry) =>
      entry === `.${path}` ||
      (entry.includes('*') && path.startsWith(entry.slice(1, entry.indexOf('*')))),
  )
}

const anchorsKnown = new Map<string, Set<string>>()
function anchorsOf(file: string): Set<string> {
  const found =
    anchorsKnown.get(file) ??
    new Set(
      [...readFileSync(join(root, file), 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
        heading
          .toLowerCase()
          .replaceAll(/[^\w -]/g, '')
          .replaceAll(' ', '-'),
      ),
    )
  anchorsKnown.set(file, found)
  return found
}
