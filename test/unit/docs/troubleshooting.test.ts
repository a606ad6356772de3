/** What the troubleshooting page quotes, the code says. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')

/** All sources: texts that are joined by + in one piece, and an ellipsis where a template has a value. */
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.gen.ts'))
  .map((name) => readFileSync(join(root, 'src', name), 'utf8'))
  .join('\n')
  .replaceAll(/['"`]\s*\+\s*['"`]/g, '')
  .replaceAll(/\$\{(?:[^{}`]|`[^`]*`)*\}/g, '…')

test('each message of the troubleshooting page is one of the code', () => {
  const page = readFileSync(join(root, 'docs/how-to/troubleshooting.md'), 'utf8')
  const cells = page.split('\n').flatMap((line) => /^\| (.*?) +\|/.exec(line)?.[1] ?? [])
  // A cell of messages alone; the others say what is seen elsewhere.
  const messages = cells.filter((cell) => /^`[^`]+`(, `[^`]+`)*$/.test(cell))
  const quoted = messages.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, message = '']) => message))
  expect(quoted.length).toBeGreaterThan(40)
  expect(quoted.filter((message) => !sources.includes(message))).toEqual([])
})
