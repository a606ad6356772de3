/** The path of the control API. */
export const prefix = '/_petstore'

/** A target whose path begins with the prefix, in any spelling. */
const anySpelling = new RegExp(`^(?:https?://[^/?#]*)?/+${prefix.slice(1)}(?=[/?#]|$)`, 'i')

/** Whether a raw target belongs to the control API. Runs for each request. */
export function isControlTarget(target: string): boolean {
  // The second character rules out most targets.
  const isUsual = target[0] === '/' && target[1] !== '_' && target[1] !== '/'
  return !isUsual && anySpelling.test(target)
}

/** The raw path and query of a target, not decoded. */
export function splitTarget(target: string): { path: string; query: string } {
  const origin = target.replace(/^https?:\/\/[^/?#]*/i, '')
  const mark = origin.indexOf('?')
  return mark === -1 ? { path: origin, query: '' } : { path: origin.slice(0, mark), query: origin.slice(mark + 1) }
}
