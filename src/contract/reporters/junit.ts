import { inertLines, rowToSentence } from '../../report/text.ts'
import type { RequirementResult, Report } from '../report/report.ts'
import { groupLines, groupsOf, groupWith, type Group } from './groups.ts'
import { digestOf } from './digest.ts'
import { knownWords, sentence, stateOf, value } from '../report/words.ts'

/** A case without an outcome passes. */
interface Case {
  classname: string
  name: string
  outcome?: Outcome | undefined
}

interface Outcome {
  tag: 'failure' | 'error' | 'skipped'
  type: string
  message: string
  body?: string
}

/**
 * JUnit XML with a test case for each requirement, and its section as the class. One cause is one failure: its probable
 * consequences are skipped. Requirements that are not applicable are skipped, not left out: GitLab and Jenkins compare
 * runs by the names of test cases, and would report deleted and new tests.
 */
export function toJunit(report: Report): string {
  const { line, unproven, drift, fresh } = digestOf(report)
  const { target, kit, verdict, exitCode, counts, profile, startedAt, durationMs } = report
  const groups = groupsOf(report, report.findings)
  const cases = report.requirements.map((requirement): Case => {
    const name = `${requirement.id}: ${rowToSentence(requirement.quote)}`
    const outcome = outcomeOf(report, requirement, groups)
    const isConsequence =
      outcome?.tag === 'failure' && fresh.every((one) => one.requirement !== requirement.id)
    return {
      classname: requirement.section,
      name,
      outcome: isConsequence ? { ...outcome, tag: 'skipped' } : outcome,
    }
  })
  for (const { ids, text } of drift) {
    cases.push({
      classname: 'Drift',
      name: ids.join(),
      outcome: { tag: 'failure', type: 'drift', message: text },
    })
  }
  if (verdict === 'not-verified') {
    // A run without a verdict must not look green to readers of this file.
    const outcome = { tag: 'error', type: 'not-verified', message: unproven } as const
    cases.push({ classname: 'Run', name: 'the run reaches a verdict', outcome })
  }
  const properties = {
    target: value(target),
    kit: `petstore-kit ${value(kit)}`,
    verdict,
    summary: line,
    exitCode,
    requests: counts.requests,
    writes: counts.writes,
    ...Object.fromEntries(
      Object.entries(profile).map(([id, option]) => [`profile.${id}`, value(option)]),
    ),
  }
  const number = (tag: string): number => cases.filter(({ outcome }) => outcome?.tag === tag).length
  const totals = {
    name: 'Pet Store Service contract',
    tests: cases.length,
    failures: number('failure'),
    errors: number('error'),
  }
  const time = durationMs > 0 ? { time: (durationMs / 1000).toFixed(3) } : {}
  const suite = {
    ...totals,
    skipped: number('skipped'),
    timestamp: startedAt.slice(0, 19),
    ...time,
  }
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ ...totals, ...time })}>`,
    `  <testsuite${attributes(suite)}>`,
    '    <properties>',
    ...Object.entries(properties).map(
      ([key, text]) => `      <property${attributes({ name: key, value: text })}/>`,
    ),
    '    </properties>',
    ...cases.map(toXml),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

/** What a test of a requirement reports; undefined where it passes. */
export function outcomeOf(
  report: Report,
  requirement: RequirementResult,
  groups: readonly Group[],
): Outcome | undefined {
  const type = stateOf(report, requirement)
  if (type === 'verified') return undefined
  const group = groupWith(groups, requirement.id)
  if (group === undefined || (type !== 'violated' && type !== 'known')) {
    return {
      tag: 'skipped',
      type,
      message: `${type.replace('-', ' ')}: ${sentence(requirement.reason ?? '')}`,
    }
  }
  const [first] = group.cases
  const cause =
    group.requirement === requirement.id
      ? ''
      : `Probably because ${group.requirement} is violated: `
  const message = type === 'known' ? knownWords(first.known) : `${cause}${sentence(first.message)}`
  const body = [message, ...(cause === '' ? groupLines(group) : [])].join('\n')
  return { tag: type === 'known' ? 'skipped' : 'failure', type, message, body }
}

/** GitLab shows the body of an outcome, Jenkins the message as well. */
function toXml({ classname, name, outcome }: Case): string {
  const start = `    <testcase${attributes({ classname, name })}`
  if (outcome === undefined) return `${start}/>`
  const { tag, message, type, body = message } = outcome
  return `${start}>\n      <${tag}${attributes({ message, type })}>${escapeXml(body)}</${tag}>\n    </testcase>`
}

const attributes = (values: Readonly<Record<string, string | number>>): string =>
  Object.entries(values)
    .map(([name, text]) => ` ${name}="${escapeXml(String(text))}"`)
    .join('')

/** XML 1.0 cannot represent most control characters; they become visible escapes. */
function escapeXml(text: string): string {
  const names: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  return inertLines(text).replace(/[&<>"]/g, (char) => names[char] ?? char)
}
