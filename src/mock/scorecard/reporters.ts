import {
  badge,
  breakable,
  folded,
  type Html,
  html,
  icon,
  idOf,
  legend,
  lines,
  list,
  table,
  titled,
  toPage,
  verdictBox,
  words,
} from '../../report/html.ts'
import {
  columns,
  count,
  fit,
  type Paint,
  painter,
  section,
  shortInert,
  icons,
  textToMarkdown,
  toInertJson,
  wrap,
} from '../../report/text.ts'
import { scoreWords, toneOf } from './coverage.ts'
import { severities, type Severity } from './issues.ts'
import type { Scorecard, ScorecardIssue } from './scorecard.gen.ts'

type ScorecardReporter = (
  scorecards: readonly Scorecard[],
  options?: { color?: boolean | undefined; width?: number | undefined },
) => string

/** How severities and scores look. */
const looks = {
  bad: { style: 'red', tone: 'bad' },
  warn: { style: 'yellow', tone: 'warn' },
  good: { style: 'green', tone: 'good' },
  off: { style: 'dim', tone: 'off' },
  note: { style: 'bold', tone: 'note' },
} as const
const severityLooks = {
  violation: { ...looks.bad, word: 'Violation' },
  warning: { ...looks.warn, word: 'Warning' },
  notice: { ...looks.note, word: 'Notice' },
} as const satisfies Record<Severity, object>

/** The parts of a scorecard as texts, with its issues grouped by severity. */
function cardWords({
  subject,
  requests,
  score,
  journal,
  coverage,
  issues,
  firstAt,
  lastAt,
}: Scorecard) {
  const lost =
    journal.counted < journal.received
      ? `, ${journal.counted} of ${journal.received} requests counted`
      : ''
  const { operations, other, neverTried } = coverage
  const requested = [
    ...operations.map(({ operation, ...counts }) => ({ ...counts, name: operation })),
    ...(other.requests === 0 ? [] : [{ ...other, name: 'anything else', parameters: {} }]),
  ]
  return {
    subject: shortInert(subject, 100),
    look: looks[toneOf(requests === 0 ? null : score)],
    requests,
    issues: issues.length,
    percent: `${coverage.percent}%`,
    points: String(score ?? '-'),
    score: score === null ? 'no requests' : `${score} of 100`,
    effort: `${count(requests, 'request')}${lost}${periodOf(firstAt, lastAt)}`,
    meaning: scoreWords({ score, coverage, issues }),
    groups: severities
      .map((severity) => ({
        heading: `${severityLooks[severity].word}s`,
        look: severityLooks[severity],
        issues: issues.filter((issue) => issue.severity === severity).map(issueWords),
      }))
      .filter((group) => group.issues.length > 0),
    coverage: requested.map((row) => [
      row.name,
      String(row.requests),
      countsWords(row.responses),
      countsWords(row.parameters),
    ]),
    neverTried: [...new Set(neverTried.map(({ operation }) => operation))].map((operation) => ({
      operation,
      what: neverTried
        .flatMap((one) => (one.operation === operation ? [shortInert(one.what, 100)] : []))
        .join(', '),
    })),
  }
}

type IssueWords = ReturnType<typeof issueWords>

function issueWords({ id, title, count: times, reference, message, example, fix }: ScorecardIssue) {
  const { method, target, body } = example
  return {
    id: shortInert(id, 100),
    /** `3 requests with a limit outside 1 to 100` */
    headline: shortInert(`${count(times, 'request')} ${title}`),
    quote: shortInert(reference.sentence ?? reference.quote),
    source: reference.table === 'requirements' ? 'requirement' : 'unspecified behavior',
    sourceId: shortInert(reference.id, 100),
    message: shortInert(message),
    request: [`${method} ${target}`, ...(body === undefined ? [] : [body])].map((line) =>
      shortInert(line),
    ),
    fix: `To fix it: ${shortInert(fix)}`,
  }
}

const meanings: Readonly<Record<Severity, string>> = {
  violation: 'It breaks a requirement on requests.',
  warning: 'It relies on chance or on unspecified behavior. It counts half.',
  notice: 'It is worth a look, but does not lower the score.',
}

