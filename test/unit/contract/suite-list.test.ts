import { expect, test } from 'vitest'
import { checks, listSuite } from '../../../src/contract/index.ts'
import { type Requirement, requirements } from '../../../src/spec/requirements.ts'

const text = listSuite()
const [requirementPart = '', checkPart = ''] = text.split('\nChecks\n')

test('shows each requirement with its quote, and how it is verified', () => {
  for (const { id, quote, untestable } of requirements as readonly Requirement[]) {
    const [, entry = ''] = requirementPart.split(`\n${id}\n`)
    const [words = '', how = ''] = entry.split('\n')
    expect(words, id).toContain(`"${quote}"`)
    expect(how, id).toMatch(
      untestable === undefined ? /^ {2}checked by \S/ : /^ {2}not testable: \S/,
    )
  }
})

test('shows each check with its title and the pets that it creates', () => {
  for (const { id, title, writes = 0 } of checks) {
    const created = writes === 0 ? '' : `; creates ${writes} ${writes === 1 ? 'pet' : 'pets'}`
    expect(checkPart).toContain(`\n${id}\n  ${title}${created}\n`)
  }
})

test('every requirement has a check or a reason', () => {
  const covered = new Set<string>(checks.flatMap((check) => check.requirements))
  const everyResponse = /^(http\.(media-type|json-body)|error\.|pet\.)/
  const open = (requirements as readonly Requirement[]).filter(
    ({ id, untestable }) => !covered.has(id) && untestable === undefined && !everyResponse.test(id),
  )
  expect(open.map(({ id }) => id)).toEqual([])
})
