import { inert } from './inert.ts'

/** What Markdown or GitHub would interpret: markup, links, mentions, emoji. */
const tricky = /:\/\/|www\.|\bgh-\d|^\d+[.)](\s|$)|&[#\w]+;|:[\w+-]+:|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/iu
const plain = /^((?:[\p{L}\p{N}("'|/]|`[^`]+`(?!`))([\p{L}\p{N} ,;:()'"?%=./&|{}+_-]|(?<!`)`[^`]+`(?!`))*)?$/u

/** Text within a line: unchanged if it is plain words and code, otherwise as code. */
export function inline(text: string): string {
  const shown = inert(text)
  return plain.test(shown) && !tricky.test(shown.replace(/`[^`]+`/g, ' ')) ? shown : code(shown)
}

export function code(text: string): string {
  const shown = inert(text)
  if (shown === '') return '(empty)'
  const fence = '`'.repeat(longestRun(shown) + 1)
  const space = /^`|`$|^ .* $/.test(shown) ? ' ' : ''
  return `${fence}${space}${shown}${space}${fence}`
}

/** A code block whose fence is longer than any run of backticks in it. */
export function fenced(language: string, lines: readonly string[]): string {
  const text = lines.map(inert).join('\n')
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1))
  return `${fence}${language}\n${text}\n${fence}`
}

const longestRun = (text: string): number => Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length))
