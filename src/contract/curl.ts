import { unseen } from '../report/inert.ts'
import * as credentials from './credentials.ts'
import { headersOf, type Plan } from './exchange.ts'

/** How the bytes travel, and who requests: a reader of a curl line wants neither. */
const left = new Set(['user-agent', 'accept-encoding'])

/** A command line that sends the same request. The key comes from the environment variable PETSTORE_API_KEY. */
export function toCurl(baseUrl: string, plan: Plan): string {
  const { shell } = plan.credential ?? credentials.validKey
  const words = ['curl', '-sS', '-i']
  if (plan.method === 'HEAD') words.push('-I')
  else if (plan.method !== 'GET') words.push('-X', plan.method)
  words.push(quote(baseUrl + plan.path))
  // curl leaves a header without a value out, unless a semicolon stands in place of the colon.
  if (shell === '') words.push('-H', "'Authorization;'")
  else if (shell !== undefined) words.push('-H', `"Authorization: ${shell}"`)
  for (const [name, value] of Object.entries(headersOf(plan))) {
    // What curl accepts of its own is anything.
    if (!left.has(name) && value !== '*/*') words.push('-H', quote(`${name}: ${value}`))
  }
  if (plan.body !== undefined && plan.headers?.['content-type'] === '') words.push('-H', "'content-type:'")
  if (plan.body === undefined) return words.join(' ')
  if (!unseen.test(plan.body)) return [...words, '--data-raw', quote(plan.body)].join(' ')
  return `printf %b ${quote(escapeUnseen(plan.body))} | ${[...words, '--data-binary', '@-'].join(' ')}`
}

/** Writes characters that a terminal does not show, and backslashes, as every shell's `printf %b` reads them: `\0` and an octal number for a byte. */
function escapeUnseen(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replace(new RegExp(unseen, 'gu'), (char) =>
      Array.from(Buffer.from(char), (byte) => `\\0${byte.toString(8).padStart(3, '0')}`).join(''),
    )
}

/** Quotes a word for a POSIX shell. */
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
