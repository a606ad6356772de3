import { behaviors, type Behavior } from '../../spec/behaviors.ts'
import {
  badge,
  breakable,
  folded,
  type Html,
  html,
  idOf,
  legend,
  list,
  table,
  terms,
  titled,
  toPage,
  utc,
  verdictWord,
  words,
} from '../../report/html.ts'
import { code, count, rowToSentence, type Tone } from '../../report/text.ts'
import type { RequirementResult, Report } from '../report/report.ts'
import { groupWith, type Group } from './groups.ts'
import { anchorOf, causeLinks, findingsSection } from './html-findings.ts'
import { type Digest, digestOf, type Remark } from './digest.ts'
import { type RequirementState, sentence, stateOf, value } from '../report/words.ts'

/** The verdicts on requirements, in the order of the report. */
export const states = {
  violated: [
    'bad',
    'Violated',
    'The deployment behaves differently; see the request and the response.',
  ],
  known: ['known', 'Known failure', 'Violated, but accepted by the baseline until an expiry date.'],
  'not-verified': [
    'warn',
    'Not verified',
    'Inconclusive in this run. The reason says what is needed.',
  ],
  verified: ['good', 'Verified', 'The deployment does what the requirement says.'],
  'not-applicable': [
    'off',
    'Not applicable',
    'Not testable from outside or on this catalog, or excluded on purpose.',
  ],
} as const satisfies Record<RequirementState, readonly [Tone, word: string, meaning: string]>

/** The report as one HTML file that needs no network, and no script but to copy. */
export function toHtml(report: Report): string {
  const digest = digestOf(report)
  const { verdict, tone, checked, drift, open, notes, fresh, known } = digest
  const run = code(
    `petstore-kit ${sentence(report.kit)}, ${value(report.target)}, ${sentence(utc(report.startedAt))}`,
  )
  return toPage({
    title: `${verdict}: ${value(report.target)}, contract report`,
    skip: 'Skip to the findings',
    kind: 'Contract report',
    subject: html`<code>${value(report.target)}</code>`,
    heading: verdictWord(tone, verdict),
    lead: fresh.length > 1 ? html`${checked} ${causeLinks(fresh)}` : checked,
    main: [
      [`Violated (${fresh.length})`, findingsSection('Violated', 'violated', fresh, run)],
      [
        `Drift (${drift.length})`,
        listed('drift', 'Drift: differs from the expected profile', drift.map(driftItem)),
      ],
      [
        `Known failures (${known.length})`,
        findingsSection('Known failures', 'known', known, run, 0),
      ],
      ['Not verified', listed('open', 'Not verified', open.map(openItem))],
      [
        'Notes',
        listed(
          'notes',
          'Notes',
          notes.map(({ text }) => text),
        ),
      ],
      ['Run', runSection(report, digest)],
      ['Requirements', requirementsSection(report, [...fresh, ...known])],
      ['Observed behavior', profileSection(report, digest)],
    ],
    footer: `Created by petstore-kit ${report.kit}. The API key is replaced with a variable.`,
    copies: true,
  })
}

const runSection = (report: Report, { counts, seconds }: Digest): Html =>
  titled(
    'run',
    'Run',
    html`<p>${counts}</p>`,
    terms('facts', [
      ['Started', sentence(utc(report.startedAt))],
      ['Duration', seconds],
      ['Requests', report.counts.requests],
      ['Pets created', report.counts.writes],
      ['Exit code', report.exitCode],
    ]),
  )

const driftItem = ({ ids, text }: Remark): Html => html`${idOf(ids.join())}: ${text}`

const openItem = ({ ids, text }: Remark): Html =>
  html`${text}<br /><span class="soft">${ids.join(', ')}</span>`

/** A section with a list; none without items. */
const listed = (id: string, title: string, items: Parameters<typeof list>[0]): Html | undefined =>
  items.length === 0 ? undefined : titled(id, title, list(items))

/** All requirements by section, folded. */
function requirementsSection(report: Report, groups: readonly Group[]): Html {
  const sections = [...new Set(report.requirements.map(({ section }) => section))]
  const all = [
    ...sections.map((section) => {
      const rows = report.requirements.filter((requirement) => requirement.section === section)
      return html`<div class="requirements">
        <h3>${section}</h3>
        <ul>
          ${rows.map((requirement) => toRow(report, requirement, groups))}
        </ul>
      </div>`
    }),
    legend(Object.values(states)),
  ]
  return titled(
    'requirements',
    'Requirements',
    folded(count(report.requirements.length, 'requirement'), all),
  )
}

function toRow(report: Report, requirement: RequirementResult, groups: readonly Group[]): Html {
  const [tone, word] = states[stateOf(report, requirement)]
  return html`<li id="requirement-${requirement.id}">
    ${badge(tone, word)}
    <div>
      <p class="id">${breakable(requirement.id)}</p>
      <p class="quote">${words(rowToSentence(requirement.quote))}</p>
      ${whyOf(requirement, groups)}
    </div>
  </li>`
}

function whyOf(
  { id, verdict, checks, reason, open = [] }: RequirementResult,
  groups: readonly Group[],
): Html {
  const group = verdict === 'violated' ? groupWith(groups, id) : undefined
  if (group) {
    const text =
      group.requirement === id
        ? group.cases[0].message
        : `Probably because ${group.requirement} is violated.`
    return html`<p><a href="#${anchorOf(group)}">${words(sentence(text))}</a></p>`
  }
  if (reason !== undefined) return html`<p class="soft">${sentence(reason)}</p>`
  return html`<p class="soft">Checked by ${checks.join(', ')}</p>
    ${open.map((one) => html`<p class="soft">Not verified by ${one.check}: ${sentence(one.reason)}</p>`)}`
}

function profileSection(report: Report, { observed, observedCount }: Digest): Html {
  const unknown = Object.entries(report.profile).flatMap(([id, option]) =>
    option === 'unknown' ? [id] : [],
  )
  const rows = observed.map(([id, option]) =>
    profileRow(id, option, (report.evidence as Record<string, string>)[id]),
  )
  const heads = ['Question', 'What the deployment does, and what showed it']
  return titled(
    'profile',
    'Observed behavior',
    observed.length === 0
      ? html`<p>Nothing was observed.</p>`
      : html`<p>
            The specification does not define these. Save them with --save-profile, and run a mock
            that behaves the same.
          </p>
          ${folded(`${observedCount} unspecified behaviors`, table('profile', heads, rows))}`,
    unknown.length === 0
      ? undefined
      : html`<p class="soft">Not observed in this run: ${unknown.join(', ')}.</p>`,
  )
}

function profileRow(id: string, option: string, shown: string | undefined): Html[] {
  const behavior = (behaviors as readonly Behavior[]).find((one) => one.id === id)
  const meaning = behavior?.options.find((one) => one.value === option)?.meaning
  return [
    html`${words(behavior?.question ?? '')}<br />${idOf(id)}`,
    html`<p><code>${value(option)}</code>${meaning === undefined ? '' : `: ${meaning}`}</p>
      ${shown === undefined ? undefined : html`<p class="soft">${sentence(shown)}</p>`}`,
  ]
}
