import { type JsonValue, parseJson, printJson } from '../../../../json.ts'
import { inertLines } from '../../../../report/text.ts'

/** A body, indented if it is JSON. */
function pretty(body: string): string {
  try {
    const value: JsonValue = parseJson(body)
    return typeof value === 'object' ? printJson(value, 2) : body
  } catch {
    return body
  }
}

/** A body for the eye: characters that are invisible, or turn the text around, are escaped. */
export const shown = (body: string): string => inertLines(pretty(body))

const token = /"(?:\\.|[^"\\])*"?|[^"\s,:[\]{}]+|[\s,:[\]{}]+/g

/** The parts of a text; those of JSON with the class of their color. */
export function tokensOf(text: string): [part: string, kind?: string][] {
  if (!/^[[{]/.test(text)) return [[text]]
  const parts: string[] = text.match(token) ?? []
  return parts.map((part, index) => {
    if (part.startsWith('"')) return [part, parts[index + 1]?.startsWith(':') ? 'j-name' : 'j-text']
    if (/^[\d-]/.test(part)) return [part, 'j-number']
    return /^[tfn]/.test(part) ? [part, 'j-word'] : [part]
  })
}

/** A diff by longest common subsequence. Bodies have at most 16 KiB, so that its table is small. */
export function diff(
  before: readonly string[],
  now: readonly string[],
): { sign: ' ' | '-' | '+'; line: string }[] {
  const width = now.length + 1
  const common = new Uint16Array((before.length + 1) * width)
  const at = (i: number, j: number): number => common[i * width + j] ?? 0
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      common[i * width + j] =
        before[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const found: { sign: ' ' | '-' | '+'; line: string }[] = []
  let [i, j] = [0, 0]
  while (i < before.length || j < now.length) {
    const [old, fresh] = [before[i], now[j]]
    if (old !== undefined && old === fresh) {
      found.push({ sign: ' ', line: old })
      i += 1
      j += 1
    } else if (old !== undefined && (fresh === undefined || at(i + 1, j) >= at(i, j + 1))) {
      found.push({ sign: '-', line: old })
      i += 1
    } else {
      found.push({ sign: '+', line: fresh ?? '' })
      j += 1
    }
  }
  return found
}
