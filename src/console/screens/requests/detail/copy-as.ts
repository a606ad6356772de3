import type { JournalEntry } from '../../../../mock/journal/entry.ts'
import { hasUnseen, shellPrint, shellQuote, shellWord } from '../../../../report/shell.ts'
import { inertJson } from '../../../../report/text.ts'

/** The redacted key becomes the environment variable that `petstore exec` sets. */
const key = { placeholder: '[redacted]', name: 'PETSTORE_API_KEY' }
/** Headers that each client sets itself. */
const own =
  /^(?:host|connection|content-length|accept-encoding|user-agent|sec-|transfer-encoding|keep-alive)/i
/** A target that curl sends unchanged: without a fragment, dot segments, and the brackets of its patterns. */
const plainTarget = /^\/(?!(?:[^?]*\/)?\.{1,2}(?:[/?]|$))[^#[\]{}]*$/

/** The part of an entry that is sent. */
type Sent = Pick<JournalEntry, 'request'>

export function headersOf({ request }: Sent): [name: string, value: string][] {
  return Object.entries(request.headers)
    .filter(([name]) => !own.test(name))
    .flatMap(([name, value]) => [value].flat().map((one): [string, string] => [name, one]))
}

export function toCurl(entry: Sent, origin: string): string {
  const { method, target, body } = entry.request
  const headers = headersOf(entry)
  // curl sends an empty header only with a semicolon instead of the colon.
  const lines = headers.map(([name, value]) => (value === '' ? `${name};` : `${name}: ${value}`))
  // Otherwise, curl adds the type of a form.
  if (body !== '' && headers.every(([name]) => name.toLowerCase() !== 'content-type'))
    lines.push('Content-Type:')
  const isPrinted = hasUnseen(body.replaceAll('\n', ''))
  const command = [
    'curl -i',
    ...(method === 'HEAD' ? ['--head'] : []),
    ...(method !== 'HEAD' && (method !== 'GET' || body !== '') ? [`-X ${shellWord(method)}`] : []),
    // The target of a request may be an address of another host.
    ...(plainTarget.test(target)
      ? [shellQuote(origin + target, key)]
      : [`--request-target ${shellQuote(target, key)}`, shellQuote(`${origin}/`)]),
    ...lines.map((line) => `-H ${shellQuote(line, key)}`),
    ...(body === ''
      ? []
      : [isPrinted ? '--data-binary @-' : `--data-raw ${shellQuote(body, key)}`]),
  ].join(' \\\n  ')
  return isPrinted ? `${shellPrint(body, key)} | ${command}` : command
}

/** A JavaScript literal, with the key from the environment. */
function literal(text: string): string {
  if (!text.includes(key.placeholder)) return inertJson(JSON.stringify(text))
  const escaped = text.replaceAll(/[`\\$]/g, '\\$&')
  return inertJson(
    `\`${escaped.replaceAll(key.placeholder, () => `\${process.env.${key.name}}`)}\``,
  )
}

function optionsOf(entry: JournalEntry, bodyName: string): string {
  const { method, body } = entry.request
  const headers = headersOf(entry).map(
    ([name, value]) => `    ${inertJson(JSON.stringify(name))}: ${literal(value)},\n`,
  )
  return [
    '{\n',
    `  method: ${literal(method)},\n`,
    `  headers: {\n${headers.join('')}  },\n`,
    ...(body === '' ? [] : [`  ${bodyName}: ${literal(body)},\n`]),
    '}',
  ].join('')
}

/** No target names another host: that one would get the key. */
const urlOf = ({ request: { target } }: JournalEntry, origin: string): string =>
  literal(origin + (target.startsWith('/') ? target : '/'))

const toFetch = (entry: JournalEntry, origin: string): string =>
  `const response = await fetch(${urlOf(entry, origin)}, ${optionsOf(entry, 'body')})\n`

const toPlaywright = (entry: JournalEntry, origin: string): string =>
  `const response = await request.fetch(${urlOf(entry, origin)}, ${optionsOf(entry, 'data')})\n` +
  `expect(response.status()).toBe(${entry.response.status})\n`

/** The formats to copy a request in. */
export const formats: Readonly<Record<string, (entry: JournalEntry, origin: string) => string>> = {
  curl: toCurl,
  fetch: toFetch,
  Playwright: toPlaywright,
}
