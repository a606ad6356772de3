import { Parser, type FinalResults, type Result } from 'tap-parser'
import { describe, expect, test } from 'vitest'
import { toTap, type Report } from '../../src/contract/index.ts'
import { conforming, echoing, excused, hostile, unreachable, violating } from './reports.ts'

/** Reads TAP as a harness does that takes every line for a mistake that it does not know. */
function parse(report: Report): { results: FinalResults; points: Result[]; stray: string[] } {
  const points: Result[] = []
  const stray: string[] = []
  let results: FinalResults | undefined
  const parser = new Parser({ strict: true }, (final) => {
    results = final
  })
  parser.on('assert', (point) => points.push(point))
  parser.on('extra', (line) => stray.push(line))
  parser.end(toTap(report))
  if (!results) throw new Error('the parser came to no end')
  return { results, points, stray }
}

describe.each([
  ['conforming', conforming(), { ok: true, pass: 54, fail: 0, skip: 5, todo: 0 }],
  ['violating', violating(), { ok: false, pass: 53, fail: 1, skip: 6, todo: 0 }],
  ['excused', excused(), { ok: true, pass: 53, fail: 1, skip: 6, todo: 1 }],
  ['unreachable', unreachable(), { ok: false, pass: 54, fail: 1, skip: 54, todo: 0 }],
  ['hostile', echoing(hostile), { ok: false, pass: 52, fail: 2, skip: 6, todo: 1 }],
])('a %s report', (_, report, expected) => {
  test('is read as what it says', () => {
    const { results, points, stray } = parse(report)
    const { ok, pass, fail, skip, todo } = results
    expect({ ok, pass, fail, skip, todo }).toEqual(expected)
    expect(stray).toEqual([])
    expect(points.map(({ id }) => id)).toEqual(points.map((_point, index) => index + 1))
  })
})

test('a failure carries its diagnostics', () => {
  const { points } = parse(violating([{ pointer: '/3/id', more: 1, alsoBreaks: ['list.success'] }]))
  const failed = points.find(({ name }) => name.startsWith('list.limit.honoured: '))
  expect(failed?.diag).toEqual([
    {
      message: 'GET /pets?limit=2 answered 200: at most 2 pets expected.',
      severity: 'fail',
      clause: 'list.limit.honoured',
      check: 'list-pets.limit',
      expected: 'at most 2 pets',
      actual: '20 pets',
      at: '/3/id',
      reach: 'The same in 1 more answer. It also breaks list.success.',
      curl: [`curl -sS -i 'http://127.0.0.1:4010/v1/pets?limit=2' -H "Authorization: Bearer $PETSTORE_API_KEY"`],
    },
  ])
})

test('a skipped point says why', () => {
  const reasons = parse(violating()).points.map(({ skip }) => skip)
  expect(reasons).toContain('not verified: the catalogue has fewer than 101 pets')
})

test('a reason cannot end its own directive', () => {
  const { points } = parse(echoing('x # TODO y'))
  expect(points.filter(({ skip }) => skip).map(({ todo }) => todo)).not.toContain('y')
})
