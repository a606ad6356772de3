/** The part of docs/project/performance.md that `time-to-red.mjs` writes and the benchmark keeps. */
export const sectionTitle = '## Time to red'

/** The section of a page, up to the next one; undefined if there is none. */
export function sectionOf(page) {
  const [, ...parts] = page.split(/^(?=## )/m)
  return parts.find((part) => part.startsWith(`${sectionTitle}\n`))?.trimEnd()
}

/** The page with a section in place of its own one, or at its end. */
export function withSection(page, section) {
  const known = sectionOf(page)
  return known === undefined
    ? `${page.trimEnd()}\n\n${section}\n`
    : page.replace(known, () => section)
}
