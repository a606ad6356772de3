import { describe, expect, test } from 'vitest'
import { checkOptions, compare, verify, type VerifyInput } from '../../../src/contract/index.ts'
import { isLoopback } from '../../../src/option-checks.ts'
import { UsageError } from '../../../src/errors.ts'

const valid = { baseUrl: 'http://127.0.0.1:4010/v1', apiKey: 'Kit-Test_key.7aB' }
const optionsOf = (input: object) => checkOptions({ ...valid, ...input }).options

test('every option has a default', () => {
  const { now, runId, ...options } = optionsOf({})
  expect(options).toMatchObject({
    ...valid,
    readOnly: false,
    allowWrites: false,
    maxWrites: 25,
    timeoutMs: 10_000,
    settleMs: 5_000,
    concurrency: 4,
    retryBudgetMs: 60_000,
    strict: false,
    only: [],
    skip: [],
  })
  expect(Math.abs(now.getTime() - Date.now())).toBeLessThan(5_000)
  expect(runId).toMatch(/^[A-Z][a-z]{5}$/)
})

test('an undefined option is ignored', () => {
  const none = {
    maxWrites: undefined,
    only: undefined,
    now: undefined,
    categoryId: undefined,
    headers: undefined,
  }
  expect(optionsOf(none)).toMatchObject({ maxWrites: 25, only: [] })
})

test.each([
  ['http://127.0.0.1:4010/v1/', 'http://127.0.0.1:4010/v1'],
  ['HTTP://LOCALHOST/v1//', 'http://localhost/v1'],
  ['http://127.1/', 'http://127.0.0.1'],
])('the base URL %s is %s', (baseUrl, read) => {
  expect(optionsOf({ baseUrl }).baseUrl).toBe(read)
})

describe('a mistake is reported with a message', () => {
  test.each<[input: object, message: RegExp]>([
    [{ baseUrl: '127.0.0.1:4010/v1' }, /baseUrl must be absolute.*not "127\.0\.0\.1:4010\/v1"/],
    [
      { baseUrl: 'http://user:a/b@c@host' },
      /baseUrl must be absolute.*not "http:\/\/\[redacted\]@host"/,
    ],
    [{ baseUrl: undefined }, /baseUrl must be absolute/],
    [{ baseUrl: 'http://127.0.0.1/v1#pets' }, /must not contain \? or #/],
    [
      { baseUrl: 'http://me:secret@127.0.0.1/v1' },
      /^baseUrl must not contain a user name or a password$/,
    ],
    [{ apiKey: '' }, /apiKey is missing/],
    [{ apiKey: undefined }, /apiKey is missing/],
    [
      { apiKey: 'schlüssel' },
      /apiKey must be printable ASCII without spaces, which its character 5 is not/,
    ],
    [{ apiKey: 'key\r\nx-other: 1' }, /apiKey must be printable ASCII/],
    [{ maxWrites: -1 }, /maxWrites must be an integer from 0 to 1000, not -1/],
    [{ dispatcher: {} }, /dispatcher must be a Dispatcher of undici/],
    [{ timeoutMs: 0 }, /timeoutMs must be an integer from 1/],
    [{ settleMs: Number.NaN }, /settleMs must be an integer/],
    [{ categoryId: 1.5 }, /categoryId must be a 64-bit integer/],
    [{ categoryId: '1' }, /categoryId must be a 64-bit integer/],
    [{ now: '2030-02-31' }, /now must be a date/],
    [{ now: new Date('never') }, /now must be a date/],
    [{ now: 'tomorrow 1' }, /now must be a date/],
    [{ only: 'auth.*' }, /only must be an array of ids, not "auth\.\*"/],
    [{ skip: [7] }, /skip must be an array of ids/],
    [{ skip: [''] }, /there is no requirement or check/],
    [{ headers: { Authorization: 'Basic abc' } }, /headers\/Authorization is set by the suite/],
    [{ times: 2 }, /^times needs onlyFailed$/],
    [{ onlyFailed: { findings: [] }, times: 21 }, /times must be an integer from 1 to 20, not 21/],
    [{ maxWriets: 5 }, /there is no option "maxWriets"; did you mean maxWrites\?/],
    [{ quiet: true }, /there is no option "quiet"$/],
    [{ baseUrl: Object.create(null) }, /baseUrl must be absolute.*, not an object/],
    [{ maxWrites: Symbol('5') }, /^maxWrites must be an integer from 0 to 1000, not Symbol\(5\)$/],
    [{ allowWrites: 'no' }, /^allowWrites must be true or false, not "no"$/],
    [
      { ca: '-----BEGIN CERTIFICATE-----\n'.repeat(50_000) },
      /^ca holds a PEM certificate that cannot be read$/,
    ],
    [
      { ca: Buffer.from('-'), runId: '"' },
      /^ca must be a string, not an object\nrunId must be a word of letters/,
    ],
    [{ headers: { via: 7 } }, /^headers must be an object of strings/],
    [{ baseline: {} }, /^baseline must be a baseline with a list of failures/],
    [{ onlyFailed: { findings: [null] } }, /^onlyFailed must be a report with a list of findings/],
    [
      { only: null, signal: {}, onShown: 1 },
      /^onShown must be .*\nonly must be .*\nsignal must be an AbortSignal, not an object$/,
    ],
  ])('%o', (input, message) => {
    const check = () => optionsOf(input)
    expect(check).toThrow(UsageError)
    expect(check).toThrow(message)
  })

  test.each([undefined, null, 'http://127.0.0.1/v1', []])(
    '%o in place of options',
    async (input) => {
      await expect(verify(input as never)).rejects.toThrow(/^Options must be an object, not /)
      await expect(compare(input as never, input as never)).rejects.toThrow(UsageError)
    },
  )

  test('all mistakes are reported at once, one per line, without the key', async () => {
    const input = {
      baseUrl: 'nowhere',
      apiKey: 'my secret',
      maxWrites: -1,
      timeoutMs: 0,
      now: 'soon',
      color: true,
    }
    const error = await verify(input as VerifyInput).catch((reason: unknown) => reason as Error)
    expect((error as Error).message.split('\n')).toHaveLength(6)
    expect((error as Error).message).not.toContain('secret')
  })
})

describe('pets are created on other machines only with allowWrites', () => {
  test.each([
    'https://staging.example.com/v1',
    'http://10.0.0.1/v1',
    'http://0.0.0.0:4010/v1',
    'http://127.example.com/v1',
    'http://127.0.0.1.example.com/v1',
    'http://localhost.example.com/v1',
    'http://[::2]/v1',
  ])('%s', (baseUrl) => {
    expect(() => optionsOf({ baseUrl })).toThrow(
      /allowWrites is needed: the run would create up to 25 pets on .*; a read-only run creates none/,
    )
    expect(optionsOf({ baseUrl, allowWrites: true }).baseUrl).toBe(baseUrl)
    expect(optionsOf({ baseUrl, readOnly: true }).baseUrl).toBe(baseUrl)
  })

  test.each([
    ['localhost', true],
    ['pets.localhost', true],
    ['127.0.0.1', true],
    ['127.255.0.3', true],
    ['[::1]', true],
    ['127.0.0.1.example.com', false],
    ['127.0.0.256', false],
    ['127.0.0', false],
    ['127.0.0.1.', false],
    ['127.0.0.1.1', false],
    ['192.168.0.1', false],
    ['[::]', false],
  ])('whether %s is this machine: %s', (hostname, expected) => {
    expect(isLoopback(hostname)).toBe(expected)
  })
})
