import type { Finding, Report, ReportedExchange } from '../report.ts'
import { clip, shortInert } from '../../report/inert.ts'
import { fit } from './fit.ts'
import { breakable, Html, html, lines, words } from './html-text.ts'
import { icon } from './html-marks.ts'
import { command, knownWords, sentence, value } from './words.ts'

/** The bytes that all findings may take, the headers that an exchange shows, and the characters of its body. */
const room = 2_000_000
const mostHeaders = 60
const longest = { header: 500, body: 4_000 }

/** A section of findings, or nothing when there are none. */
export function findingsSection(report: Report, title: string, id: string, findings: readonly Finding[]): Html {
  if (findings.length === 0) return html``
  const articles = findings.map((finding) => toArticle(report, finding).source)
  const { kept, left } = fit(articles, room)
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    ${new Html(kept.join('\n'))}
    ${left > 0 ? html`<p>${left} more findings; the JSON report holds them.</p>` : undefined}
  </section>`
}

/** The anchor of a finding. */
export const anchorOf = ({ findings }: Report, finding: Finding): string => `finding-${findings.indexOf(finding) + 1}`

/** The anchor of a clause. */
export const clauseAnchor = (id: string): string => `clause-${id}`

function toArticle(report: Report, finding: Finding): Html {
  const { clause, check, message, pointer, expected, actual, more, alsoBreaks, exchanges, known } = finding
  const result = report.clauses.find(({ id }) => id === clause)
  const anchor = anchorOf(report, finding)
  const state = known ? 'known' : 'violated'
  return html`<article id="${anchor}" class="is-${state}" aria-labelledby="${anchor}-title">
    <h3 id="${anchor}-title">
      <span class="${state}">${icon(state)}</span>
      <a class="id" href="#${clauseAnchor(clause)}">${breakable(clause)}</a>
    </h3>
    <p class="soft">${result?.section}</p>
    <blockquote>${words(result?.quote ?? '')}</blockquote>
    <p class="message">${sentence(message)}</p>
    <dl class="facing">
      <dt>Expected</dt>
      <dd><code>${value(expected)}</code></dd>
      <dt>Actual</dt>
      <dd><code>${value(actual)}</code></dd>
      ${
        pointer === ''
          ? undefined
          : html`<dt>At</dt>
              <dd><code>${sentence(pointer)}</code></dd>`
      }
      <dt>Found by</dt>
      <dd>
        <code>${check}</code>${more > 0 ? `, and the same in ${more} more ${more === 1 ? 'answer' : 'answers'}` : ''}
      </dd>
      ${
        alsoBreaks.length === 0
          ? undefined
          : html`<dt>Also breaks</dt>
              <dd>${list(alsoBreaks)}</dd>`
      }
      ${
        known
          ? html`<dt>Known</dt>
              <dd>${knownWords(known)}</dd>`
          : undefined
      }
    </dl>
    ${exchanges.map(toDetails)}
  </article>`
}

function list(ids: readonly string[]): Html {
  const links = ids.map((id) => html`<a class="id" href="#${clauseAnchor(id)}">${breakable(id)}</a>`)
  return new Html(links.map(({ source }) => source).join(', '))
}

/** Open from the start: whoever prints the report or reads it without a pointer misses nothing. */
function toDetails({ request, response, curl }: ReportedExchange): Html {
  const sent = message(`${request.method} ${request.url}`, request.headers, request.body ?? '')
  const came = message(String(response.status), response.headers, response.body, response.bodyCut)
  return html`<details open>
    <summary>
      ${request.method} ${value(request.url)} → ${response.status === 0 ? 'no answer' : response.status}
    </summary>
    <div class="sides">
      <figure>
        <figcaption>Request</figcaption>
        <pre tabindex="0">${sent}</pre>
      </figure>
      <figure>
        <figcaption>Answer</figcaption>
        <pre tabindex="0">${response.status === 0 ? 'No answer came.' : came}</pre>
      </figure>
    </div>
    <figure>
      <figcaption>The same request from a shell, with the key in PETSTORE_API_KEY</figcaption>
      <pre tabindex="0">${command(curl)}</pre>
    </figure>
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
