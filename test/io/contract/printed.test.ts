/** Each command that a run prints next is run as printed, by a shell, after combinations of what the verdict depends on. */
import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { toText } from '../../../src/contract/index.ts'
import { reachedBy } from '../../../src/cli/verify/reached.ts'
import { verifyFlags } from '../../../src/cli/verify/verify-flags.ts'
import { type Flag, parseFlags } from '../../../src/options.ts'
import { makeFolder, readJson } from '../../support/folder.ts'
import { byLevel } from '../../support/level.ts'
import { key, startStore } from '../../support/store.ts'
import { conforming, violating } from '../../unit/reporters/reports.ts'
import { run } from '../cli/command.ts'

/** The printed command lines: a purpose follows after two spaces. */
const commandsIn = (text: string): string[] =>
  text
    .split('\n')
    .flatMap((line) => /^(?:Next:|    ) +(petstore .+?)(?: {2,}|$)/.exec(line)?.[1] ?? [])

const gate = 'pass-of-the-gate'
/** What the assignments that a run asks for stand for. */
const values = {
  PETSTORE_API_KEY: key,
  PETSTORE_HEADER_X_GATE: gate,
  PETSTORE_KEY_COMMAND: `echo ${key}`,
}

/** The words and the environment with which a shell starts a command. */
function asInShell(line: string, env: Record<string, string>): string[] {
  const out = execFileSync('sh', ['-c', `printf '%s\\0' ${line}`], { env, encoding: 'utf8' })
  return out.split('\0').slice(1, -1)
}

const factors = {
  target: { url: [], name: [] },
  key: {
    variable: [],
    'on the command line': ['--key', key],
    'in a file': ['--key-file', 'the key.txt'],
    'in another variable': ['--key-env', 'OTHER_KEY'],
    'from a command': ['--key-command', `echo ${key}`],
  },
  gate: {
    none: [],
    header: ['--header', `X-Gate: ${gate}`],
    'header-env': ['--header-env', 'X-Gate: GATE'],
  },
  writes: { some: [], none: ['--read-only'], few: ['--max-writes', '9'] },
  verdict: {
    plain: [],
    strict: ['--strict'],
    least: ['--min-verified', '5%'],
    only: ['--only', 'list.*'],
    skip: ['--skip', 'list.limit.default'],
    known: ['--baseline', 'known.json'],
  },
  depth: { standard: [], smoke: ['--depth', 'smoke'] },
  report: { text: [], json: ['--reporter', 'json=the report.json', '--reporter', 'text'] },
  defects: { none: [], default: [], missing: [] },
} as const
const defects = {
  none: [],
  default: ['list.default-100'],
  missing: ['get.missing-is-204'],
} as const
type Factor = keyof typeof factors
type Row = Record<Factor, string>
const names = Object.keys(factors) as Factor[]

/** Rows in which each two options of two factors meet at least once, and each option in the first few. */
function pairwise(most: number): Row[] {
  let state = 7
  const draw = (count: number): number => (state = (state * 48_271) % 2_147_483_647) % count
  const pairsOf = (row: Row): string[] =>
    names.flatMap((a, at) => names.slice(at + 1).map((b) => `${a}:${row[a]} ${b}:${row[b]}`))
  const seen = new Set<string>()
  const singlesOf = (row: Row): string[] => names.map((name) => `${name}:${row[name]}`)
  const any = (): Row =>
    Object.fromEntries(
      names.map((name) => {
        const options = Object.keys(factors[name])
        return [name, options[draw(options.length)]]
      }),
    ) as Row
  const left = new Set(
    names.flatMap((a, at) =>
      names
        .slice(at + 1)
        .flatMap((b) =>
          Object.keys(factors[a]).flatMap((one) =>
            Object.keys(factors[b]).map((other) => `${a}:${one} ${b}:${other}`),
          ),
        ),
    ),
  )
  const rows: Row[] = []
  while (left.size > 0 && rows.length < most) {
    const fresh = (row: Row): number =>
      100 * singlesOf(row).filter((one) => !seen.has(one)).length +
      pairsOf(row).filter((pair) => left.has(pair)).length
    const best = Array.from({ length: 200 }, any).reduce((a, b) => (fresh(b) > fresh(a) ? b : a))
    for (const pair of pairsOf(best)) left.delete(pair)
    for (const one of singlesOf(best)) seen.add(one)
    rows.push(best)
  }
  return rows
}

const known = {
  schemaVersion: 1,
  failures: [{ requirement: 'list.limit.default', reason: 'known', expires: '2999-01-01' }],
}
const started = async (row: Row) => {
  const isGated = row.gate !== 'none'
  const store = await startStore(
    { pets: 120, defects: [...defects[row.defects as keyof typeof defects]] },
    ({ headers }, response) =>
      isGated && headers['x-gate'] !== gate ? response.writeHead(403).end() : false,
  )
  const deployments = { staging: { baseUrl: store.url, keyEnv: 'PETSTORE_STAGING_KEY' } }
  const cwd = makeFolder({
    'the key.txt': `${key}\n`,
    'known.json': known,
    'petstore.config.json': { deployments },
  })
  const isNamed = row.target === 'name'
  const env: Record<string, string> = {
    OTHER_KEY: key,
    GATE: gate,
    PATH: process.env['PATH'] ?? '',
  }
  if (row.key === 'variable') env[isNamed ? 'PETSTORE_STAGING_KEY' : 'PETSTORE_API_KEY'] = key
  return { ...store, cwd, env, word: isNamed ? 'staging' : store.url }
}

