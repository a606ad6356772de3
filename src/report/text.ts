/** Makes text harmless wherever it is shown, and formats plain text and Markdown. */

/**
 * Characters that are invisible or change how a terminal shows other text: control, formatting and direction
 * characters, surrogates, noncharacters.
 */
export const unseenClass = String.raw`\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\p{Default_Ignorable_Code_Point}\u2800`
/**
 * GitHub and Azure Pipelines carry out `##[...]` and `##vso[...]` anywhere in a line, and `::...` where a line begins with
 * it: where lines are wrapped, that may be any word.
 */
const harmful = String.raw`[${unseenClass}]|#(?=#(?:vso|teamcity)?\[)|(?<!\S):(?=:)`
/** Compiled at its first use: V8 takes milliseconds, which a mock should not spend when it starts. */
let any: RegExp | undefined

/** Escapes invisible and control characters, such as `\u001b`, and the beginnings of commands to a CI system. */
export function inert(text: string): string {
  if (/^(?!.*::)[ -"$-~]*$/.test(text)) return text
  any ??= new RegExp(harmful, 'gu')
  return text.replace(any, (char) => {
    const hex = (char.codePointAt(0) ?? 0).toString(16)
    return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`
  })
}

/** Like `inert`, but keeps line breaks and tabs. */
export const inertLines = (text: string): string => text.replace(/[^\n\t]+/g, inert)

/** Escapes such characters in JSON, except line breaks. The value stays the same. */
export function inertJson(json: string): string {
  return json.replace(new RegExp(`(?!\\n)(?:${harmful})`, 'gu'), (char) =>
    char.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  )
}

/** The first characters, and how many were left out. */
export function clip(text: string, longest: number): string {
  if (text.length <= longest) return text
  // Does not split surrogate pairs.
  const end = /[\uD800-\uDBFF]/.test(text.charAt(longest - 1)) ? longest - 1 : longest
  return `${text.slice(0, end)}… (${text.length - end} more characters)`
}

export const shortInert = (text: string, longest = 1_000): string => inert(clip(text, longest))

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const
export type Style = keyof typeof codes
export type Paint = (style: Style, text: string) => string

/** Colors text for a terminal, or returns it unchanged. */
export function painter(color: boolean): Paint {
  return (style, text) => (color ? `\u001b[${codes[style]}m${text}\u001b[0m` : text)
}

/** An empty line, a heading and lines; nothing without lines. */
export function section(heading: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', heading, ...lines]
}

export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  )
  return rows.map((row) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd(),
  )
}

/** Wraps words at a width. `first` begins the first line, `rest` the others. */
export function wrap(text: string, width: number, first = '', rest = first): string[] {
  const lines: string[] = []
  let line = first
  for (const word of text.split(' ')) {
    if (line !== first && line !== rest && line.length + 1 + word.length > width) {
      lines.push(line)
      line = rest
    }
    line += line === first || line === rest ? word : ` ${word}`
  }
  return [...lines, line]
}

/**
 * Wraps the lines of a text at a width. A line that begins with two spaces is an entry, whose code, if it has one, stands
 * in a column of its own. A line that ends with a colon is a heading.
 */
export function reflow(text: string, width: number): string {
  const entries: string[] = []
  for (const line of text.split('\n')) {
    const before = entries.at(-1) ?? ''
    const continues = /^\S/.test(line) && /^\S.*[^:]$/.test(before)
    if (continues) entries.push(`${entries.pop()} ${line.trim()}`)
    else entries.push(line)
  }
  return entries
    .flatMap((entry) => {
      const [first = ''] = /^ {2}(?:\d+ +)?/.exec(entry) ?? []
      return wrap(entry.slice(first.length), width, first, ' '.repeat(first.length))
    })
    .join('\n')
}

/** `3 requests`, `1 request` */
export const count = (times: number, word: string): string =>
  `${times} ${word}${times === 1 ? '' : 's'}`

/** A row of a table of the specification as a sentence, with the headings of its columns; another text as it is. */
export function rowToSentence(text: string): string {
  const cells = /^\| (.*) \|$/.exec(text)?.[1]?.split(' | ')
  if (cells === undefined) return text
  const [first = '', ...middle] = cells
  const last = middle.pop()
  const [only, ...more] = middle
  if (more.length === 0)
    return /^\d+$/.test(first)
      ? `HTTP status ${first}, condition: ${only} Operations: ${last}.`
      : `${first}, applies to ${only}: value ${last}.`
  const said = middle.flatMap((cell, at) => {
    if (cell === '-') return []
    if (cell === 'yes' || cell === 'no') return [cell === 'yes' ? 'required' : 'not required']
    return [at === 2 ? `default ${cell}` : cell]
  })
  return `${first}: ${said.join(', ')}. ${last}`
}

/** The first blocks that fit into a number of bytes, and how many were left out. */
export function fit(blocks: readonly string[], capacity: number): { kept: string[]; left: number } {
  const encoder = new TextEncoder()
  let used = 0
  const end = blocks.findIndex((block) => (used += encoder.encode(block).length) > capacity)
  const kept = end === -1 ? [...blocks] : blocks.slice(0, end)
  return { kept, left: blocks.length - kept.length }
}

/** Indented JSON in which invisible and control characters are escaped. */
export const toInertJson = (value: object): string =>
  `${inertJson(JSON.stringify(value, null, 2))}\n`

/** A text within a line of Markdown, as code. */
export function code(text: string): string {
  const shown = inert(text)
  if (shown === '') return '(empty)'
  const fence = '`'.repeat(longestRun(shown) + 1)
  const space = /^`|`$|^ .* $/.test(shown) ? ' ' : ''
  return `${fence}${space}${shown}${space}${fence}`
}

/** A code block whose fence is longer than any run of backticks in it. */
function fenced(lines: readonly string[]): string {
  const text = lines.map(inert).join('\n')
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1))
  return `${fence}text\n${text}\n${fence}`
}

/** Bytes of Markdown; a comment on GitHub holds 65,536. */
const capacities = { alone: 60_000, shown: 20_000, folded: 40_000 }

/** Each tone has a color and an icon of its own, so that color is never the only difference. */
export type Tone = 'good' | 'bad' | 'known' | 'warn' | 'off' | 'note'

/** The icons in Markdown, with the shapes of those in HTML; without the invisible character that makes a picture of some. */
export const icons: Readonly<Record<Tone, string>> = {
  good: '✅',
  bad: '❌',
  known: '🚩',
  warn: '⚠',
  off: '➖',
  note: 'ℹ',
}

/** A text report as Markdown: as it stands on a terminal, below a heading. */
export const textToMarkdown = (heading: string, text: string): string =>
  `${[`## ${heading}`, ...fencedPart(text, capacities.alone)].join('\n\n')}\n`

/** A table of Markdown, whose texts stand as code, below a heading; `folded` is a text that a reader unfolds. */
export function tableToMarkdown(
  heading: string,
  lines: readonly string[],
  rows: readonly (readonly string[])[],
  folded: { summary: string; text: string },
): string {
  const { kept, left } = fit(rows.map(rowOf), capacities.shown)
  const [first = '', ...others] = kept
  const rule = `|${' --- |'.repeat(rows[0]?.length ?? 0)}`
  const blocks = [
    `## ${heading}`,
    ...lines,
    ...(rows.length > 1 ? [[first, rule, ...others].join('\n')] : []),
    ...(left > 0 ? [`*${left} more rows; the details and the other reporters show them.*`] : []),
    `<details><summary>${folded.summary}</summary>`,
    ...fencedPart(folded.text, capacities.folded),
    '</details>',
  ]
  return `${blocks.join('\n\n')}\n`
}

const rowOf = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`

function fencedPart(text: string, capacity: number): string[] {
  const { kept, left } = fit(text.trimEnd().split('\n'), capacity)
  return [
    fenced(kept),
    ...(left > 0 ? [`*${left} more lines; the other reporters show them.*`] : []),
  ]
}

const longestRun = (text: string): number =>
  Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length))
