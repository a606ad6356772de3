import { inert } from './inert.ts'

/**
 * Text in a line of Markdown. What is more than plain words stands in a code element with every mark of punctuation as
 * a reference: references make no structure, and in code GitHub links no addresses, mentions and numbers.
 */
export function inline(text: string): string {
  const shown = inert(text)
  if (/^[\p{L}\p{N} ,;()'"?%=.-]*$/u.test(shown) && !/www\.|^\s*(-|\d+[.)])\s/i.test(shown)) return shown
  return `<code>${shown.replace(/[^\p{L}\p{N}\p{M}\p{So} ,;()/-]/gu, (char) => `&#${char.codePointAt(0)};`)}</code>`
}

/** Lines of text as a block of code, whose fence is longer than any run of backticks in it. */
export function fenced(language: string, lines: readonly string[]): string {
  const text = lines.map(inert).join('\n')
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}`
}
