import { count, icons, painter, section, textToMarkdown, wrap } from '../../report/text.ts'
import type { BehaviorId } from '../../spec/behaviors.ts'
import type {
  BehaviorChange,
  ComparedReport,
  Comparison,
  RequirementChange,
} from '../report/report.gen.ts'
import { checkedOf, type ReportedExchange, type ReporterOptions } from '../report/report.ts'
import { checkedWords, type Remark, verdictOf } from './digest.ts'
import { command, sentence, value } from '../report/words.ts'

const signs = { verified: '✓', violated: '✗', 'not-verified': '?', 'not-applicable': '–' } as const
/** Word, terminal color and tone. */
const looks = {
  same: ['SAME', 'green', 'good'],
  'no-difference': ['NO DIFFERENCE', 'yellow', 'warn'],
  differ: ['DIFFER', 'red', 'bad'],
  'not-verified': ['INCONCLUSIVE', 'yellow', 'warn'],
} as const

/** `DIFFER  2 requirements, 1 unspecified behavior` */
export function comparisonLine(comparison: Comparison): string {
  const separator = comparison.verdict === 'not-verified' ? ': ' : '  '
  return comparedWord(comparison) + separator + comparedWords(comparison)
}

export const comparedWord = ({ verdict }: Comparison): string => looks[verdict][0]

export const comparedTone = ({ verdict }: Comparison) => looks[verdict][2]

/** What differs, or how much was compared. */
export function comparedWords({
  verdict,
  reason,
  before,
  after,
  requirements,
  behaviors,
}: Comparison): string {
  const { regressed, fixed, incomparable, compared } = requirements
  if (verdict === 'not-verified') return sentence(reason ?? '')
  // Of a side that shows nothing, nothing is known.
  const isOpen = [before, after].some((side) => side.verdict === 'not-verified')
  const alone = incomparable.filter((one) => !isOpen && one.before === 'violated')
  const words = [
    [[regressed, fixed, alone].flat(), 'requirement'] as const,
    [behaviors.differing, 'unspecified behavior'] as const,
  ].flatMap(([{ length }, word]) => (length > 0 ? [count(length, word)] : []))
  const requirementsOf = Math.max(checkedOf(before.counts).of, checkedOf(after.counts).of)
  const behaviorsOf = behaviors.same + behaviors.unknown + behaviors.varying.length
  const part = compared < requirementsOf || behaviors.same < behaviorsOf ? ' (partial)' : ''
  const all = `${compared} of ${requirementsOf} requirements and ${behaviors.same} of ${behaviorsOf} unspecified behaviors compared${part}`
  return words.length > 0 ? words.join(', ') : all
}

/** `PASS  49 of 49 requirements checked` */
export const sideLine = (side: ComparedReport): string =>
  `${verdictOf(side)}  ${checkedWords(side)}`

/** The headers that show an option. */
const showingHeaders: Partial<Record<BehaviorId, RegExp>> = {
  'auth.www-authenticate': /^www-authenticate$/,
  'create.location': /^location$/,
  'get.deprecation-header': /^deprecation$/,
  'get.sunset-header': /^sunset$/,
  'http.cors': /^access-control-/,
  'rate-limit.headers': /^(x-)?rate-?limit/,
}

/** `400 {"code":"invalid_request"…`, or `201 location: /v1/pets/7` for a behavior of headers. */
function responseWords(id: string, exchange: ReportedExchange | undefined): string {
  if (exchange === undefined) return 'not kept in the report'
  const { status, headers, body } = exchange.response
  const showing = showingHeaders[id as BehaviorId]
  if (showing !== undefined) {
    const lines = Object.entries(headers).filter(([name]) => showing.test(name))
    const shown = lines.map(([name, text]) => value(`${name}: ${text}`)).join(', ')
    return `${status} ${shown || 'without such a header'}`
  }
  return `${status}${body === '' ? '' : ` ${value(body.length > 90 ? `${body.slice(0, 90)}…` : body)}`}`
}

/** `GET /pets?limit=0`, relative to the base URL. */
function requestWords(exchange: ReportedExchange | undefined, { target }: ComparedReport): string {
  if (exchange === undefined) return ''
  const { method, url } = exchange.request
  return sentence(`${method} ${url.startsWith(target) ? url.slice(target.length) : url}`)
}

/** The request that showed a behavior; usually the same for both sides. */
export function requestOf({ exchanges }: BehaviorChange, { before, after }: Comparison): string {
  const requests = [requestWords(exchanges.before, before), requestWords(exchanges.after, after)]
  return [...new Set(requests.filter((request) => request !== ''))].join(' and ')
}

/** The side that a change is about. */
export const sideWith = ({ before, after }: RequirementChange): 'A' | 'B' =>
  after === 'violated' || (before !== 'violated' && after === 'not-verified') ? 'B' : 'A'

interface Part {
  id: string
  heading: string
  /** Without a text, the ids say it all. */
  items: readonly Remark[]
}

/** What the reporters of a comparison share. */
export function digestOf(comparison: Comparison) {
  const { regressed, fixed, compared } = comparison.requirements
  const { differing, same, unknown } = comparison.behaviors
  const changes = [...regressed, ...fixed]
  // Others were not compared: before, they were not verified.
  const worse = regressed.filter(({ before }) => before === 'verified')
  return {
    line: comparisonLine(comparison),
    changes,
    requirementsTitle: `Requirements: ${changes.length} differ, ${compared - fixed.length - worse.length} are the same`,
    behaviorsTitle: `Unspecified behavior: ${differing.length} differ, ${same} are the same, ${unknown} not observed on both sides`,
    parts: partsOf(comparison),
  }
}

