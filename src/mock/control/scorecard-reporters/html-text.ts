import { inert } from '../../../report/inert.ts'

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

/** Words of the kit or of the specification, in which backticks mark code. */
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
