import {
  code,
  columns,
  count,
  icons,
  painter,
  rowToSentence,
  section,
  tableToMarkdown,
  wrap,
  type Paint,
  type Style,
} from '../../report/text.ts'
import { isLoopback } from '../../option-checks.ts'
import { shellFile, shellLines, shellWord } from '../../report/shell.ts'
import { checkedOf, observedIn, type Report, type ReporterOptions } from '../report/report.ts'
import {
  caseLines,
  type CaseLayout,
  consequenceWords,
  groupLines,
  kindLines,
  timesWords,
  type Group,
} from './groups.ts'
import { type Digest, digestOf, type Remark, unawaitedIn } from './digest.ts'
import {
  requirementsOf,
  command,
  headline,
  knownWords,
  optionWords,
  sentence,
  value,
} from '../report/words.ts'

const styles = { conforms: 'green', violates: 'red', 'not-verified': 'yellow' } as const

/** What a report for a terminal depends on. */
interface Layout {
  verbose: boolean
  paint: Paint
  /** Columns. */
  width: number
  /** Those of the terminal, if it is one: then, commands are broken as well. */
  terminal: number
  /** Where the reader finds what is left out unless `verbose`. */
  rest: string
}

const usualWidth = 80
/** The purposes of longer commands are not aligned. */
const maxStep = 60

/** Lines of details, other kinds of findings, reasons and notes, unless `verbose`. */
const limits = { details: 32, kinds: 12, reasons: 3, notes: 3 }

/** For terminals. The verdict and the next steps come last, where they stay visible. */
export function toText(report: Report, options: ReporterOptions = {}): string {
  const { color = false, verbose = false, width = usualWidth } = options
  const digest = digestOf(report)
  const { line, drift, observedCount } = digest
  const paint = painter(color)
  const isPartial =
    report.verdict === 'conforms' &&
    (report.selection !== undefined || report.counts.notVerified + drift.length > 0)
  const lines = [
    ...partsOf(report, digest, {
      verbose,
      paint,
      width,
      terminal: options.width ?? Infinity,
      rest: '--verbose',
    }),
    ...(verbose ? everythingElse(report, paint) : []),
    '',
    ...(verbose || isWithoutResult(report)
      ? []
      : wrap(`${observedCount} unspecified behaviors observed (--verbose lists them)`, width)),
    ...verdictLines(line, report, options.width).map((one) =>
      paint('bold', paint(styles[isPartial ? 'not-verified' : report.verdict], one)),
    ),
    ...nextSteps(report, digest, options),
  ]
  return `${lines.join('\n')}\n`
}

/** The violations and the verdict alone, for a log beside reports in files. */
export function toOverview(report: Report, options: ReporterOptions = {}): string {
  const { color = false, width = usualWidth } = options
  const digest = digestOf(report)
  const terminal = options.width ?? Infinity
  const layout = { verbose: false, paint: painter(color), width, terminal, rest: 'the report' }
  const violated = violatedIn(digest, layout)
  return [
    ...violated,
    ...(violated.length > 0 ? [''] : []),
    ...verdictLines(digest.line, report, options.width),
    ...nextSteps(report, digest, options),
  ].join('\n')
}

/** For the log of a run that goes on: its first violation, and a command that shows it. */
export function toFailingLine(report: Report): string {
  const [group] = digestOf(report).fresh
  if (group === undefined) return ''
  const [finding] = group.cases
  const { curl } = finding.exchanges.at(-1) ?? {}
  return [
    `FAIL so far  ${group.requirement}: ${headline(finding)}`,
    ...(curl === undefined ? [] : [`  ${command(curl)}`]),
  ].join('\n')
}

/** Then, counts of what was not done are no news. */
const isWithoutResult = ({ verdict, counts }: Report): boolean =>
  verdict === 'not-verified' && checkedOf(counts).checked === 0

/** On a terminal, a long reason is wrapped; tools search for the line. */
const verdictLines = (line: string, { verdict }: Report, width = Infinity): string[] =>
  wrap(line, width, '', ' '.repeat(verdict === 'not-verified' ? 14 : 6))

const violatedIn = ({ fresh }: Digest, layout: Layout): string[] =>
  fresh.flatMap((group, index) => overview(group, index + 1, 'red', layout))

/** For step summaries and comments on pull requests: a table of what is wrong or open, and the rest folded. */
export function toMarkdown(report: Report): string {
  const digest = digestOf(report)
  const { verdict, tone, line, counts, effort, observedCount } = digest
  const plain = {
    verbose: true,
    paint: painter(false),
    width: usualWidth,
    terminal: Infinity,
    rest: '',
  }
  return tableToMarkdown(
    `${icons[tone]} ${verdict}: ${code(value(report.target))}`,
    [code(line), `${counts}; ${effort}`],
    [['', 'requirement', 'finding', 'probably also breaks'], ...causeRows(digest)],
    {
      summary: `All details, what passed, and unspecified behavior observed (${observedCount})`,
      text: [...partsOf(report, digest, plain), ...everythingElse(report, plain.paint)].join('\n'),
    },
  )
}

