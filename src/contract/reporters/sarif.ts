import { createHash } from 'node:crypto'
import { clauses as table } from '../../spec/clauses.ts'
import type { ClauseResult, Finding, Report } from '../report.ts'
import { toInertJson } from '../../report/text.ts'
import {
  clausesOf,
  command,
  knownWords,
  notesOf,
  reachOf,
  sentence,
  unprovenWords,
  value,
  verdictLine,
} from './words.ts'

const readings: ReadonlyMap<string, string> = new Map(table.map(({ id, reading }) => [id, reading]))

/** The line of docs/reference/specification.md on which each section begins that a clause names. */
const specificationLines: Readonly<Record<string, number>> = {
  'What the service does': 5,
  'Resources and their fields': 17,
  'States and transitions': 61,
  Endpoints: 69,
  'Endpoints / List animals': 73,
  'Endpoints / Add an animal': 93,
  'Endpoints / Get an animal (deprecated)': 103,
  Authentication: 115,
  Errors: 126,
  Limits: 138,
  Versioning: 148,
}

/** The report as SARIF 2.1.0, as GitHub code scanning and others read it: clauses are rules, findings are results. */
export function toSarif(report: Report): string {
  const { kit, target, verdict, counts, profile, clauses, findings } = report
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'petstore-kit', semanticVersion: kit, rules: clauses.map(toRule) } },
        invocations: [toInvocation(report)],
        columnKind: 'utf16CodeUnits',
        results: findings.map((finding, index) => toResult(report, finding, index)),
        properties: {
          target: value(target),
          verdict,
          summary: verdictLine(report),
          counts,
          profile: Object.fromEntries(Object.entries(profile).map(([id, option]) => [id, value(option)])),
        },
      },
    ],
  }
  return toInertJson(log)
}

function toRule({ id, section, quote }: ClauseResult): object {
  const reading = readings.get(id) ?? quote
  return {
    id,
    name: id.replace(/(?:^|[.-])(\w)/g, (_, letter: string) => letter.toUpperCase()),
    shortDescription: { text: reading },
    fullDescription: { text: quote },
    help: { text: `Pet Store Service Specification, ${section}:\n"${quote}"\n\n${reading}` },
    defaultConfiguration: { level: 'error' },
    properties: { tags: ['contract'], section },
  }
}

function toResult(report: Report, finding: Finding, index: number): object {
  const { clause, check, message, pointer, expected, actual, more, exchanges, known } = finding
  const { clauses, findings } = report
  const curl = exchanges.map((exchange) => command(exchange.curl))
  const lines = [
    sentence(message),
    `Expected: ${value(expected)}`,
    `Actual: ${value(actual)}${pointer === '' ? '' : ` at ${sentence(pointer)}`}`,
    ...curl,
    ...reachOf(finding),
  ]
  const print = fingerprint(finding)
  const before = findings.slice(0, index).filter((other) => fingerprint(other) === print).length
  return {
    ruleId: clause,
    ruleIndex: clauses.findIndex(({ id }) => id === clause),
    level: 'error',
    message: { text: unlinked(lines.join('\n')) },
    locations: [toLocation(clauses.find(({ id }) => id === clause))],
    // Code scanning looks at primaryLocationLineHash only.
    partialFingerprints: { primaryLocationLineHash: `${print}:${before + 1}`, 'clauseAndCheck/v1': print },
    ...(known && { suppressions: [{ kind: 'external', status: 'accepted', justification: knownWords(known) }] }),
    properties: {
      check,
      pointer: sentence(pointer),
      expected: value(expected),
      actual: value(actual),
      curl,
      more,
    },
  }
}

/**
 * Code scanning shows no result without a place in a file. The sources of a deployment are not known here; the file that
 * it breaks is the specification, as docs/reference/specification.md of this kit holds it, and the place is the section.
 */
function toLocation(clause: ClauseResult | undefined): object {
  return {
    physicalLocation: {
      artifactLocation: { uri: 'docs/reference/specification.md' },
      region: { startLine: specificationLines[clause?.section ?? ''] ?? 1 },
    },
    ...(clause && { logicalLocations: [{ name: clause.section, fullyQualifiedName: clause.id }] }),
  }
}

/** The check stands for the cause: which request shows it first, with which pet, changes from run to run. */
function fingerprint({ clause, check }: Finding): string {
  return createHash('sha256').update(`${clause}\n${check}`).digest('hex').slice(0, 32)
}

function toInvocation(report: Report): object {
  const { startedAt, durationMs, exitCode, verdict, clauses } = report
  const notify = (level: string, text: string, ruleIndex?: number): object => ({
    level,
    message: { text: unlinked(text) },
    ...(ruleIndex !== undefined && { associatedRule: { id: clauses[ruleIndex]?.id, index: ruleIndex } }),
  })
  return {
    executionSuccessful: exitCode !== 3,
    exitCode,
    startTimeUtc: startedAt,
    endTimeUtc: new Date(Date.parse(startedAt) + durationMs).toISOString(),
    toolExecutionNotifications: [
      verdict === 'not-verified' ? notify('error', unprovenWords(report)) : notify('note', verdictLine(report)),
      ...clausesOf(report, 'not-verified').map((clause) =>
        notify('warning', sentence(`${clause.id} not verified: ${clause.reason ?? ''}`), clauses.indexOf(clause)),
      ),
      ...notesOf(report).map((note) => notify('note', note)),
    ],
  }
}

/** A message may hold `[text](address)` links and `{0}` placeholders. A target makes none. */
function unlinked(text: string): string {
  return text.replaceAll('](', '\\](').replace(/\{(\d+)\}/g, '{{$1}}')
}
