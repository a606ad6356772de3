/** Whatever the key and the headers are, a report shows the URLs that were requested, and no secret elsewhere. */
import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { verifyBy } from '../../../src/contract/suite/verify.ts'
import { createMock } from '../../../src/mock/index.ts'
import { interfaceWords } from '../../../src/spec/operations.ts'
import { json } from '../contract/target.ts'
import { runs } from '../../support/level.ts'
import { dispatcherOf } from '../../support/verify-in-process.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const baseUrl = 'http://localhost:1/staging/v1'

/** A report on a service that repeats the key and the header in a response that violates the specification. */
async function reportOn(key: string, header: string) {
  const clock = new VirtualClock()
  const mock = createMock({ keys: [key], pets: 30, defects: ['list.limit-ignored'] })
  const requested = new Set<string>()
  const dispatcher = dispatcherOf(async (request) => {
    requested.add(request.target)
    return request.target === '/v1/pets?limit=100'
      ? json(200, { echo: `<<${key}>> <<${header}>>`, next: `${baseUrl}/pets?limit=5` })
      : mock.handle(request)
  }, clock)
  const below: typeof dispatcher.request = (request: { path: string }) =>
    dispatcher.request({ ...request, path: request.path.replace('/staging', '') } as never)
  const report = await verifyBy(clock, {
    baseUrl,
    apiKey: key,
    headers: { 'x-env': header },
    dispatcher: { request: below } as never,
    readOnly: true,
    runId: 'Bcdfgh',
  })
  return { report, requested }
}

const printable = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code))
const ofUrl = `${baseUrl}/pets?limit=100&status=available`
const slice = fc
  .tuple(fc.nat(ofUrl.length - 4), fc.integer({ min: 4, max: ofUrl.length }))
  .map(([from, length]) => ofUrl.slice(from, from + length))
const secret = fc.oneof(
  fc.string({ unit: printable, minLength: 8, maxLength: 30 }),
  slice,
  fc.constantFrom(
    ...interfaceWords,
    'petstore',
    'staging',
    'localhost',
    'base64',
    'printf',
    'curl',
  ),
)

test('the URLs are those that were requested, each command is one of a shell, and no secret is shown', async () => {
  await fc.assert(
    fc.asyncProperty(secret, secret, async (key, header) => {
      const { report, requested } = await reportOn(key, header)
      expect(report.target).toBe(baseUrl)
      const exchanges = report.findings.flatMap((finding) => finding.exchanges)
      expect(exchanges.length).toBeGreaterThan(0)
      for (const { request } of exchanges) {
        expect(request.url.startsWith(`${baseUrl}/`)).toBe(true)
        expect(requested).toContain(request.url.replace('http://localhost:1/staging', ''))
      }
      const commands = exchanges.map(({ curl }) => curl)
      for (const [index, command] of commands.entries())
        expect(command).toContain(`'${exchanges[index]?.request.url}'`)
      const { status, stderr } = spawnSync('sh', ['-n'], { input: commands.join('\n') })
      expect([status, String(stderr)]).toEqual([0, ''])
      const text = JSON.stringify(report)
      for (const value of [key, header]) {
        // A word of the interface, or a part of a request of it, is no secret to hide.
        const word = value.replaceAll(/^\W+|\W+$/g, '').toLowerCase()
        if (value.length < 6 || ofUrl.toLowerCase().includes(word)) continue
        if (interfaceWords.some((known) => known.toLowerCase() === word)) continue
        expect(text).not.toContain(`<<${JSON.stringify(value).slice(1, -1)}>>`)
        if (!/^\w+$/.test(value)) expect(text).not.toContain(JSON.stringify(value).slice(1, -1))
      }
    }),
    {
      numRuns: runs(60),
      examples: [
        ['petstore-test-key', 'staging'],
        ['staging', 'localhost'],
        ['localhost:1', 'http://localhost:1'],
        ['staging/v1/pets', '/staging/v1'],
        ['base64', 'printf'],
        ['a-key-of-shop', 'http://localhost:1/staging/v1/x?session=1234'],
      ],
    },
  )
})

test('a part of the base URL is redacted where it stands alone', async () => {
  const { report } = await reportOn('petstore-test-key', 'staging')
  const text = JSON.stringify(report)
  expect(text).toContain('<<$PETSTORE_API_KEY>> <<$PETSTORE_HEADER_X_ENV>>')
  expect(text).toContain(`"next\\":\\"${baseUrl}/pets?limit=5`)
})
