/** What an id of the header Petstore-Explain stands for. */
import { expect, test } from 'vitest'
import { choices } from '../../src/spec/choices.ts'
import { clauses } from '../../src/spec/clauses.ts'
import { defaultKey } from '../../src/mock/index.ts'
import { ask, startControlled } from './control.ts'

test.each([
  ['clause', clauses],
  ['choice', choices],
])('each %s is told', async (kind, table) => {
  const { call } = await startControlled()
  for (const entry of table) {
    expect((await call('GET', `/explain/${entry.id}`)).json).toMatchObject({ kind, ...entry })
  }
})

test('an answer that is explained leads to its words', async () => {
  const { mock, call } = await startControlled({ explain: true })
  const { headers } = await ask(mock.port, 'GET', '/v1/pets?limit=0', {
    headers: { authorization: `Bearer ${defaultKey}` },
  })
  const link = /<\/_petstore(\/explain\/[^>]+)>/.exec(headers['link'] ?? '')?.[1] as string
  expect((await call('GET', link)).json).toMatchObject({ kind: 'choice', id: 'list.limit.below-minimum' })
  const taken = await call('GET', `/explain/${headers['petstore-explain']}`)
  expect(taken.json).toMatchObject({ kind: 'choice', chosen: '400' })
})

test.each(['nothing', 'list.order=upside-down', 'toString', '__proto__', 'rule-1', 'list.order='])(
  '%s stands for nothing',
  async (id) => {
    const { call } = await startControlled()
    expect((await call('GET', `/explain/${id}`)).status).toBe(404)
  },
)
