import {
  breakable,
  folded,
  Html,
  html,
  icon,
  joined,
  lines,
  terms,
  titled,
  words,
} from '../../report/html.ts'
import { clip, count, fit, shortInert } from '../../report/text.ts'
import { type Requirement, requirements } from '../../spec/requirements.ts'
import type { Finding, ReportedExchange } from '../report/report.ts'
import { timesWords, type Group } from './groups.ts'
import { command, headline, knownWords, sentence, value } from '../report/words.ts'

/** Bytes of all cases. */
const capacity = 2_000_000
const maxCases = 20
const maxHeaders = 60
const maxLengths = { header: 500, body: 4_000 }
/** Longer texts scroll, and are tab stops. */
const tall = { lines: 14, characters: 1_200 }

/** A link to the article of a violated requirement, or to its row in the list of all. */
const requirementLink = (id: string, groups: readonly Group[] = []): Html =>
  html`<a
    class="id"
    href="#${groups.some(({ requirement }) => requirement === id) ? 'found' : 'requirement'}-${id}"
    >${breakable(id)}</a
  >`

/** One row for each violated requirement, with its consequences. */
export function overviewSection(groups: readonly Group[]): Html | undefined {
  if (groups.length === 0) return undefined
  const rows = groups.map((group) => {
    const [first] = group.cases
    const { known } = first
    const also = group.consequences.map(({ requirement }) => requirementLink(requirement))
    return html`<li>
      <span class="${known ? 'known' : 'bad'}"
        >${icon(known ? 'known' : 'bad', known ? 'Known failure' : 'Violated')}</span
      >
      ${requirementLink(group.requirement, groups)}
      ${group.times > 1 ? html`<span class="times">${timesWords(group.times)}</span>` : undefined}
      <br />${words(headline(first))}
      ${also.length === 0 ? undefined : html`<br /><span class="soft">Probably also breaks ${joined(also, ', ')}</span>`}
    </li>`
  })
  return titled(
    'overview',
    'Overview',
    html`<ol class="overview">
      ${rows}
    </ol>`,
  )
}

export function findingsSection(
  title: string,
  id: string,
  groups: readonly Group[],
): Html | undefined {
  if (groups.length === 0) return undefined
  const articles = groups.map((group) => toArticle(group).source)
  const { kept, left } = fit(articles, capacity)
  const rest =
    left > 0 ? html`<p>${count(left, 'more requirement')}; see the JSON report.</p>` : undefined
  return titled(id, title, new Html(kept.join('\n')), rest)
}

function toArticle({ requirement, section, quote, cases, times, consequences }: Group): Html {
  const [first, ...others] = cases
  const tone = first.known ? 'known' : 'bad'
  const shown = others.slice(0, maxCases)
  const more = others.length - shown.length
  const also = consequences.map((one) => requirementLink(one.requirement))
  return html`<article
    id="found-${requirement}"
    class="is-${tone}"
    aria-labelledby="found-${requirement}-title"
  >
    <h3 id="found-${requirement}-title">
      <span class="${tone}">${icon(tone)}</span> ${requirementLink(requirement)}
      ${times > 1 ? html`<span class="times">${timesWords(times)}</span>` : undefined}
    </h3>
    <p class="soft">${section}</p>
    <blockquote>${words(quote)}</blockquote>
    ${first.known && html`<p class="soft">${knownWords(first.known)}</p>`}
    ${explanation(requirement)} ${toCase(first, true)}
    ${shown.map((one) => folded(words(sentence(one.message)), toCase(one, false)))}
    ${more > 0 ? html`<p class="soft">${count(more, 'more case')}; see the JSON report.</p>` : undefined}
    ${also.length === 0 ? undefined : html`<p class="soft">Probably also breaks ${joined(also, ', ')}</p>`}
    ${consequences.flatMap((one) =>
      one.cases
        .slice(0, 3)
        .map((found) =>
          folded(words(sentence(`${one.requirement}: ${found.message}`)), toCase(found, false)),
        ),
    )}
  </article>`
}

function explanation(requirement: string): Html | undefined {
  const { breaks, fix }: Partial<Requirement> =
    requirements.find(({ id }) => id === requirement) ?? {}
  if (breaks === undefined || fix === undefined) return undefined
  return folded(
    'Common causes and fix',
    terms('facing', [
      ['Usual cause', words(breaks)],
      ['Fix', words(fix)],
    ]),
  )
}

function toCase(
  { check, message, pointer, expected, actual, more, exchanges }: Finding,
  isFirst: boolean,
): Html {
  const rows: (readonly [string, Html])[] = [
    ['Expected', html`<code>${value(expected)}</code>`],
    ['Actual', html`<code>${value(actual)}</code>`],
    ...(pointer === '' ? [] : [['At', html`<code>${sentence(pointer)}</code>`] as const]),
    [
      'Found by',
      html`<code>${check}</code
        >${more > 0 ? `, and the same in ${count(more, 'more response')}` : ''}`,
    ],
  ]
  const last = exchanges.length - 1
  return html`${isFirst ? html`<p class="message">${words(sentence(message))}</p>` : undefined}
  ${terms('facing', rows)}
  ${exchanges.map((exchange, index) => toDetails(exchange, isFirst && index === last))}`
}

function toDetails({ request, response, curl }: ReportedExchange, isOpen: boolean): Html {
  const name = shortInert(`${request.method} ${request.url}`, maxLengths.header)
  const sent = message(name, request.headers, request.body ?? '')
  const came = message(String(response.status), response.headers, response.body, response.bodyCut)
  return html`<details ${new Html(isOpen ? 'open' : '')}>
    <summary>${name} → ${response.status === 0 ? 'no response' : response.status}</summary>
    <div class="sides">
      ${figure('Request', sent)}
      ${figure('Response', response.status === 0 ? 'No response came.' : came)}
    </div>
    ${figure('The same request from a shell, with the key in an environment variable', command(curl))}
  </details>`
}

export function figure(caption: string, text: string): Html {
  const isTall = text.length > tall.characters || text.split('\n').length > tall.lines
  return html`<figure>
    <figcaption>${caption}</figcaption>
    <pre${new Html(isTall ? ' class="tall" tabindex="0"' : '')}>${lines(text)}</pre>
  </figure>`
}

/** A request or a response as on the wire; line breaks in headers are escaped. */
export function message(
  start: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  isCut?: true,
): string {
  const fields = Object.entries(headers).map(([name, text]) =>
    shortInert(`${name}: ${text}`, maxLengths.header),
  )
  const rest =
    fields.length > maxHeaders ? [`(${count(fields.length - maxHeaders, 'more header')})`] : []
  const shown = clip(body, maxLengths.body)
  return [
    start,
    ...fields.slice(0, maxHeaders),
    ...rest,
    ...(shown === '' ? [] : ['', shown]),
    ...(isCut ? ['(The body is longer.)'] : []),
  ].join('\n')
}
