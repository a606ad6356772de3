import { describe, expect, test } from 'vitest'
import { type Report, reporters, verdictLine } from '../../../src/contract/index.ts'
import { conforming, excused, unreachable, violating } from './reports.ts'

/** A report with only `verified` requirements verified. */
function partial(verified: number, more: Partial<Report> = {}): Report {
  const report = conforming()
  const all = report.counts.verified
  return { ...report, counts: { ...report.counts, verified, notVerified: all - verified }, ...more }
}

const inconclusive = { verdict: 'not-verified', exitCode: 3 } as const

const rows: [string, Report, string][] = [
  ['everything', conforming(), 'PASS  49 of 49 requirements checked'],
  ['a part', partial(19), 'PASS  19 of 49 requirements checked (partial)'],
  ['a violation', violating(), 'FAIL  1 violated, 48 of 49 requirements checked (partial)'],
  ['a known failure', excused(), 'PASS  1 known failure, 48 of 49 requirements checked (partial)'],
  [
    'a selection',
    partial(2, { selection: { checks: 31, of: 31, only: ['list.*'], skip: [] } }),
    'PASS (selection)  2 of 49 requirements checked (partial)',
  ],
  [
    'a smoke run',
    partial(0, { depth: 'smoke', selection: { checks: 17, of: 31 } }),
    'PASS (smoke)  17 of 31 checks, no violation',
  ],
  [
    'a rejected key',
    partial(7, { ...inconclusive, reason: 'the key was rejected (401)' }),
    'INCONCLUSIVE: the key was rejected (401). 7 of 49 requirements could still be checked.',
  ],
  [
    'too little for --strict',
    partial(46, inconclusive),
    'INCONCLUSIVE: 3 requirements could not be verified (--strict). 46 of 49 requirements could still be checked.',
  ],
  [
    'nothing',
    unreachable(),
    expect.stringMatching(/^INCONCLUSIVE: .*\. No requirement could be checked\.$/),
  ],
]

test.each(rows)('the verdict line of %s', (_, report, line) => {
  expect(verdictLine(report)).toEqual(line)
})

describe.each(Object.entries(reporters).filter(([name]) => name !== 'json'))(
  '%s',
  (_, reporter) => {
    test('contains the number of checks and requirements', () => {
      const written = reporter(partial(19, { selection: { checks: 31, of: 31 } }))
      const text = written.replaceAll('%2C', ',').replaceAll('%3A', ':')
      expect(text).toContain('PASS (selection)')
      expect(text).toContain('19 of 49 requirements checked (partial)')
    })
  },
)
