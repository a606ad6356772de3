/** What the troubleshooting page quotes, the code says; and what the code says, that page or that of command lines has. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rows as wrongCommands } from '../../io/cli/messages.ts'

const root = join(import.meta.dirname, '../../..')

/** All sources: texts that are joined by + in one piece, and an ellipsis where a template has a value. */
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.gen.ts'))
  .map((name) => readFileSync(join(root, 'src', name), 'utf8'))
  .join('\n')
  .replaceAll(/['"`]\s*\+\s*['"`]/g, '')
  .replaceAll(/\$\{(?:[^{}`]|`[^`]*`|\{[^{}]*\})*\}/g, '…')
  .replaceAll(/\\(['"`])/g, '$1')

const page = readFileSync(join(root, 'docs/how-to/troubleshooting.md'), 'utf8')
const cells = page.split('\n').flatMap((line) => /^\| (.*?) +\|/.exec(line)?.[1] ?? [])
// A cell of messages alone; the others say what is seen elsewhere.
const quoted = cells
  .filter((cell) => /^`[^`]+`(, `[^`]+`)*$/.test(cell))
  .flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, message = '']) => message))

test('each message of the troubleshooting page is one of the code', () => {
  expect(quoted.length).toBeGreaterThan(120)
  expect(quoted.filter((message) => !sources.includes(message))).toEqual([])
})

test('each message of an error is on a page', () => {
  const calls = /(?:UsageError\(|problem\(\s*\d+,|refuse\(\s*\d+,)\s*(['"`])((?:(?!\1)[^])*)\1/g
  const messages = [...sources.matchAll(calls)].map(([, , message = '']) => message)
  expect(messages.length).toBeGreaterThan(100)
  /** Whether a text has all parts of a template, in their order. */
  const fits = (text: string, template: string): boolean => {
    let at = 0
    return template.split('…').every((part) => {
      at = text.indexOf(part, at) + part.length
      return at >= part.length
    })
  }
  const isThere = (message: string): boolean =>
    quoted.some((text) => fits(message, text)) || wrongCommands.some(([, text]) => fits(text, message))
  expect(messages.filter((message) => message.replaceAll(/[…: ]/g, '') !== '' && !isThere(message))).toEqual([])
})
