/** Compares two texts by their Unicode code points, which the code units of JavaScript do not above U+D7FF. */
export function compareCodePoints(left: string, right: string): number {
  const shorter = Math.min(left.length, right.length)
  let at = 0
  while (at < shorter && left.charCodeAt(at) === right.charCodeAt(at)) at += 1
  if (at === shorter) return left.length - right.length
  // Two pairs may differ in their second half alone.
  if (at > 0 && isHighSurrogate(left.charCodeAt(at - 1))) at -= 1
  return (left.codePointAt(at) as number) - (right.codePointAt(at) as number)
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}
