import { issueRules, type Scorecard, type ScorecardIssue } from '../scorecard.ts'
import { inert, shortInert } from '../../../report/inert.ts'
import {
  countsWords,
  headline,
  neverTried,
  referenceWords,
  requestLine,
  type ScorecardReporter,
  scoreWords,
} from './words.ts'

const name = { name: 'Pet Store Service scorecard' }

/**
 * The scorecards as JUnit XML: each client is a suite, each kind of mistake a case. A violation is a failure, a warning is
 * skipped with its reason, a notice is told by a case that passes. All kinds are there each time, since GitLab and
 * Jenkins tell runs apart by the names of their cases.
 */
export const toJunit: ScorecardReporter = (scorecards) => {
  const asked = scorecards.filter(({ requests }) => requests > 0)
  const suites = asked.map(toSuite)
  const failures = suites.reduce((sum, suite) => sum + suite.failures, 0)
  const tests = suites.reduce((sum, suite) => sum + suite.tests, 0)
  // A run that asked nothing must not look green to whoever reads only this file.
  const silent = asked.length === 0
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ ...name, tests: silent ? 1 : tests, failures, errors: silent ? 1 : 0 })}>`,
    ...suites.map(({ source }) => source),
    ...(silent ? [silentSuite()] : []),
    '</testsuites>',
    '',
  ].join('\n')
}

function toSuite(card: Scorecard): { source: string; tests: number; failures: number } {
  const known = issueRules.map(({ id, title }) => ({ id: id as string, title: title as string }))
  // A scorecard may come from a mock that knows more than this one.
  const others = card.issues
    .filter(({ id }) => !known.some((one) => one.id === id))
    .map(({ id, title }) => ({ id: id as string, title }))
  const cases = [...known, ...others]
  const failures = card.issues.filter(({ severity }) => severity === 'violation').length
  const skipped = card.issues.filter(({ severity }) => severity === 'warning').length
  const timestamp = card.firstAt === undefined ? {} : { timestamp: card.firstAt.slice(0, 19) }
  const totals = { name: card.subject, tests: cases.length, failures, errors: 0, skipped, ...timestamp }
  const source = [
    `  <testsuite${attributes(totals)}>`,
    '    <properties>',
    ...propertiesOf(card).map(([key, text]) => `      <property${attributes({ name: key, value: text })}/>`),
    '    </properties>',
    ...cases.map(({ id, title }) =>
      toCase(
        card,
        `${id}: no request ${title}`,
        card.issues.find((issue) => issue.id === id),
      ),
    ),
    '  </testsuite>',
  ].join('\n')
  return { source, tests: cases.length, failures }
}

function propertiesOf(card: Scorecard): [string, string][] {
  return [
    ['score', scoreWords(card)],
    ['requests', String(card.requests)],
    ...card.coverage.operations.flatMap(({ operation, requests, responses, parameters }): [string, string][] => [
      [`${operation}.requests`, String(requests)],
      [`${operation}.responses`, countsWords(responses)],
      [`${operation}.parameters`, countsWords(parameters)],
    ]),
    ...neverTried(card).map(({ operation, what }): [string, string] => [`${operation}.neverTried`, what]),
  ]
}

function toCase(card: Scorecard, title: string, issue: ScorecardIssue | undefined): string {
  const start = `    <testcase${attributes({ classname: card.subject, name: title })}`
  if (issue === undefined) return `${start}/>`
  const body = bodyOf(issue)
  const outcome =
    issue.severity === 'notice'
      ? `<system-out>${escapeXml(`notice: ${body}`)}</system-out>`
      : element(issue.severity === 'violation' ? 'failure' : 'skipped', issue, body)
  return `${start}>\n      ${outcome}\n    </testcase>`
}

function element(tag: string, issue: ScorecardIssue, body: string): string {
  const shown = attributes({ message: `${headline(issue)}. ${shortInert(issue.message)}`, type: issue.severity })
  return `<${tag}${shown}>${escapeXml(body)}</${tag}>`
}

function bodyOf(issue: ScorecardIssue): string {
  const { message, example, fix, reference } = issue
  return [
    headline(issue),
    `"${shortInert(reference.quote)}" (${referenceWords(issue)})`,
    shortInert(message),
    `  ${requestLine(example)}`,
    ...(example.body === undefined ? [] : [`  ${shortInert(example.body)}`]),
    `To fix it: ${shortInert(fix)}`,
  ].join('\n')
}

function silentSuite(): string {
  const message = 'no request came, so that nothing can be said'
  return [
    `  <testsuite${attributes({ ...name, tests: 1, failures: 0, errors: 1, skipped: 0 })}>`,
    `    <testcase${attributes({ classname: 'Run', name: 'requests came' })}>`,
    `      <error${attributes({ message, type: 'no-requests' })}>${message}</error>`,
    '    </testcase>',
    '  </testsuite>',
  ].join('\n')
}

function attributes(values: Record<string, string | number>): string {
  return Object.entries(values)
    .map(([key, text]) => ` ${key}="${escapeXml(shortInert(String(text)))}"`)
    .join('')
}

/** XML 1.0 has no place for most control characters, not even as references; they are visible escapes by now. */
function escapeXml(text: string): string {
  const names: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  return text
    .split('\n')
    .map(inert)
    .join('\n')
    .replace(/[&<>"]/g, (char) => names[char] ?? char)
}
