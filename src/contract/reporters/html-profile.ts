import { choices as table } from '../../spec/choices.ts'
import type { Choice } from '../../spec/choices.ts'
import type { Report } from '../report.ts'
import { breakable, html, words } from './html-text.ts'
import type { Html } from './html-text.ts'
import { sentence, value } from './words.ts'

const choices: ReadonlyMap<string, Choice> = new Map(table.map((choice) => [choice.id, choice]))

/** What the deployment chose where the specification leaves the choice, and what showed it. */
export function profileSection({ profile, evidence }: Report): Html {
  const entries = Object.entries(profile)
  const observed = entries.filter(([, option]) => option !== 'unknown')
  const unknown = entries.filter(([, option]) => option === 'unknown').map(([id]) => id)
  return html`<section aria-labelledby="profile">
    <h2 id="profile">Observed, where the specification leaves the choice</h2>
    ${observed.length === 0 ? html`<p>Nothing was observed.</p>` : toTable(observed, evidence)}
    ${unknown.length === 0 ? undefined : html`<p class="soft">Not observed in this run: ${unknown.join(', ')}.</p>`}
  </section>`
}

function toTable(observed: readonly [string, string][], evidence: Readonly<Record<string, string>>): Html {
  return html`<table class="profile">
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
      ${observed.map(([id, option]) => toRow(id, option, evidence[id]))}
    </tbody>
  </table>`
}

function toRow(id: string, option: string, shown: string | undefined): Html {
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
