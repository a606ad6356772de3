/** The parts of random sequences: drawing, shrinking and names. */
import { describe, expect, test } from 'vitest'
import { nameAcrossCuts } from '../../../src/contract/http/request-bodies.ts'
import { drawSequence, type SequenceStep, shrink } from '../../../src/contract/thorough/grammar.ts'

const all = (seed: number, count: number): SequenceStep[][] =>
  Array.from({ length: count }, (_, nth) => drawSequence(seed, nth))
const flat = (steps: readonly SequenceStep[]): SequenceStep[] =>
  steps.flatMap((step) => (step.op === 'together' ? [step, ...flat(step.steps)] : [step]))

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part))

describe('sequences', () => {
  test('depend only on seed and number', () => {
    expect(all(7, 40)).toEqual(all(7, 40))
    expect(new Set(all(7, 40).map((steps) => textOf(steps))).size).toBeGreaterThan(38)
    expect(textOf(all(7, 5))).not.toBe(textOf(all(8, 5)))
  })

  test.each([0, 1, 2_147_483_647])(
    'with seed %i cover every kind of request among the first 150',
    (seed) => {
      const kinds = (count: number): Set<string> =>
        new Set(
          flat(all(seed, count).flat()).map((step) =>
            textOf([
              step.op,
              'kind' in step && step.kind,
              'query' in step && !step.isDescribed && step.query,
              'as' in step && step.as,
            ]),
          ),
        )
      expect(kinds(600)).toEqual(kinds(150))
      expect(kinds(150).size).toBeGreaterThan(200)
    },
  )

  // Web servers may reject invalid URIs themselves, and some decode a slash or NUL before routing.
  test('use only valid URIs, and ids of one path segment', () => {
    for (const step of flat(all(1, 150).flat())) {
      if ('query' in step) expect(step.query).toMatch(/^(?:[\w\-.~!$&'()*+,;=:@/?]|%[\dA-F]{2})*$/)
      if ('id' in step) expect(decodeURIComponent(step.id)).toMatch(/^[^/\0]+$/)
    }
  })

  test('have different shares of list requests, from none to most', () => {
    const shares = all(1, 200).map(
      (steps) => steps.filter(({ op }) => op === 'list').length / steps.length,
    )
    expect(shares.filter((part) => part === 0).length).toBeGreaterThan(15)
    expect(shares.filter((part) => part >= 0.5).length).toBeGreaterThan(15)
  })
})

describe('a sequence is shrunk', () => {
  const list = (query: string): SequenceStep => ({ op: 'list', query, isDescribed: true })
  const create: SequenceStep = { op: 'create', kind: 'plain', status: 'sold' }
  const long = [
    list('limit=1'),
    create,
    list('limit=2'),
    list('limit=3&status=sold'),
    list('limit=4'),
    list('limit=5'),
  ]

  test('to the necessary steps in their simplest form', async () => {
    const fails = async (steps: readonly SequenceStep[]): Promise<boolean> => {
      const place = steps.findIndex(({ op }) => op === 'create')
      return (
        place !== -1 &&
        steps.slice(place).some((step) => step.op === 'list' && step.query.includes('limit=3'))
      )
    }
    expect(await shrink(long, fails)).toEqual([{ ...create, status: undefined }, list('limit=3')])
  })

  test('also to a step within concurrent ones', async () => {
    const together: SequenceStep = {
      op: 'together',
      steps: [list('limit=1'), create, list('limit=3')],
    }
    expect(
      await shrink([together], async (steps) =>
        flat(steps).some((step) => 'query' in step && step.query === 'limit=3'),
      ),
    ).toEqual([list('limit=3')])
  })

  test('until no more tries are allowed', async () => {
    let left = 1
    const shorter = await shrink(long, async () => (left-- > 0 ? true : undefined))
    expect(shorter.length).toBeLessThan(long.length)
    expect(left).toBe(-1)
  })
})

test('characters of two to four bytes span each of the usual length limits', () => {
  for (const beginning of ['', 'Petkit Bcdfgh Aa', 'é', '🐾x']) {
    const text = nameAcrossCuts(beginning, 256)
    expect(text.isWellFormed()).toBe(true)
    const ends = new Set<number>()
    let bytes = 0
    for (const letter of text) ends.add((bytes += Buffer.byteLength(letter)))
    const before = Buffer.byteLength(beginning) + 1
    for (const cut of [20, 30, 32, 50, 60, 64, 100, 128, 255].filter((one) => one > before))
      expect(ends).not.toContain(cut)
    expect(bytes).toBeGreaterThanOrEqual(256)
    expect(bytes).toBeLessThan(264)
    for (const width of [2, 3, 4])
      expect([...text].some((letter) => Buffer.byteLength(letter) === width)).toBe(true)
  }
})
