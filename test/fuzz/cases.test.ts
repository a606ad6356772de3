import { createHash } from 'node:crypto'

import { expect, test } from 'vitest'

import { fuzzCases } from '../../scripts/fuzz/cases/index.ts'
import { createChance } from '../../scripts/fuzz/chance.ts'
import type { Context, Scenario } from '../../scripts/fuzz/scenario.ts'

/** A context as a run has it. */
function contextOf(seed: string): Context {
  let named = 0
  return {
    chance: createChance(seed),
    key: 'a-key-of-some-length',
    sandboxKey: 'petstore_sandbox_fuzz_00000000',
    petName: () => `pet ${(named += 1)}`,
    seeded: Array.from({ length: 100 }, (_, index) => ({ text: `{"id":${index + 1}}`, status: 'sold' })),
  }
}

/** What stands for all bytes of each case. */
function digestsOf(seed: string): string[] {
  return fuzzCases
    .filter((fuzzCase) => 'make' in fuzzCase)
    .map((fuzzCase) => {
      const bytes = sentBy(fuzzCase.make(contextOf(`${seed} ${fuzzCase.id}`)))
      return `${fuzzCase.id} ${createHash('sha256').update(bytes).digest('hex')}`
    })
}

const sentBy = ({ steps }: Scenario): Buffer =>
  Buffer.concat(steps.flatMap((step) => ('send' in step ? [step.send] : [])))

test('the same seed sends the same bytes, another one others', () => {
  const [first, again, other] = [digestsOf('one'), digestsOf('one'), digestsOf('two')]
  expect(again).toEqual(first)
  expect(other).not.toEqual(first)
})

test('each case has a name of its own, in a group', () => {
  const ids = fuzzCases.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) expect(id).toMatch(/^[a-z0-9-]+\/[a-zA-Z0-9.-]+$/)
})

test('no case sends less than it is called for', () => {
  const sizes = new Map(
    fuzzCases.flatMap((fuzzCase): [string, number][] =>
      'make' in fuzzCase ? [[fuzzCase.id, sentBy(fuzzCase.make(contextOf(fuzzCase.id))).length]] : [],
    ),
  )
  expect(sizes.get('target/64-kib-path')).toBeGreaterThan(65_536)
  expect(sizes.get('header/64-kib-value')).toBeGreaterThan(65_536)
  expect(sizes.get('body/1-mebibyte-and-a-byte')).toBeGreaterThan(1_048_577)
  expect(sizes.get('number/million-digits')).toBeGreaterThan(1_000_000)
})
