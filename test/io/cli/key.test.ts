import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { createMock, sandboxKey } from '../../../src/mock/index.ts'
import { environment } from '../../support/environment.ts'
import { makeFolder } from '../../support/folder.ts'
import { cli, run } from './command.ts'

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

test.skipIf(process.platform === 'win32')(
  'a removed working folder is no defect of the kit',
  () => {
    const folder = makeFolder({})
    const { status, stderr } = spawnSync(
      'sh',
      ['-c', 'rmdir "$PWD" && exec "$0" "$1" key team-a', process.execPath, cli],
      { cwd: folder, env: environment(), encoding: 'utf8' },
    )
    expect(stderr).toBe(
      'petstore: the working folder does not exist any more; change to another one\n',
    )
    expect(status).toBe(2)
  },
)
