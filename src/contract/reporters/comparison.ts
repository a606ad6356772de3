import { code, fenced, inline } from '../../report/markdown.ts'
import { count, fit, painter, section, wrap } from '../../report/text.ts'
import type { BehaviorChange, ComparedReport, Comparison, RequirementChange, Varying } from '../compare.ts'
import { checkedOf, type ReportedExchange } from '../report.ts'
import { checkedWords, command, sentence, value, verdictOf } from './words.ts'

const signs = { verified: '✓', violated: '✗', 'not-verified': '?', 'not-applicable': '–' } as const
const verdicts = { same: 'SAME', differ: 'DIFFER', 'not-verified': 'INCONCLUSIVE' } as const
const colors = { same: 'green', differ: 'red', 'not-verified': 'yellow' } as const

/** `DIFFER  2 requirements, 1 unspecified behavior` */
export function comparisonLine({ verdict, reason, before, after, requirements, behaviors }: Comparison): string {
  const { regressed, fixed, compared } = requirements
  const differing = regressed.length + fixed.length
  if (verdict === 'not-verified') return `${verdicts[verdict]}: ${sentence(reason ?? '')}`
  const words = [
    ...(differing > 0 ? [count(differing, 'requirement')] : []),
    ...(behaviors.differing.length > 0 ? [count(behaviors.differing.length, 'unspecified behavior')] : []),
  ]
  const requirementsOf = Math.max(checkedOf(before.counts).of, checkedOf(after.counts).of)
  const behaviorsOf = behaviors.same + behaviors.unknown + behaviors.varying.length
  const part = compared < requirementsOf || behaviors.same < behaviorsOf ? ' (partial)' : ''
  const all = `${compared} of ${requirementsOf} requirements and ${behaviors.same} of ${behaviorsOf} unspecified behaviors compared${part}`
  return `${verdicts[verdict]}  ${words.length > 0 ? words.join(', ') : all}`
}

/** `PASS  49 of 49 requirements checked` of one side. */
export const sideLine = ({ verdict, counts, reason }: ComparedReport): string => {
  const report = { verdict, counts, ...(reason !== undefined && { reason }) } as Parameters<typeof checkedWords>[0]
  return `${verdictOf(report)}  ${checkedWords(report)}`
}

/** What a client does to be safe with both sides, each way once, with the behaviors that need it. */
export function safeWays({ behaviors }: Comparison): { way: string; ids: string[] }[] {
  const ways = new Map<string, string[]>()
  for (const { id, safe } of behaviors.differing) ways.set(safe, [...(ways.get(safe) ?? []), id])
  return [...ways].map(([way, ids]) => ({ way, ids }))
}

/** `400 {"code":"invalid_request"…`: the response of one side in a line. */
function responseWords(exchange: ReportedExchange | undefined): string {
  if (exchange === undefined) return 'not kept in the report'
  const { status, body } = exchange.response
  return `${status}${body === '' ? '' : ` ${value(body.length > 90 ? `${body.slice(0, 90)}…` : body)}`}`
}

/** `GET /pets?limit=0`, below the base URL of its side. */
function requestWords(exchange: ReportedExchange | undefined, { target }: ComparedReport): string {
  if (exchange === undefined) return ''
  const { method, url } = exchange.request
  return sentence(`${method} ${url.startsWith(target) ? url.slice(target.length) : url}`)
}

/** The request of a behavior. Both sides get the same, unless one of them needed another to show it. */
export function requestOf({ exchanges }: BehaviorChange, { before, after }: Comparison): string {
  const requests = [requestWords(exchanges.before, before), requestWords(exchanges.after, after)]
  return [...new Set(requests.filter((request) => request !== ''))].join(' and ')
}

const varyingWords = ({ id, before, after }: Varying<string>): string =>
  `${id}: A ${before.map(value).join(' and ')}, B ${after.map(value).join(' and ')}`

/** Which side a change speaks of. */
export const sideWith = ({ before, after }: RequirementChange): 'A' | 'B' =>
  after === 'violated' || (before !== 'violated' && after === 'not-verified') ? 'B' : 'A'

