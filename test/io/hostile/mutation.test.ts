import { expect, test } from 'vitest'
import { runLimited } from '../../support/limited.ts'

test('no mutation of a valid text from outside hangs or breaks what reads it', async () => {
  expect(await runLimited(new URL('mutations.ts', import.meta.url), 5)).toEqual([])
})
