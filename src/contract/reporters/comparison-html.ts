import {
  badge,
  copied,
  folded,
  type Html,
  html,
  idOf,
  joined,
  list,
  terms,
  titled,
  toPage,
  utc,
  verdictWord,
  words,
} from '../../report/html.ts'
import type {
  BehaviorChange,
  ComparedReport,
  Comparison,
  RequirementChange,
} from '../report/report.gen.ts'
import type { ReportedExchange } from '../report/report.ts'
import {
  comparedTone,
  comparedWord,
  comparedWords,
  digestOf,
  requestOf,
  sideLine,
  sideWith,
} from './comparison.ts'
import { states } from './html.ts'
import { figure, message } from './html-findings.ts'
import { command, sentence, value } from '../report/words.ts'

/** The comparison as one HTML file that needs no network. */
export function toComparisonHtml(comparison: Comparison): string {
  const { before, after, behaviors, kit } = comparison
  const { line, changes, requirementsTitle, behaviorsTitle, parts: others } = digestOf(comparison)
  const parts: readonly (readonly [id: string, heading: string, content: readonly Html[]])[] = [
    ['requirements', requirementsTitle, changes.map(toChange)],
    ['behaviors', behaviorsTitle, behaviors.differing.map((one) => toBehavior(one, comparison))],
    ...others.map(({ id, heading, items }) => {
      const rows = items.map(({ ids, text }) =>
        joined([...ids.map(idOf), ...(text === '' ? [] : [words(text)])], ': '),
      )
      return [id, heading, [list(rows)]] as const
    }),
  ]
  return toPage({
    title: `${line}: ${value(before.name)} and ${value(after.name)}`,
    skip: 'Skip to the verdict',
    kind: 'Comparison',
    subject: html`${value(before.name)} and ${value(after.name)}`,
    heading: verdictWord(comparedTone(comparison), comparedWord(comparison)),
    lead: comparedWords(comparison),
    main: [
      ...parts.map(([id, heading, content]) => {
        const section = titled(
          id,
          heading,
          ...(content.length > 0 ? content : [html`<p>No difference.</p>`]),
        )
        return [heading.split(':')[0] ?? heading, section] as const
      }),
      titled(
        'runs',
        'Runs',
        html`<div class="pair">${[toSide('A', before), toSide('B', after)]}</div>`,
      ),
    ],
    footer: `Created by petstore-kit ${kit}. The API keys are replaced with variables.`,
    copies: true,
  })
}

const verdictBadge = (verdict: RequirementChange['before']): Html =>
  badge(states[verdict][0], states[verdict][1])

const sides = (a: Html, b: Html): Html =>
  terms('facing', [
    ['A', a],
    ['B', b],
  ])

function toSide(letter: string, side: ComparedReport): Html {
  const { name, target, startedAt, kit } = side
  return html`<div>
    <h3>${letter}: ${value(name)}</h3>
    ${name === target ? undefined : html`<p><code>${value(target)}</code></p>`}
    <p>${sideLine(side)}</p>
    <p class="soft">${sentence(utc(startedAt))}, petstore-kit ${sentence(kit)}</p>
  </div>`
}

function toChange(change: RequirementChange): Html {
  const { id, section, before, after, exchange } = change
  return html`<article class="is-${before === 'violated' ? 'note' : 'bad'}">
    <h3>${idOf(id)}</h3>
    <p class="soft">${section}</p>
    ${sides(verdictBadge(before), verdictBadge(after))}
    <p class="message">${sideWith(change)}: ${words(sentence(change.message))}</p>
    ${exchange && folded('Request and response', toColumn(sideWith(change), exchange))}
  </article>`
}

function toBehavior(behavior: BehaviorChange, comparison: Comparison): Html {
  const { id, question, before, after, safe, exchanges } = behavior
  const shown = [
    ['A', exchanges.before],
    ['B', exchanges.after],
  ] as const
  return html`<article class="is-warn">
    <h3>${idOf(id)}</h3>
    <p>${words(question)}</p>
    ${sides(html`<code>${value(before)}</code>`, html`<code>${value(after)}</code>`)}
    <p class="soft">A client is safe with both if it ${words(safe)}.</p>
    ${
      shown.some(([, exchange]) => exchange !== undefined)
        ? folded(
            requestOf(behavior, comparison),
            html`<div class="pair">
              ${shown.map(([letter, exchange]) => (exchange ? toColumn(letter, exchange) : html`<div></div>`))}
            </div>`,
          )
        : undefined
    }
  </article>`
}

function toColumn(letter: string, { request, response, curl }: ReportedExchange): Html {
  return html`<div>
    ${figure(`Response of ${letter}`, message(`HTTP ${response.status}`, response.headers, response.body, response.bodyCut))}
    ${figure(`Request to ${letter}`, message(`${request.method} ${request.url}`, request.headers, request.body ?? ''))}
    ${copied(command(curl))}
  </div>`
}
