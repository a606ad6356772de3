/** A row of a table of flags is all that an option needs between the command line and its function. */
import { expect, test } from 'vitest'

import { throwInFlags } from '../../../src/cli/command.ts'
import { mockFlags } from '../../../src/cli/mock/mock-flags.ts'
import { replayFlags, verifyFlags } from '../../../src/cli/verify/verify-flags.ts'
import { UsageError } from '../../../src/errors.ts'
import { type Flag, flagsOf, parseFlags } from '../../../src/options.ts'

test('the flags of petstore mock set the options of startMock', () => {
  const args =
    '--port 0 --seed -3 --pets 7 --ids large --journal 200 --cors-origin http://a.test ' +
    '--cors-origin http://b.test --now 2030-12-06 --no-overrides --explain --no-console --defect pet.no-id'
  expect(parseFlags(mockFlags, args.split(' '), {}).options()).toEqual({
    port: 0,
    host: '127.0.0.1',
    basePath: '/v1',
    seed: -3,
    pets: 7,
    ids: 'large',
    journal: 200,
    corsOrigins: ['http://a.test', 'http://b.test'],
    now: '2030-12-06',
    overrides: false,
    explain: true,
    console: false,
    defects: ['pet.no-id'],
  })
})

test('the flags of petstore verify set the options of verify', () => {
  const args = '--rate 90/m --category-id 009007199254740993 --timeout 1.5s --max-writes 2 --only a'
  expect(parseFlags(verifyFlags, args.split(' '), {}).options()).toEqual({
    depth: 'standard',
    seed: 1,
    maxWrites: 2,
    categoryId: 9007199254740993n,
    timeoutMs: 1_500,
    settleMs: 5_000,
    concurrency: 4,
    rate: 1.5,
    retryBudgetMs: 60_000,
    maxDurationMs: 600_000,
    waitUntilReadyMs: 0,
    only: ['a'],
  })
})

test('a configuration applies without the flag and its variable', () => {
  const configured = { depth: 'smoke', timeout: 2, maxDuration: '1m', rate: 3, maxRequests: 40 }
  const read = (args: string[], env = {}): object =>
    parseFlags(verifyFlags, args, env).options(configured)
  expect(read([])).toMatchObject({
    depth: 'smoke',
    timeoutMs: 2_000,
    maxDurationMs: 60_000,
    rate: 3,
    maxRequests: 40,
  })
  expect(
    read(['--timeout', '500ms', '--max-requests', '7'], {
      PETSTORE_DEPTH: 'thorough',
      PETSTORE_MAX_DURATION: '2m',
    }),
  ).toMatchObject({
    depth: 'thorough',
    timeoutMs: 500,
    maxDurationMs: 120_000,
    rate: 3,
    maxRequests: 7,
  })
})

test('a switch that its variable turns off sets nothing', () => {
  const flags = flagsOf('Any', { loud: { env: 'LOUD', option: 'loud', help: 'shout' } })
  expect(parseFlags(flags, [], { LOUD: '0' }).options()).toEqual({})
  expect(parseFlags(flags, [], { LOUD: '1' }).options()).toEqual({ loud: true })
})

const ends = [mockFlags, verifyFlags].flatMap((flags) =>
  flags.flatMap(({ range = [], ...flag }) => range.map((end) => ({ flags, ...flag, end }))),
)
test.each(ends)('--$name takes $end, an end of its range', ({ flags, name, value, needs, end }) => {
  const text = value === 'DURATION' ? `${end}s` : String(end)
  const needed = needs === undefined ? [] : [`--${needs.replace(' ', '=')}`]
  expect(parseFlags(flags, [...needed, `--${name}=${text}`], {}).text(name)).toBe(text)
})

const rows: readonly [flags: readonly Flag[], option: string, shown: string][] = [
  [mockFlags, 'keys/0', '--key 0'],
  [mockFlags, 'tls', '--tls-cert'],
  [mockFlags, 'sandboxes', '--sandbox-names'],
  [mockFlags, 'profile/list.order', '--behavior list.order'],
  [mockFlags, 'rules/1/reply', '--rules 1 reply'],
  [mockFlags, 'console', '--no-console'],
  [mockFlags, 'corsOrigins', '--cors-origin'],
  [mockFlags, 'onRequest', 'onRequest'],
  [verifyFlags, 'apiKey', '--key'],
  [verifyFlags, 'certKey', '--cert-key'],
  [verifyFlags, 'maxDurationMs', '--max-duration'],
  [verifyFlags, 'allowWrites', '--allow-writes'],
  [verifyFlags, 'minVerified', '--min-verified'],
  [replayFlags, 'times', '--times'],
  [verifyFlags, 'baseUrl', 'the base URL'],
]
test.each(rows)('a mistake in an option is shown by its row: %#', (flags, path, shown) => {
  const error = new UsageError([{ path, message: 'must be right' }])
  expect(() => throwInFlags(error, parseFlags(flags, [], {}))).toThrow(`${shown} must be right`)
})

test('a row names the command that lists its values', () => {
  const show = (path: string, message: string) => () =>
    throwInFlags(new UsageError([{ path, message }]), parseFlags(mockFlags, [], {}))
  expect(show('defects', 'there is no defect "x".')).toThrow(
    '--defect: there is no defect "x"; petstore mock --list-defects lists them',
  )
  expect(show('profile', 'there is no behavior "x"; did you mean "y"?')).not.toThrow('lists them')
})
