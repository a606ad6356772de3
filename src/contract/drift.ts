import { count } from '../report/text.ts'
import { choices, type ChoiceId } from '../spec/choices.ts'
import { operations } from '../spec/operations.ts'
import type { Drift, Report } from './report.ts'

/** Options that a deployment is expected to have, by id of the unspecified behavior. Others may be there, and are ignored. */
export type ExpectedProfile = Readonly<Record<string, string>>

const dayMs = 86_400_000
/** Days before a date in which it is worth a note. */
const nearDays = 180

/**
 * Compares observed options with an expected profile. The verdict stays, because unspecified behavior violates
 * nothing; the exit code is 1 if an option differs, and 3 if none of the expected options (with `strict`: not all)
 * were observed.
 */
export function applyExpectedProfile(report: Report, expected: ExpectedProfile, strict = false): Report {
  const wanted = choices
    .map(({ id }) => ({ id, option: expected[id] }))
    .filter((one): one is { id: ChoiceId; option: string } => one.option !== undefined && one.option !== 'unknown')
  const seen = wanted.filter(({ id }) => report.profile[id] !== 'unknown')
  const drift = seen.flatMap(({ id, option }): Drift[] => {
    const [actual, evidence] = [report.profile[id], report.evidence[id]]
    return actual === option ? [] : [{ id, expected: option, actual, ...(evidence !== undefined && { evidence }) }]
  })
  const left = wanted.length - seen.length
  const note = `${left} of ${wanted.length} options of the expected profile were not observed.`
  const result = { ...report, drift, notes: left > 0 ? [...report.notes, note] : report.notes }
  if (report.verdict === 'violates' || drift.length > 0) return { ...result, exitCode: 1 }
  const isUnknown = wanted.length > 0 && (seen.length === 0 || (strict && left > 0))
  if (!isUnknown || report.verdict === 'not-verified') return result
  const reason = seen.length === 0 ? 'no option of the expected profile was observed' : note.replace(/\.$/, '')
  return { ...result, verdict: 'not-verified', exitCode: 3, reason }
}

/** Adds a note where the removal of getPet is near: clients that call it have so many days left. */
export function noteRemoval(report: Report, now: Date): Report {
  const days = Math.ceil((Date.parse(operations.getPet.removalDate) - now.getTime()) / dayMs)
  const works = report.clauses.some(({ id, verdict }) => id === 'get.until-removal' && verdict === 'verified')
  if (!works || days <= 0 || days > nearDays) return report
  const note = `getPet is removed on ${operations.getPet.removalDate}, in ${count(days, 'day')}; clients use the list instead.`
  return { ...report, notes: [...report.notes, note] }
}
