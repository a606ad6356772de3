import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { behaviors } from '../../../src/spec/behaviors.ts'
import { run, start } from './command.ts'
import { makeFolder } from '../../support/folder.ts'

function jsonFile(value: unknown): string {
  const file = join(makeFolder(), 'profile.json')
  writeFileSync(file, JSON.stringify(value))
  return file
}

describe('petstore profile', () => {
  test('list shows every unspecified behavior with its options', async () => {
    const { code, stdout } = await run(['profile', 'list'])
    expect(code).toBe(0)
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
    const flat = stdout.replaceAll(/\n {6}/g, ' ')
    for (const { id, options } of behaviors) {
      expect(stdout).toContain(`${id}\n`)
      for (const { value, meaning } of options) {
        expect(flat).toMatch(
          new RegExp(`    ${value}( \\(default\\))?: ${meaning.replaceAll('/', '.')}`),
        )
      }
    }
  })

  test('diff shows the differences of two deployments, and exits with 1', async () => {
    const before = jsonFile({
      profile: { 'list.order': 'oldest-first', 'http.head': '200', 'http.cors': 'unknown' },
    })
    const after = jsonFile({
      'list.order': 'newest-first',
      'http.head': '200',
      'http.cors': 'none',
    })
    const { code, stdout } = await run(['profile', 'diff', before, after])
    expect(code).toBe(1)
    expect(stdout).toBe(
      '1 difference:\n  list.order  oldest-first -> newest-first\n1 more was observed on one side only.\n',
    )
  })

  test('diff escapes control characters of a file', async () => {
    const before = jsonFile({ profile: { 'list.order': '\u001b]0;owned\u0007' } })
    const after = jsonFile({ profile: { 'list.order': 'new\u202e\u3164' } })
    const { stdout } = await run(['profile', 'diff', before, after])
    expect(stdout).toContain(String.raw`list.order  \u001b]0;owned\u0007 -> new\u202e\u3164`)
  })

  test('diff of equal profiles exits with 0', async () => {
    const file = jsonFile({ 'list.order': 'oldest-first' })
    expect(await run(['profile', 'diff', file, file])).toMatchObject({
      code: 0,
      stdout: 'No differences.\n',
    })
  })
})

describe('petstore mock', () => {
  const key = 'petstore-test-key'

  test('--profile behaves like the deployment, and names options that it does not support', async () => {
    const file = jsonFile({
      profile: { 'list.status.unknown': '418', 'list.order': 'by-color', 'http.cors': 'unknown' },
    })
    const mock = start(['mock', '--port', '0', '--quiet', '--profile', file])
    const url = (await mock.says(/http:\S+/)).match(/http:\S+/)?.[0] ?? ''
    const reply = await fetch(`${url}/pets?status=lost`, {
      headers: { authorization: `Bearer ${key}` },
    })
    expect(reply.status).toBe(418)
    expect(mock.stderr()).toContain('about list.order and uses the default')
  })

  test('--vary picks the same options for the same seed, prints how many differ, and --behavior overrides them', async () => {
    const drawn = async (): Promise<string> => {
      const mock = start([
        'mock',
        '--port',
        '0',
        '--vary',
        '3',
        '--behavior',
        'list.status.unknown=empty',
      ])
      await mock.says(/Press Ctrl-C/)
      const text = mock.stdout()
      const url = text.match(/http:\S+/)?.[0] ?? ''
      const reply = await fetch(`${url}/pets?status=lost`, {
        headers: { authorization: `Bearer ${key}` },
      })
      expect(await reply.json()).toEqual([])
      return text.slice(text.indexOf('Options'))
    }
    const first = await drawn()
    expect(first).toMatch(
      /^Options {3}\d+ of \d+ differ from the defaults; GET \/_petstore\/settings shows them\n/,
    )
    expect(await drawn()).toBe(first)
  })
})
