import { script, scriptHash, style, styleHash } from './style.gen.ts'
import { inert, inertLines, type Tone } from './text.ts'

/** Writes HTML pages that need no network, and no script but one that copies. */

/** Safe HTML: everything else is escaped when it is inserted. */
export class Html {
  readonly source: string
  /** The anchor of a section. */
  readonly id: string | undefined

  constructor(source: string, id?: string) {
    this.source = source
    this.id = id
  }
}

type Part = Html | string | number | undefined | readonly Html[]

/** A template of HTML: inserted texts are escaped, invisible characters in them become visible. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(String.raw({ raw: strings }, ...parts.map(toSource)))
}

export const joined = (parts: readonly Html[], separator: string): Html =>
  new Html(parts.map(({ source }) => source).join(separator))

/** Text for a `pre`. */
export const lines = (text: string): Html => new Html(escapeHtml(inertLines(text)))

/** Text with code in backticks. */
export const words = (text: string): Html =>
  new Html(escapeHtml(inert(text)).replace(/&#96;(.+?)&#96;/g, '<code>$1</code>'))

/** An id of this kit, with line break opportunities after dots and hyphens. */
export const breakable = (id: string): Html =>
  new Html(escapeHtml(inert(id)).replace(/[.-](?=\w)/g, '$&<wbr>'))

/** An id of this kit, within a text. */
export const idOf = (id: string): Html => html`<span class="id">${breakable(id)}</span>`

function toSource(part: Part): string {
  if (part === undefined) return ''
  if (part instanceof Html) return part.source
  if (typeof part === 'object') return part.map(({ source }) => source).join('\n')
  return escapeHtml(inert(String(part)))
}

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"'`]/g, (char) => `&#${char.charCodeAt(0)};`)

const circle = '<circle cx="12" cy="12" r="10" />'
const shapes: Readonly<Record<Tone, string>> = {
  good: `${circle}<path d="m7.5 12.5 3 3 6-6.5" />`,
  bad: '<path d="M8 2h8l6 6v8l-6 6H8l-6-6V8z" /><path d="m8.5 8.5 7 7m0-7-7 7" />',
  known: '<path d="M5 22V3h13l-3 5 3 5H5" />',
  warn: '<path d="M12 2 22 20.5H2z" /><path d="M12 9v5m0 3v.01" />',
  off: `${circle}<path d="M8 12h8" />`,
  note: `${circle}<path d="M12 11v6m0-10v.01" />`,
}

/** The icon of a tone, hidden from screen readers unless it has a label. */
export function icon(tone: Tone, label?: string): Html {
  const use = html`<use href="#icon-${tone}" />`
  return label === undefined
    ? html`<svg class="icon" aria-hidden="true" focusable="false">${use}</svg>`
    : html`<svg class="icon ${tone}" role="img" aria-label="${label}" focusable="false">
        ${use}
      </svg>`
}

export const badge = (tone: Tone, word: string): Html =>
  html`<span class="badge ${tone}">${icon(tone)}<span>${word}</span></span>`

/** A section whose heading is a link target. */
export function titled(
  id: string,
  heading: string,
  ...content: readonly (Html | undefined)[]
): Html {
  const { source } = html`<section aria-labelledby="${id}">
    <h2 id="${id}">${heading}</h2>
    ${content.filter((part) => part !== undefined)}
  </section>`
  return new Html(source, id)
}

/** A verdict, as a heading. */
export const verdictWord = (tone: Tone, word: string): Html =>
  html`<span class="word ${tone}">${icon(tone)}<span>${word}</span></span>`

/** The verdict of a section: an icon with a word, and a sentence. */
export const verdictBox = (tone: Tone, word: string, sentence: Part): Html =>
  html`<div class="verdict">
    <p>${verdictWord(tone, word)}</p>
    <p>${sentence}</p>
  </div>`

/** A text that a reader copies as a whole. One that scrolls is a tab stop. */
export const copied = (text: string, scrolls = false): Html =>
  html`<pre class="copied" ${new Html(scrolls ? ' tabindex="0"' : '')}>${lines(text)}</pre>`

export const list = (items: readonly Part[]): Html =>
  html`<ul class="plain">
    ${items.map((item) => html`<li>${item}</li>`)}
  </ul>`

/** Content that is hidden until a reader unfolds it. */
export const folded = (summary: Part, content: Part, kind = ''): Html =>
  html`<details>
    <summary class="${kind}">${summary}</summary>
    ${content}
  </details>`

export const terms = (
  kind: string,
  entries: readonly (readonly [term: Part, description: Part])[],
): Html =>
  html`<dl class="${kind}">
    ${entries.map(
      ([term, description]) =>
        html`<div>
          <dt>${term}</dt>
          <dd>${description}</dd>
        </div>`,
    )}
  </dl>`

/** A table whose first column has headings. */
export const table = (kind: string, heads: readonly string[], rows: readonly (readonly Part[])[]) =>
  html`<table class="${kind}">
    <thead>
      <tr>
        ${heads.map((head) => html`<th scope="col">${head}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        ([heading, ...cells]) =>
          html`<tr>
            <th scope="row">${heading}</th>
            ${cells.map((cell) => html`<td>${cell}</td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`

export const legend = (
  entries: readonly (readonly [Tone, word: string, meaning: string])[],
): Html =>
  terms(
    'legend',
    entries.map(([tone, word, meaning]) => [badge(tone, word), meaning]),
  )

/** `2026-11-20 12:00:00 UTC` */
export const utc = (at: string): string => at.replace('T', ' ').replace(/(\.\d+)?Z$/, ' UTC')

export interface Page {
  title: string
  /** The text of the skip link. */
  skip: string
  kind: string
  subject?: Html
  heading: string | Html
  /** A sentence below the heading. */
  lead?: string | Html
  /** What is undefined is left out. A section with a link is in the contents. */
  main: readonly (Html | undefined | readonly [link: string, section: Html | undefined])[]
  footer: string
  /** Whether it has texts to copy, for which a script adds buttons. Default: false. */
  copies?: boolean
}

export function toPage(page: Page): string {
  const { title, skip, kind, subject, heading, lead, main, footer, copies = false } = page
  const parts = main.map((part) =>
    part === undefined || part instanceof Html ? ([undefined, part] as const) : part,
  )
  const links = parts.flatMap(([link, section]) =>
    link === undefined || section === undefined
      ? []
      : [html`<li><a href="#${section.id}">${link}</a></li>`],
  )
  const { source } = html`<!DOCTYPE html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta
          http-equiv="Content-Security-Policy"
          content="default-src 'none'; style-src '${new Html(styleHash)}'${new Html(copies ? `; script-src '${scriptHash}'` : '')}; base-uri 'none'; form-action 'none'"
        />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        <meta name="generator" content="petstore-kit" />
        <title>${title}</title>
        ${new Html(`<style>${style}</style>`)}
      </head>
      <body>
        <a class="skip" href="#main">${skip}</a>
        <svg class="hidden" aria-hidden="true" focusable="false">
          ${Object.entries(shapes).map(
            ([tone, shape]) =>
              html`<symbol id="icon-${tone}" viewBox="0 0 24 24">${new Html(shape)}</symbol>`,
          )}
        </svg>
        <header>
          <p class="kind">${kind} ${subject}</p>
          <h1>${heading}</h1>
          ${lead && html`<p>${lead}</p>`}
        </header>
        <nav aria-label="Contents">
          <ul>
            ${links}
          </ul>
        </nav>
        <main id="main" tabindex="-1">${parts.flatMap(([, part]) => part ?? [])}</main>
        <footer><p>${footer}</p></footer>
        ${copies ? new Html(`<script>${script}</script>`) : undefined}
      </body>
    </html> `
  return `${source.trimEnd()}\n`
}