/** The parts that have items, in order. */
function partsOf({ before, after, requirements, behaviors, notes }: Comparison): Part[] {
  // Against a side that shows nothing, all of the other would be listed.
  const isOneDead = [before, after].some(({ counts }) => counts.verified + counts.violated === 0)
  const ways = new Map<string, string[]>()
  for (const { id, safe } of behaviors.differing) ways.set(safe, [...(ways.get(safe) ?? []), id])
  const parts: Part[] = [
    {
      id: 'both',
      heading: 'Violated in both',
      items: requirements.violatedInBoth.map((id) => ({ ids: [id], text: '' })),
    },
    {
      id: 'one-sided',
      heading: 'Observed on one side only',
      items: (isOneDead ? [] : behaviors.oneSided).map(({ id, before, after }) => ({
        ids: [id],
        text: before === 'unknown' ? `B ${value(after)}` : `A ${value(before)}`,
      })),
    },
    {
      id: 'varies',
      heading: 'Varies: two runs against one side disagree',
      items: [...requirements.varying, ...behaviors.varying].map(({ id, before, after }) => ({
        ids: [id],
        text: `A ${before.map(value).join(' and ')}, B ${after.map(value).join(' and ')}`,
      })),
    },
    {
      id: 'safe',
      heading: 'A client is safe with both if it',
      items: [...ways].map(([way, ids]) => ({ ids: [], text: `${way} (${ids.join(', ')})` })),
    },
    {
      id: 'open',
      heading: `Not comparable: ${count(requirements.incomparable.length, 'requirement')}`,
      items: (isOneDead ? [] : requirements.incomparable).map((one) => ({
        ids: [one.id],
        text: `${sideWith(one)}: ${sentence(one.message)}`,
      })),
    },
    {
      id: 'notes',
      heading: 'Notes',
      items: notes.map((note) => ({ ids: [], text: sentence(note) })),
    },
  ]
  return parts.filter(({ items }) => items.length > 0)
}

export function comparisonText(
  comparison: Comparison,
  { color = false, verbose = false, width = 80 }: ReporterOptions = {},
): string {
  const { before, after, behaviors, verdict } = comparison
  const { line, changes, requirementsTitle, behaviorsTitle, parts } = digestOf(comparison)
  const paint = painter(color)
  const bold = (text: string): string => paint('bold', text)

  const change = (one: RequirementChange): string[] => [
    `  ${signs[one.before]} → ${signs[one.after]}  ${one.id}`,
    ...wrap(`${sideWith(one)}: ${sentence(one.message)}`, width, '         '),
    ...(verbose && one.exchange ? [`         ${paint('dim', command(one.exchange.curl))}`] : []),
  ]
  const behavior = (one: BehaviorChange): string[] => [
    `  ${one.id}  ${value(one.before)} → ${value(one.after)}`,
    ...(exchangesOf(one).length > 0
      ? [
          `      ${requestOf(one, comparison)}`,
          `        A  ${responseWords(one.id, one.exchanges.before)}`,
          `        B  ${responseWords(one.id, one.exchanges.after)}`,
        ]
      : []),
    ...(verbose ? exchangesOf(one).map(({ curl }) => `      ${paint('dim', command(curl))}`) : []),
  ]
  const lines = [
    ...([before, after] as const).flatMap((side, index) => [
      `${'AB'[index]}  ${sentence(side.name)}${side.name === side.target ? '' : `  ${sentence(side.target)}`}`,
      `   ${sideLine(side)}`,
    ]),
    ...section(bold(requirementsTitle), changes.flatMap(change)),
    ...section(bold(behaviorsTitle), behaviors.differing.flatMap(behavior)),
    ...parts.flatMap(({ id, heading, items }) => {
      const ids = items.flatMap((item) => item.ids)
      if (id === 'both') return ['', ...wrap(`${heading}: ${ids.join(', ')}`, width)]
      const [few, more] = [ids.slice(0, 4).join(', '), ids.length - 4]
      if (id === 'open' && !verbose) {
        return section(
          bold(heading),
          wrap(`${few}${more > 0 ? ` and ${more} more (--verbose)` : ''}`, width, '  '),
        )
      }
      const itemLines = items.flatMap((item) =>
        wrap(
          `${item.ids.length === 0 ? '-' : `${item.ids.join()}:`} ${item.text}`,
          width,
          '  ',
          '    ',
        ),
      )
      return section(bold(heading), itemLines)
    }),
    '',
  ]
  // A partial comparison is not green.
  const style = line.endsWith('(partial)') ? 'yellow' : looks[verdict][1]
  return `${[...lines, bold(paint(style, line))].join('\n')}\n`
}

const exchangesOf = ({ exchanges: { before, after } }: BehaviorChange): ReportedExchange[] =>
  [before, after].filter((exchange) => exchange !== undefined)

/** For comments on pull requests. */
export function comparisonMarkdown(comparison: Comparison): string {
  return textToMarkdown(
    `${icons[comparedTone(comparison)]} ${comparedWord(comparison)}`,
    comparisonText(comparison, { verbose: true }),
  )
}
