/** A read-only run sends no POST that could create a pet, whatever makes it want one. In process and in virtual time. */
import { expect, test } from 'vitest'
import type { Check } from '../../../src/contract/index.ts'
import { create } from '../../../src/contract/session/creation.ts'
import { createMock, defaultKey, type DefectId } from '../../../src/mock/index.ts'
import { carryOutAt, dispatcherOf } from '../../support/verify-in-process.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

/** A check that does not say that it creates a pet. */
const careless: Check = {
  id: 'create-pet.careless',
  title: 'creates a pet',
  stage: 'read',
  requirements: ['create.status'],
  async run(session) {
    await create(session, {})
  },
}

test.each<[what: string, defects: readonly DefectId[], suite?: readonly Check[]]>([
  ['a check that creates a pet', [], [careless]],
  // Their cause would be shown by a creation.
  ['lists that change pets', ['filter.echoes-status']],
  ['lists that store their filter', ['filter.writes-status']],
  ['one pet in two places', ['list.twin']],
])('%s', async (_, defects, suite) => {
  const clock = new VirtualClock()
  const mock = createMock({ now: () => new Date(clock.now()), pets: 60, defects })
  const methods: string[] = []
  const dispatcher = dispatcherOf((request) => {
    methods.push(request.method)
    return mock.handle(request)
  }, clock)
  const input = { baseUrl: 'http://localhost:1/v1', apiKey: defaultKey, dispatcher }
  const report = await carryOutAt(clock, { ...input, readOnly: true, observations: false }, suite)
  expect(methods.length).toBeGreaterThan(0)
  expect(methods).not.toContain('POST')
  expect(report.counts.writes).toBe(0)
  // What no option of writes can help is not explained by one.
  expect(JSON.stringify(report)).not.toContain('--max-writes')
})
