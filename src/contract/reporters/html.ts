import { choices as table } from '../../spec/choices.ts'
import type { Choice } from '../../spec/choices.ts'
import { breakable, Html, html, icon, joined, legend, lines, mark, titled, toPage, words } from '../../report/html.ts'
import type { Tone } from '../../report/html.ts'
import { clip, shortInert } from '../../report/inert.ts'
import { fit } from '../../report/text.ts'
import type { ClauseResult, Finding, Report, ReportedExchange } from '../report.ts'
import {
  byReason,
  checkedWords,
  command,
  findingsOf,
  knownWords,
  notesOf,
  sentence,
  stateOf,
  value,
  verdictOf,
} from './words.ts'
import type { ClauseState } from './words.ts'

/** The bytes of all findings, the headers that an exchange shows, and the characters of its body; links of a row. */
const capacity = 2_000_000
const mostHeaders = 60
const longest = { header: 500, body: 4_000 }
const mostLinks = 20

/** The verdicts in the words of the report, in the order in which it counts them, with what each means. */
const states: readonly { state: ClauseState; tone: Tone; word: string; meaning: string }[] = [
  {
    state: 'verified',
    tone: 'good',
    word: 'Verified',
    meaning: 'The deployment was asked, and did what the clause says.',
  },
  {
    state: 'violated',
    tone: 'bad',
    word: 'Violated',
    meaning: 'The deployment did something else. A finding shows the request and the answer.',
  },
  {
    state: 'known',
    tone: 'known',
    word: 'Known failure',
    meaning: 'Violated, but the baseline of this deployment excuses it until a certain day.',
  },
  {
    state: 'not-verified',
    tone: 'warn',
    word: 'Not verified',
    meaning: 'This run could not tell. The reason says what would be needed.',
  },
  {
    state: 'not-applicable',
    tone: 'off',
    word: 'Not applicable',
    meaning: 'No request from outside can tell, or it was left out on purpose.',
  },
]
const verdictTones = { conforms: 'good', violates: 'bad', 'not-verified': 'warn' } as const

const choices: ReadonlyMap<string, Choice> = new Map(table.map((choice) => [choice.id, choice]))

/** The report as one HTML file that needs no network and no script. */
export function toHtml(report: Report): string {
  const fresh = report.findings.filter((finding) => !finding.known)
  const known = report.findings.filter((finding) => finding.known)
  const reasons = byReason(report)
  const notes = notesOf(report)
  const contents: readonly [string, string, unknown?][] = [
    ['violated', `Violated (${fresh.length})`, fresh.length > 0],
    ['known', `Known failures (${known.length})`, known.length > 0],
    ['open', 'Not verified', reasons.length > 0],
    ['clauses', 'Clauses', true],
    ['profile', 'Observed', true],
    ['notes', 'Notes', notes.length > 0],
  ]
  return toPage({
    title: `${verdictOf(report)}: ${value(report.target)}, contract report`,
    skip: 'Skip to the verdict',
    kind: 'Contract report',
    heading: 'Pet Store Service',
    subject: html`<code>${value(report.target)}</code>`,
    contents: contents.filter(([, , isThere]) => isThere).map(([id, text]) => [id, text]),
    main: [
      verdictSection(report),
      findingsSection(report, 'Violated', 'violated', fresh),
      findingsSection(report, 'Known failures', 'known', known),
      openSection(reasons),
      clausesSection(report),
      profileSection(report),
      notes.length === 0 ? undefined : titled('notes', 'Notes', listOf(notes.map((note) => html`${note}`))),
      legend(
        'How to read the verdicts',
        states.map(({ tone, word, meaning }) => [tone, word, meaning]),
      ),
    ],
    footer: `Made by petstore-kit ${report.kit}. The API key stands nowhere in this file; its place is marked $PETSTORE_API_KEY.`,
  })
}

const listOf = (items: readonly Html[]): Html =>
  html`<ul class="plain">
    ${items.map((item) => html`<li>${item}</li>`)}
  </ul>`

/** The rows of a list of definitions. */
const definitions = (rows: readonly (readonly [string, Html] | undefined)[]): Html[] =>
  rows
    .filter((row) => row !== undefined)
    .map(
      ([name, text]) =>
        html`<dt>${name}</dt>
          <dd>${text}</dd>`,
    )

