import { breakable, Html, html, icon, legend, lines, titled, toPage, words } from '../../report/html.ts'
import { count, fit } from '../../report/text.ts'
import { severities } from './rules.ts'
import { cardWords, type IssueWords, looks, meanings, type ScorecardReporter, unscoredWords } from './words.ts'

/** Bytes that all scorecards may take, and links to them. */
const capacity = 2_000_000
const mostLinks = 100

type CardWords = ReturnType<typeof cardWords>
type Look = CardWords['groups'][number]['look']

/** The scorecards as one HTML file that needs no network and no script. */
export const toHtml: ScorecardReporter = (scorecards) => {
  const active = scorecards.filter(({ requests }) => requests > 0)
  const cards = active.map(cardWords)
  const { kept, left } = fit(
    cards.map((card, index) => cardSection(card, `card-${index + 1}`).source),
    capacity,
  )
  const silent = scorecards.length - active.length
  const rest = [
    silent === 0 ? '' : `${count(silent, 'client')} without a request.`,
    left === 0 ? '' : `${count(left, 'more scorecard')}; the json reporter shows them.`,
    unscoredWords(scorecards),
  ].filter((row) => row !== '')
  const linked = cards.slice(0, Math.min(mostLinks, kept.length))
  const others = html`<ul class="plain">
    ${rest.map((row) => html`<li>${row}</li>`)}
  </ul>`
  return toPage({
    title: 'Scorecard of the clients of the Pet Store Service',
    skip: 'Skip to the scorecards',
    kind: 'Scorecard',
    heading: 'Clients of the Pet Store Service',
    contents: [
      ...linked.map(({ subject, score }, index) => [`card-${index + 1}`, `${subject} (${score})`] as const),
      ['legend', 'How to read it'],
    ],
    main: [
      new Html(kept.join('\n')),
      rest.length === 0 ? undefined : titled('others', 'Others', others),
      legend(
        'How to read it',
        severities.map((severity) => [looks[severity].tone, looks[severity].word, meanings[severity]]),
      ),
    ],
    footer: 'Made by petstore-kit. API keys are redacted; their place is marked <API_KEY>.',
  })
}

function cardSection({ subject, score, effort, look, groups, coverage, neverTried }: CardWords, id: string): Html {
  const untried = neverTried.map(({ operation, what }) => html`<li><span class="id">${operation}</span>: ${what}</li>`)
  return titled(
    id,
    subject,
    html`<div class="verdict ${look.tone}">
      <p class="word ${look.tone}">${icon(look.tone)}<span>${score}</span></p>
      <p>${effort}</p>
    </div>`,
    ...groups.map(
      (group) =>
        html`<h3>${group.heading}</h3>
          ${group.issues.map((issue) => toArticle(issue, group.look))}`,
    ),
    coverageTable(coverage),
    untried.length === 0
      ? undefined
      : html`<h3>Never tried</h3>
          <ul class="plain">
            ${untried}
          </ul>`,
  )
}

function toArticle({ headline, id, quote, source, sourceId, message, request, fix }: IssueWords, look: Look): Html {
  return html`<article class="is-${look.tone}">
    <h4>${icon(look.tone, look.word)} <span>${headline}</span></h4>
    <p class="soft id">${breakable(id)}</p>
    <blockquote>${words(quote)}</blockquote>
    <p class="soft">Source: ${source} <span class="id">${breakable(sourceId)}</span></p>
    <p>${message}</p>
    <pre tabindex="0">${lines(request.join('\n\n'))}</pre>
    <p>${words(fix)}</p>
  </article>`
}

const coverageTable = (rows: CardWords['coverage']): Html =>
  html`<h3>Requested</h3>
    <table class="coverage">
      <caption>
        The requests to each operation, how often they came, and the responses.
      </caption>
      <thead>
        <tr>
          ${['Operation', 'Requests', 'Responses', 'Parameters'].map((head) => html`<th scope="col">${head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ([name, ...cells]) =>
            html`<tr>
              <th scope="row">${name}</th>
              ${cells.map((cell) => html`<td>${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>`