/** One row for each cause, difference from expected behavior, known failure, open requirement and note. */
function causeRows({ fresh, known, drift, open, notes }: Digest): string[][] {
  const ofGroup = (icon: string, { requirement, cases, times, consequences }: Group): string[] => {
    const [first] = cases
    const excuse = first.known === undefined ? [] : [code(knownWords(first.known))]
    const found = [code(headline(first)), timesWords(times), ...excuse].filter(Boolean)
    const others = consequences.map((one) => code(one.requirement))
    return [icon, code(requirement), found.join(', '), others.join(', ')]
  }
  const ofRemark = (icon: string, { ids, text }: Remark): string[] => [
    icon,
    ids.length === 0 ? '' : code(someOf(ids)),
    code(text),
    '',
  ]
  return [
    ...fresh.map((group) => ofGroup(icons.bad, group)),
    ...drift.map((remark) => ofRemark(`${icons.warn} drift`, remark)),
    ...known.map((group) => ofGroup(`${icons.known} known`, group)),
    ...open.map((remark) => ofRemark(`${icons.warn} not verified`, remark)),
    ...notes.map((remark) => ofRemark(`${icons.note} note`, remark)),
  ]
}

function partsOf(report: Report, digest: Digest, layout: Layout): string[] {
  const { verbose, paint, width, rest } = layout
  const { counts, effort, drift, open, notes, fresh, known } = digest
  const isNothing = isWithoutResult(report)
  const bold = (text: string): string => paint('bold', text)
  const list = (remarks: readonly Remark[], limit: number): string[] => {
    const shown = verbose ? remarks : remarks.slice(0, limit)
    const left = remarks.length - shown.length
    return [
      ...shown.flatMap(({ ids, text }) => {
        const about = ids.length === 0 ? '' : `${verbose ? ids.join(', ') : someOf(ids)}: `
        return wrap(about + text, width, '  ')
      }),
      ...(left > 0 ? [`  ${left} more (${rest})`] : []),
    ]
  }
  return [
    `petstore-kit ${report.kit}  ${sentence(report.target)}`,
    effort,
    ...(isNothing ? [] : wrap(counts, width)),
    ...section(bold('Violated'), violatedIn(digest, layout)),
    ...section(bold('Details'), details(fresh, layout)),
    ...section(
      bold('Drift: differs from the expected profile'),
      drift.flatMap(({ ids, text }) => wrap(`${ids.join()}: ${text}`, width, '  ', '    ')),
    ),
    ...section(
      bold('Known failures'),
      known.flatMap((group, index) => [
        ...overview(group, index + 1, 'yellow', layout),
        ...wrap(knownWords(group.cases[0].known), width, '      '),
      ]),
    ),
    ...section(bold('Not verified'), list(open, limits.reasons)),
    ...section(bold('Notes'), list(notes, limits.notes)),
  ]
}

const someOf = (ids: readonly string[]): string =>
  ids.length > 4 ? `${ids.slice(0, 2).join(', ')} and ${ids.length - 2} more` : ids.join(', ')

/** `  1 ✗ list.limit.respected  GET /pets?limit=1 responded …  in 8 responses`, other kinds, and the consequences. */
function overview(
  group: Group,
  number: number,
  style: Style,
  { verbose, paint, width, rest }: Layout,
): string[] {
  const times = group.times > 1 ? `  ${timesWords(group.times)}` : ''
  const head = `${String(number).padStart(3)} ✗ ${group.requirement}`
  const text = headline(group.cases[0])
  const painted = head.replace(/✗.*/, (found) => paint(style, found))
  const isShort = head.length + 2 + text.length + times.length <= width
  const also = consequenceWords(group)
  return [
    ...(isShort
      ? [`${painted}  ${text}${times}`]
      : [`${painted}${times}`, ...wrap(text, width, '      ')]),
    ...kindLines(group, verbose ? Infinity : limits.kinds, rest).flatMap((line) =>
      wrap(line, width, '      ', '        '),
    ),
    ...(also === ''
      ? []
      : wrap(`└ ${also.charAt(0).toLowerCase()}${also.slice(1)}`, width, '      ', '        ')),
  ]
}

function details(
  groups: readonly Group[],
  { verbose, paint, width, terminal, rest }: Layout,
): string[] {
  const indent = '      '
  const layout: CaseLayout = {
    text: (line) => wrap(line, width, '    '),
    value: (line) => wrap(line, terminal, indent, `${indent}  `),
    command: (line) =>
      shellLines(line, terminal, indent, `${indent}  `).map((one) => paint('dim', one)),
  }
  const blocks = groups.map((group, index) => {
    const { requirement, section: where, cases, consequences, quote } = group
    const lines = verbose
      ? [
          ...groupLines(group, Infinity, layout),
          ...consequences.flatMap((one) =>
            one.cases.flatMap((found) => [
              ...layout.text(`${one.requirement}:`),
              ...layout.text(sentence(found.message)),
              ...caseLines(found, layout),
            ]),
          ),
        ]
      : [...layout.text(`"${quote}"`), ...caseLines({ ...cases[0], more: 0 }, layout)]
    return [`${String(index + 1).padStart(3)} ${requirement}  ${where}`, ...lines]
  })
  let used = 0
  const fits = blocks.findIndex((block) => (used += rowsOf(block, width)) > limits.details)
  const shown = verbose || fits === -1 ? blocks : blocks.slice(0, Math.max(1, fits))
  const left = blocks.length - shown.length
  return [
    ...shown.flat(),
    ...(left > 0 ? [`    ${count(left, 'more requirement')} in detail: ${rest}`] : []),
  ]
}

