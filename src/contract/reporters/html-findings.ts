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
import { type JsonValue, printJson } from '../../json.ts'
import { clip, count, fit, shortInert } from '../../report/text.ts'
import { type Requirement, requirements } from '../../spec/requirements.ts'
import { isObject, tryParse } from '../judge/shapes.ts'
import type { ConformingResponse, Finding, ReportedExchange } from '../report/report.ts'
import { timesWords, type Group } from './groups.ts'
import { besideWords, command, headline, knownWords, sentence, value } from '../report/words.ts'

/** Bytes of all cases. */
const capacity = 2_000_000
const maxCases = 20
const maxHeaders = 60
const maxLengths = { header: 500, body: 4_000 }
/** Longer texts scroll, and are tab stops. */
const tall = { lines: 14, characters: 1_200 }

type Response = ReportedExchange['response']

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

function toArticle(group: Group): Html {
  const { requirement, section, quote, cases, times, consequences, knownCause } = group
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
    ${
      knownCause &&
      html`<p class="soft">
        Probably comes from the known failure of ${requirementLink(knownCause)};
        <code>petstore baseline</code> can accept it, too.
      </p>`
    }
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
  { check, message, pointer, expected, actual, more, exchanges, conforming }: Finding,
  isFirst: boolean,
): Html {
  const rows: (readonly [string, Html])[] = [
    ['Expected', html`<code>${value(expected)}</code>`],
    ['Actual', html`<code>${value(actual)}</code>`],
    ...(conforming ? [['Conforming', html`<code>${besideWords(conforming)}</code>`] as const] : []),
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
  ${exchanges.map((exchange, index) => {
    const isLast = index === last
    return toDetails(exchange, isFirst && isLast, isLast ? conforming : undefined)
  })}`
}

/** @param conforming a conforming response, to be shown beside that of the deployment */
function toDetails(
  { request, response, curl }: ReportedExchange,
  isOpen: boolean,
  conforming?: ConformingResponse,
): Html {
  const name = shortInert(`${request.method} ${request.url}`, maxLengths.header)
  const sent = message(name, request.headers, request.body ?? '')
  const came = message(String(response.status), response.headers, response.body, response.bodyCut)
  return html`<details ${new Html(isOpen ? 'open' : '')}>
    <summary>${name} → ${response.status === 0 ? 'no response' : response.status}</summary>
    <div class="sides">
      ${figure('Request', sent)}
      ${figure('Response', response.status === 0 ? 'No response came.' : came)}
    </div>
    ${conforming && besideFigures(response, conforming)}
    ${figure('The same request from a shell, with the key in an environment variable', command(curl))}
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
    const whole = differences.filter(
      ({ part, pointer }) => part === 'body' && pointer === undefined,
    )
    const named = whole.map((difference) => highlight(html`${value(difference[words])}`))
    const shown = linesOf(one, highlights)
    return html`<figure>
      <figcaption>
        ${caption}${named.length === 0 ? undefined : html`: ${joined(named, ', ')}`}
      </figcaption>
      ${preformatted(
        joined(shown, '\n'),
        shown.length > tall.lines || one.body.length > tall.characters,
      )}
    </figure>`
  }
  return html`<div class="pair">
    ${side('Here', response, 'actual')} ${side('A conforming service', wanted, 'conforming')}
  </div>`
}

/** The status, the media type and the body of a response; JSON with a line for each field or element. */
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
      : [lines(shortInert(body, maxLengths.body))]
  return [
    lineAt(String(status), 'status'),
    lineAt(`content-type: ${headers['content-type'] ?? 'none'}`, 'content-type'),
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
