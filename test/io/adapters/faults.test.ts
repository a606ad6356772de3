import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { http } from 'msw'
import { setupServer } from 'msw/node'
import * as undici from 'undici'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { createFetch } from '../../../src/mock/adapters/fetch.ts'
import { createHandlers } from '../../../src/mock/adapters/msw.ts'
import { createDispatcher } from '../../../src/mock/adapters/undici.ts'
import { createMock, startMock } from '../../../src/mock/index.ts'
import { faultChecks, type Fetcher, fetchFaces, mswFetch, resendingChecks } from './fault-checks.ts'

const kit = { createMock, startMock, createFetch, createHandlers, createDispatcher, setupServer, http, undici }

describe.each([...fetchFaces, mswFetch])('$name', (face) => {
  let fetcher: Fetcher
  beforeEach(async () => {
    fetcher = await face.open(kit)
  })
  afterEach(() => fetcher.close())

  const checks = face === mswFetch ? faultChecks : [...faultChecks, ...resendingChecks]
  test.each(checks)('$name', (check) => check.run(fetcher))
})

test.each(['fetch', 'msw'])('%s: a time limit ends silence in a process that waits for nothing else', async (face) => {
  const script = join(import.meta.dirname, 'silence-in-node.js')
  const adapters = join(import.meta.dirname, '../../../dist/mock/adapters')
  const ran = await promisify(execFile)(process.execPath, [script, face, adapters])
  expect(ran.stdout).toBe('caught TimeoutError\n')
})
