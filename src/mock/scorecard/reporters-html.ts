import {
  breakable,
  Html,
  html,
  icon,
  joined,
  legend,
  lines,
  titled,
  toPage,
  type Tone,
  words,
} from '../../report/html.ts'
import { shortInert } from '../../report/inert.ts'
import { count, fit } from '../../report/text.ts'
import type { Severity } from './rules.ts'
import type { Scorecard, ScorecardIssue } from './types.ts'
import {
  coverageRows,
  effortWords,
  headline,
  neverTried,
  quoteOf,
  requestLines,
  type ScorecardReporter,
  scoreWords,
  severities,
  severityMeanings,
  severityWords,
  type State,
  stateOf,
  unscoredWords,
} from './words.ts'

/** Bytes that all scorecards may take, and links to them. */
const capacity = 2_000_000
const mostLinks = 100

const tones: Readonly<Record<State | Severity, Tone>> = {
  violation: 'bad',
  warning: 'warn',
  notice: 'note',
  clean: 'good',
  none: 'off',
}
const labels: Readonly<Record<Severity, string>> = { violation: 'Violation', warning: 'Warning', notice: 'Notice' }

/** The scorecards as one HTML file that needs no network and no script. */
export const toHtml: ScorecardReporter = (scorecards) => {
  const asked = scorecards.filter(({ requests }) => requests > 0)
  const { kept, left } = fit(
    asked.map((card, index) => cardSection(card, index + 1).source),
    capacity,
  )
  const rest = [
    asked.length === scorecards.length ? '' : `${count(scorecards.length - asked.length, 'client')} without a request.`,
    left === 0 ? '' : `${count(left, 'more scorecard')}; the json reporter shows them.`,
    unscoredWords(scorecards),
  ].filter((row) => row !== '')
  const links = asked
    .slice(0, Math.min(mostLinks, kept.length))
    .map((card, index) => [`card-${index + 1}`, `${shortInert(card.subject, 100)} (${scoreWords(card)})`] as const)
  return toPage({
    title: 'Scorecard of the clients of the Pet Store Service',
    skip: 'Skip to the scorecards',
    kind: 'Scorecard',
    heading: 'Clients of the Pet Store Service',
    contents: [...links, ['legend', 'How to read it']],
    main: [
      joined(
        kept.map((source) => new Html(source)),
        '\n',
      ),
      rest.length === 0
        ? undefined
        : titled(
            'others',
            'Others',
            html`<ul class="plain">
              ${rest.map((row) => html`<li>${row}</li>`)}
            </ul>`,
          ),
      legend(
        'How to read it',
        severities.map((severity) => [tones[severity], labels[severity], severityMeanings[severity]]),
      ),
    ],
    footer: 'Made by petstore-kit. No API key stands in this file; its place is marked <API_KEY>.',
  })
}

function cardSection(card: Scorecard, number: number): Html {
  const tone = tones[stateOf(card)]
  return titled(
    `card-${number}`,
    shortInert(card.subject, 100),
    html`<div class="verdict ${tone}">
      <p class="word ${tone}">${icon(tone)}<span>${scoreWords(card)}</span></p>
      <p>${effortWords(card)}</p>
    </div>`,
    ...severities.map((severity) => {
      const found = card.issues.filter((issue) => issue.severity === severity)
      return found.length === 0
        ? undefined
        : html`<h3>${severityWords[severity]}</h3>
            ${found.map(toArticle)}`
    }),
    coverageTable(card),
    neverTriedList(card),
  )
}

function toArticle(issue: ScorecardIssue): Html {
  const { severity, id, reference, message, example, fix } = issue
  return html`<article class="is-${tones[severity]}">
    <h4>${icon(tones[severity], labels[severity])} <span>${headline(issue)}</span></h4>
    <p class="soft id">${breakable(shortInert(id, 100))}</p>
    <blockquote>${words(quoteOf(issue))}</blockquote>
    <p class="soft">
      ${reference.table === 'clauses' ? 'Clause' : 'Choice'}
      <span class="id">${breakable(shortInert(reference.id, 100))}</span>
    </p>
    <p>${shortInert(message)}</p>
    <pre tabindex="0">${lines(requestLines(example).join('\n\n'))}</pre>
    <p><strong>To fix it:</strong> ${words(shortInert(fix))}</p>
  </article>`
}

function coverageTable(card: Scorecard): Html {
  const heads = ['Operation', 'Requests', 'Responses', 'Parameters']
  return html`<h3>Asked</h3>
    <table class="coverage">
      <caption>
        What was asked of each operation, how often, and what came back.
      </caption>
      <thead>
        <tr>
          ${heads.map((head) => html`<th scope="col">${head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${coverageRows(card).map(
          ([name, ...cells]) =>
            html`<tr>
              <th scope="row">${name}</th>
              ${cells.map((cell) => html`<td>${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>`
}

function neverTriedList(card: Scorecard): Html | undefined {
  const items = neverTried(card)
  if (items.length === 0) return undefined
  return html`<h3>Never tried</h3>
    <ul class="plain">
      ${items.map(({ operation, what }) => html`<li><span class="id">${operation}</span>: ${what}</li>`)}
    </ul>`
}
