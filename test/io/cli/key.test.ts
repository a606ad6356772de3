import { expect, test } from 'vitest'
import { createMock, sandboxKey } from '../../../src/mock/index.ts'
import { run } from './command.ts'

test('petstore key prints a key per name and line, and a mock accepts them', async () => {
  const { code, stdout, stderr } = await run(['key', 'team-a', 'team-b'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const keys = stdout.trimEnd().split('\n')
  expect(keys).toEqual([sandboxKey('team-a'), sandboxKey('team-b')])
  const mock = createMock()
  for (const key of keys) {
    const headers = { authorization: `Bearer ${key}` }
    expect(
      await mock.handle({ method: 'GET', target: '/v1/pets', headers, body: '' }),
    ).toMatchObject({ status: 200 })
  }
  expect(mock.sandboxes.list().map(({ name }) => name)).toEqual(['team-a', 'team-b'])
})
