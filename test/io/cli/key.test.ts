import { describe, expect, test } from 'vitest'
import { createMock, sandboxKey } from '../../../src/mock/index.ts'
import { run } from './command.ts'

test('petstore key prints a key for each name, a line each, which a mock lets in', async () => {
  const { code, stdout, stderr } = await run(['key', 'team-a', 'team-b'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const keys = stdout.trimEnd().split('\n')
  expect(keys).toEqual([sandboxKey('team-a'), sandboxKey('team-b')])
  const mock = createMock()
  for (const key of keys) {
    const headers = { authorization: `Bearer ${key}` }
    expect(await mock.handle({ method: 'GET', target: '/v1/pets', headers, body: '' })).toMatchObject({ status: 200 })
  }
  expect(mock.sandboxes.list().map(({ name }) => name)).toEqual(['team-a', 'team-b'])
})

describe('--check', () => {
  const key = sandboxKey('team-a')

  test('a whole key is told by its name', async () => {
    const { code, stdout } = await run(['key', '--check', key])
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'The key is valid and opens the sandbox team-a.\n' })
  })

  test.each([
    ['cut', key.slice(0, -1)],
    ['with a space', `${key} `],
  ])('one that is %s is not whole', async (_, changed) => {
    const { code, stdout } = await run(['key', '--check', changed])
    expect(code).toBe(1)
    expect(stdout).toMatch(/^This is not a valid sandbox key: it was truncated, extended or changed\./)
  })

  test('another key is not repeated', async () => {
    const { code, stdout, stderr } = await run(['key', '--check', 'live-key-1234'])
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    expect(stdout).toMatch(/begins with petstore_sandbox_/)
    expect(stdout).not.toContain('live-key')
  })
})
