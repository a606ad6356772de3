/** Commands for a POSIX shell. They run nothing of the text they carry, and show all of it. */

import { unseenClass } from './text.ts'

/** A placeholder in a text, and the variable whose value replaces it. */
interface ShellVariable {
  placeholder: string
  name: string
}

/** Line breaks are harmless within quotes; other control characters could act on the terminal they are pasted into. */
const hidden = String.raw`(?!\n)[${unseenClass}]`

/** Quotes an argument, with the variable outside the single quotes: `'X: a '"$PETSTORE_API_KEY"' b'`. */
export function shellQuote(text: string, variable?: ShellVariable): string {
  const parts = variable === undefined ? [text] : text.split(variable.placeholder)
  return parts.map(quotePart).join(`"$${variable?.name}"`) || "''"
}

export const shellWord = (text: string): string =>
  /^[\w./:-][\w./:=-]*$/.test(text) ? text : shellQuote(text)

/** A file as an argument, which is no option where its name begins with a hyphen. */
export const shellFile = (file: string): string =>
  shellWord(file.startsWith('-') ? `./${file}` : file)

function quotePart(text: string): string {
  return text
    .split(new RegExp(`((?:${hidden})+)`, 'u'))
    .map((part, index) =>
      index % 2 === 1 ? `"$(printf %b '${escapeUnseen(part)}')"` : part && singleQuote(part),
    )
    .join('')
}

const singleQuote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Breaks a command between its words where it is wider than a terminal; the lines can still be pasted. */
export function shellLines(text: string, width: number, first: string, rest: string): string[] {
  // An option stays with its value.
  const words =
    text.match(/(?:--?[\w-]+ (?!-))?(?:[^\s'"\\]|'[^']*'|"(?:[^"\\]|\\.)*"|\\.)+/gs) ?? []
  // Quotes that do not end are left alone.
  if (first.length + text.length <= width || words.join(' ') !== text) return [first + text]
  const lines: string[] = []
  let line = first
  for (const part of words) {
    const isEmpty = line === first || line === rest
    if (!isEmpty && line.length + part.length + 3 > width) {
      lines.push(`${line} \\`)
      line = rest
    }
    line += line === first || line === rest ? part : ` ${part}`
  }
  return [...lines, line]
}

/** A command that prints a text, which may hold what no argument can: NUL, and line breaks at its end. */
export function shellPrint(text: string, variable?: ShellVariable): string {
  const parts = variable === undefined ? [text] : text.split(variable.placeholder)
  const words = parts.map((part) => singleQuote(escapeUnseen(part)))
  return `printf ${parts.map(() => '%b').join('%s')} ${words.join(` "$${variable?.name}" `)}`
}

/** Whether an argument would need escapes for this text. */
export const hasUnseen = (text: string): boolean => new RegExp(`[${unseenClass}]`, 'u').test(text)

/** Escapes invisible characters and backslashes for `printf %b` of any shell: `\0` and an octal number per byte. */
function escapeUnseen(text: string): string {
  const encoder = new TextEncoder()
  return text
    .replaceAll('\\', '\\\\')
    .replace(new RegExp(`[${unseenClass}]`, 'gu'), (char) =>
      Array.from(encoder.encode(char), (byte) => `\\0${byte.toString(8).padStart(3, '0')}`).join(
        '',
      ),
    )
}
