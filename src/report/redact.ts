/** Redacts secrets in texts. It runs in browsers too, and its time is linear in the length of a text. */

import { codesOf, readEscapes, type View, viewsOf } from './views.ts'

export type Redact = (text: string) => string

/** A shorter secret is redacted only as a whole word: many other words contain it. */
const shortSecret = 6
/** The characters of a secret that are redacted next to an ellipsis. */
const minLengthAtCut = 5
/** The characters of a long secret that are redacted anywhere. */
const maxPieceLength = 16
/** Secrets are found by the hashes of groups of characters. */
const groupSize = 4
/** Secrets with the same placeholder. */
interface Needle {
  instead: string
  /** Folded secrets that are shorter than `shortSecret`, and their lengths. */
  short: Set<string>
  lengths: Set<number>
  patterns: RegExp[]
  /** The groups of the longer ones, each with a bit for each of their limits. */
  groups: Map<number, number>
  /** A filter for `groups`, by the last two characters. */
  ends: Uint8Array
  limits: { anywhere: number; atEnd: number }[]
}

/** The fewest characters that are redacted anywhere, and at the end of a text. */
const strictest = { anywhere: minLengthAtCut, atEnd: minLengthAtCut }
/** The bits of a small integer. Secrets of still more lengths have the strictest limits, so that one pass finds all. */
const maxLimits = 30

interface Span {
  from: number
  to: number
  instead: string
}

/** Redacts secrets, by placeholder, in the spellings of docs/explanation/security.md. Patterns must be global. */
export function createRedactor(secrets: Readonly<Record<string, readonly (string | RegExp)[]>>): Redact {
  const needles = Object.entries(secrets).map(([instead, values]) => toNeedle(instead, values))
  const fewest = Math.min(...needles.flatMap(({ limits }) => limits.map(({ anywhere }) => anywhere)))
  const codes = Number.isFinite(fewest) ? codesOf(fewest) : undefined
  return (text) => {
    // Keeps placeholders in the text intact.
    const masked = needles.reduce((left, { instead }) => left.replaceAll(instead, '\0'.repeat(instead.length)), text)
    const spansOf = (view: View): Span[] => needles.flatMap((needle) => spansIn(view, needle, text))
    // Most texts hold no secret, and where each character comes from takes most of the time.
    if (!viewsOf(masked, codes, false).some((view) => spansOf(view).length > 0)) return text
    const spans = viewsOf(masked, codes, true).flatMap(spansOf)
    if (spans.length === 0) return text
    let shown = ''
    let copied = 0
    for (const { from, to, instead } of spans.sort((one, other) => one.from - other.from || other.to - one.to)) {
      if (from >= copied) shown += text.slice(copied, from) + instead
      copied = Math.max(copied, to)
    }
    return shown + text.slice(copied)
  }
}

function toNeedle(instead: string, values: readonly (string | RegExp)[]): Needle {
  const patterns = values.filter((value) => typeof value !== 'string')
  const [short, lengths] = [new Set<string>(), new Set<number>()]
  const needle: Needle = {
    instead,
    short,
    lengths,
    patterns,
    groups: new Map(),
    ends: new Uint8Array(0x4000),
    limits: [],
  }
  for (const value of new Set(values)) {
    if (typeof value !== 'string' || value === '') continue
    if (value.length < shortSecret) {
      short.add(fold(value))
      lengths.add(value.length)
      continue
    }
    // A query splits a key at its ampersands.
    const parts = [value, bytesOf(value), ...value.split('&')]
    for (const text of new Set(parts.map(fold))) {
      if (text.length >= shortSecret) addGroups(text, needle, bitOf(needle.limits, text.length))
    }
    // A part of a key that holds escapes is shorter without them.
    const read = fold(readEscapes(value))
    if (read.length >= shortSecret) {
      addGroups(read, needle, bitOf(needle.limits, value.length, value.length - read.length))
    }
  }
  return needle
}

/** The bit of the limits of secrets with this length, which are added when they are new. */
function bitOf(limits: Needle['limits'], length: number, dropped = 0): number {
  const least = (share: number): number =>
    Math.max(minLengthAtCut, Math.min(maxPieceLength, Math.ceil(length * share)) - dropped)
  const own = limits.length < maxLimits ? { anywhere: least(2 / 3), atEnd: least(1 / 2) } : strictest
  const known = limits.findIndex(({ anywhere, atEnd }) => anywhere === own.anywhere && atEnd === own.atEnd)
  return 1 << (known === -1 ? limits.push(own) - 1 : known)
}

