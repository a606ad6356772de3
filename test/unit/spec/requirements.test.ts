import { describe, expect, test } from 'vitest'
import { behaviors, type Behavior } from '../../../src/spec/behaviors.ts'
import { requirements, type Requirement } from '../../../src/spec/requirements.ts'
import { accountedFor } from './accounted-for.ts'
import { lines, sections, type Line } from './specification.ts'

const allRequirements: readonly Requirement[] = requirements
const allBehaviors: readonly Behavior[] = behaviors

/** Whether a line is in a section or one of its subsections. */
const inSection = (section: string) => (line: Line) =>
  line.section === section || line.section.startsWith(`${section} / `)

/** The lines that a quote covers, with the covered spans: a quote may begin and end within a line. */
function find(quote: string, among: readonly Line[]): Map<Line, [start: number, end: number][]> {
  const text = among.map((line) => line.text).join(' ')
  const wanted = quote.replaceAll(/\s+/g, ' ')
  const found = new Map<Line, [number, number][]>()
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    let start = 0
    for (const line of among) {
      const [from, to] = [
        Math.max(at, start),
        Math.min(at + wanted.length, start + line.text.length),
      ]
      if (from < to) found.set(line, [...(found.get(line) ?? []), [from - start, to - start]])
      start += line.text.length + 1
    }
  }
  return found
}

describe.each([...allRequirements, ...allBehaviors])('$id', ({ quote, section }) => {
  test('names a section of the specification', () => {
    expect(sections).toContain(section)
  })

  test('quotes that section verbatim', () => {
    expect([...find(quote, lines.filter(inSection(section))).keys()], quote).not.toEqual([])
  })
})

test.each(
  allRequirements.flatMap(({ id, restates = [] }) => restates.map((quote) => ({ id, quote }))),
)('$id is restated verbatim: $quote', ({ quote }) => {
  expect([...find(quote, lines).keys()]).not.toEqual([])
})

test.each([
  ['requirements', allRequirements],
  ['behaviors', allBehaviors],
])('the ids of %s are unique', (_, table) => {
  const ids = table.map(({ id }) => id)
  expect(ids).toEqual([...new Set(ids)])
})

describe.each(allBehaviors)('$id', ({ options, free, default: chosen }) => {
  test('has its default among its options, unless any text is allowed', () => {
    const values = options.map(({ value }) => value)
    expect(values).toEqual([...new Set(values)])
    if (free === undefined) expect(values).toContain(chosen)
    if (free === undefined) expect(values.length).toBeGreaterThan(1)
  })
})

describe('every sentence, row and item of the specification is accounted for', () => {
  const covered = new Map<Line, [number, number][]>()
  const cover = (quote: string, among: readonly Line[]) => {
    for (const [line, spans] of find(quote, among))
      covered.set(line, [...(covered.get(line) ?? []), ...spans])
  }
  for (const { quote, section } of [...allRequirements, ...allBehaviors])
    cover(quote, lines.filter(inSection(section)))
  for (const quote of allRequirements.flatMap(({ restates = [] }) => restates)) cover(quote, lines)

  const statements = lines
    .filter(({ kind }) => kind !== 'heading' && kind !== 'table-head')
    .flatMap((line) => sentences(line).map((sentence) => ({ line, ...sentence })))
  const isQuoted = ({ line, start, end }: (typeof statements)[number]) =>
    (covered.get(line) ?? []).some(([from, to]) => from <= start && end <= to)
  const open = statements
    .filter((statement) => !isQuoted(statement))
    .map(({ line, text }) => `${line.section}: ${text}`)

  test('by a requirement, a behavior, or a reason', () => {
    expect(
      open.filter((statement) => !(statement in accountedFor)),
      'Quote each statement in a requirement of src/spec/requirements.ts or a behavior of src/spec/behaviors.ts, or give the reason in test/unit/spec/accounted-for.ts why no response shows it.',
    ).toEqual([])
  })

  test('without a reason for a removed or quoted statement', () => {
    expect(
      Object.keys(accountedFor).filter((statement) => !open.includes(statement)),
      'Remove these rows of test/unit/spec/accounted-for.ts, or write them as the specification does now.',
    ).toEqual([])
  })

  test('with reasons that name existing requirements and behaviors', () => {
    const ids = new Set([...allRequirements, ...allBehaviors].map(({ id }) => id))
    const named = Object.values(accountedFor).flatMap((reason) =>
      [...reason.matchAll(/`([^`]+)`/g)].map(([, id]) => id),
    )
    expect(named.filter((id) => !ids.has(id as string))).toEqual([])
  })
})

/** The sentences of a line; a table row counts as one. */
function sentences({ text, kind }: Line): { text: string; start: number; end: number }[] {
  if (kind === 'row') return [{ text, start: 0, end: text.length }]
  const found = []
  let start = 0
  for (const part of text.split(/(?<=[.!?]) (?=[A-Z`])/)) {
    found.push({ text: part, start, end: start + part.length })
    start += part.length + 1
  }
  return found
}
