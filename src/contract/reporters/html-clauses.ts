import type { ClauseResult, Report } from '../report.ts'
import { anchorOf, clauseAnchor } from './html-findings.ts'
import { mark } from './html-marks.ts'
import { breakable, Html, html, words } from './html-text.ts'
import { findingsOf, sentence, stateOf } from './words.ts'

/** Findings that a row of the table links to. */
const mostLinks = 20

/** The table of all clauses, by section. */
export function clausesSection(report: Report): Html {
  const sections = [...new Set(report.clauses.map(({ section }) => section))]
  return html`<section aria-labelledby="clauses">
    <h2 id="clauses">Clauses</h2>
    <table class="clauses">
      <caption>
        Every sentence of the specification that states what happens, with the verdict of this run.
      </caption>
      <thead>
        <tr>
          <th scope="col" class="state">Verdict</th>
          <th scope="col">Clause, its words, and why</th>
        </tr>
      </thead>
      ${sections.map((section) => toGroup(report, section))}
    </table>
  </section>`
}

function toGroup(report: Report, section: string): Html {
  const rows = report.clauses.filter((clause) => clause.section === section)
  return html`<tbody>
    <tr>
      <th scope="rowgroup" colspan="2">${section}</th>
    </tr>
    ${rows.map((clause) => toRow(report, clause))}
  </tbody>`
}

function toRow(report: Report, clause: ClauseResult): Html {
  return html`<tr id="${clauseAnchor(clause.id)}">
    <td>${mark(stateOf(report, clause))}</td>
    <td>
      <p class="id">${breakable(clause.id)}</p>
      <p class="quote">${words(clause.quote)}</p>
      ${whyOf(report, clause)}
    </td>
  </tr>`
}

function whyOf(report: Report, { id, verdict, checks, reason, open = [] }: ClauseResult): Html {
  if (verdict === 'violated') {
    const found = findingsOf(report, id)
    const links = found.slice(0, mostLinks).map((finding) => {
      const anchor = anchorOf(report, finding)
      return html`<a href="#${anchor}">${sentence(finding.message)}</a>`.source
    })
    return html`<p>${new Html(links.join('<br>'))}</p>`
  }
  if (reason !== undefined) return html`<p class="soft">${sentence(reason)}</p>`
  return html`<p class="soft">Checked by ${checks.join(', ')}</p>
    ${open.map((one) => html`<p class="soft">Left open by ${one.check}: ${sentence(one.reason)}</p>`)}`
}
