import { unseen } from '../report/inert.ts'
import { shellQuote } from '../report/text.ts'
import * as credentials from './credentials.ts'
import { fieldFor, headersOf, type Plan } from './exchange.ts'

/** Irrelevant to a reader. */
const left = new Set(['user-agent', 'accept-encoding'])

/** A curl command that sends the same request, with the key from PETSTORE_API_KEY. */
export function toCurl(baseUrl: string, plan: Plan): string {
  const { field = fieldFor(plan.path), shell } = plan.credential ?? credentials.validKey
  const words = ['curl', '-sS', '-i']
  if (plan.method === 'HEAD') words.push('-I')
  else if (plan.method !== 'GET') words.push('-X', plan.method)
  words.push(shellQuote(baseUrl + plan.path))
  // curl sends an empty header only with a semicolon in place of the colon.
  if (shell === '') words.push('-H', "'Authorization;'")
  else if (shell !== undefined) words.push('-H', `"${field}: ${shell}"`)
  for (const [name, value] of Object.entries(headersOf(plan))) {
    // The default of curl.
    if (!left.has(name) && value !== '*/*') words.push('-H', shellQuote(`${name}: ${value}`))
  }
  if (plan.body !== undefined && plan.headers?.['content-type'] === '') words.push('-H', "'content-type:'")
  if (plan.body === undefined) return words.join(' ')
  if (!unseen.test(plan.body)) return [...words, '--data-raw', shellQuote(plan.body)].join(' ')
  return `printf %b ${shellQuote(escapeUnseen(plan.body))} | ${[...words, '--data-binary', '@-'].join(' ')}`
}

/** Escapes invisible characters and backslashes for `printf %b` of any shell: `\0` and an octal number per byte. */
function escapeUnseen(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replace(new RegExp(unseen, 'gu'), (char) =>
      Array.from(Buffer.from(char), (byte) => `\\0${byte.toString(8).padStart(3, '0')}`).join(''),
    )
}
