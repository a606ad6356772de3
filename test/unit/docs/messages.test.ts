/** The messages of the code and docs/reference/messages.md agree. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rows as wrongCommands } from '../../io/cli/wrong-commands.ts'

const root = join(import.meta.dirname, '../../..')

/** All sources, with concatenated strings joined and an ellipsis in place of each template value. */
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.gen.ts'))
  .map((name) => readFileSync(join(root, 'src', name), 'utf8'))
  .join('\n')
  .replaceAll(/['"`]\s*\+\s*['"`]/g, '')
  .replaceAll(/\$\{(?:[^{}`]|`[^`]*`|\{[^{}]*\})*\}/g, '…')
  .replaceAll(/\\(['"`])/g, '$1')

const page = readFileSync(join(root, 'docs/reference/messages.md'), 'utf8')
const cells = page.split('\n').flatMap((line) => /^\| (.*?) +\|/.exec(line)?.[1] ?? [])
// Cells that consist of messages; others describe a symptom.
const quoted = cells
  .filter((cell) => /^`[^`]+`(, `[^`]+`)*$/.test(cell))
  .flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, message = '']) => message))

test('each message on the page exists in the code', () => {
  expect(quoted.length).toBeGreaterThan(120)
  expect(quoted.filter((message) => !sources.includes(message))).toEqual([])
})

test('each error message is on the page or covered by the command line tests', () => {
  const calls = /(?:UsageError\(|problem\(\s*\d+,|reject\(\s*\d+,)\s*(['"`])((?:(?!\1)[^])*)\1/g
  const messages = [...sources.matchAll(calls)].map(([, , message = '']) => message)
  expect(messages.length).toBeGreaterThan(100)
  /** Whether a text contains all parts of a template in order. */
  const matches = (text: string, template: string): boolean => {
    let at = 0
    return template.split('…').every((part) => {
      at = text.indexOf(part, at) + part.length
      return at >= part.length
    })
  }
  const isCovered = (message: string): boolean =>
    quoted.some((text) => matches(message, text)) ||
    wrongCommands.some(([, text]) => matches(text, message))
  expect(
    messages.filter((message) => message.replaceAll(/[…: ]/g, '') !== '' && !isCovered(message)),
  ).toEqual([])
})
