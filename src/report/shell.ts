/** Commands for a POSIX shell. They run nothing of the text they carry, and show all of it. */

import { unseenClass } from './text.ts'

/** A placeholder in a text, and the variable whose value replaces it. */
export interface ShellVariable {
  placeholder: string
  name: string
}

/** Line breaks are harmless within quotes; other control characters could act on the terminal they are pasted into. */
const hidden = String.raw`(?!\n)[${unseenClass}]`

/** Quotes an argument, with the variable outside the single quotes: `'X: a '"$PETSTORE_API_KEY"' b'`. */
export function shellQuote(text: string, variable?: ShellVariable): string {
  const parts = variable === undefined ? [text] : text.split(variable.placeholder)
  return parts.map(quotePart).join(variable === undefined ? '' : `"$${variable.name}"`) || "''"
}

export const shellWord = (text: string): string =>
  /^[\w./:-][\w./:=-]*$/.test(text) ? text : shellQuote(text)

function quotePart(text: string): string {
  return text
    .split(new RegExp(`((?:${hidden})+)`, 'u'))
    .map((part, index) =>
      index % 2 === 1 ? `"$(printf %b '${escapeUnseen(part)}')"` : part && singleQuote(part),
    )
    .join('')
}

const singleQuote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** A command that prints a text, which may hold what no argument can: NUL, and line breaks at its end. */
export function shellPrint(text: string, variable?: ShellVariable): string {
  const parts = variable === undefined ? [text] : text.split(variable.placeholder)
  const words = parts.map((part) => singleQuote(escapeUnseen(part)))
  if (variable === undefined) return `printf %b ${words.join('')}`
  return `printf ${parts.map(() => '%b').join('%s')} ${words.join(` "$${variable.name}" `)}`
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
