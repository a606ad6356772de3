/**
 * Makes text of a client harmless wherever it is shown: characters that move a cursor, change colours, turn the
 * direction of writing, are not seen or are no characters at all become visible escapes.
 */
export function inert(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]/gu, (char) => {
    const hex = (char.codePointAt(0) ?? 0).toString(16)
    return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`
  })
}

/** Inert text of a bounded length, whoever made the scorecard. */
export function shortInert(text: string, longest = 1_000): string {
  if (text.length <= longest) return inert(text)
  // The two halves of a character are not parted.
  const end = /[\uD800-\uDBFF]/.test(text.charAt(longest - 1)) ? longest - 1 : longest
  return inert(`${text.slice(0, end)}… (${text.length - end} more characters)`)
}
