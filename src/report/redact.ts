/** Redacts secrets in texts. It runs in browsers too, and its time is linear in the length of a text. */

import { codesOf, readEscapes, type View, viewsOf } from './views.ts'

export type Redact = (text: string) => string

/** A shorter secret is redacted only as a whole word: many other words contain it. */
const shortSecret = 6
/** The characters of a secret that are redacted next to an ellipsis. */
const minLengthAtCut = 5
/** Half of such a secret is redacted anywhere; that of a shorter one may be a part of other words. */
const halvedFrom = 20
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

/** Matches nothing. */
const nothing = /(?!)/g

/**
 * Redacts secrets, by placeholder, in the spellings of docs/explanation/security.md. Patterns must be global.
 *
 * @param isPublic matches texts that everybody knows, such as the target and the words of the interface: what lies within
 *   one of them is not redacted, whatever the secrets are
 */
export function createRedactor(
  secrets: Readonly<Record<string, readonly (string | RegExp)[]>>,
  isPublic = nothing,
): Redact {
  const needles = Object.entries(secrets).flatMap(([instead, values]) => {
    const { needles: found, add } = createNeedles(instead)
    for (const value of values) add(value)
    return found
  })
  return redactorOf(() => needles, isPublic)
}

/** As `createRedactor`, for secrets that become known one after another. */
export function createGrowingRedactor(instead: string, isPublic = nothing) {
  const { needles, add } = createNeedles(instead)
  return { add, redact: redactorOf(() => needles, isPublic) }
}

