import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { validateXML } from 'xmllint-wasm'
import { toJunit } from '../../../src/contract/index.ts'
import {
  conforming,
  everyReport,
  excused,
  partlyExcused,
  unreachable,
  violating,
} from './reports.ts'

const schema = await readFile(new URL('schemas/junit-10.xsd', import.meta.url), 'utf8')

test.each(Object.entries(everyReport))('a %s report is valid', async (_, report) => {
  const { errors, valid } = await validateXML({
    xml: [{ fileName: 'report.xml', contents: toJunit(report) }],
    schema: [schema],
  })
  expect(errors).toEqual([])
  expect(valid).toBe(true)
})

test('a report of no time, such as one of recorded traffic, has no duration', () => {
  expect(toJunit({ ...conforming(), durationMs: 0 })).not.toContain(' time=')
  expect(toJunit({ ...conforming(), durationMs: 1 })).toContain(' time="0.001"')
})

test('each requirement is a test case in the class of its section', () => {
  const xml = toJunit(conforming())
  expect(xml).toContain('tests="54" failures="0" errors="0" skipped="5"')
  expect(xml).toContain(
    '<testcase classname="What the service does" name="service.catalog: The service keeps a catalogue of animals offered by a store."/>',
  )
})

test('a violated requirement is a failure with all details', () => {
  const xml = toJunit(violating([{ alsoBreaks: ['list.success'] }]))
  expect(xml).toContain('failures="1"')
  const [failure = ''] = xml.match(/<failure[^]*?<\/failure>/g) ?? []
  expect(failure).toContain('message="GET /pets?limit=2 returns 20 pets, at most 2 allowed."')
  for (const part of [
    'expected  at most 2 pets',
    'actual    20 pets',
    'curl -sS',
    'minimum 1, maximum 100',
  ]) {
    expect(failure).toContain(part)
  }
  expect(xml).toContain('<skipped message="Probably because list.limit.respected is violated: ')
})

test.each(Object.entries(everyReport))('a %s report fails exactly if the run does', (_, report) => {
  expect(/ (?:failures|errors)="[1-9]/.test(toJunit(report))).toBe(report.exitCode !== 0)
})

test('a skipped case is not verified or not applicable, with the reason', () => {
  const xml = toJunit(violating())
  expect(xml).toContain(
    'type="not-verified">not verified: the catalogue has fewer than 101 pets</skipped>',
  )
  expect(xml).toContain('type="not-applicable">not applicable: A run sees one deployment.')
})

test('a known failure is skipped, with its ticket', () => {
  const xml = toJunit(excused())
  expect(xml).toContain('failures="0"')
  expect(xml).toContain(
    '<skipped message="known until 2027-01-31: Being mended (PET-42)" type="known">',
  )
})

test('beside a known failure, the new finding of the requirement is the failure', () => {
  const xml = toJunit(partlyExcused({ requirement: 'list.limit.respected' }))
  expect(xml).toContain('<failure message="The page is new." type="violated">')
  expect(xml).not.toContain('It is known until')
})

test('an inconclusive run is an error', () => {
  const xml = toJunit(unreachable())
  expect(xml).toContain('tests="55" failures="0" errors="1"')
  expect(xml).toContain(
    '<error message="the target cannot be reached: nothing listens there" type="not-verified">',
  )
})