/** The comparison for a person's first look. */
export function comparisonText(comparison: Comparison, { color = false, verbose = false } = {}): string {
  const { before, after, requirements, behaviors, notes, verdict } = comparison
  const paint = painter(color)
  const bold = (text: string): string => paint('bold', text)
  const width = 80
  const change = (one: RequirementChange): string[] => [
    `  ${signs[one.before]} → ${signs[one.after]}  ${one.id}`,
    ...wrap(`${sideWith(one)}: ${sentence(one.message)}`, width, '         '),
    ...(verbose && one.exchange ? [`         ${paint('dim', command(one.exchange.curl))}`] : []),
  ]
  const behavior = (one: BehaviorChange): string[] => [
    `  ${one.id}  ${value(one.before)} → ${value(one.after)}`,
    ...([one.exchanges.before, one.exchanges.after].some(Boolean)
      ? [
          `      ${requestOf(one, comparison)}`,
          `        A  ${responseWords(one.exchanges.before)}`,
          `        B  ${responseWords(one.exchanges.after)}`,
        ]
      : []),
    ...(verbose
      ? [one.exchanges.before, one.exchanges.after].flatMap((exchange) =>
          exchange ? [`      ${paint('dim', command(exchange.curl))}`] : [],
        )
      : []),
  ]
  const line = comparisonLine(comparison)
  // What was not looked at on both sides is not as green as the rest.
  const isPartial = verdict === 'same' && line.endsWith('(partial)')
  const changes = [...requirements.regressed, ...requirements.fixed]
  const open = requirements.incomparable
  const lines = [
    ...([before, after] as const).flatMap((side, index) => [
      `${'AB'[index]}  ${sentence(side.name)}${side.name === side.target ? '' : `  ${sentence(side.target)}`}`,
      `   ${sideLine(side)}`,
    ]),
    ...section(bold(requirementsTitle(comparison)), changes.flatMap(change)),
    ...(requirements.violatedInBoth.length > 0
      ? ['', ...wrap(`Violated in both: ${requirements.violatedInBoth.join(', ')}`, width)]
      : []),
    ...section(bold(behaviorsTitle(comparison)), behaviors.differing.flatMap(behavior)),
    ...section(
      bold('Varies: two runs against one side disagree'),
      [...requirements.varying, ...behaviors.varying].flatMap((one) => wrap(varyingWords(one), width, '  ', '    ')),
    ),
    ...section(
      bold('A client is safe with both if it'),
      safeWays(comparison).flatMap(({ way, ids }) => wrap(`- ${way} (${ids.join(', ')})`, width, '  ', '    ')),
    ),
    ...section(
      bold(`Not comparable: ${count(open.length, 'requirement')}`),
      verbose
        ? open.flatMap((one) => wrap(`${sideWith(one)} ${one.id}: ${sentence(one.message)}`, width, '  ', '    '))
        : open.length > 0
          ? wrap(
              `${open
                .map(({ id }) => id)
                .slice(0, 4)
                .join(', ')}${open.length > 4 ? ` and ${open.length - 4} more (--verbose)` : ''}`,
              width,
              '  ',
            )
          : [],
    ),
    ...section(
      bold('Notes'),
      notes.flatMap((note) => wrap(sentence(note), width, '  ')),
    ),
    '',
    bold(paint(isPartial ? 'yellow' : colors[verdict], line)),
  ]
  return `${lines.join('\n')}\n`
}

export const requirementsTitle = ({ requirements: { regressed, fixed, compared } }: Comparison): string =>
  `Requirements: ${regressed.length + fixed.length} differ, ${compared - regressed.length - fixed.length} are the same`

export const behaviorsTitle = ({ behaviors: { differing, same, unknown } }: Comparison): string =>
  `Unspecified behavior: ${differing.length} differ, ${same} are the same, ${unknown} not observed on both sides`

/** Bytes of the requests and responses in a comment; GitHub cuts at 65,536. */
const mostDetails = 30_000

/** The comparison for a comment on a pull request. */
export function comparisonMarkdown(comparison: Comparison): string {
  const { before, after, requirements, behaviors, verdict } = comparison
  const icon = { same: '✅', differ: '🔀', 'not-verified': '❔' }[verdict]
  const cell = (text: string): string => text.replaceAll('|', String.raw`\|`)
  const table = (head: string[], rows: string[][]): string[] =>
    rows.length === 0
      ? []
      : [[head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n')]
  const changes = [...requirements.regressed, ...requirements.fixed]
  const varying = [...requirements.varying, ...behaviors.varying]
  const blocks = [
    `## ${icon} ${inline(comparisonLine(comparison))}`,
    ...table(
      ['', 'target', 'verdict'],
      [before, after].map((side, index) => [
        `${'AB'[index]}: ${inline(sentence(side.name))}`,
        code(sentence(side.target)),
        inline(sideLine(side)),
      ]),
    ),
    `### ${requirementsTitle(comparison)}`,
    ...table(
      ['requirement', 'A', 'B', ''],
      changes.map((one) => [code(one.id), one.before, one.after, inline(`${sideWith(one)}: ${sentence(one.message)}`)]),
    ),
    ...(requirements.violatedInBoth.length > 0
      ? [`Violated in both: ${requirements.violatedInBoth.map(code).join(', ')}`]
      : []),
    `### ${behaviorsTitle(comparison)}`,
    ...table(
      ['behavior', 'A', 'B', 'request'],
      behaviors.differing.map((one) => [
        code(one.id),
        code(value(one.before)),
        code(value(one.after)),
        code(requestOf(one, comparison)),
      ]),
    ),
    ...(varying.length > 0
      ? [
          '### Varies: two runs against one side disagree',
          varying.map((one) => `- ${inline(varyingWords(one))}`).join('\n'),
        ]
      : []),
    ...(behaviors.differing.length > 0
      ? [
          '### A client is safe with both if it',
          safeWays(comparison)
            .map(({ way, ids }) => `- ${way} (${ids.map(code).join(', ')})`)
            .join('\n'),
        ]
      : []),
    ...fit(
      behaviors.differing.map((one) => {
        const curls = [one.exchanges.before, one.exchanges.after].flatMap((exchange) =>
          exchange ? [command(exchange.curl)] : [],
        )
        return [
          `<details><summary>${one.id}</summary>`,
          fenced('text', [`A  ${responseWords(one.exchanges.before)}`, `B  ${responseWords(one.exchanges.after)}`]),
          ...(curls.length > 0 ? [fenced('sh', curls)] : []),
          '</details>',
        ].join('\n\n')
      }),
      mostDetails,
    ).kept,
  ]
  return `${blocks.join('\n\n')}\n`
}
