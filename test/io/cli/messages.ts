/** Wrong command lines and their messages on stderr, from docs/reference/messages.md. */
import { readFileSync } from 'node:fs'

const page = readFileSync(new URL('../../../docs/reference/messages.md', import.meta.url), 'utf8')

export const rows: readonly [line: string, message: string][] = Array.from(
  page.matchAll(/^\| `(.+)` \| `petstore (.+)` \|$/gm),
  ([, message = '', line = '']) => [
    line,
    message.replaceAll('`<br>`', '\n').replaceAll('\\|', '|'),
  ],
)
