import { expect, test } from 'vitest'
import { toGithub, type Report } from '../../../src/contract/index.ts'
import { requirements, type RequirementId } from '../../../src/spec/requirements.ts'
import { conforming, echoing, excused, hostile, unreachable, violating } from './reports.ts'

/** Parses the commands like a GitHub runner. */
function parse(report: Report): { name: string; title: string; message: string }[] {
  const lines = toGithub(report).trimEnd().split('\n')
  return lines.map((line) => {
    const [, name = '', title = '', message = ''] =
      /^::(error|warning|notice) title=([^:,]*)::(.*)$/.exec(line) ?? []
    const data = (text: string): string =>
      text.replaceAll('%0A', '\n').replaceAll('%0D', '\r').replaceAll('%25', '%')
    return {
      name,
      title: data(title.replaceAll('%3A', ':').replaceAll('%2C', ',')),
      message: data(message),
    }
  })
}

test('a finding is an error with the id of its requirement, and begins with the message', () => {
  const [error] = parse(violating())
  expect(error).toMatchObject({ name: 'error', title: 'list.limit.respected' })
  expect(error?.message.split('\n').slice(0, 3)).toEqual([
    'GET /pets?limit=2 returns 20 pets, at most 2 allowed.',
    '  expected  at most 2 pets',
    '  actual    20 pets',
  ])
})

test('an unverified requirement is a warning with its reason', () => {
  expect(parse(violating())).toContainEqual({
    name: 'warning',
    title: 'list.limit.max not verified',
    message: 'the catalogue has fewer than 101 pets',
  })
})

test('as many annotations as GitHub shows are all there, and of more, the last one lists the rest', () => {
  const notesOf = (count: number) => ({
    ...conforming(),
    notes: Array.from({ length: count }, (_, index) => `note ${index}`),
  })
  const notices = (report: Report) => parse(report).filter(({ name }) => name === 'notice')
  // The verdict is one of them.
  expect(notices(notesOf(9)).map(({ title }) => title)).toEqual([
    'petstore verify: PASS',
    ...Array.from({ length: 9 }, () => 'note'),
  ])
  expect(notices(notesOf(10)).at(-1)).toMatchObject({ title: '2 more' })
  expect(notices(notesOf(10))).toHaveLength(10)
})

test('a known failure is a warning', () => {
  const commands = parse(excused())
  expect(commands.some(({ name }) => name === 'error')).toBe(false)
  expect(commands[0]).toMatchObject({
    name: 'warning',
    title: 'list.limit.respected (known failure)',
  })
})

test('annotations point to the line that names the deployment', () => {
  const place = { file: 'shop, a/petstore.config.json', line: 7 }
  const lines = toGithub(violating(), { place }).trimEnd().split('\n')
  expect(lines.length).toBeGreaterThan(2)
  for (const line of lines)
    expect(line).toMatch(
      /^::(?:error|warning|notice) file=shop%2C a\/petstore\.config\.json,line=7,title=/,
    )
})

test('the verdict is a notice', () => {
  const message =
    'http://127.0.0.1:4010/v1\n49 of 49 requirements checked\n49 verified, 0 not verified, 5 not applicable'
  expect(parse(conforming())).toEqual([
    {
      name: 'notice',
      title: 'petstore verify: PASS',
      message: `${message}\n118 requests, 14 pets created, 0.8 s`,
    },
  ])
})

test('an inconclusive run is an error', () => {
  expect(parse(unreachable())[0]).toEqual({
    name: 'error',
    title: 'inconclusive',
    message: 'the target cannot be reached: nothing listens there',
  })
})

test('text of the target cannot add a command or property', () => {
  const commands = parse(echoing(hostile))
  expect(commands.map(({ name }) => name)).not.toContain('')
  expect(commands.map(({ title }) => title)).toEqual([
    'list.limit.respected',
    'drift: error.code.404',
    'list.success (known failure)',
    'list.limit.max not verified',
    'petstore verify: FAIL',
    'note',
    'note',
    'note',
  ])
  expect(commands[0]?.message).toContain('%0A::warning::injected')
})

test('at most ten annotations of a kind, as many as GitHub shows; the last names the others', () => {
  const errorsOf = (ids: readonly string[]) => {
    const findings = ids.map((id) => ({ requirement: id as RequirementId }))
    return parse(violating(findings)).filter(({ name }) => name === 'error')
  }
  const errors = errorsOf(requirements.map(({ id }) => id))
  expect(errors).toHaveLength(10)
  const last = errors.pop()
  const others = last?.message.split(', ') ?? []
  expect(last?.title).toBe(`${others.length} more`)
  // None of them is the cause of another.
  const causes = [...errors.map(({ title }) => title), ...others]
  expect(causes.length).toBeGreaterThan(14)
  expect(errorsOf(causes.slice(0, 10)).map(({ title }) => title)).toEqual(causes.slice(0, 10))
  expect(errorsOf(causes.slice(0, 11)).at(-1)?.title).toBe('2 more')
})
