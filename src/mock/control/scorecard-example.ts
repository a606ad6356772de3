import { credentialsOf, hideInUrls } from '../../report/credentials.ts'
import { createRedactor } from '../../report/redact.ts'
import type { HttpRequest } from '../../spec/http.ts'
import type { Example } from './scorecard.ts'

/** What stands where a key was. */
const hidden = '<API_KEY>'

/** Characters of each part of an example, and of a message. */
const longest = { method: 20, target: 200, body: 300, message: 240 }
/** Redaction shortens a text, so that more of it is read than is shown. */
const longestRead = 2_000

/** A request, as far as an example shows it. */
export interface ExampleSource {
  method: string
  target: string
  headers: HttpRequest['headers']
  body: string
}

/** A request as a issue shows it, and a sentence about it: without keys and whatever it presents as one, and cut. */
export function toExample(
  source: ExampleSource,
  message: string,
  keys: readonly string[],
): { message: string; example: Example } {
  const redact = createRedactor({ [hidden]: [...keys, ...credentialsOf(source)] })
  const show = (text: string, most: number): string => shorten(redact(text.slice(0, longestRead)), most)
  const example: Example = {
    method: show(source.method, longest.method),
    target: show(hideInUrls(source.target, hidden), longest.target),
  }
  if (source.body !== '') example.body = show(source.body, longest.body)
  return { message: show(message, longest.message), example }
}

/** The first characters, as a text of its own: a piece of a long text would keep the whole of it in memory. */
function shorten(text: string, most: number): string {
  return Array.from(text.length > most ? `${text.slice(0, most)}…` : text).join('')
}
