/** Wrong command lines and their messages on stderr, from docs/reference/wrong-commands.md. */
import { readFileSync } from 'node:fs'

const page = readFileSync(
  new URL('../../../docs/reference/wrong-commands.md', import.meta.url),
  'utf8',
)

export const rows: readonly [line: string, message: string][] = Array.from(
  page.matchAll(/^\| `(.+)` \| `petstore (.+)` \|$/gm),
  ([, message = '', line = '']) => [
    line,
    message.replaceAll('`<br>`', '\n').replaceAll('\\|', '|'),
  ],
)
