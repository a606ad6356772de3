/** Makes text harmless wherever it is shown. */

/**
 * Characters that are invisible or change how a terminal shows other text: control, formatting and direction
 * characters, surrogates, noncharacters.
 */
export const unseenClass = String.raw`\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\p{Default_Ignorable_Code_Point}\u2800`
/** GitHub and Azure Pipelines carry out `##[...]` and `##vso[...]` anywhere in a line. */
const harmful = String.raw`[${unseenClass}]|#(?=#(?:vso|teamcity)?\[)`
/** Compiled at its first use: V8 takes milliseconds, which a mock should not spend when it starts. */
let any: RegExp | undefined

/** Escapes invisible and control characters, such as `\u001b`, and the beginnings of commands to a CI system. */
export function inert(text: string): string {
  if (/^[ -"$-~]*$/.test(text)) return text
  any ??= new RegExp(harmful, 'gu')
  return text.replace(any, (char) => {
    const hex = (char.codePointAt(0) ?? 0).toString(16)
    return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`
  })
}

/** Like `inert`, but keeps line breaks and tabs. */
export const inertLines = (text: string): string => text.replace(/[^\n\t]+/g, inert)

/** Escapes such characters in JSON, except line breaks. The value stays the same. */
export function inertJson(json: string): string {
  return json.replace(new RegExp(`(?!\\n)(?:${harmful})`, 'gu'), (char) =>
    char.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  )
}

/** The first characters, and how many were left out. */
export function clip(text: string, longest: number): string {
  if (text.length <= longest) return text
  // Does not split surrogate pairs.
  const end = /[\uD800-\uDBFF]/.test(text.charAt(longest - 1)) ? longest - 1 : longest
  return `${text.slice(0, end)}… (${text.length - end} more characters)`
}

export const shortInert = (text: string, longest = 1_000): string => inert(clip(text, longest))
