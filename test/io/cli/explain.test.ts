import { expect, test } from 'vitest'
import { choices } from '../../../src/spec/choices.ts'
import { type Clause, clauses } from '../../../src/spec/clauses.ts'
import { rows } from '../../../src/spec/rows.ts'
import { run } from './command.ts'

const all: readonly Clause[] = clauses

test('each testable requirement has causes and a fix', () => {
  for (const { id, untestable, breaks, fix } of all) {
    expect(
      [breaks, fix].map((text) => text === undefined),
      id,
    ).toEqual(Array(2).fill(untestable !== undefined))
  }
})

/** Replaces line breaks by spaces. */
const flat = (text: string): string => text.replaceAll(/\s+/g, ' ')

test('explains each requirement with quote, checks, causes, fix and a defect to try', async () => {
  for (const { id, quote, reading, untestable, breaks, fix } of all) {
    const { code, stdout } = await run(['explain', id])
    const parts = [id, `"${rows[quote] ?? quote}"`, reading, untestable, breaks, fix]
    expect(code).toBe(0)
    for (const part of parts.filter((text) => text !== undefined))
      expect(flat(stdout), id).toContain(part)
    expect(stdout.includes(`petstore verify URL --only ${id}`), id).toBe(untestable === undefined)
  }
  const { stdout } = await run(['explain', 'list.limit.default'])
  expect(stdout).toContain('list-pets.default-limit: ')
  expect(stdout).toContain('petstore mock --deviate list.default-10\n')
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
})

test('explains each unspecified behavior, with or without an option after its id', async () => {
  for (const { id, question, options, safe } of choices) {
    const { code, stdout } = await run(['explain', id])
    expect(code).toBe(0)
    for (const part of [
      question,
      safe,
      ...options.map(({ value, meaning }) => `${value}: ${meaning}`),
    ])
      expect(flat(stdout), id).toContain(part)
  }
  expect(await run(['explain', 'list.order=newest-first'])).toEqual(
    await run(['explain', 'list.order']),
  )
})