const verdictOf = (text: string): string | undefined =>
  /^(PASS|FAIL|DRIFT|INCONCLUSIVE)/m.exec(text)?.[1]

describe('each printed command', () => {
  test.each(pairwise(byLevel({ usual: 4, slow: Infinity, all: Infinity })))(
    'reaches the same verdict after %j',
    async (row) => {
      const { word, cwd, env, requests } = await started(row)
      const args = names.flatMap((name) => factors[name][row[name] as never] as readonly string[])
      const fast = ['--settle', '0.2', '--rate', '900/s', '--timeout', '20s']
      const first = await run(['verify', word, ...args, ...fast], { env, cwd })
      expect(first.code, first.stderr).not.toBe(2)
      expect(first.stdout + first.stderr).not.toContain(key)
      const [, asked = ''] = /^export (.*?) {2}#/m.exec(first.stderr) ?? []
      const exported = { ...env }
      for (const [, name = '', value] of asked.matchAll(/(\w+)=(\.\.\.)?/g))
        exported[name] = value ? values[name as keyof typeof values] : key
      const lines = commandsIn(first.stdout)
      if (first.code === 1) expect(lines.length).toBeGreaterThan(1)
      for (const line of lines) {
        const before = requests.length
        const next = asInShell(line, exported)
        const { code, stdout, stderr } = await run(next, { env: exported, cwd })
        const shown = `${line}\n${stderr}\n${stdout}`
        const isSending = ['verify', 'replay'].includes(next[0] ?? '')
        expect(code, shown).toBe(isSending ? first.code : 0)
        if (!isSending) expect(requests, line).toHaveLength(before)
        else if (next[0] === 'replay') expect(stdout, shown).toContain('STILL FAILING')
        else if (!next.includes('standard') && !next.includes('json=report.json'))
          expect(verdictOf(stdout), shown).toBe(verdictOf(first.stdout))
      }
      if (row.report === 'json') {
        const { reached } = readJson(cwd, 'the report.json')
        expect(JSON.stringify(reached)).not.toMatch(new RegExp(`${key}|${gate}`))
      }
    },
  )
})

describe('of each option', () => {
  const valueOf = ({ value = '', range, oneOf, default: usual }: Flag): string | undefined => {
    if (value === '') return undefined
    if (oneOf) return oneOf.find((one) => one !== usual)
    if (value === 'DURATION') return '7s'
    if (value === 'N/s') return '7/s'
    if (value.includes(':')) return 'X-A: B'
    if (value === 'DATE') return '2026-01-02'
    return range === undefined ? '7' : String(Math.max(range[0], 7))
  }

  test.each(verifyFlags.map((flag) => [flag.name, flag] as const))(
    '--%s, the commands of a run say what decides its verdict, and no secret',
    (name, flag) => {
      const value = valueOf(flag)
      const args = [`--${name}`, ...(value === undefined ? [] : [value])]
      // Its partner, such as the key of a certificate.
      const [partner, placeholder] = flag.needs?.split(' ') ?? []
      if (partner !== undefined)
        args.push(`--${partner}`, ...(placeholder === undefined ? [] : ['7']))
      const reached = reachedBy(parseFlags(verifyFlags, args, {}), undefined)
      const target = 'https://staging.example.com/v1'
      const [, verify = '', replay = ''] = commandsIn(toText({ ...violating(), target, reached }))
      const words = asInShell(verify, { PATH: process.env['PATH'] ?? '' })
      const isKept = flag.decides !== undefined && flag.shown === undefined
      expect(words.includes(`--${name}`)).toBe(
        isKept || name === 'reporter' || name === 'key-command',
      )
      if (isKept && value !== undefined) expect(words[words.indexOf(`--${name}`) + 1]).toBe(value)
      // What a report alone cannot give.
      const again = asInShell(replay, { PATH: process.env['PATH'] ?? '' })
      expect(again.includes(`--${name}`)).toBe(
        flag.decides === 'access' && !['key', 'header'].includes(name),
      )
      expect(again.slice(0, 4)).toEqual(['replay', 'report.json', '--url', target])
    },
  )

  test('the groups of options say what they decide', () => {
    const free = verifyFlags.filter(({ decides }) => decides === undefined)
    expect(free.map(({ name }) => name)).toEqual(
      'list log save save-profile keep-names reporter history verbose'.split(' '),
    )
  })

  test('a run that passed offers its report, and sends nothing again', () => {
    expect(commandsIn(toText(conforming()))).toEqual([])
    const files = { json: 'report.json' }
    expect(commandsIn(toText(conforming(), { files }))).toEqual([
      'petstore report report.json --reporter html=report.html',
    ])
    expect(commandsIn(toText(conforming(), { files: { ...files, html: 'a.html' } }))).toEqual([])
  })
})
