import { expect, test } from 'vitest'
import { checks } from '../../../src/contract/suite/checks.ts'
import { defects } from '../../../src/mock/defects/index.ts'
import { issueKinds } from '../../../src/mock/scorecard/issues.ts'
import { behaviors } from '../../../src/spec/behaviors.ts'
import { type Requirement, requirements } from '../../../src/spec/requirements.ts'
import { rowToSentence } from '../../../src/report/text.ts'
import { run } from './command.ts'

const all: readonly Requirement[] = requirements

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
    const parts = [id, `"${rowToSentence(quote)}"`, reading, untestable, breaks, fix]
    expect(code).toBe(0)
    for (const part of parts.filter((text) => text !== undefined))
      expect(flat(stdout), id).toContain(part)
    expect(stdout.includes(`petstore verify URL --only ${id}`), id).toBe(untestable === undefined)
  }
  const { stdout } = await run(['explain', 'list.limit.default'])
  expect(stdout).toContain('list-pets.default-limit: ')
  expect(stdout).toContain('petstore mock --defect list.default-10\n')
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
})

test('explains each unspecified behavior, with or without an option after its id', async () => {
  for (const { id, question, options, safe } of behaviors) {
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

test.each([
  ['list-pets.default-limit', 'A check of the suite.', 'list.limit.default'],
  [
    'list.limit-ignored',
    'A deliberate defect of the mock.',
    'petstore mock --defect list.limit-ignored',
  ],
  ['name.not-a-string', 'An issue of the scorecard: requests', 'Send name as a string.'],
  ['category-id.rounded', 'How to fix it', 'categoryId'],
])('explains %s, which is no requirement', async (id, ...parts) => {
  const { code, stdout } = await run(['explain', id])
  expect(code).toBe(0)
  for (const part of [id, ...parts]) expect(flat(stdout)).toContain(part)
})

test('explains the code of an error as the behavior that it is an option of', async () => {
  for (const status of [400, 401, 404] as const) {
    const id = `error.code.${status}`
    const code = behaviors.find((one) => one.id === id)?.default ?? ''
    expect(await run(['explain', code])).toEqual(await run(['explain', id]))
  }
})

test('explains every check, deliberate defect and issue', async () => {
  for (const { id } of [...checks, ...defects, ...issueKinds]) {
    const { code, stdout } = await run(['explain', id])
    expect([code, stdout.includes(id)], id).toEqual([0, true])
  }
})

test('takes any letter case, and a part that only one id has', async () => {
  const whole = await run(['explain', 'list.limit-ignored'])
  expect(await run(['explain', 'LIST.Limit-Ignored'])).toEqual(whole)
  expect(await run(['explain', 'Pets.default-limit'])).toEqual(
    await run(['explain', 'list-pets.default-limit']),
  )
  const { code, stderr } = await run(['explain', 'limit'])
  expect(code).toBe(2)
  expect(stderr).toMatch(
    /^petstore: "limit" is a part of \d+ ids: list\.limit\.\S+, .*, and \d+ more\n$/,
  )
})
