import { style, styleHash } from './style.gen.ts'
import { inert, inertLines } from './inert.ts'

/** Writes HTML pages that need no network and no script. */

/** A piece of an HTML document: whatever is not a piece is text, and is escaped where it is put into one. */
export class Html {
  readonly source: string

  constructor(source: string) {
    this.source = source
  }
}

type Part = Html | string | number | undefined | readonly Html[]

/** Makes a piece of a document. Texts in it are escaped, and what cannot be seen in them becomes visible. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(String.raw({ raw: strings }, ...parts.map(toSource)))
}

/** Pieces with a separator between them. */
export const joined = (parts: readonly Html[], separator: string): Html =>
  new Html(parts.map(({ source }) => source).join(separator))

/** Text whose line breaks and tabs stay, for a `pre`. */
export const lines = (text: string): Html => new Html(escapeHtml(inertLines(text)))

/** Sentences with code in backticks. */
export const words = (text: string): Html =>
  new Html(escapeHtml(inert(text)).replace(/&#96;(.+?)&#96;/g, '<code>$1</code>'))

/** An id of this kit, which may be broken behind its dots and hyphens. */
export const breakable = (id: string): Html => new Html(escapeHtml(inert(id)).replace(/[.-](?=\w)/g, '$&<wbr>'))

function toSource(part: Part): string {
  if (part === undefined) return ''
  if (part instanceof Html) return part.source
  if (typeof part === 'object') return part.map(({ source }) => source).join('\n')
  return escapeHtml(inert(String(part)))
}

const escapeHtml = (text: string): string => text.replace(/[&<>"'`]/g, (char) => `&#${char.charCodeAt(0)};`)

/** How something went. Each tone has a color and an icon of its own shape, so that color is never the only difference. */
export type Tone = 'good' | 'bad' | 'known' | 'warn' | 'off' | 'note'

const circle = '<circle cx="12" cy="12" r="10" />'
const shapes: Readonly<Record<Tone, string>> = {
  good: `${circle}<path d="m7.5 12.5 3 3 6-6.5" />`,
  bad: '<path d="M8 2h8l6 6v8l-6 6H8l-6-6V8z" /><path d="m8.5 8.5 7 7m0-7-7 7" />',
  known: '<path d="M5 22V3h13l-3 5 3 5H5" />',
  warn: '<path d="M12 2 22 20.5H2z" /><path d="M12 9v5m0 3v.01" />',
  off: `${circle}<path d="M8 12h8" />`,
  note: `${circle}<path d="M12 11v6m0-10v.01" />`,
}

/** The icon of a tone. A word stands beside it, or is its label. */
export function icon(tone: Tone, label?: string): Html {
  const use = html`<use href="#icon-${tone}" />`
  return label === undefined
    ? html`<svg class="icon" aria-hidden="true" focusable="false">${use}</svg>`
    : html`<svg class="icon ${tone}" role="img" aria-label="${label}" focusable="false">${use}</svg>`
}

/** An icon and its word. */
export const badge = (tone: Tone, word: string): Html =>
  html`<span class="badge ${tone}">${icon(tone)}<span>${word}</span></span>`

/** A section with a heading to which links lead. */
export function titled(id: string, heading: string, ...content: readonly (Html | undefined)[]): Html {
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}">${heading}</h2>
    ${content.filter((part) => part !== undefined)}
  </section>`
}

/** What each badge means. */
export function legend(heading: string, entries: readonly (readonly [Tone, word: string, meaning: string])[]): Html {
  const rows = entries.map(
    ([tone, word, meaning]) =>
      html`<dt>${badge(tone, word)}</dt>
        <dd>${meaning}</dd>`,
  )
  return titled('legend', heading, html`<dl class="legend">${rows}</dl>`)
}

export interface Page {
  title: string
  /** What the skip link leads to. */
  skip: string
  kind: string
  heading: string
  subject?: Html
  contents: readonly (readonly [anchor: string, text: string])[]
  main: readonly (Html | undefined)[]
  footer: string
}

/** A whole page. */
export function toPage({ title, skip, kind, heading, subject, contents, main, footer }: Page): string {
  const page = html`<!DOCTYPE html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta
          http-equiv="Content-Security-Policy"
          content="default-src 'none'; style-src '${new Html(styleHash)}'; base-uri 'none'; form-action 'none'"
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
        <svg width="0" height="0" aria-hidden="true" focusable="false">
          ${Object.entries(shapes).map(
            ([tone, shape]) => html`<symbol id="icon-${tone}" viewBox="0 0 24 24">${new Html(shape)}</symbol>`,
          )}
        </svg>
        <header>
          <p class="kind">${kind}</p>
          <h1>${heading}</h1>
          ${subject && html`<p class="subject">${subject}</p>`}
        </header>
        <nav aria-label="Contents">
          <ul>
            ${contents.map(([anchor, text]) => html`<li><a href="#${anchor}">${text}</a></li>`)}
          </ul>
        </nav>
        <main id="main" tabindex="-1">${main.filter((part) => part !== undefined)}</main>
        <footer><p>${footer}</p></footer>
      </body>
    </html> `
  return `${page.source.trimEnd()}\n`
}