function verdictSection(report: Report): Html {
  const tone = verdictTones[report.verdict]
  const { requests, writes } = report.counts
  const facts: [string, string][] = [
    ['Started', report.startedAt.replace('T', ' ').replace(/(\.\d+)?Z$/, ' UTC')],
    ['Duration', `${(report.durationMs / 1000).toFixed(1)} s`],
    ['Requests', String(requests)],
    ['Pets created', String(writes)],
    ['petstore-kit', report.kit],
    ['Exit code', String(report.exitCode)],
  ]
  return titled(
    'verdict',
    'Verdict',
    html`<div class="verdict ${tone}">
      <p class="word ${tone}">${icon(tone)}<span>${verdictOf(report)}</span></p>
      <p>${checkedWords(report)}</p>
    </div>`,
    distribution(report),
    html`<dl class="facts">
      ${definitions(facts.map(([name, text]) => [name, html`${sentence(text)}`])).map((row) => html`<div>${row}</div>`)}
    </dl>`,
  )
}

/** The counts, and the same as a bar. */
function distribution(report: Report): Html {
  const all = report.clauses.map((clause) => stateOf(report, clause))
  const shares = states
    .map((entry) => ({ ...entry, count: all.filter((state) => state === entry.state).length }))
    .filter(({ state, count }) => state !== 'known' || count > 0)
  const before = (index: number): number => shares.slice(0, index).reduce((sum, { count }) => sum + count, 0)
  return html`<svg
      class="bar"
      viewBox="0 0 ${all.length} 1"
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
    >
      ${shares.map(({ tone, count }, index) => html`<rect class="${tone}" x="${before(index)}" width="${count}" height="1" />`)}
    </svg>
    <dl class="counts">
      ${shares.map(
        ({ tone, word, count }) =>
          html`<div>
            <dt><span class="${tone}">${icon(tone)}</span>${word}</dt>
            <dd>${count}</dd>
          </div>`,
      )}
    </dl>`
}

function openSection(reasons: ReturnType<typeof byReason>): Html | undefined {
  if (reasons.length === 0) return undefined
  const items = reasons.map(({ reason, ids }) => html`${reason}<br /><span class="soft">${ids.join(', ')}</span>`)
  return titled('open', 'Not verified', listOf(items))
}

function findingsSection(report: Report, title: string, id: string, findings: readonly Finding[]): Html | undefined {
  if (findings.length === 0) return undefined
  const { kept, left } = fit(
    findings.map((finding) => toArticle(report, finding).source),
    capacity,
  )
  return titled(
    id,
    title,
    new Html(kept.join('\n')),
    left > 0 ? html`<p>${left} more findings; the JSON report holds them.</p>` : undefined,
  )
}

const anchorOf = ({ findings }: Report, finding: Finding): string => `finding-${findings.indexOf(finding) + 1}`

/** A link to the row of a clause. */
const clauseLink = (id: string): Html => html`<a class="id" href="#clause-${id}">${breakable(id)}</a>`

function toArticle(report: Report, finding: Finding): Html {
  const { clause, check, message, pointer, expected, actual, more, alsoBreaks, exchanges, known } = finding
  const result = report.clauses.find(({ id }) => id === clause)
  const anchor = anchorOf(report, finding)
  const tone = known ? 'known' : 'bad'
  const same = more > 0 ? `, and the same in ${more} more ${more === 1 ? 'answer' : 'answers'}` : ''
  return html`<article id="${anchor}" class="is-${tone}" aria-labelledby="${anchor}-title">
    <h3 id="${anchor}-title"><span class="${tone}">${icon(tone)}</span> ${clauseLink(clause)}</h3>
    <p class="soft">${result?.section}</p>
    <blockquote>${words(result?.quote ?? '')}</blockquote>
    <p class="message">${sentence(message)}</p>
    <dl class="facing">
      ${definitions([
        ['Expected', html`<code>${value(expected)}</code>`],
        ['Actual', html`<code>${value(actual)}</code>`],
        pointer === '' ? undefined : ['At', html`<code>${sentence(pointer)}</code>`],
        ['Found by', html`<code>${check}</code>${same}`],
        alsoBreaks.length === 0 ? undefined : ['Also breaks', joined(alsoBreaks.map(clauseLink), ', ')],
        known && ['Known', html`${knownWords(known)}`],
      ])}
    </dl>
    ${exchanges.map(toDetails)}
  </article>`
}

/** Open from the start: whoever prints the report or reads it without a pointer misses nothing. */
function toDetails({ request, response, curl }: ReportedExchange): Html {
  const sent = message(`${request.method} ${request.url}`, request.headers, request.body ?? '')
  const came = message(String(response.status), response.headers, response.body, response.bodyCut)
  const figure = (caption: string, shown: Html | string): Html =>
    html`<figure>
      <figcaption>${caption}</figcaption>
      <pre tabindex="0">${shown}</pre>
    </figure>`
  return html`<details open>
    <summary>
      ${request.method} ${value(request.url)} → ${response.status === 0 ? 'no answer' : response.status}
    </summary>
    <div class="sides">
      ${figure('Request', sent)} ${figure('Answer', response.status === 0 ? 'No answer came.' : came)}
    </div>
    ${figure('The same request from a shell, with the key in PETSTORE_API_KEY', command(curl))}
  </details>`
}

