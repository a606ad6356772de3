import { suiteUserAgent } from '../spec/version.ts'

/** The headers that a proxy keeps, and the forms of their values. Any other header, and any other value, is left out. */

export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>
export type CleanHeaders = Record<string, string>

/** What stands where something was that is not kept. */
export const unknown = '[not kept]'

/** What of the value of a header is kept. */
type Rule = (value: string) => string

/** A media type in letters, with its weight and its charset. */
function cleanMediaType(value: string): string {
  const [type = '', ...parameters] = value.split(';').map((part) => part.trim())
  const isType = /^(?:\*|application|text|image|audio|video|font|message|model|multipart)\/[a-z.+*-]{1,60}$/i.test(type)
  const kept = parameters.filter((parameter) =>
    /^(?:q=[01](?:\.\d{1,3})?|charset="?(?:utf-?8|utf-16|iso-8859-1|us-ascii|windows-1252)"?)$/i.test(parameter),
  )
  return [type === '' || isType ? type : 'other/other', ...kept].join('; ')
}

export const text = (value: Headers[string]): string | undefined =>
  value === undefined ? undefined : typeof value === 'string' ? value : value.join(', ')

export function pick(headers: Headers, rules: Readonly<Record<string, Rule>>): CleanHeaders {
  const clean: CleanHeaders = {}
  for (const [name, rule] of Object.entries(rules)) {
    const value = text(headers[name])
    if (value !== undefined) clean[name] = rule(value)
  }
  return clean
}

const matching =
  (pattern: RegExp): Rule =>
  (value) =>
    pattern.test(value) ? value : unknown

/** Each of a list, or a word that stands for others. */
const each =
  (pattern: RegExp, other: string): Rule =>
  (value) =>
    value
      .split(',')
      .map((part) => (pattern.test(part.trim()) ? part.trim() : other))
      .slice(0, 20)
      .join(', ')

const date = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/
const coding = /^(?:gzip|x-gzip|deflate|br|zstd|identity|chunked|\*)(?:;\s*q=[01](?:\.\d{1,3})?)?$/i
const method = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|TRACE)$/
export const cleanOrigin = (origin: string): string =>
  /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/.test(origin) ? origin : 'https://page.example'

export const requestRules: Readonly<Record<string, Rule>> = {
  accept: (value) => value.split(',').slice(0, 20).map(cleanMediaType).join(', '),
  'accept-encoding': each(coding, 'other'),
  'content-type': cleanMediaType,
  'content-length': matching(/^\d{1,15}$/),
  'content-encoding': each(coding, 'other'),
  'transfer-encoding': each(coding, 'other'),
  'user-agent': (value) => (value === suiteUserAgent ? value : unknown),
  origin: cleanOrigin,
  range: () => unknown,
  'if-none-match': () => unknown,
  'access-control-request-method': each(method, 'OTHER'),
}

export const responseRules: Readonly<Record<string, Rule>> = {
  'content-type': cleanMediaType,
  'content-length': matching(/^\d{1,15}$/),
  'content-encoding': each(coding, 'other'),
  date: matching(date),
  'www-authenticate': (value) => /^(?:Bearer|Basic|Digest|Negotiate)\b/i.exec(value)?.[0] ?? 'other',
  allow: each(method, 'OTHER'),
  'retry-after': (value) => (/^\d{1,9}$/.test(value) || date.test(value) ? value : unknown),
  deprecation: matching(/^(?:@\d{1,12}|true)$/),
  sunset: matching(date),
}
