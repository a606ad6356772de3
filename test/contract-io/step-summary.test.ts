import { expect, test } from 'vitest'
import { key, startStore } from '../contract/recorded-mock.ts'
import { makeFolder } from './folder.ts'
import { petstore } from './petstore.ts'

test('a step summary that cannot be written is told, and does not change the verdict', async () => {
  const { url } = await startStore()
  const folder = await makeFolder()
  const env = { PETSTORE_API_KEY: key, GITHUB_STEP_SUMMARY: 'not/there.md' }
  const { status, stderr } = await petstore(['verify', url, '--reporter', 'github', '--only', 'list.success'], {
    env,
    folder,
  })
  expect(status).toBe(0)
  expect(stderr).toBe('petstore: GITHUB_STEP_SUMMARY not/there.md cannot be written (ENOENT)\n')
})
