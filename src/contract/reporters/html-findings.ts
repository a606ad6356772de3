import {
  copied,
  folded,
  Html,
  html,
  idOf,
  icon,
  joined,
  lines,
  terms,
  titled,
  words,
} from '../../report/html.ts'
import { type JsonValue, printJson } from '../../json.ts'
import { clip, code, count, fit, inert, shortInert } from '../../report/text.ts'
import { type Requirement, requirements } from '../../spec/requirements.ts'
import { isObject, tryParse } from '../judge/shapes.ts'
import type { ConformingResponse, Finding, ReportedExchange } from '../report/report.ts'
import { timesWords, type Group } from './groups.ts'
import { command, headline, knownWords, sentence, value } from '../report/words.ts'

/** Bytes of all cases. */
const capacity = 2_000_000
const maxCases = 20
const maxUnfolded = 3
const maxHeaders = 60
const maxLengths = { header: 500, body: 4_000 }
/** Longer texts scroll, and are tab stops. */
const tall = { lines: 14, characters: 1_200, command: 150 }

type Response = ReportedExchange['response']

/** A section with an article for each cause; those after the first few are folded. */
export function findingsSection(
  title: string,
  id: string,
  groups: readonly Group[],
  footer: string,
  unfolded = maxUnfolded,
): Html | undefined {
  if (groups.length === 0) return undefined
  const articles = groups.map((group, index) => {
    const article = toArticle(group, footer)
    return (index < unfolded ? article : folded(lineOf(group), article)).source
  })
  const { kept, left } = fit(articles, capacity)
  const rest =
    left > 0 ? html`<p>${count(left, 'more requirement')}; see the JSON report.</p>` : undefined
  return titled(id, title, new Html(kept.join('\n')), rest)
}

/** A line for each of the first causes: on a phone, the first one fills the screen. */
export const causeLinks = (groups: readonly Group[]): Html[] =>
  groups
    .slice(0, maxUnfolded)
    .map(
      ({ requirement, cases: [first] }) =>
        html`<a class="cause" href="#found-${requirement}">${words(headline(first))}</a>`,
    )

const lineOf = ({ requirement, cases: [first] }: Group): Html =>
  html`${idOf(requirement)} ${words(headline(first))}`

/** A requirement may be violated in a known way, and in another one. */
export const anchorOf = ({ requirement, cases: [{ known }] }: Group): string =>
  `${known ? 'known' : 'found'}-${requirement}`

function toArticle(group: Group, footer: string): Html {
  const { requirement, section, quote, cases, consequences, knownCause } = group
  const [first, ...others] = cases
  const tone = first.known ? 'known' : 'bad'
  const shown = others.slice(0, maxCases)
  const more = others.length - shown.length
  const commands = commandsOf(first)
  const id = anchorOf(group)
  return html`<article id="${id}" class="is-${tone}" aria-labelledby="${id}-title">
    <h3 id="${id}-title"><span class="${tone}">${icon(tone)}</span> ${idOf(requirement)}</h3>
    <p class="message">${words(sentence(first.message))}</p>
    ${commands === '' ? undefined : copied(commands, commands.length > tall.command)}
    <blockquote>${words(quote)} <span class="soft">${section}</span></blockquote>
    ${first.known && html`<p class="soft">${knownWords(first.known)}</p>`} ${toCase(first, false)}
    ${explanation(requirement)}
    ${shown.map((one) => folded(words(sentence(one.message)), toCase(one)))}
    ${more > 0 ? html`<p class="soft">${count(more, 'more case')}; see the JSON report.</p>` : undefined}
    ${consequencesOf(consequences)}
    ${
      knownCause &&
      html`<p class="soft">
        Probably comes from the known failure of ${idOf(knownCause)};
        <code>petstore baseline</code> can accept it, too.
      </p>`
    }
    ${folded(html`Copy for an issue`, copied(issueOf(group, footer)), 'copies')}
  </article>`
}

function consequencesOf(consequences: Group['consequences']): Html | undefined {
  if (consequences.length === 0) return undefined
  const ids = consequences.map(({ requirement }) => idOf(requirement))
  return folded(
    html`Probably also breaks ${joined(ids, ', ')}`,
    consequences.map(
      ({ requirement, quote, cases }) =>
        html`<p>${idOf(requirement)} ${cases.length === 0 ? words(quote) : undefined}</p>
          ${cases.slice(0, 3).map((one) => folded(words(sentence(one.message)), toCase(one)))}`,
    ),
  )
}

/** A line for each request of a finding. */
const commandsOf = ({ exchanges }: Finding): string =>
  exchanges.map(({ curl }) => command(curl)).join('\n')

