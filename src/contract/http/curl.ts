import { hasUnseen, shellPrint, shellQuote, shellWord } from '../../report/shell.ts'
import { type Credential, validKey } from './credentials.ts'
import { fieldFor, headersOf, type Plan } from './exchange.ts'

/** The variable that `shell` of a credential reads. */
export const defaultKeyVariable = 'PETSTORE_API_KEY'

/** How a shell makes the header of a credential from the key in an environment variable. */
export const shellOf = ({ shell }: Credential, keyVariable: string): string | undefined =>
  shell?.replaceAll(defaultKeyVariable, keyVariable)

/** Headers that are irrelevant to a reader of a curl command. */
const leftOut = new Set(['user-agent', 'accept-encoding'])

/** The pairs of the query or of the form that have the key for a value, and the path without them. */
function encodedPairs({ path, body = '' }: Plan, key: string | undefined) {
  if (key === undefined) return { path, query: [], form: [] }
  const [resource = '', query = ''] = path.split('?')
  const isKey = (pair: string): boolean => pair.endsWith(`=${key}`)
  const others = query.split('&').filter((pair) => !isKey(pair))
  return {
    path: [resource, others.join('&')].filter((part) => part !== '').join('?'),
    query: query.split('&').filter(isKey),
    form: body.startsWith('{') ? [] : body.split('&').filter(isKey),
  }
}

/** The variable from which a curl command reads the value of a header of --header, unless another one is named. */
export const headerVariable = (name: string): string =>
  `PETSTORE_HEADER_${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`

/**
 * A curl command that sends the same request, with the key from an environment variable.
 *
 * @param headerVariables those of headers whose values are in variables, too
 */
export function toCurl(
  baseUrl: string,
  plan: Plan,
  keyVariable = defaultKeyVariable,
  headerVariables: Readonly<Record<string, string>> = {},
): string {
  const { field = fieldFor(plan.path), carry } = plan.credential ?? validKey
  const shell = shellOf(plan.credential ?? validKey, keyVariable)
  const variable = carry && { placeholder: `$${keyVariable}`, name: keyVariable }
  const words = ['curl', '-sS', '-i']
  if (plan.method === 'HEAD') words.push('-I')
  else if (plan.method !== 'GET') words.push('-X', shellWord(plan.method))
  const { path, query, form } = encodedPairs(plan, variable?.placeholder)
  words.push(shellQuote(baseUrl + path))
  // The value of the variable may need percent-encoding.
  if (query.length > 0) words.push('-G')
  for (const pair of [...query, ...form]) words.push('--data-urlencode', `"${pair}"`)
  // curl sends an empty header only with a semicolon instead of the colon.
  if (shell === '') words.push('-H', "'Authorization;'")
  else if (shell !== undefined) words.push('-H', `"${field}: ${shell}"`)
  for (const [name, value] of Object.entries(headersOf(plan))) {
    const from = Object.hasOwn(headerVariables, name) ? headerVariables[name] : undefined
    if (from !== undefined) words.push('-H', `${shellQuote(`${name}: `)}"$${from}"`)
    // The default of curl.
    else if (!leftOut.has(name) && value !== '*/*')
      words.push('-H', shellQuote(`${name}: ${value}`))
  }
  for (const [name, value] of Object.entries(plan.headers ?? {})) {
    // curl sends these by itself.
    const isDefault = name === 'accept' || (name === 'content-type' && plan.body !== undefined)
    if (value === '' && isDefault) words.push('-H', shellQuote(`${name}:`))
  }
  if (plan.body === undefined || form.length > 0) return words.join(' ')
  return hasUnseen(plan.body)
    ? `${shellPrint(plan.body, variable)} | ${[...words, '--data-binary', '@-'].join(' ')}`
    : [...words, '--data-raw', shellQuote(plan.body, variable)].join(' ')
}
