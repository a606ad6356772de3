/**
 * Makes text of a target harmless wherever it is shown: characters that move a cursor, change colours, turn the
 * direction of writing, are not seen or are no characters at all become visible escapes.
 */
export function inert(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]/gu, toEscape)
}

/** As `inert`, but line breaks and tabs stay, for places that show text in lines. */
export function inertLines(text: string): string {
  return text.replace(/[^\n\t]+/g, inert)
}

function toEscape(char: string): string {
  const hex = (char.codePointAt(0) ?? 0).toString(16)
  return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`
}
