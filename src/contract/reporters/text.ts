import {
  code,
  columns,
  count,
  painter,
  section,
  textToMarkdown,
  wrap,
  type Paint,
  type Style,
} from '../../report/text.ts'
import { observedIn, type Report } from '../report.ts'
import {
  caseLines,
  consequenceWords,
  groupLines,
  kindLines,
  splitGroups,
  timesWords,
  type Group,
} from './groups.ts'
import {
  clausesOf,
  digestOf,
  headline,
  knownWords,
  quoteOf,
  type Remark,
  sentence,
  value,
} from './words.ts'

/** Columns. */
const width = 80
const styles = { conforms: 'green', violates: 'red', 'not-verified': 'yellow' } as const
const icons = { conforms: '✅', violates: '❌', 'not-verified': '⚠️' } as const

/** Lines of details, other kinds of findings, reasons, notes, and requests of a finding, unless `verbose`. */
const limits = { details: 32, kinds: 12, reasons: 3, notes: 3, requests: 2 }

/**
 * For terminals. The verdict and the next step come last, where they stay visible.
 *
 * @param options `color`: use terminal colors; `verbose`: show all findings and reasons, what passed, what was observed;
 *   `hasHtml`: an HTML report was requested, too; `target`: the deployment and options that a next run needs;
 *   `program`: how the user starts the command
 */
export function toText(
  report: Report,
  { color = false, verbose = false, hasHtml = false, target = '', program = 'petstore' } = {},
): string {
  const { line, drift, observedCount } = digestOf(report)
  const paint = painter(color)
  const isPartial =
    report.verdict === 'conforms' &&
    (report.selection !== undefined || report.counts.notVerified + drift.length > 0)
  const lines = [
    ...partsOf(report, verbose, paint),
    ...(verbose ? everythingElse(report, paint) : []),
    '',
    ...(verbose ? [] : [`${observedCount} unspecified behaviors observed (--verbose lists them)`]),
    paint('bold', paint(styles[isPartial ? 'not-verified' : report.verdict], line)),
    ...nextStep(report, hasHtml, `${program} verify ${sentence(target || report.target)}`),
  ]
  return `${lines.join('\n')}\n`
}

/** The violations and the verdict alone, for a log beside reports in files. */
export function toOverview(report: Report, { color = false } = {}): string {
  const { line } = digestOf(report)
  const kinds = { most: limits.kinds, rest: 'the report' }
  const violated = violatedIn(report, painter(color), kinds)
  return [...violated, ...(violated.length > 0 ? [''] : []), line].join('\n')
}

const violatedIn = (
  report: Report,
  paint: Paint,
  kinds: Parameters<typeof overview>[4],
): string[] =>
  splitGroups(report).fresh.flatMap((group, index) =>
    overview(group, index + 1, paint, 'red', kinds),
  )

/** For step summaries and comments on pull requests. */
export function toMarkdown(report: Report): string {
  const { verdict, line, drift, observedCount } = digestOf(report)
  const plain = painter(false)
  const icon = icons[drift.length > 0 ? 'violates' : report.verdict]
  return textToMarkdown(
    `${icon} ${verdict}: ${code(value(report.target))}`,
    [...partsOf(report, false, plain, 'below'), '', line].join('\n'),
    {
      summary: `All details, what passed, and unspecified behavior observed (${observedCount})`,
      text: [...partsOf(report, true, plain), ...everythingElse(report, plain)].join('\n'),
    },
  )
}

/** @param rest where the reader finds what is left out unless `verbose` */
function partsOf(report: Report, verbose: boolean, paint: Paint, rest = '--verbose'): string[] {
  const { counts, effort, drift, open, notes } = digestOf(report)
  const { fresh, known } = splitGroups(report)
  const bold = (text: string): string => paint('bold', text)
  const list = (remarks: readonly Remark[], limit: number): string[] => {
    const shown = verbose ? remarks : remarks.slice(0, limit)
    const left = remarks.length - shown.length
    const lines = shown.map(({ ids, text }) => {
      return ids.length === 0 ? text : `${verbose ? ids.join(', ') : someOf(ids)}: ${text}`
    })
    return [
      ...lines.flatMap((line) => wrap(line, width, '  ')),
      ...(left > 0 ? [`  ${left} more (${rest})`] : []),
    ]
  }
  const kinds = { most: verbose ? Infinity : limits.kinds, rest }
  const violated = violatedIn(report, paint, kinds)
  return [
    `petstore-kit ${report.kit}  ${sentence(report.target)}`,
    effort,
    counts,
    ...section(bold('Violated'), violated),
    ...section(bold('Details'), details(fresh, verbose, paint, rest)),
    ...section(
      bold('Drift: differs from the expected profile'),
      drift.flatMap(({ ids, text }) => wrap(`${ids.join()}: ${text}`, width, '  ', '    ')),
    ),
    ...section(
      bold('Known failures'),
      known.flatMap((group, index) => [
        ...overview(group, index + 1, paint, 'yellow', kinds),
        ...wrap(knownWords(group.cases[0].known), width, '      '),
      ]),
    ),
    ...section(bold('Not verified'), list(open, limits.reasons)),
    ...section(bold('Notes'), list(notes, limits.notes)),
  ]
}

