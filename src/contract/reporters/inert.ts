/**
 * Makes text of a target harmless on a terminal: control characters, which move the cursor or change colours, and
 * characters that turn the direction of writing become visible escapes.
 */
export function inert(text: string): string {
  return text.replace(
    // oxlint-disable-next-line no-control-regex -- these are what it looks for
    /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
