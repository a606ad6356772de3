/** A value in a message. */
export function told(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  // An object may have no text, or a long one.
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object'
  return typeof value === 'function' ? 'a function' : String(value)
}