/** A few lines of Markdown. */
function issueOf({ requirement, quote, cases: [first], times }: Group, footer: string): string {
  const often = times > 1 ? ` (${timesWords(times)})` : ''
  return [
    `**${requirement}**: ${code(headline(first))}`,
    `> ${inert(quote)}`,
    '',
    `Expected ${code(value(first.expected))}, actual ${code(value(first.actual))}${often}`,
    ...(first.exchanges.length === 0 ? [] : ['```sh', commandsOf(first), '```']),
    footer,
  ].join('\n')
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
  { check, pointer, expected, actual, more, exchanges, conforming }: Finding,
  isWithCommand = true,
): Html {
  const rows: (readonly [string, Html])[] = [
    ['Expected', html`<code>${value(expected)}</code>`],
    [
      'Actual',
      html`<code>${value(actual)}</code>${pointer && html` at <code>${sentence(pointer)}</code>`}`,
    ],
    ['Found by', html`<code>${check}</code> ${timesWords(1 + more)}`],
  ]
  const last = exchanges.length - 1
  return html`${terms('facing', rows)}
  ${exchanges.map((exchange, index) =>
    toDetails(exchange, index === last ? conforming : undefined, isWithCommand),
  )}`
}

/** @param conforming a conforming response, to be shown beside that of the deployment */
function toDetails(
  { request, response, curl }: ReportedExchange,
  conforming: ConformingResponse | undefined,
  isWithCommand: boolean,
): Html {
  const name = shortInert(`${request.method} ${request.url}`, maxLengths.header)
  const sent = message(name, request.headers, request.body ?? '')
  const came = message(String(response.status), response.headers, response.body, response.bodyCut)
  return html`<details>
    <summary>${name} → ${response.status === 0 ? 'no response' : response.status}</summary>
    <div class="sides">
      ${figure('Request', sent)}
      ${conforming ? undefined : figure('Response', response.status === 0 ? 'No response came.' : came)}
    </div>
    ${conforming && besideFigures(response, conforming)}
    ${isWithCommand ? copied(command(curl)) : undefined}
  </details>`
}

/** The response of the deployment and a conforming one, line by line, with what differs highlighted. */
function besideFigures(
  response: Response,
  { response: wanted, differences }: ConformingResponse,
): Html {
  const side = (caption: string, one: Response, words: 'actual' | 'conforming'): Html => {
    const highlights = differences.flatMap(({ part, pointer, conformingPointer }) => {
      const at = words === 'actual' ? pointer : conformingPointer
      return part === 'body' ? (at ?? []) : part
    })
    const shown = linesOf(one, highlights)
    return html`<figure>
      <figcaption>${caption}</figcaption>
      ${preformatted(
        joined(shown, '\n'),
        shown.length > tall.lines || one.body.length > tall.characters,
      )}
    </figure>`
  }
  return html`<div class="pair">
    ${side('Response', response, 'actual')} ${side('A conforming service', wanted, 'conforming')}
  </div>`
}

/** A response; JSON with a line for each field or element. */
function linesOf(
  { status, headers, body, bodyCut }: Response,
  highlights: readonly string[],
): Html[] {
  const lineAt = (text: string, at: string): Html => {
    const line = lines(shortInert(text, maxLengths.header))
    return highlights.includes(at) ? highlight(line) : line
  }
  if (status === 0) return [highlight(html`No response came.`)]
  const end = body.lastIndexOf('},') + 1
  const json = tryParse(bodyCut ? `${body.slice(0, end)}]` : body)
  const fieldsIn = (value: JsonValue, at: string): Html[] =>
    isObject(value)
      ? Object.entries(value).map(([name, part]) =>
          lineAt(`${JSON.stringify(name)}: ${printJson(part)}`, `${at}/${name}`),
        )
      : []
  const element = (value: JsonValue, at: string): Html => {
    const whole = isObject(value)
      ? html`{ ${joined(fieldsIn(value, at), ', ')} }`
      : lines(shortInert(printJson(value), maxLengths.header))
    return highlights.includes(at) ? highlight(whole) : whole
  }
  const parts = Array.isArray(json)
    ? json.map((value, index) => element(value, `/${index}`))
    : fieldsIn(json ?? null, '')
  const [open = '', close = ''] = Array.isArray(json) ? '[]' : '{}'
  const shown =
    Array.isArray(json) || isObject(json)
      ? [html`${open}`, ...indented(parts), html`${close}`]
      : [lines(clip(body, maxLengths.body))]
  return [
    lineAt(String(status), 'status'),
    ...Object.entries({ 'content-type': 'none', ...headers })
      .slice(0, maxHeaders)
      .map(([name, text]) => lineAt(`${name}: ${text}`, name)),
    html``,
    ...shown,
    ...(bodyCut ? [html`(The body is longer.)`] : []),
  ]
}

const highlight = (text: Html): Html => html`<mark>${text}</mark>`

const indented = (parts: readonly Html[]): Html[] =>
  parts.map(({ source }, index) => new Html(`  ${source}${index < parts.length - 1 ? ',' : ''}`))

export function figure(caption: string, text: string): Html {
  const isTall = text.length > tall.characters || text.split('\n').length > tall.lines
  return html`<figure>
    <figcaption>${caption}</figcaption>
    ${preformatted(lines(text), isTall)}
  </figure>`
}

const preformatted = (text: Html, isTall: boolean): Html =>
  html`<pre${new Html(isTall ? ' class="tall" tabindex="0"' : '')}>${text}</pre>`

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
