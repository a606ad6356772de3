import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  comparisonLine,
  comparisonReporters,
  compareReports,
  type Report,
} from '../../../src/contract/index.ts'
import { verifyMock } from '../../support/verify-in-process.ts'
import { conforming, violating } from '../reporters/reports.ts'

test('lists regressed, fixed and incomparable requirements, and behaviors that differ', async () => {
  const narrow = { readOnly: true, only: ['list.limit.*', 'list.status.*'] }
  const [whole, broken, less] = await Promise.all([
    verifyMock({ profile: { 'list.limit.below-minimum': '400' } }, narrow),
    verifyMock(
      { defects: ['list.limit-ignored'], profile: { 'list.limit.below-minimum': 'default' } },
      narrow,
    ),
    verifyMock({}, { readOnly: true, only: ['list.status.*'] }),
  ])
  const worse = compareReports(whole, broken)
  const ids = worse.requirements.regressed.map(({ id }) => id)
  // The cause comes before its consequences.
  expect(ids[0]).toBe('list.limit.respected')
  expect(worse.requirements.regressed[0]).toMatchObject({
    before: 'verified',
    after: 'violated',
    quote: expect.any(String),
  })
  expect(worse.requirements.fixed).toEqual([])
  expect([worse.before.verdict, worse.after.verdict]).toEqual(['conforms', 'violates'])
  const better = compareReports(broken, whole)
  expect(better.requirements.fixed.map(({ id }) => id)).toEqual(ids)
  expect(better.requirements.regressed).toEqual([])
  const unknown = compareReports(whole, less).requirements
  expect([unknown.regressed, unknown.fixed]).toEqual([[], []])
  expect(unknown.incomparable.map(({ id }) => id)).toContain('list.limit.respected')
  expect(unknown.incomparable.length + unknown.same).toBe(whole.requirements.length)
  const changed = compareReports(whole, {
    ...whole,
    profile: { ...whole.profile, 'list.limit.below-minimum': 'default', 'list.order': 'unknown' },
  })
  expect(changed.behaviors.differing).toMatchObject([
    {
      id: 'list.limit.below-minimum',
      question: 'What happens with a limit below 1?',
      before: '400',
      after: 'default',
    },
  ])
})

test('what was not verified before is neither compared nor counted as the same', () => {
  const all = conforming().requirements
  const open = all.map((one) =>
    one.id === 'list.limit.respected'
      ? { ...one, verdict: 'not-verified' as const, reason: 'too few pets' }
      : one,
  )
  const compared = compareReports({ ...conforming(), requirements: open }, violating())
  const same = all.filter(
    ({ id, verdict }) => verdict === 'verified' && !/^list\.limit\.(respected|max)$/.test(id),
  )
  const title = `Requirements: 1 differ, ${same.length} are the same`
  for (const name of ['text', 'html', 'markdown'])
    expect(comparisonReporters[name]?.(compared)).toContain(title)
})

test('a comparison says the same of both directions, and how much differs', () => {
  const ids = conforming().requirements.slice(0, 60)
  const verdict = fc.constantFrom('verified', 'violated', 'not-verified', 'not-applicable')
  const drawn = fc.record({
    verdicts: fc.array(verdict, { minLength: 4, maxLength: 4 }),
    isOpen: fc.boolean(),
  })
  const toReport = ({ verdicts, isOpen }: { verdicts: string[]; isOpen: boolean }): Report =>
    ({
      ...conforming(),
      verdict: verdicts.includes('violated') ? 'violates' : isOpen ? 'not-verified' : 'conforms',
      requirements: ids.map((one, at) => ({ ...one, verdict: verdicts[at] ?? 'not-verified' })),
    }) as Report
  const isKnown = (one: string): boolean => one === 'verified' || one === 'violated'
  fc.assert(
    fc.property(drawn, drawn, (one, other) => {
      const [there, back] = [
        compareReports(toReport(one), toReport(other)),
        compareReports(toReport(other), toReport(one)),
      ]
      expect(there.verdict).toBe(back.verdict)
      const isDifferent = there.verdict === 'differ'
      for (const compared of [there, back])
        expect(/^DIFFER {2}\d requirements?$/.test(comparisonLine(compared))).toBe(isDifferent)
      const same = one.verdicts.filter((is, at) => isKnown(is) && is === other.verdicts[at]).length
      const html = comparisonReporters['html']?.(there)
      expect(html).toContain(`differ, ${same} are the same`)
    }),
    { numRuns: 300 },
  )
})

test('SAME of partial reports shows the extent, in yellow', async () => {
  const report = await verifyMock({}, { readOnly: true, only: ['list.*'] })
  const same = compareReports(report, report)
  expect(comparisonLine(same)).toMatch(
    /^SAME {2}\d+ of \d+ requirements and \d+ of 40 unspecified behaviors compared \(partial\)$/,
  )
  const text = comparisonReporters['text']?.(same, { color: true })
  expect(text).toContain('\u001b[33mSAME')
})

test('a difference in a header is shown by the header of each side', async () => {
  const [one, other] = await Promise.all([
    verifyMock(
      {
        profile: {
          'auth.www-authenticate': 'present',
          'create.location': 'relative',
          'get.deprecation-header': 'present',
          'get.sunset-header': 'present',
          'http.cors': 'any-origin',
        },
      },
      { observations: true },
    ),
    verifyMock(
      {
        profile: {
          'auth.www-authenticate': 'absent',
          'create.location': 'absolute',
          'get.deprecation-header': 'absent',
          'get.sunset-header': 'absent',
          'http.cors': 'none',
        },
      },
      { observations: true },
    ),
  ])
  const text = comparisonReporters['text']?.(compareReports(one, other), { width: 120 }) ?? ''
  const shownFor = (id: string): string[] => {
    const lines = text.split('\n')
    const at = lines.findIndex((line) => line.startsWith(`  ${id}  `))
    return lines.slice(at + 2, at + 4).map((line) => line.trim())
  }
  expect(shownFor('create.location')).toEqual([
    expect.stringMatching(/^A {2}201 location: \/v1\/pets\/\d+$/),
    expect.stringMatching(/^B {2}201 location: http:\/\/.*\/v1\/pets\/\d+$/),
  ])
  for (const [id, header] of [
    ['auth.www-authenticate', 'www-authenticate: Bearer'],
    ['get.deprecation-header', 'deprecation: @'],
    ['get.sunset-header', 'sunset: '],
    ['http.cors', 'access-control-allow-origin: *'],
  ] as const) {
    expect(shownFor(id), id).toEqual([
      expect.stringContaining(header),
      expect.stringMatching(/^B {2}\d{3} without such a header$/),
    ])
  }
})