function redactorOf(needlesNow: () => readonly Needle[], isPublic: RegExp): Redact {
  let fewest = Infinity
  let codes: ReturnType<typeof codesOf> | undefined
  return (text) => {
    const needles = needlesNow()
    const least = Math.min(
      ...needles.flatMap(({ groups, anywhere }) => (groups.size > 0 ? [anywhere] : [])),
    )
    if (least !== fewest) codes = codesOf(least)
    fewest = least
    // Keeps placeholders in the text intact.
    const masked = needles.reduce(
      (left, { instead }) => left.replaceAll(instead, '\0'.repeat(instead.length)),
      text,
    )
    const find = (isLocated: boolean): Span[] =>
      viewsOf(masked, codes, isLocated).flatMap((view) => spansIn(view, needles, text))
    // Most texts hold no secret, and where each character comes from takes most of the time.
    if (find(false).length === 0) return text
    const spans = withoutPublic(find(true), masked, isPublic)
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

/** Separators around a word belong to no secret alone. */
const isSeparator = (char = ''): boolean => /[\0-/:-@[-^`{-~]/.test(char)

/** The spans that are not within a public text. Separators around a span do not matter. */
function withoutPublic(spans: readonly Span[], text: string, isPublic: RegExp): Span[] {
  // To compile the pattern takes longer than all else.
  if (spans.length === 0) return []
  const known = Array.from(text.matchAll(isPublic), ({ 0: { length }, index }) => ({
    from: index,
    to: index + length,
  }))
  return spans.filter((span) => {
    let { from, to } = span
    while (from < to && isSeparator(text[from])) from += 1
    while (to > from && isSeparator(text[to - 1])) to -= 1
    // The first that ends at or after the span; they do not overlap.
    let [low, high] = [0, known.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((known[middle]?.to ?? 0) < to) low = middle + 1
      else high = middle
    }
    const around = known[low]
    return around === undefined || from < around.from || from === to
  })
}

function createNeedles(instead: string) {
  const sizes = new Map<string, Needle>()
  const needles: Needle[] = []
  const needleFor = (length: number, dropped = 0): Needle => {
    const size = `${Math.min(length, 2 * maxPieceLength)} ${dropped}`
    const known = sizes.get(size)
    if (known !== undefined) return known
    // The needle for the length 0 has the strictest limits.
    if (length > 0 && sizes.size >= maxNeedles) return needleFor(0)
    const least = (part: number): number =>
      Math.max(minLengthAtCut, Math.min(maxPieceLength, part) - dropped)
    const needle = {
      instead,
      short: new Set<string>(),
      patterns: [],
      groups: new Set<number>(),
      ends: new Uint8Array(0x4000),
      anywhere: least(length < halvedFrom ? Math.ceil((length * 2) / 3) : Math.floor(length / 2)),
      atEnd: least(Math.ceil(length / 2)),
    }
    sizes.set(size, needle)
    needles.push(needle)
    return needle
  }
  function add(value: string | RegExp): void {
    if (value === '') return
    if (typeof value !== 'string') needleFor(0).patterns.push(value)
    else if (value.length < shortSecret) needleFor(0).short.add(fold(value))
    else {
      // A query splits a key at its ampersands, and has + for a space.
      const parts = [value, bytesOf(value), value.replaceAll(' ', '+'), ...value.split('&')]
      for (const text of new Set(parts.map(fold))) {
        if (text.length >= shortSecret) addGroups(text, needleFor(text.length))
      }
      // A part of a key that holds escapes is shorter without them.
      const read = fold(readEscapes(value))
      if (read.length >= shortSecret)
        addGroups(read, needleFor(value.length, value.length - read.length))
    }
  }
  return { needles, add }
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
function spansIn(view: View, needles: readonly Needle[], original: string): Span[] {
  const spans = needles.flatMap((needle) => wordsIn(view, needle))
  const long = needles.filter(({ groups }) => groups.size > 0)
  if (long.length === 0) return spans
  const { text } = view
  // One pass for all needles finds the runs in which each of them is searched for.
  let start = -1
  let group = 0
  for (let at = 0; at <= text.length; at += 1) {
    group = at === text.length ? -1 : nextGroup(group, text.charCodeAt(at))
    if (at >= groupSize - 1 && at < text.length && isInAny(long, group)) {
      if (start === -1) start = at - groupSize + 1
    } else if (start !== -1) {
      for (const needle of long) spans.push(...runsIn(view, needle, original, start, at))
      start = -1
    }
  }
  return spans
}

function isInAny(needles: readonly Needle[], group: number): boolean {
  for (const { ends, groups } of needles)
    if (ends[group & 0x3fff] === 1 && groups.has(group)) return true
  return false
}

const spanOf = ({ from, to }: View, start: number, end: number, instead: string): Span => ({
  from: from[start] ?? start,
  to: to[end - 1] ?? end,
  instead,
})

/** Finds patterns and short secrets. */
function wordsIn(view: View, { instead, short, patterns }: Needle): Span[] {
  const spans: Span[] = []
  const { text } = view
  for (const pattern of patterns) {
    for (const { 0: found, index } of text.matchAll(pattern))
      spans.push(spanOf(view, index, index + found.length, instead))
  }
  const folded = short.size === 0 || view.isDecoded ? '' : fold(text)
  for (let at = 0; at < folded.length; at += 1) {
    if (isInWord(folded, at - 1)) continue
    const last = Math.min(at + shortSecret - 1, folded.length)
    for (let end = at + 1; end <= last; end += 1) {
      if (!isInWord(folded, end) && short.has(folded.slice(at, end)))
        spans.push(spanOf(view, at, end, instead))
    }
  }
  return spans
}

/** Finds long secrets in a part of a view. */
function runsIn(
  view: View,
  { instead, groups, ends, anywhere, atEnd }: Needle,
  original: string,
  first: number,
  last: number,
): Span[] {
  const spans: Span[] = []
  const { text } = view
  let start = -1
  let group = 0
  for (let at = first; at <= last; at += 1) {
    group = at === last ? -1 : nextGroup(group, text.charCodeAt(at))
    if (at >= first + groupSize - 1 && ends[group & 0x3fff] === 1 && groups.has(group)) {
      if (start === -1) start = at - groupSize + 1
    } else if (start !== -1) {
      const span = spanOf(view, start, at, instead)
      const length = at - start
      start = -1
      if (length < minLengthAtCut) continue
      if (!view.isLocated || length >= anywhere) {
        // Whether it is a secret is decided when its position is known.
        spans.push(
          view.isLocated ? { ...span, to: span.to + cutAt(original, span.to).length } : span,
        )
        continue
      }
      const rest = cutAt(original, span.to)
      const isAtEnd = span.to + rest.length === original.length
      const isAtCut =
        /(?:\.{3}|…)$/.test(original.slice(Math.max(0, span.from - 3), span.from)) || rest.isCut
      if ((isAtEnd && length >= atEnd) || isAtCut)
        spans.push({ ...span, to: span.to + rest.length })
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
