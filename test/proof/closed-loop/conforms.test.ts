import { expect, test } from 'vitest'
import { idsOf } from '../../support/verdicts.ts'
import { verifyMock } from '../../support/verify-in-process.ts'

test('with 150 pets every requirement is verified, with few requests and writes', async () => {
  const report = await verifyMock({ pets: 150 })
  expect(report.findings).toEqual([])
  expect(idsOf(report, 'not-verified')).toEqual([])
  expect(report.verdict).toBe('conforms')
  expect(report.counts.requests).toBeLessThanOrEqual(187)
  expect(report.counts.writes).toBeLessThanOrEqual(25)
  // The other notes are about requests outside the operations.
  expect(report.notes.filter((note) => !/^\S+ \S+ responded \d+/.test(note))).toEqual([])
})

test('an empty catalog conforms, and the created pets are enough for every requirement', async () => {
  const report = await verifyMock({ pets: 0 })
  expect(report.findings).toEqual([])
  expect(report.verdict).toBe('conforms')
  expect(idsOf(report, 'not-verified')).toEqual([])
})

test.each([1, 19, 20, 21, 99, 100, 101, 1_000, 100_000])(
  'with %i pets no violation is reported',
  async (pets) => {
    const report = await verifyMock({ pets })
    expect(report.findings).toEqual([])
    expect(report.verdict).toBe('conforms')
  },
)

test('a read-only run creates nothing and does not verify the requirements of creation', async () => {
  const report = await verifyMock({ pets: 150 }, { readOnly: true })
  expect(report.findings).toEqual([])
  expect(report.counts.writes).toBe(0)
  const open = idsOf(report, 'not-verified')
  expect(open.filter((id) => !id.startsWith('create.') && id !== 'http.json-request')).toEqual([])
  expect(open).toContain('create.success')
})

test('a mock with large ids conforms', async () => {
  const report = await verifyMock({ pets: 60, ids: 'large' })
  expect(report.findings).toEqual([])
  expect(report.verdict).toBe('conforms')
})

test('a key without write permission conforms, and creates nothing', async () => {
  const report = await verifyMock({ pets: 60, profile: { 'auth.write-permission': '403' } })
  expect(report.findings).toEqual([])
  expect(report.verdict).toBe('conforms')
  expect(report.counts.writes).toBe(0)
})
