/** The first characters of a text, and how many were left out. */
export function clip(text: string, longest: number): string {
  if (text.length <= longest) return text
  // The two halves of a character are not parted.
  const end = /[\uD800-\uDBFF]/.test(text.charAt(longest - 1)) ? longest - 1 : longest
  return `${text.slice(0, end)}… (${text.length - end} more characters)`
}

/** The first blocks that have room in so many bytes, and how many were left out. */
export function fit(blocks: readonly string[], room: number): { kept: string[]; left: number } {
  let used = 0
  const end = blocks.findIndex((block) => (used += Buffer.byteLength(block)) > room)
  const kept = end === -1 ? [...blocks] : blocks.slice(0, end)
  return { kept, left: blocks.length - kept.length }
}
