import type { Scorecard, ScorecardIssue } from '../scorecard.ts'
import { icon, labelledIcon } from './html-marks.ts'
import { breakable, html, type Html, words } from './html-text.ts'
import { shortInert } from '../../../report/inert.ts'
import {
  coverageRows,
  effortWords,
  headline,
  neverTried,
  requestLine,
  scoreWords,
  severities,
  severityWords,
  stateOf,
} from './words.ts'

/** One scorecard as a section. */
export function cardSection(card: Scorecard, number: number): Html {
  const state = stateOf(card)
  const id = `card-${number}`
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}">${shortInert(card.subject, 100)}</h2>
    <div class="score ${state}">
      <p class="word ${state}">${icon(state)}<span>${scoreWords(card)}</span></p>
      <p>${effortWords(card)}</p>
    </div>
    ${severities.map((severity) => {
      const found = card.issues.filter((issue) => issue.severity === severity)
      if (found.length === 0) return html``
      return html`<h3>${severityWords[severity]}</h3>
        ${found.map(toArticle)}`
    })}
    ${askedTable(card)} ${neverTriedList(card)}
  </section>`
}

function toArticle(issue: ScorecardIssue): Html {
  const { severity, id, reference, message, example, fix } = issue
  const request = [requestLine(example), ...(example.body === undefined ? [] : ['', shortInert(example.body)])]
  return html`<article class="is-${severity}">
    <h4>${labelledIcon(severity)} <span>${headline(issue)}</span></h4>
    <p class="soft id">${breakable(shortInert(id, 100))}</p>
    <blockquote>${words(shortInert(reference.quote))}</blockquote>
    <p class="soft">
      ${reference.table === 'clauses' ? 'Clause' : 'Choice'}
      <span class="id">${breakable(shortInert(reference.id, 100))}</span>
    </p>
    <p>${shortInert(message)}</p>
    <pre tabindex="0">${lines(request)}</pre>
    <p class="fix"><strong>To fix it:</strong> ${words(shortInert(fix))}</p>
  </article>`
}

/** Lines for a `pre`. */
function lines(texts: readonly string[]): Html[] {
  return texts.map((text) => html`${text}`)
}

function askedTable(card: Scorecard): Html {
  return html`<h3>Asked</h3>
    <table class="asked">
      <caption>
        What was asked of each operation, how often, and what came back.
      </caption>
      <thead>
        <tr>
          <th scope="col">Operation</th>
          <th scope="col">Requests</th>
          <th scope="col">Answers</th>
          <th scope="col">Parameters</th>
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

function neverTriedList(card: Scorecard): Html {
  const items = neverTried(card)
  if (items.length === 0) return html``
  return html`<h3>Never tried</h3>
    <ul class="plain">
      ${items.map(({ operation, what }) => html`<li><span class="id">${operation}</span>: ${what}</li>`)}
    </ul>`
}
