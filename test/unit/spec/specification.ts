import { readFileSync } from 'node:fs'

/** A non-empty line of the specification, without its list marker. */
export interface Line {
  text: string
  kind: 'heading' | 'paragraph' | 'item' | 'table-head' | 'row'
  /** The headings above, without the title: `Endpoints / List animals`. A heading belongs to its own section. */
  section: string
}

/** The published specification. */
export const lines = readLines(
  readFileSync(new URL('../../../docs/reference/specification.md', import.meta.url), 'utf8'),
)

export const sections = lines.filter(({ kind }) => kind === 'heading').map(({ section }) => section)

function readLines(markdown: string): Line[] {
  const path: string[] = []
  const found: Line[] = []
  const source = markdown.split('\n').map((line) => line.trim().replaceAll(/\s+/g, ' '))
  for (const [at, line] of source.entries()) {
    if (line === '' || isRule(line)) continue
    const [, marks = '', title = ''] = /^(#+) (.*)$/.exec(line) ?? []
    if (marks !== '') path.splice(Math.max(0, marks.length - 2), path.length, title)
    const section = marks === '#' ? '' : path.join(' / ')
    if (marks === '#') path.length = 0
    const text = line.replace(/^(?:-|\d+\.) /, '')
    if (marks !== '') found.push({ text, kind: 'heading', section })
    else if (text !== line) found.push({ text, kind: 'item', section })
    else if (!line.startsWith('|')) found.push({ text, kind: 'paragraph', section })
    else found.push({ text, kind: isRule(source[at + 1] ?? '') ? 'table-head' : 'row', section })
  }
  return found
}

/** The line between the head and the rows of a table. */
function isRule(line: string): boolean {
  return /^\|[-|]+\|$/.test(line)
}