/** The rows that lines take on a terminal. */
const rowsOf = (lines: readonly string[], width: number): number =>
  lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / width)), 0)

function everythingElse(report: Report, paint: Paint): string[] {
  const bold = (text: string): string => paint('bold', text)
  const evidence: Readonly<Record<string, string>> = report.evidence
  return [
    ...section(
      bold('Verified'),
      columns(
        requirementsOf(report, 'verified').map(({ id, quote }) => [id, rowToSentence(quote)]),
      ),
    ),
    ...section(
      bold('Not applicable'),
      columns(
        requirementsOf(report, 'not-applicable').map(({ id, reason = '' }) => [
          id,
          sentence(reason),
        ]),
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

/**
 * What to do next, as command lines that can be pasted, each with its purpose. They reach the target as this run did, and
 * have every option that its verdict depends on.
 */
function nextSteps(
  report: Report,
  { fresh: [first] }: Digest,
  { program = 'petstore', files = {}, width = Infinity }: ReporterOptions,
): string[] {
  const { deployment, options = {}, access = {} } = report.reached ?? {}
  const isOwn = URL.canParse(report.target) && isLoopback(new URL(report.target).hostname)
  const verify = (more: Options, target = deployment ?? report.target): string =>
    line(`${program} verify ${shellWord(target)}`, { ...access, ...options, ...more })
  if (report.verdict === 'not-verified') {
    const { suggestedBaseUrl: other } = report
    if (other === undefined) {
      // Of what an option requires, the report has the reasons.
      if (report.reason === undefined) return []
      return toSteps([['docs/reference/messages.md', 'what to do, in the package']], width)
    }
    const step =
      deployment === undefined
        ? verify({}, other)
        : `set baseUrl of ${sentence(deployment)} to ${sentence(other)}`
    return toSteps([[step, 'it responds like the service']], width)
  }
  const { json, html } = files
  const steps: [step: string, purpose: string][] = []
  const share = (file: string): unknown =>
    html ??
    steps.push([
      line(`${program} report ${shellFile(file)}`, { reporter: ['html=report.html'] }),
      'to share it',
    ])
  if (first === undefined) {
    if (report.depth === 'smoke') steps.push([verify({ depth: ['standard'] }), 'a full check'])
    if (json !== undefined) share(json)
  } else {
    steps.push([`${program} explain ${first.requirement}`, 'what it means, and what breaks it'])
    // Requests of others cannot be sent again.
    if (first.cases[0].during === 'traffic') {
      const isAllowed = isOwn || 'allow-writes' in access
      steps.push([verify(isAllowed ? {} : { 'read-only': [] }), 'a whole run'])
      if (json !== undefined) share(json)
    } else {
      const only = report.selection ? [] : unawaitedIn(report)
      if (only.length > 0) steps.push([verify({ only }), 'waits for what looks violated, too'])
      if (json === undefined) {
        const missing = html === undefined ? ['html', 'json'] : ['json']
        const reporter = missing.map((name) => `${name}=report.${name}`)
        steps.push([
          verify({ reporter }),
          `a report to ${html === undefined ? 'share and to ' : ''}replay`,
        ])
      } else share(json)
      const url = deployment === undefined && !isOwn ? { url: [report.target] } : {}
      const replay = `${program} replay ${shellFile(json ?? 'report.json')}`
      steps.push([line(replay, { ...url, ...access }), 'whether it is fixed'])
    }
    steps.push(['docs/how-to/triage-a-red-run.md', 'step by step, in the package'])
  }
  return toSteps(steps, width)
}

/** One line for each step, or its purpose below it where the terminal is too narrow. */
function toSteps(
  steps: readonly (readonly [step: string, purpose: string])[],
  width: number,
): string[] {
  const widest = Math.max(...steps.map(([step]) => (step.length <= maxStep ? step.length : 0)))
  return steps.flatMap(([step, purpose], index) => {
    const text = command(step)
    const start = index === 0 ? 'Next: ' : '      '
    const line = [`${text.padEnd(widest)}  ${purpose}`, `${text}  ${purpose}`].find(
      (one) => start.length + one.length <= width,
    )
    return line === undefined
      ? [...shellLines(text, width, start, '        '), ...wrap(purpose, width, '        ')]
      : [start + line]
  })
}

type Options = Readonly<Record<string, readonly string[]>>

const line = (start: string, options: Options): string =>
  [start, optionWords(options)].filter((part) => part !== '').join(' ')
