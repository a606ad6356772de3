import { createHash } from 'node:crypto'
import { requirements as table } from '../../spec/requirements.ts'
import { rowToSentence, toInertJson } from '../../report/text.ts'
import type { Report } from '../report/report.ts'
import { groupLines, type Group } from './groups.ts'
import { digestOf } from './digest.ts'
import { requirementsOf, knownWords, sentence, value } from '../report/words.ts'

/** SARIF 2.1.0 for GitHub code scanning: requirements are rules, violated ones are results. */
export function toSarif(report: Report): string {
  const { line, unproven, drift, notes, fresh, known } = digestOf(report)
  const { kit, target, startedAt, durationMs, exitCode, verdict } = report
  const notify = (level: string, text: string): object => ({
    level,
    message: { text: unlinked(text) },
  })
  return toInertJson({
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'petstore-kit', semanticVersion: kit, rules: table.map(toRule) } },
        invocations: [
          {
            executionSuccessful: exitCode !== 3,
            exitCode,
            startTimeUtc: startedAt,
            endTimeUtc: new Date(Date.parse(startedAt) + durationMs).toISOString(),
            toolExecutionNotifications: [
              verdict === 'not-verified' ? notify('error', unproven) : notify('note', line),
              ...requirementsOf(report, 'not-verified').map(({ id, reason = '' }) =>
                notify('warning', sentence(`${id} not verified: ${reason}`)),
              ),
              ...drift.map(({ ids, text }) => notify('error', `drift: ${ids.join()}: ${text}`)),
              ...notes.map(({ text }) => notify('note', text)),
            ],
          },
        ],
        // One alert for a requirement: a known failure hides no other.
        results: [
          ...fresh,
          ...known.filter(({ requirement }) =>
            fresh.every((one) => one.requirement !== requirement),
          ),
        ].map(toResult),
        properties: { target: value(target), summary: line },
      },
    ],
  })
}

function toRule({ id, section, quote, reading }: (typeof table)[number]): object {
  return {
    id,
    shortDescription: { text: reading },
    help: {
      text: `Pet Store Service Specification, ${section}:\n"${rowToSentence(quote)}"\n\n${reading}`,
    },
    properties: { tags: ['contract'] },
  }
}

/** Code scanning requires a location in a file of the repository: the configuration, which names the deployment. */
function toResult(group: Group): object {
  const { requirement, cases } = group
  const [{ known }] = cases
  return {
    ruleId: requirement,
    level: 'error',
    message: { text: unlinked(groupLines(group).slice(1).join('\n')) },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: 'petstore.config.json' },
          region: { startLine: 1 },
        },
      },
    ],
    // Stable across runs: the request that shows a violation first may change, the requirement does not.
    partialFingerprints: {
      primaryLocationLineHash: createHash('sha256').update(requirement).digest('hex').slice(0, 32),
    },
    ...(known && {
      suppressions: [{ kind: 'external', status: 'accepted', justification: knownWords(known) }],
    }),
  }
}

/** Escapes the link and placeholder syntax of SARIF messages. */
const unlinked = (text: string): string =>
  text.replaceAll('](', '\\](').replace(/\{(\d+)\}/g, '{{$1}}')
