import { validKey } from './credentials.ts'
import { headersOf } from './exchange.ts'
import type { Plan } from './exchange.ts'

/** A command line that sends the same request. The key comes from the environment variable PETSTORE_API_KEY. */
export function toCurl(baseUrl: string, plan: Plan): string {
  const { shell } = plan.credential ?? validKey
  const words = ['curl', '-sS', '-i']
  if (plan.method === 'HEAD') words.push('-I')
  else if (plan.method !== 'GET') words.push('-X', plan.method)
  words.push(quote(baseUrl + plan.path))
  // curl leaves a header without a value out, unless a semicolon stands in place of the colon.
  if (shell === '') words.push('-H', "'Authorization;'")
  else if (shell !== undefined) words.push('-H', `"Authorization: ${shell}"`)
  for (const [name, value] of Object.entries(headersOf(plan))) {
    if (name !== 'user-agent' && name !== 'accept') words.push('-H', quote(`${name}: ${value}`))
  }
  if (plan.body !== undefined && plan.headers?.['content-type'] === '') words.push('-H', "'content-type:'")
  if (plan.body !== undefined) words.push('--data-binary', quote(plan.body))
  return words.join(' ')
}

/** Quotes a word for a POSIX shell; line breaks and tabs stay readable in the `$'...'` form that bash and zsh know. */
function quote(text: string): string {
  if (/[\n\r\t]/.test(text)) {
    const escaped = text
      .replace(/[\\']/g, '\\$&')
      .replaceAll('\n', '\\n')
      .replaceAll('\r', '\\r')
      .replaceAll('\t', '\\t')
    return `$'${escaped}'`
  }
  return `'${text.replaceAll("'", "'\\''")}'`
}
