/** Copied commands run nothing of the text they carry: each is run in a shell whose `curl` prints its arguments. */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formats } from '../../../src/console/screens/requests/detail/copy-as.ts'
import { toCurl } from '../../../src/contract/http/curl.ts'
import type { JournalEntry } from '../../../src/mock/index.ts'
import { shellLines, shellPrint, shellQuote, shellWord } from '../../../src/report/shell.ts'
import { makeFolder } from '../../support/folder.ts'
import { runs } from '../../support/level.ts'

const key = `k'ey"$(touch key)\`touch key\`\\`

interface Ran {
  args: string[]
  input: string
}

/** Runs commands with a shell, and returns the arguments and the input of each curl. Nothing else may have run. */
function run(shell: string, commands: readonly string[]): Ran[] {
  const cwd = makeFolder()
  const stub = `curl() { printf '%s\\0' "$@"; case " $* " in *' @- '*|*' @-') printf '\\001'; cat;; esac; printf '\\002'; }\n`
  const { stdout, stderr, status } = spawnSync(shell, ['-s'], {
    cwd,
    input: stub + commands.map((command) => `${command}\n`).join(''),
    env: { PATH: process.env['PATH'], PETSTORE_API_KEY: key, LC_ALL: 'C.UTF-8' },
    encoding: 'utf8',
  })
  expect([stderr, status, readdirSync(cwd)]).toEqual(['', 0, []])
  const calls = stdout.split('\u0002').slice(0, -1)
  expect(calls).toHaveLength(commands.length)
  return calls.map((call) => {
    const [args = '', input = ''] = call.split('\u0001')
    return { args: args.split('\0').slice(0, -1), input }
  })
}

const evil = fc.constantFrom(
  '$(touch ran)',
  '`touch ran`',
  '"; touch ran; "',
  "'; touch ran; '",
  '\\',
  '\n',
  "'",
  '"',
  '$',
  '!!',
  '[redacted]',
  '\u2028',
  '\u001b[201~',
  '\u007f',
  'é',
  '\u{1f600}',
  '%s',
  '\\0101',
  '&',
  '|',
  '>ran',
  '#',
  '{a,b}',
  '[1-3]',
  '@',
  '-o',
  '--',
)
/** Neither NUL, which no argument can hold, nor the marks of the stub. */
const text = fc
  .array(fc.oneof(evil, fc.string({ unit: 'binary', maxLength: 4 })), { maxLength: 5 })
  .map((parts) => [...parts.join('')].filter((char) => char > '\u0002').join(''))
const shown = (sent: string): string => sent.replaceAll('[redacted]', () => key)
const variable = { placeholder: '[redacted]', name: 'PETSTORE_API_KEY' }

/** As a plain string: the first difference of two long arrays is hard to read. */
const sample = fc.array(text, { minLength: 20, maxLength: 20 })
const shells = ['bash', 'sh'].filter((shell) => spawnSync(shell, ['-c', ':']).status === 0)

test.each(shells)('%s reads each quoted text as one argument', (shell) => {
  fc.assert(
    fc.property(sample, (texts) => {
      const quoted = run(
        shell,
        texts.map((one) => `curl ${shellQuote(one)} ${shellWord(one)}`),
      )
      expect(quoted.map(({ args }) => args)).toEqual(texts.map((one) => [one, one]))
      const keyed = run(
        shell,
        texts.map((one) => `curl ${shellQuote(one, variable)}`),
      )
      expect(keyed.map(({ args }) => args)).toEqual(texts.map((one) => [shown(one)]))
      const printed = run(
        shell,
        texts.map((one) => `${shellPrint(one, variable)} | curl @-`),
      )
      expect(printed.map(({ input }) => input)).toEqual(texts.map(shown))
    }),
    { numRuns: runs(10) },
  )
})

test.each(shells)('%s reads a command that is broken into lines as the same command', (shell) => {
  fc.assert(
    fc.property(sample, fc.integer({ min: 10, max: 60 }), (texts, width) => {
      const whole = texts.map(
        (one) => `curl -i ${shellQuote(one, variable)} -H ${shellQuote('b c')} --end`,
      )
      const broken = whole.map((one) => shellLines(one, width, '', '  ').join('\n'))
      expect(run(shell, broken)).toEqual(run(shell, whole))
    }),
    { numRuns: runs(10) },
  )
})

test('a command is broken where it is wider than a terminal, between an option and the next', () => {
  const line = `curl -i 'http://127.0.0.1/v1/pets' -H "Authorization: Bearer $KEY" -H 'accept: x'`
  expect(shellLines(line, 100, '  ', '    ')).toEqual([`  ${line}`])
  expect(shellLines(line, 50, '  ', '    ')).toEqual([
    "  curl -i 'http://127.0.0.1/v1/pets' \\",
    '    -H "Authorization: Bearer $KEY" \\',
    "    -H 'accept: x'",
  ])
  expect(shellLines("curl 'without an end", 10, '', '')).toEqual(["curl 'without an end"])
})

