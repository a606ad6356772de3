import { quote } from '../../api.ts'
import type { JournalEntry } from '../../../mock/journal-entry.ts'

/** The redacted key becomes the environment variable that `petstore exec` sets. */
const redacted = '[redacted]'
/** Headers that each client sets itself. */
const own =
  /^(?:host|connection|content-length|accept-encoding|user-agent|sec-|transfer-encoding|keep-alive)/i

function headersOf({ request }: JournalEntry): [name: string, value: string][] {
  return Object.entries(request.headers)
    .filter(([name]) => !own.test(name))
    .flatMap(([name, value]) => [value].flat().map((one): [string, string] => [name, one]))
}

function toCurl(entry: JournalEntry, origin: string): string {
  const { method, target, body } = entry.request
  const header = ([name, value]: [string, string]): string =>
    value.includes(redacted)
      ? `-H "${name}: ${value.replaceAll(redacted, '$PETSTORE_API_KEY')}"`
      : `-H ${quote(`${name}: ${value}`)}`
  return [
    'curl -i',
    ...(method === 'GET' ? [] : [method === 'HEAD' ? '--head' : `-X ${quote(method)}`]),
    quote(origin + target),
    ...headersOf(entry).map(header),
    ...(body === '' ? [] : [`--data-binary ${quote(body)}`]),
  ].join(' \\\n  ')
}

/** A JavaScript literal, with the key from the environment. */
function literal(text: string): string {
  if (!text.includes(redacted)) return JSON.stringify(text)
  return `\`${text.replaceAll(/[`\\$]/g, '\\$&').replaceAll(redacted, '${process.env.PETSTORE_API_KEY}')}\``
}

function optionsOf(entry: JournalEntry, bodyName: string): string {
  const { method, body } = entry.request
  const headers = headersOf(entry).map(
    ([name, value]) => `    ${JSON.stringify(name)}: ${literal(value)},\n`,
  )
  return [
    '{\n',
    `  method: ${JSON.stringify(method)},\n`,
    `  headers: {\n${headers.join('')}  },\n`,
    ...(body === '' ? [] : [`  ${bodyName}: ${literal(body)},\n`]),
    '}',
  ].join('')
}

const toFetch = (entry: JournalEntry, origin: string): string =>
  `const response = await fetch(${JSON.stringify(origin + entry.request.target)}, ${optionsOf(entry, 'body')})\n`

const toPlaywright = (entry: JournalEntry, origin: string): string =>
  `const response = await request.fetch(${JSON.stringify(origin + entry.request.target)}, ${optionsOf(entry, 'data')})\n` +
  `expect(response.status()).toBe(${entry.response.status})\n`

/** The formats to copy a request in. */
export const formats: Readonly<Record<string, (entry: JournalEntry, origin: string) => string>> = {
  curl: toCurl,
  fetch: toFetch,
  Playwright: toPlaywright,
}
