import { http } from 'msw'
import { setupServer } from 'msw/node'
import * as undici from 'undici'
import { describe, expect, test } from 'vitest'

import { createFetch } from '../../../src/mock/adapters/fetch.ts'
import { createHandlers } from '../../../src/mock/adapters/msw.ts'
import { createDispatcher } from '../../../src/mock/adapters/undici.ts'
import { createMock, startMock } from '../../../src/mock/index.ts'
import { oddSequences, sequences } from './cases.ts'
import { mswClients, otherClients } from './clients.ts'
import { mistakesOf } from './compare.ts'
import { addBigPet, askDirectly } from './in-process.ts'
import { runSequence } from './run-sequence.ts'

const kit = { createMock, startMock, createFetch, createHandlers, createDispatcher, setupServer, http, undici }

describe('in process', () => {
  test.each([...sequences, ...oddSequences])('$name', async ({ options, cases }) => {
    const mock = createMock({ pets: 3, ...options })
    addBigPet(mock)
    for (const sent of cases) expect(mistakesOf(sent, await askDirectly(mock, sent)), sent.name).toEqual([])
  })
})

describe.each([...otherClients, ...mswClients])('$name', (face) => {
  test.each([...sequences, ...oddSequences])('$name', async (sequence) => {
    expect(await runSequence(kit, face, sequence)).toEqual([])
  })
})
