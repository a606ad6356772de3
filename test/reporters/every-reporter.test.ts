/** What holds for each reporter, whatever its format. */
import { describe, expect, test } from 'vitest'
import { reporters, type Finding } from '../../src/contract/index.ts'
import { clauses } from '../../src/spec/clauses.ts'
import { conforming, echoing, excused, hostile, unreachable, violating } from './reports.ts'

const all = Object.entries(reporters)

test('the names of the reporters', () => {
  expect(Object.keys(reporters)).toEqual(['text', 'json', 'junit', 'markdown', 'github', 'sarif', 'html'])
})

describe.each(all)('%s', (name, render) => {
  test.each([
    ['conforming', conforming()],
    ['violating', violating()],
    ['excused', excused()],
    ['unreachable', unreachable()],
  ])('a %s report gives the same bytes each time, and is left as it was', (_, report) => {
    const before = structuredClone(report)
    expect(render(report)).toBe(render(before))
    expect(report).toEqual(before)
    expect(render(report)).toMatch(/[^\n]\n$/)
  })

  test('no character that is obeyed, hidden or turned reaches the reader', () => {
    const text = render(echoing(hostile))
    const escaped = text.match(/(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\p{Co}\p{DI}\u2800]/gu)
    expect(escaped).toBeNull()
    expect(text).toContain('\\u001b')
  })

  // In HTML a body keeps its lines, and nothing has a meaning at the beginning of one.
  test.skipIf(name === 'html')('text of a target begins no line', () => {
    const injected = /^\s*(::(error|warning) title=x|##\[|# heading|---$|\* item|ok|not ok) ?(injected|$)/m
    expect(render(echoing(hostile)).replace(/^ {2}---$/gm, '')).not.toMatch(injected)
  })

  test('a verdict can be told from any report', () => {
    const texts = [conforming(), violating(), unreachable(), excused()].map((report) => render(report))
    expect(new Set(texts).size).toBe(4)
  })

  // The report itself is bounded by the run that makes it, and JSON shows all of it.
  test.skipIf(name === 'json')('enormous texts make no enormous report', () => {
    const long = 'x'.repeat(1_000_000)
    const findings: Partial<Finding>[] = clauses.map(({ id }) => ({
      ...echoing(long).findings[0],
      clause: id,
    }))
    const text = render({ ...echoing(long), findings: violating(findings).findings })
    const most: Record<string, number> = { markdown: 65_536, github: 200_000, html: 2_500_000 }
    expect(Buffer.byteLength(text)).toBeLessThan(most[name] ?? 1_500_000)
  })
})