test('a text with NUL is printed', () => {
  const { stdout } = spawnSync('sh', ['-c', shellPrint('a\0b\n')])
  expect(stdout.toString()).toBe('a\0b\n')
})

const token = fc.stringMatching(/^[a-z`$'|!#%&*+.^_~-]{1,12}$/)
const anyEntry = fc.record({
  method: fc.oneof(fc.constantFrom('GET', 'POST', 'HEAD', 'DELETE'), token),
  target: fc.oneof(
    text.map((rest) => `/v1/pets?${rest}`),
    fc.constantFrom('*', 'http://evil.test/', '/v1/../x', '/v1/pets#x', '//evil.test/'),
  ),
  headers: fc.dictionary(token, fc.oneof(text, fc.array(text))),
  body: text,
})
type Sent = typeof anyEntry extends fc.Arbitrary<infer Value> ? Value : never

/** The options of a curl command by name. */
function optionsOf(args: readonly string[]) {
  const [own = '-i', ...rest] = args
  const found: { urls: string[]; headers: string[]; others: Record<string, string> } = {
    urls: [],
    headers: [],
    others: { [own]: '' },
  }
  for (let at = 0; at < rest.length; at += 1) {
    const [word = '', next = ''] = rest.slice(at)
    if (word === '--head') found.others[word] = ''
    else if (word === '-H') found.headers.push(next)
    else if (word.startsWith('-')) found.others[word] = next
    else {
      found.urls.push(word)
      continue
    }
    if (word !== '--head') at += 1
  }
  return found
}

test('what the console copies as curl sends the request, and does nothing else', () => {
  const origin = 'http://127.0.0.1:4010'
  fc.assert(
    fc.property(fc.array(anyEntry, { minLength: 10, maxLength: 10 }), (entries) => {
      const toCommand = formats['curl'] as (entry: JournalEntry, origin: string) => string
      const commands = entries.map((request) =>
        toCommand({ request, response: { status: 200 } } as unknown as JournalEntry, origin),
      )
      run('bash', commands).forEach(({ args, input }, index) => {
        const { method, target, headers, body } = entries[index] as Sent
        const { urls, headers: sent, others } = optionsOf(args)
        const isWhole = urls[0] !== `${origin}/` || others['--request-target'] === undefined
        expect(urls).toHaveLength(1)
        expect(isWhole ? urls[0] : others['--request-target']).toBe(
          isWhole ? origin + shown(target) : shown(target),
        )
        expect(urls[0]?.startsWith(`${origin}/`)).toBe(true)
        const own =
          /^(?:host|connection|content-length|accept-encoding|user-agent|sec-|transfer-encoding|keep-alive)/
        const lines = Object.entries(headers)
          .filter(([name]) => !own.test(name))
          .flatMap(([name, values]) =>
            [values]
              .flat()
              .map((value) => (value === '' ? `${name};` : shown(`${name}: ${value}`))),
          )
        expect(sent.filter((line) => line !== 'Content-Type:')).toEqual(lines)
        expect(others['-X'] ?? (others['--head'] === undefined ? 'GET' : 'HEAD')).toBe(method)
        expect(others['--data-binary'] === '@-' ? input : (others['--data-raw'] ?? '')).toBe(
          shown(body),
        )
      })
    }),
    { numRuns: runs(10) },
  )
})

test('the curl lines of the suite run nothing of a path, a header or a body', () => {
  fc.assert(
    fc.property(fc.array(anyEntry, { minLength: 10, maxLength: 10 }), (entries) => {
      const plans = entries.map(({ method, target, headers, body }) => ({
        method,
        path: target,
        headers: Object.fromEntries(
          Object.entries(headers).map(([name, value]) => [name, String(value)]),
        ),
        body,
      }))
      run(
        'bash',
        plans.map((plan) => toCurl('http://127.0.0.1:4010/v1', plan)),
      ).forEach(({ args, input }, index) => {
        const { path, headers, body } = plans[index] as (typeof plans)[number]
        expect(args).toContain(`http://127.0.0.1:4010/v1${path}`)
        expect(args.at(-1) === '@-' ? input : args.at(-1)).toBe(body)
        for (const [name, value] of Object.entries(headers))
          if (value !== '' && value !== '*/*') expect(args).toContain(`${name}: ${value}`)
      })
    }),
    { numRuns: runs(10) },
  )
})
