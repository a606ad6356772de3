/** The headers of a response that a run keeps: each exchange stays in memory until the report is written. */
const most = { headers: 100, characters: 16_384 }
/** The headers that the suite reads. They are kept first, and the others in the order of the response. */
const isRead =
  /^(?:content-(?:encoding|type)|www-authenticate|location|deprecation|sunset|set-cookie|retry-after|date|age|expires|x-cache|.*(?:cache-status|(?:cache|surrogate)-control)|(?:x-)?rate-?limit.*)$/

/**
 * Keeps some hundred headers.
 *
 * @param headers with names in lower case
 * @returns the kept headers, and the characters of the others
 */
export function keepHeaders(headers: Readonly<Record<string, string>>): {
  headers: Readonly<Record<string, string>>
  leftOut: number
} {
  const all = Object.entries(headers)
  const total = all.reduce((sum, one) => sum + sizeOf(one), 0)
  if (all.length <= most.headers && total <= most.characters) return { headers, leftOut: 0 }
  const kept = new Set<string>()
  let used = 0
  for (const wanted of [true, false]) {
    for (const header of all) {
      const [name] = header
      if (kept.size === most.headers) break
      if (isRead.test(name) !== wanted || used + sizeOf(header) > most.characters) continue
      kept.add(name)
      used += sizeOf(header)
    }
  }
  return {
    headers: Object.fromEntries(all.filter(([name]) => kept.has(name))),
    leftOut: total - used,
  }
}

const sizeOf = ([name, value]: readonly [string, string]): number => name.length + value.length
