import { inertLines } from './inert.ts'

/** Writes JUnit XML. */

export interface JunitSuite {
  name: string
  cases: readonly JunitCase[]
  properties?: readonly (readonly [name: string, value: string])[]
  /** RFC 3339, in UTC. */
  timestamp?: string | undefined
  seconds?: number
}

/** A case without an outcome passes. */
export interface JunitCase {
  classname: string
  name: string
  outcome?: { tag: 'failure' | 'error' | 'skipped'; type: string; message: string; body?: string } | undefined
}

export function toJunitXml(name: string, suites: readonly JunitSuite[]): string {
  const all = suites.flatMap(({ cases }) => cases)
  const seconds = suites.reduce((sum, suite) => sum + (suite.seconds ?? 0), 0)
  const { skipped: _, ...totals } = totalsOf(all)
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name, ...totals, ...timeOf(seconds) })}>`,
    ...suites.flatMap((suite) => [
      `  <testsuite${attributes({ name: suite.name, ...totalsOf(suite.cases), ...dateOf(suite), ...timeOf(suite.seconds) })}>`,
      '    <properties>',
      ...(suite.properties ?? []).map(([key, value]) => `      <property${attributes({ name: key, value })}/>`),
      '    </properties>',
      ...suite.cases.map(toCase),
      '  </testsuite>',
    ]),
    '</testsuites>',
    '',
  ].join('\n')
}

function totalsOf(cases: readonly JunitCase[]): Record<string, number> {
  const number = (tag: string): number => cases.filter(({ outcome }) => outcome?.tag === tag).length
  return { tests: cases.length, failures: number('failure'), errors: number('error'), skipped: number('skipped') }
}

const timeOf = (seconds: number | undefined): Record<string, string> => (seconds ? { time: seconds.toFixed(3) } : {})

const dateOf = ({ timestamp }: JunitSuite): Record<string, string> =>
  timestamp === undefined ? {} : { timestamp: timestamp.slice(0, 19) }

/** GitLab shows the body of an outcome, Jenkins also its message. */
function toCase({ classname, name, outcome }: JunitCase): string {
  const start = `    <testcase${attributes({ classname, name })}`
  if (outcome === undefined) return `${start}/>`
  const { tag, message, type, body = message } = outcome
  return `${start}>\n      <${tag}${attributes({ message, type })}>${escapeXml(body)}</${tag}>\n    </testcase>`
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, text]) => ` ${name}="${escapeXml(String(text))}"`)
    .join('')
}

/** XML 1.0 has no place for most control characters, not even as references; they become visible escapes. */
function escapeXml(text: string): string {
  const names: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  return inertLines(text).replace(/[&<>"]/g, (char) => names[char] ?? char)
}