/** `150 requests of petstore verify are not scored.`, or empty. */
function unscoredWords(scorecards: readonly Scorecard[]): string {
  const all = scorecards.reduce((sum, { unscored = 0 }) => sum + unscored, 0)
  return all === 0
    ? ''
    : `${count(all, 'request')} of petstore verify ${all === 1 ? 'is' : 'are'} not scored.`
}

/** `200: 118, 401: 2` */
function countsWords(counts: Readonly<Record<string, number>>): string {
  const words = Object.entries(counts).map(([name, times]) => `${shortInert(name, 40)}: ${times}`)
  return words.length === 0 ? '-' : words.join(', ')
}

/** `, 2026-11-20 12:00:00 to 13:00:00 UTC`; empty when a time is invalid. */
export function periodOf(firstAt = '', lastAt = ''): string {
  if (![firstAt, lastAt].every((at) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(at)))
    return ''
  const [first = '', last = ''] = [firstAt, lastAt].map((at) => at.slice(0, 19).replace('T', ' '))
  if (first === last) return `, ${first} UTC`
  return `, ${first} to ${first.slice(0, 10) === last.slice(0, 10) ? last.slice(11) : last} UTC`
}

/** Scorecards that the text reporter shows. */
const maxShown = 100

const hasRequests = ({ requests }: Scorecard): boolean => requests > 0

const toText: ScorecardReporter = (scorecards, { color = false, width = Infinity } = {}) => {
  const paint = painter(color)
  const shown = scorecards.filter(hasRequests)
  const blocks = shown.slice(0, maxShown).map((card) => toBlock(card, paint, width))
  if (shown.length > maxShown)
    blocks.push(`${shown.length - maxShown} more; the json reporter shows all of them.`)
  for (const words of [silentWords(scorecards), unscoredWords(scorecards)]) {
    if (words !== '') blocks.push(paint('dim', words))
  }
  return `${blocks.length === 0 ? 'No scorecards.' : blocks.join('\n\n')}\n`
}

/** @param width columns of the terminal; requests are not wrapped, so that they can be copied */
function toBlock(card: Scorecard, paint: Paint, width: number): string {
  const { subject, score, effort, meaning, look, groups, coverage, neverTried } = cardWords(card)
  return [
    `${paint('bold', subject)}  ${paint(look.style, score)}`,
    effort,
    ...wrap(meaning, width),
    ...groups.flatMap(({ heading, look: { style }, issues }) => {
      const shown = issues.flatMap(
        ({ headline, id, quote, source, sourceId, message, request, fix }, index) => [
          `  ${index + 1}. ${paint(style, headline)}  ${id}`,
          ...wrap(`"${quote}"  (${source} ${sourceId})`, width, '     '),
          ...wrap(message, width, '     '),
          ...request.map((line) => `     ${paint('dim', `  ${line}`)}`),
          ...wrap(fix, width, '     '),
        ],
      )
      return section(paint('bold', heading), shown)
    }),
    ...section(
      paint('bold', 'Coverage'),
      columns([['', 'requests', 'responses', 'parameters'], ...coverage]),
    ),
    ...section(
      paint('bold', 'Never tried'),
      neverTried.flatMap(({ operation, what }) =>
        wrap(`${operation}: ${what}`, width, '  ', '    '),
      ),
    ),
  ].join('\n')
}

function silentWords(scorecards: readonly Scorecard[]): string {
  const silent = scorecards.filter((card) => !hasRequests(card))
  if (silent.length === 0) return ''
  const names = silent.slice(0, 10).map(({ subject }) => shortInert(subject, 100))
  const more = silent.length > names.length ? ` and ${silent.length - names.length} more` : ''
  return `No requests yet: ${names.join(', ')}${more}.`
}

const title = 'Scorecard of the clients of the Pet Store Service'

/** For a GitHub step summary or a comment on a pull request. */
const toMarkdown: ScorecardReporter = (scorecards) => {
  const tones = new Set(scorecards.map((card) => cardWords(card).look.tone))
  const worst = (['bad', 'warn', 'good'] as const).find((tone) => tones.has(tone)) ?? 'off'
  return textToMarkdown(`${icons[worst]} ${title}`, toText(scorecards))
}

