import { http } from 'msw'
import { setupServer } from 'msw/node'
import * as undici from 'undici'
import { test } from 'vitest'

import { createFetch } from '../../../src/mock/adapters/fetch.ts'
import { createHandlers } from '../../../src/mock/adapters/msw.ts'
import { createDispatcher } from '../../../src/mock/adapters/undici.ts'
import { createMock, startMock } from '../../../src/mock/index.ts'
import { mswChecks } from './msw-checks.ts'

const kit = { createMock, startMock, createFetch, createHandlers, createDispatcher, setupServer, http, undici }

test.each(mswChecks)('$name', (check) => check.run(kit))