const someOf = (ids: readonly string[]): string =>
  ids.length > 4 ? `${ids.slice(0, 2).join(', ')} and ${ids.length - 2} more` : ids.join(', ')

/** `  1 ✗ list.limit.honoured  GET /pets?limit=1 responded …  in 8 responses`, other kinds, and the consequences. */
function overview(
  group: Group,
  number: number,
  paint: Paint,
  style: Style,
  { most, rest }: { most: number; rest: string },
): string[] {
  const times = group.times > 1 ? `  ${timesWords(group.times)}` : ''
  const head = `${String(number).padStart(3)} ✗ ${group.clause}`
  const text = headline(group.cases[0])
  const painted = head.replace(/✗.*/, (found) => paint(style, found))
  const isShort = head.length + 2 + text.length + times.length <= width
  const also = consequenceWords(group)
  return [
    ...(isShort
      ? [`${painted}  ${text}${times}`]
      : [`${painted}${times}`, ...wrap(text, width, '      ')]),
    ...kindLines(group, most, rest).flatMap((line) => wrap(line, width, '      ', '        ')),
    ...(also === ''
      ? []
      : wrap(`└ ${also.charAt(0).toLowerCase()}${also.slice(1)}`, width, '      ', '        ')),
  ]
}

function details(groups: readonly Group[], verbose: boolean, paint: Paint, rest: string): string[] {
  const dim = (line: string): string => paint('dim', line)
  const blocks = groups.map((group, index) => {
    const { clause, section: where, cases, consequences, quote } = group
    // A sequence is shown in full.
    const isWhole = verbose || cases[0].check === 'sequences'
    const requests = cases[0].exchanges.slice(isWhole ? 0 : -limits.requests)
    const lines = verbose
      ? [
          ...groupLines(group, { dim, most: Infinity }),
          ...consequences.flatMap((one) =>
            one.cases.flatMap((found) => [`${one.clause}:`, ...caseLines(found, dim)]),
          ),
        ]
      : [`"${quote}"`, ...caseLines({ ...cases[0], exchanges: requests, more: 0 }, dim).slice(1)]
    return [
      `${String(index + 1).padStart(3)} ${clause}  ${where}`,
      // Command lines are not wrapped, so that they can be copied.
      ...lines.flatMap((line) =>
        line.startsWith('  ') ? [`    ${line}`] : wrap(line, width, '    '),
      ),
    ]
  })
  let used = 0
  const fits = blocks.findIndex((block) => (used += rowsOf(block)) > limits.details)
  const shown = verbose || fits === -1 ? blocks : blocks.slice(0, Math.max(1, fits))
  const left = blocks.length - shown.length
  return [
    ...shown.flat(),
    ...(left > 0 ? [`    ${count(left, 'more requirement')} in detail: ${rest}`] : []),
  ]
}

/** The rows that lines take on a terminal. */
const rowsOf = (lines: readonly string[]): number =>
  lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / width)), 0)

function everythingElse(report: Report, paint: Paint): string[] {
  const bold = (text: string): string => paint('bold', text)
  const evidence: Readonly<Record<string, string>> = report.evidence
  return [
    ...section(
      bold('Verified'),
      columns(clausesOf(report, 'verified').map(({ id, quote }) => [id, quoteOf(quote)])),
    ),
    ...section(
      bold('Not applicable'),
      columns(
        clausesOf(report, 'not-applicable').map(({ id, reason = '' }) => [id, sentence(reason)]),
      ),
    ),
    ...section(
      bold('Unspecified behavior, observed'),
      columns(
        observedIn(report).map(([id, option]) => [id, value(option), sentence(evidence[id] ?? '')]),
      ),
    ),
  ]
}

function nextStep(report: Report, hasHtml: boolean, command: string): string[] {
  if (report.verdict === 'not-verified') return []
  const [first] = splitGroups(report).fresh
  const options = [
    ...(hasHtml ? [] : ['--reporter html=report.html']),
    ...(first ? [`--only ${first.clause}`] : []),
  ]
  return options.map((one, index) => `${index === 0 ? 'Next:' : '     '} ${command} ${one}`)
}
