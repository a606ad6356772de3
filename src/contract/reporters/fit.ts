/** The first blocks that have room in so many bytes, and how many were left out. */
export function fit(blocks: readonly string[], room: number): { kept: string[]; left: number } {
  let used = 0
  const end = blocks.findIndex((block) => (used += Buffer.byteLength(block)) > room)
  const kept = end === -1 ? [...blocks] : blocks.slice(0, end)
  return { kept, left: blocks.length - kept.length }
}