/** The limits of the HTML page: bytes of scorecards, and those that are not folded. */
const maxHtmlBytes = 2_000_000
const maxUnfolded = 3

type CardWords = ReturnType<typeof cardWords>
type Look = CardWords['groups'][number]['look']

/** A self-contained HTML file without scripts. */
const toHtml: ScorecardReporter = (scorecards) => {
  const cards = scorecards
    .filter(hasRequests)
    .toSorted((one, other) => (one.score ?? 0) - (other.score ?? 0))
    .map(cardWords)
  const sections = cards.map((card, index) => {
    const section = cardSection(card, cardIdOf(index))
    return index < maxUnfolded ? section : folded(`${card.subject}: ${card.score}`, section)
  })
  const { kept, left } = fit(
    sections.map(({ source }) => source),
    maxHtmlBytes,
  )
  const rest = [
    silentWords(scorecards),
    left === 0 ? '' : `${count(left, 'more scorecard')}; the json reporter shows them.`,
    unscoredWords(scorecards),
  ].filter((row) => row !== '')
  return toPage({
    title,
    skip: 'Skip to the scorecards',
    kind: 'Scorecard',
    heading: 'Clients of the Pet Store Service',
    main: [
      cards.length < 2 ? undefined : ['Clients', clientsSection(cards.slice(0, kept.length))],
      ...sections.slice(0, kept.length),
      rest.length === 0 ? undefined : titled('others', 'Others', list(rest)),
      [
        'How to read it',
        titled(
          'legend',
          'How to read it',
          legend(
            severities.map((severity) => [
              severityLooks[severity].tone,
              severityLooks[severity].word,
              meanings[severity],
            ]),
          ),
        ),
      ],
    ],
    footer: 'Created by petstore-kit. API keys are replaced with <API_KEY>.',
  })
}

const cardIdOf = (index: number): string => `card-${index + 1}`

/** The lowest score first. */
const clientsSection = (cards: readonly CardWords[]): Html =>
  titled(
    'clients',
    'Clients',
    table(
      'clients',
      ['Client', 'Score', 'Coverage', 'Requests', 'Issues'],
      cards.map(({ subject, points, look, percent, requests, issues }, index) => [
        html`<a href="#${cardIdOf(index)}">${subject}</a>`,
        badge(look.tone, points),
        percent,
        requests,
        issues,
      ]),
    ),
  )

function cardSection(
  { subject, score, effort, meaning, look, groups, coverage, neverTried }: CardWords,
  id: string,
): Html {
  const untried = neverTried.map(({ operation, what }) => html`${idOf(operation)}: ${what}`)
  return titled(
    id,
    subject,
    verdictBox(look.tone, score, `${meaning}. ${effort}.`),
    ...groups.map(
      (group) =>
        html`<h3>${group.heading}</h3>
          ${group.issues.map((issue) => toArticle(issue, group.look))}`,
    ),
    coverageTable(coverage),
    untried.length === 0
      ? undefined
      : html`<h3>Never tried</h3>
          ${list(untried)}`,
  )
}

function toArticle(
  { headline, id, quote, source, sourceId, message, request, fix }: IssueWords,
  look: Look,
): Html {
  return html`<article class="is-${look.tone}">
    <h4>${icon(look.tone, look.word)} <span>${headline}</span></h4>
    <p class="soft id">${breakable(id)}</p>
    <blockquote>${words(quote)}</blockquote>
    <p class="soft">Source: ${source} ${idOf(sourceId)}</p>
    <p>${message}</p>
    <pre tabindex="0">${lines(request.join('\n\n'))}</pre>
    <p>${words(fix)}</p>
  </article>`
}

function coverageTable(rows: CardWords['coverage']): Html {
  return html`<h3>Coverage</h3>
    ${table('coverage', ['Operation', 'Requests', 'Responses', 'Parameters'], rows)}`
}

/** The reporters by name. JSON matches `petstore-kit/scorecard.schema.json`. */
export const scorecardReporters = {
  text: toText,
  json: (scorecards) => toInertJson({ scorecards }),
  markdown: toMarkdown,
  html: toHtml,
} as const satisfies Record<string, ScorecardReporter>
