/** The entries of the package show what the mock responds beside each violation, without an option. */
import { expect, test } from 'vitest'
import * as suite from '../../../src/verify/index.ts'
import type { VerifyInput } from '../../../src/verify/index.ts'
import * as kit from '../../../src/index.ts'
import { describeContract } from '../../../src/verify/vitest.ts'
import { serveMock } from '../../support/serve-mock.ts'
import { key } from '../../support/store.ts'

const beside = 'a conforming service: 201 (here 202), '

async function inputFor(...only: string[]): Promise<VerifyInput> {
  const { url } = await serveMock({ keys: [key], defects: ['create.status-202'] })
  return { baseUrl: url, apiKey: key, settleMs: 0, depth: 'smoke', only }
}

/** The message of the test that `describeContract` defines for a requirement. */
async function messageOf(
  describeWith: typeof suite.describeContract,
  target: Parameters<typeof describeContract>[0],
): Promise<unknown> {
  const tests = new Map<string, () => Promise<void>>()
  describeWith(target, {
    describe: (_, define) => define(),
    it: (name, run) => void tests.set(name.split(':', 1)[0] ?? '', run),
  })
  return tests.get('create.success')?.().catch(String)
}

test.each([
  ['petstore-kit', kit.verify],
  ['petstore-kit/contract', suite.verify],
])('verify of %s', async (_, verify) => {
  const { findings } = await verify(await inputFor('create.success'))
  expect(findings.map(({ conforming }) => conforming?.differences)).toEqual([
    [{ part: 'status', conforming: '201', actual: '202' }],
  ])
})

test.each([
  ['petstore-kit/contract', suite.describeContract],
  ['petstore-kit/vitest', describeContract],
])('describeContract of %s', async (_, describeWith) => {
  const input = await inputFor('create.success')
  expect(await messageOf(describeWith, input)).toContain(beside)
  expect(await messageOf(describeWith, await suite.verify(input))).toContain(beside)
})

test('another conforming service may be given', async () => {
  const { findings } = await suite.verify({
    ...(await inputFor('create.success')),
    conforming: () => Promise.reject(new Error('none')),
  })
  expect(findings.map(({ conforming }) => conforming)).toEqual([undefined])
})

test.each([
  [undefined, 'Options must be an object, not undefined.'],
  ['http://127.0.0.1:4010/v1', 'Options must be an object, not "http://127.0.0.1:4010/v1".'],
  [Promise.resolve({}), 'Options must be an object, not a promise: await it.'],
])('rejects %s for options', async (input, message) => {
  await expect(suite.verify(input as unknown as VerifyInput)).rejects.toThrow(message)
})
