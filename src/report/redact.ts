/** Redacts secrets in texts. It runs in browsers too, and its time is linear in the length of a text. */

import { codesOf, readEscapes, type View, viewsOf } from './views.ts'

export type Redact = (text: string) => string

/** A shorter secret is redacted only as a whole word: many other words contain it. */
const shortSecret = 6
/** The characters of a secret that are redacted next to an ellipsis. */
const minLengthAtCut = 5
/** The characters of a long secret that are redacted anywhere. */
const maxPieceLength = 16
/** Needles with the same placeholder. Each is one pass over a text, and a request may hold secrets of many lengths. */
const maxNeedles = 12
/** Secrets are found by the hashes of groups of characters. */
const groupSize = 4
/** Secrets of similar length with the same placeholder. */
interface Needle {
  instead: string
  /** Folded secrets that are shorter than `shortSecret`. */
  short: Set<string>
  patterns: RegExp[]
  /** The groups of the longer ones. */
  groups: Set<number>
  /** A filter for `groups`, by the last two characters. */
  ends: Uint8Array
  /** The fewest characters that are redacted anywhere, and at the end of a text. */
  anywhere: number
  atEnd: number
}

interface Span {
  from: number
  to: number
  instead: string
}

/** Redacts secrets, by placeholder, in the spellings of docs/explanation/security.md. Patterns must be global. */
export function createRedactor(
  secrets: Readonly<Record<string, readonly (string | RegExp)[]>>,
): Redact {
  const needles = Object.entries(secrets).flatMap(([instead, values]) => toNeedles(instead, values))
  const fewest = Math.min(
    ...needles.flatMap(({ groups, anywhere }) => (groups.size > 0 ? [anywhere] : [])),
  )
  const codes = Number.isFinite(fewest) ? codesOf(fewest) : undefined
  return (text) => {
    // Keeps placeholders in the text intact.
    const masked = needles.reduce(
      (left, { instead }) => left.replaceAll(instead, '\0'.repeat(instead.length)),
      text,
    )
    const find = (isLocated: boolean): Span[] =>
      viewsOf(masked, codes, isLocated).flatMap((view) =>
        needles.flatMap((needle) => spansIn(view, needle, text)),
      )
    // Most texts hold no secret, and where each character comes from takes most of the time.
    if (find(false).length === 0) return text
    const spans = find(true)
    let shown = ''
    let copied = 0
    for (const { from, to, instead } of spans.sort(
      (one, other) => one.from - other.from || other.to - one.to,
    )) {
      if (from >= copied) shown += text.slice(copied, from) + instead
      copied = Math.max(copied, to)
    }
    return shown + text.slice(copied)
  }
}

function toNeedles(instead: string, values: readonly (string | RegExp)[]): Needle[] {
  const needles = new Map<string, Needle>()
  const needleFor = (length: number, dropped = 0): Needle => {
    const size = `${Math.min(length, 2 * maxPieceLength)} ${dropped}`
    const known = needles.get(size)
    if (known !== undefined) return known
    // The needle for the length 0 has the strictest limits.
    if (length > 0 && needles.size >= maxNeedles) return needleFor(0)
    const least = (share: number): number =>
      Math.max(minLengthAtCut, Math.min(maxPieceLength, Math.ceil(length * share)) - dropped)
    const needle = {
      instead,
      short: new Set<string>(),
      patterns: [],
      groups: new Set<number>(),
      ends: new Uint8Array(0x4000),
      anywhere: least(2 / 3),
      atEnd: least(1 / 2),
    }
    needles.set(size, needle)
    return needle
  }
  for (const value of values.filter((one) => one !== '')) {
    if (typeof value !== 'string') needleFor(0).patterns.push(value)
    else if (value.length < shortSecret) needleFor(0).short.add(fold(value))
    else {
      // A query splits a key at its ampersands.
      const parts = [value, bytesOf(value), ...value.split('&')]
      for (const text of new Set(parts.map(fold))) {
        if (text.length >= shortSecret) addGroups(text, needleFor(text.length))
      }
      // A part of a key that holds escapes is shorter without them.
      const read = fold(readEscapes(value))
      if (read.length >= shortSecret)
        addGroups(read, needleFor(value.length, value.length - read.length))
    }
  }
  return [...needles.values()]
}

function addGroups(text: string, { groups, ends }: Needle): void {
  let group = 0
  for (let at = 0; at < text.length; at += 1) {
    group = nextGroup(group, text.charCodeAt(at))
    if (at < groupSize - 1) continue
    groups.add(group)
    ends[group & 0x3fff] = 1
  }
}

/** Finds secrets in a view, with positions in the original text. */
function spansIn(
  view: View,
  { instead, short, patterns, groups, ends, anywhere, atEnd }: Needle,
  original: string,
) {
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
    for (const { 0: found, index } of text.matchAll(pattern))
      spans.push(toSpan(index, index + found.length))
  }
  const folded = short.size === 0 || view.isDecoded ? '' : fold(text)
  for (let at = 0; at < folded.length; at += 1) {
    if (isInWord(folded, at - 1)) continue
    for (let end = at + 1; end < at + shortSecret; end += 1) {
      if (!isInWord(folded, end) && short.has(folded.slice(at, end))) spans.push(toSpan(at, end))
    }
  }
  if (groups.size === 0) return spans
  let start = -1
  let group = 0
  for (let at = 0; at <= text.length; at += 1) {
    group = at === text.length ? -1 : nextGroup(group, text.charCodeAt(at))
    if (at >= groupSize - 1 && ends[group & 0x3fff] === 1 && groups.has(group)) {
      if (start === -1) start = at - groupSize + 1
    } else if (start !== -1) {
      const span = toSpan(start, at)
      const rest = cutAt(original, span.to)
      const length = at - start
      const isAtEnd = span.to + rest.length === original.length
      const isAtCut =
        /(?:\.{3}|…)$/.test(original.slice(Math.max(0, span.from - 3), span.from)) || rest.isCut
      const isPossible = !view.isLocated && length >= minLengthAtCut
      if (
        isPossible ||
        length >= anywhere ||
        (isAtEnd && length >= atEnd) ||
        (isAtCut && length >= minLengthAtCut)
      ) {
        spans.push({ ...span, to: span.to + rest.length })
      }
      start = -1
    }
  }
  return spans
}

/** What remains of an escape that was cut, and whether an ellipsis follows. The secret may contain dots, too. */
function cutAt(text: string, at: number): { length: number; isCut: boolean } {
  const cut =
    /(?:\\+(?:u\{?[0-9a-f]{0,4}|x[0-9a-f]?)?|%(?:25)*[0-9a-f]?|&(?:amp;)*#?[0-9a-z]{0,4})?(?=(\.{3}|…)|$)/iy
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