function addGroups(text: string, { groups, ends }: Needle, bit: number): void {
  let group = 0
  for (let at = 0; at < text.length; at += 1) {
    group = nextGroup(group, text.charCodeAt(at))
    if (at < groupSize - 1) continue
    groups.set(group, (groups.get(group) ?? 0) | bit)
    ends[group & 0x3fff] = 1
  }
}

/** Finds secrets in a view, with positions in the original text. */
function spansIn(view: View, needle: Needle, original: string): Span[] {
  const { instead, short, lengths, patterns, groups, ends, limits } = needle
  const spans: Span[] = []
  const { text } = view
  const from = (at: number): number => view.from[at] ?? at
  const to = (at: number): number => view.to[at] ?? at + 1
  const toSpan = (start: number, end: number): Span => ({
    from: from(start),
    to: to(end - 1),
    instead,
  })
  for (const pattern of patterns) {
    for (const { 0: found, index } of text.matchAll(pattern)) spans.push(toSpan(index, index + found.length))
  }
  if (short.size > 0 && !view.isDecoded) {
    const folded = fold(text)
    for (let at = 0; at < folded.length; at += 1) {
      if (isInWord(folded, at - 1)) continue
      for (const length of lengths) {
        const isWord = !isInWord(folded, at + length) && short.has(folded.slice(at, at + length))
        if (isWord) spans.push(toSpan(at, at + length))
      }
    }
  }
  if (groups.size === 0) return spans
  const starts = limits.map(() => 0)
  let open = 0
  let group = 0
  for (let at = 0; at <= text.length; at += 1) {
    group = at === text.length ? -1 : nextGroup(group, text.charCodeAt(at))
    const isPossible = at >= groupSize - 1 && ends[group & 0x3fff] === 1
    const found = isPossible ? (groups.get(group) ?? 0) : 0
    if (found === open) continue
    const end = to(at - 1)
    let rest: ReturnType<typeof cutAt> | undefined
    let longest: Span | undefined
    for (let index = 0; index < limits.length; index += 1) {
      const bit = 1 << index
      if ((found & ~open & bit) !== 0) starts[index] = at - groupSize + 1
      if ((open & ~found & bit) === 0) continue
      const { anywhere, atEnd } = limits[index] as (typeof limits)[0]
      const start = starts[index] as number
      const length = at - start
      if (length < minLengthAtCut || (longest !== undefined && from(start) >= longest.from)) continue
      rest ??= cutAt(original, end)
      const isAtEnd = end + rest.length === original.length
      const isAtCut = rest.isCut || /(?:\.{3}|…)$/.test(original.slice(Math.max(0, from(start) - 3), from(start)))
      if (!view.isLocated || length >= anywhere || (isAtEnd && length >= atEnd) || isAtCut) {
        longest = { from: from(start), to: end + rest.length, instead }
      }
    }
    if (longest !== undefined) spans.push(longest)
    open = found
  }
  return spans
}

/** What remains of an escape that was cut, and whether an ellipsis follows. The secret may contain dots, too. */
function cutAt(text: string, at: number): { length: number; isCut: boolean } {
  const cut = /(?:\\+(?:u\{?[0-9a-f]{0,4}|x[0-9a-f]?)?|%(?:25)*[0-9a-f]?|&(?:amp;)*#?[0-9a-z]{0,4})?(?=(\.{3}|…)|$)/iy
  cut.lastIndex = at
  const found = cut.exec(text)
  return {
    length: found?.[0].length ?? 0,
    isCut: found?.[1] !== undefined || text.slice(Math.max(0, at - 2), at + 3).includes('...'),
  }
}

const isInWord = (text: string, at: number): boolean => /[a-z0-9]/.test(text[at] ?? '')

/** A rolling hash: seven bits of each of the last four characters. Other scripts map to control characters. */
function nextGroup(group: number, code: number): number {
  const folded = code >= 65 && code <= 90 ? code + 32 : code < 128 ? code : 1 + (code % 31)
  return ((group << 7) | folded) & 0xfff_ffff
}

/** Lower-cases ASCII letters, which keeps the length. */
const fold = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

/** UTF-8 bytes as characters. */
function bytesOf(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('')
}