/** A request or an answer as it stands on the wire. A line break in a header would be a lie. */
function message(start: string, headers: Readonly<Record<string, string>>, body: string, isCut?: true): Html {
  const fields = Object.entries(headers).map(([name, text]) => shortInert(`${name}: ${text}`, longest.header))
  const head = [
    shortInert(start, longest.header),
    ...fields.slice(0, mostHeaders),
    ...(fields.length > mostHeaders ? [`(${fields.length - mostHeaders} more headers)`] : []),
  ]
  const shown = clip(body, longest.body)
  return lines([...head, ...(shown === '' ? [] : ['', shown]), ...(isCut ? ['(The body is longer.)'] : [])].join('\n'))
}

/** The table of all clauses, by section. */
function clausesSection(report: Report): Html {
  const sections = [...new Set(report.clauses.map(({ section }) => section))]
  return titled(
    'clauses',
    'Clauses',
    html`<table class="clauses">
      <caption>
        Every sentence of the specification that states what happens, with the verdict of this run.
      </caption>
      <thead>
        <tr>
          <th scope="col" class="state">Verdict</th>
          <th scope="col">Clause, its words, and why</th>
        </tr>
      </thead>
      ${sections.map(
        (section) =>
          html`<tbody>
            <tr>
              <th scope="rowgroup" colspan="2">${section}</th>
            </tr>
            ${report.clauses.filter((clause) => clause.section === section).map((clause) => toRow(report, clause))}
          </tbody>`,
      )}
    </table>`,
  )
}

function toRow(report: Report, clause: ClauseResult): Html {
  const { tone = 'off', word = '' } = states.find(({ state }) => state === stateOf(report, clause)) ?? {}
  return html`<tr id="clause-${clause.id}">
    <td>${mark(tone, word)}</td>
    <td>
      <p class="id">${breakable(clause.id)}</p>
      <p class="quote">${words(clause.quote)}</p>
      ${whyOf(report, clause)}
    </td>
  </tr>`
}

function whyOf(report: Report, { id, verdict, checks, reason, open = [] }: ClauseResult): Html {
  if (verdict === 'violated') {
    const links = findingsOf(report, id)
      .slice(0, mostLinks)
      .map((finding) => html`<a href="#${anchorOf(report, finding)}">${sentence(finding.message)}</a>`)
    return html`<p>${joined(links, '<br>')}</p>`
  }
  if (reason !== undefined) return html`<p class="soft">${sentence(reason)}</p>`
  return html`<p class="soft">Checked by ${checks.join(', ')}</p>
    ${open.map((one) => html`<p class="soft">Left open by ${one.check}: ${sentence(one.reason)}</p>`)}`
}

/** What the deployment chose where the specification leaves the choice, and what showed it. */
function profileSection({ profile, evidence }: Report): Html {
  const entries = Object.entries(profile)
  const observed = entries.filter(([, option]) => option !== 'unknown')
  const unknown = entries.filter(([, option]) => option === 'unknown').map(([id]) => id)
  const rows = observed.map(([id, option]) => profileRow(id, option, (evidence as Record<string, string>)[id]))
  return titled(
    'profile',
    'Observed, where the specification leaves the choice',
    observed.length === 0
      ? html`<p>Nothing was observed.</p>`
      : html`<table class="profile">
          <caption>
            Each of these is lawful. Together they are the profile of the deployment, which a mock can adopt.
          </caption>
          <thead>
            <tr>
              <th scope="col">Choice</th>
              <th scope="col">What the deployment does, and what showed it</th>
            </tr>
          </thead>
          <tbody>
            ${rows}
          </tbody>
        </table>`,
    unknown.length === 0 ? undefined : html`<p class="soft">Not observed in this run: ${unknown.join(', ')}.</p>`,
  )
}

function profileRow(id: string, option: string, shown: string | undefined): Html {
  const choice = choices.get(id)
  const meaning = choice?.options.find((one) => one.value === option)?.meaning
  return html`<tr>
    <th scope="row">${words(choice?.question ?? '')}<br /><span class="id">${breakable(id)}</span></th>
    <td>
      <p><code>${value(option)}</code>${meaning === undefined ? '' : `: ${meaning}`}</p>
      ${shown === undefined ? undefined : html`<p class="soft">${sentence(shown)}</p>`}
    </td>
  </tr>`
}
