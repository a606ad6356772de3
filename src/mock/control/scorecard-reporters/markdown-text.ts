import { inert } from '../../../report/inert.ts'

/** What could be more than words in a line of Markdown, or what GitHub makes a link, a mention or an emoji of. */
const tricky = /:\/\/|www\.|\bgh-\d|^\d+[.)](\s|$)|&[#\w]+;|:[\w+-]+:|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/iu
const plain = /^([\p{L}\p{N}("'|/][\p{L}\p{N} ,;:()'"?%=./&{}|+_-]*)?$/u

/** Text in a line of Markdown: as it is when it is plain words, else as code, in which nothing has a meaning. */
export function inline(text: string): string {
  const shown = inert(text)
  return plain.test(shown) && !tricky.test(shown) ? shown : code(shown)
}

/** Sentences in which backticks mark code. */
export function prose(text: string): string {
  const parts = inert(text).split('`')
  const isMarked =
    parts.length % 2 === 1 && parts.every((part, index) => index % 2 === 1 || isBetween(part, index, parts))
  return isMarked ? parts.map((part, index) => (index % 2 === 1 ? code(part) : part)).join('') : inline(text)
}

/** Whether a part that is no code is plain words, and keeps the code before it from the code behind it. */
function isBetween(part: string, index: number, { length }: readonly string[]): boolean {
  const words = part.trim()
  const isInside = index > 0 && index < length - 1
  return plain.test(words.replace(/^[.,:;)]+ ?/, '')) && !tricky.test(words) && !(isInside && part === '')
}

/** One line as code. */
export function code(text: string): string {
  const shown = inert(text)
  if (shown === '') return '(empty)'
  const mark = '`'.repeat(longestRun(shown) + 1)
  const space = /^`|`$|^ .* $/.test(shown) ? ' ' : ''
  return `${mark}${space}${shown}${space}${mark}`
}

/** Text in a cell of a table, where a bar would end it, in code as well. */
export function cell(text: string): string {
  return inline(text).replaceAll('|', '\\|')
}

/** Lines of text as a block of code, whose fence is longer than any run of backticks in it. */
export function fenced(lines: readonly string[]): string {
  const text = lines.map(inert).join('\n')
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1))
  return `${fence}http\n${text}\n${fence}`
}

const longestRun = (text: string): number => Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length))
