/** The declarations of options, which editors and docs/reference/javascript.md show, have the defaults and ranges of the code. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { bounds, integers } from '../../../src/contract/session/limits.ts'
import { defaultHost, ranges, readSettings } from '../../../src/mock/sandbox/settings.ts'

/** The comment on a field of an interface. */
function commentOn(file: string, field: string): string {
  const text = readFileSync(new URL(`../../../src/${file}`, import.meta.url), 'utf8')
  const [, comment] = new RegExp(`/\\*\\*((?:(?!\\*/)[^])*)\\*/\\n  ${field}\\??:`).exec(text) ?? []
  if (comment === undefined) throw new Error(`${file} has no comment on ${field}.`)
  return comment.replaceAll(/\s*\n\s*\* ?/g, ' ').trim()
}

const show = (value: unknown): string =>
  typeof value === 'number' ? value.toLocaleString('en-US') : String(value)

describe('verify', () => {
  const { maxRequests: _, maxWrites: __, ...plain } = integers
  test.each(Object.entries(plain))('%s', (name, [fallback]) => {
    expect(commentOn('contract/session/options.ts', name)).toContain(`Default: ${fallback}.`)
  })

  test.each(['maxRequests', 'maxWrites'] as const)('%s of each depth', (name) => {
    const [, words = ''] =
      /Default: (.*)\.$/.exec(commentOn('contract/session/options.ts', name)) ?? []
    const numbers = words.match(/\d+/g)?.map(Number)
    const { smoke, standard, thorough } = bounds
    expect(numbers?.toSorted((a, b) => a - b)).toEqual(
      [smoke[name], standard[name], thorough[name]].toSorted((a, b) => a - b),
    )
  })
})

describe('the mock', () => {
  const defaults = readSettings({}, [])

  test.each(['seed', 'pets', 'journal', 'ids', 'basePath', 'overrides', 'explain'] as const)(
    '%s',
    (name) => {
      const comment = commentOn('mock/sandbox/types.ts', name)
      const value = show(defaults[name])
      expect(comment.toLowerCase()).toMatch(
        new RegExp(`(?:by default|default:) ${value}|\`?${value}\`?(?: by default|, the default)`),
      )
    },
  )

  test.each(['pets', 'journal'] as const)('the range of %s', (name) => {
    const [least, most] = ranges[name].map(show)
    expect(commentOn('mock/sandbox/types.ts', name)).toContain(`${least} to ${most}`)
  })

  test('host', () => {
    expect(commentOn('mock/start.ts', 'host')).toContain(`\`${defaultHost}\` by default`)
  })
})
