import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { http } from 'msw'
import { setupServer } from 'msw/node'
import * as undici from 'undici'
import { expect, test } from 'vitest'

import { createFetch } from '../../../src/mock/adapters/fetch.ts'
import { createHandlers } from '../../../src/mock/adapters/msw.ts'
import { createDispatcher } from '../../../src/mock/adapters/undici.ts'
import { createMock, startMock } from '../../../src/mock/index.ts'
import { faces, runAll } from './run-all.ts'

const kit = {
  createMock,
  startMock,
  createFetch,
  createHandlers,
  createDispatcher,
  setupServer,
  http,
  undici,
}

test.each(faces)('%s: the table of cases, faults and aborts', async (adapter) => {
  const [{ checked, wrong } = { checked: 0, wrong: [] }] = await runAll(
    kit,
    (name) => name === adapter,
  )
  expect(wrong).toEqual([])
  expect(checked).toBeGreaterThan(12)
})

test.each(['fetch', 'msw'])(
  '%s: a timeout ends a silent request in an otherwise idle process',
  async (adapter) => {
    const script = join(import.meta.dirname, 'silence-in-node.js')
    const adapters = join(import.meta.dirname, '../../../dist/mock/adapters')
    const ran = await promisify(execFile)(process.execPath, [script, adapter, adapters])
    expect(ran.stdout).toBe('caught TimeoutError\n')
  },
)
