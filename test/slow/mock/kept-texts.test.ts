/** What is kept of a long request is a copy: a part of a text would keep the whole in memory, beyond all limits. */
import { setTimeout as pause } from 'node:timers/promises'

import { expect, test } from 'vitest'

import { createMock, defaultKey, type Mock, sandboxKey } from '../../../src/mock/index.ts'
import { readRejected } from '../../../src/mock/http/request.ts'
import { collectGarbage } from '../../support/heap.ts'

const MiB = 2 ** 20
/** A text of its own in memory, as one that was received. */
const spaces = (length: number): string => Buffer.alloc(length, ' ').toString()

async function used(): Promise<number> {
  for (let turn = 0; turn < 3; turn += 1) {
    await pause(20)
    collectGarbage()
  }
  return process.memoryUsage().heapUsed
}

const post = async (mock: Mock, body: string, headers: object = {}): Promise<number> => {
  const all = { host: 'x', 'content-type': 'application/json', ...headers }
  const authorization = `Bearer ${defaultKey}`
  const request = { method: 'POST', target: '/v1/pets', headers: { authorization, ...all }, body }
  return (await mock.handle(request)).status
}

/** Sends bodies of 1 MiB. */
async function fill(
  mock: Mock,
  count: number,
  bodyOf: (index: number) => string,
  headersOf: (index: number) => object = () => ({}),
): Promise<Mock> {
  await mock.scorecards()
  for (let index = 0; index < count; index += 1)
    await post(mock, bodyOf(index) + spaces(MiB - 1_000), headersOf(index))
  return mock
}

const pet = (index: number): string => `{"name":"n${index}","categoryId":1}`
const agent = (index: number): object => ({ 'user-agent': `agent ${index}` })

test.each<[string, () => unknown]>([
  ['the latest creations of many programs', () => fill(createMock(), 120, pet, agent)],
  [
    'creations without a response',
    () => {
      const mock = createMock({
        rules: [{ when: { operation: 'createPet' }, reply: { status: 500 } }],
      })
      return fill(mock, 120, pet, (index) => agent(index % 6))
    },
  ],
  [
    'examples of mistakes',
    async () => {
      const bearer = (index: number): object => ({
        authorization: `Bearer ${sandboxKey(`team-${index}`)}`,
      })
      const mock = await fill(createMock(), 120, () => '{"name":"a long name"}', bearer)
      // What has left the journal is in a scorecard.
      return fill(mock, 60, pet)
    },
  ],
  [
    'trimmed names',
    async () => {
      const mock = createMock({ profile: { 'create.name.outer-spaces': 'trim' } })
      for (let index = 0; index < 120; index += 1)
        await post(
          mock,
          JSON.stringify({
            name: `${spaces(MiB - 1_000)}of a pet with the number ${index}`,
            categoryId: 1,
          }),
        )
      return mock
    },
  ],
  [
    'numbers as they were written',
    () =>
      fill(
        createMock({ profile: { 'create.extra-fields': 'store' } }),
        120,
        (index) => `{"name":"a","categoryId":1,"weight":1e99999999999999${index}}`,
      ),
  ],
  [
    'names of sandboxes',
    () =>
      fill(
        createMock(),
        120,
        (index) => `key=${sandboxKey(`a-sandbox-of-team-${index}`)}&`,
        () => ({ authorization: '', 'content-type': 'application/x-www-form-urlencoded' }),
      ),
  ],
  [
    'headers of what is no HTTP',
    () =>
      Array.from({ length: 2_000 }, (_, index) => {
        const text = `GET / HTTP/1.7\r\nX-Test: the value of a header ${index}\r\n\r\n${spaces(60_000)}`
        return readRejected({ name: '', message: '', rawPacket: Buffer.from(text), bytesParsed: 9 })
      }),
  ],
  [
    'large ids of dropped responses',
    async () => {
      const first = 9_007_199_254_740_993n
      const data = Array.from({ length: 100 }, (_, index) => ({
        id: first + BigInt(index),
        name: 'x'.repeat(200),
        categoryId: 1,
      }))
      const mock = createMock({ data })
      const headers = { host: 'x', authorization: `Bearer ${defaultKey}` }
      for (let index = 0; index < 3_000; index += 1) {
        mock.catalog.change(first, { name: `n${index}` })
        await mock.handle({ method: 'GET', target: '/v1/pets?limit=99', headers, body: '' })
      }
      return mock
    },
  ],
])(
  '%s keep no longer text',
  async (_, make) => {
    const before = await used()
    const kept = await make()
    // The journal takes up to 32 MiB.
    expect(((await used()) - before) / MiB).toBeLessThan(45)
    expect(kept).toBeDefined()
  },
  60_000,
)
