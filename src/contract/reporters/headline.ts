import { shortInert } from '../../report/inert.ts'
import type { ClauseId } from '../../spec/clauses.ts'
import type { Finding } from '../report.ts'

/** Characters: about two lines of a terminal. */
const maxLengths = { headline: 220, value: 70 }

/** A short summary of a finding, without a period: the request, the field and both values. */
export function headline(finding: Finding): string {
  const text = of.map((word) => word(finding, requestOf(finding))).find((words) => words !== undefined)
  return shortInert((text ?? finding.message).replace(/\.$/, ''), maxLengths.headline)
}

/** `GET /pets?limit=5 with an empty bearer token` */
const requestOf = ({ message }: Finding): string => /^(.+?) (?:responded|gives) /.exec(message)?.[1] ?? 'a response'

const statusIn = (message: string): string => / responded (\d+)/.exec(message)?.[1] ?? ''

type Word = (finding: Finding, request: string) => string | undefined

/** The first that returns a text is used. */
const of: readonly Word[] = [
  ({ clause, expected, actual }) =>
    clause === 'error.status-repeats-http'
      ? `Error body: \`status\` is ${actual}, HTTP status is ${expected}`
      : undefined,
  ({ clause, pointer, actual }, request) =>
    clause === 'pet.id.unique' && /^\/\d+\/id$/.test(pointer) ? `${request} shows id ${actual} twice` : undefined,
  ({ clause, pointer, expected, actual }, request) => {
    if (clause !== 'list.status.filter' || !pointer.endsWith('/status')) return undefined
    const [, status] = /"status":("[^"]*"|null)/.exec(actual) ?? []
    return `${request} shows a pet ${status === undefined ? 'without status' : `with status ${status}`}, not ${expected}`
  },
  aboutField,
  ({ clause, actual }, request) => {
    if (clause !== 'http.json-body') return undefined
    const [, problem = actual, text = ''] = /^(.+?\)?): ([^]*)$/.exec(actual) ?? []
    return `${request}: ${problem}${text === '' ? '' : `: ${cut(text)}`}`
  },
  aboutPage,
  aboutBody,
  ({ message, pointer, expected, actual }) => {
    if (!message.startsWith('The created Pet is not')) return undefined
    const [is, sent] = aroundDifference(actual, expected)
    return `Created Pet: \`${pointer.slice(1)}\` is ${is}, sent as ${sent}`
  },
  ({ clause, message, actual }, request) =>
    clause === 'http.media-type'
      ? `${request} responded ${statusIn(message)} with ${actual}, must be application/json`
      : undefined,
  ({ pointer, actual }, request) =>
    pointer === '/id' && /^pet -?\d+$/.test(actual) ? `${request} returns ${actual}` : undefined,
  ({ clause, message }) => {
    const [, request, pet] = /^(GET \S+) is not full but lacks (pet \d+)/.exec(message) ?? []
    return clause === 'list.status.default' && request !== undefined
      ? `Without \`status\`, ${request} hides pets: ${pet} is missing`
      : undefined
  },
  aboutCreation,
]

/** A missing or invalid field of a Pet or an Error. */
function aboutField({ clause, check, pointer, expected, actual }: Finding, request: string): string | undefined {
  const [, place, name] = /^(?:\/(\d+))?(?:\/(\w+))?$/.exec(pointer) ?? []
  if (check !== 'every-response' || pointer === '') return undefined
  const pet = place === undefined ? `Pet of ${request}` : `Pet ${Number(place) + 1} of ${request}`
  if (name === undefined) return `${pet} is ${cut(actual)}, not an object`
  const subject = clause.startsWith('error.') ? 'Error body' : pet
  const [, rest] = /^no field \w+ in ([^]*)$/.exec(actual) ?? []
  if (rest === undefined) return `${subject}: \`${name}\` is ${cut(actual)}, must be ${expected}`
  return `${subject}: \`${name}\` is missing${insteadOf(name, rest)}`
}

/** Where the field probably is: in an envelope, or under another spelling. */
function insteadOf(name: string, json: string): string {
  const [, envelope] = new RegExp(String.raw`"(\w+)":\[?\{(?:[^}]*,)?"${name}":`).exec(json) ?? []
  if (envelope !== undefined) return `, it is inside \`${envelope}\``
  const plain = (text: string): string => text.replaceAll(/[_-]/g, '').toLowerCase()
  const alike = [...json.matchAll(/"([\w-]+)":/g)]
    .map(([, other = '']) => other)
    .find((other) => other !== name && plain(other) === plain(name))
  return alike === undefined ? '' : `, \`${alike}\` is there`
}

/** A page with too many or too few pets. */
function aboutPage({ clause, message, expected, actual }: Finding, request: string): string | undefined {
  const most = /^at most (\d+) pets?$/.exec(expected)?.[1]
  const isBare = !request.includes('limit=')
  if (most !== undefined) {
    if (isBare) return `Without \`limit\`, ${request} returns ${actual}, the default is ${most}`
    return `${request} returns ${actual}, at most ${most} allowed${clause === 'list.limit.max' ? ' with any limit' : ''}`
  }
  const [, is, there] = / gives (\d+) pets?, although the catalog holds at least (\d+)/.exec(message) ?? []
  if (is === undefined) return undefined
  if (message.includes('before the filter')) {
    return `\`limit\` is applied before the status filter: ${request} returns ${is} of ${expected}`
  }
  return clause === 'list.limit.default' && isBare
    ? `Without \`limit\`, ${request} returns ${is} pets, the default is 20 (the catalog has ${there})`
    : `${request} returns ${actual}, not ${Number.parseInt(expected, 10)} (the catalog has ${there})`
}

/** A body that is not the expected array or object. */
function aboutBody({ check, pointer, expected, actual, message }: Finding, request: string): string | undefined {
  const wanted = /^(an array of Pet|a Pet|one Pet object|an Error object)/.exec(expected)?.[0]
  if (check !== 'every-response' || pointer !== '' || wanted === undefined) return undefined
  const names = [...actual.matchAll(/"([\w-]+)":/g)].map(([, name]) => `\`${name}\``)
  const first = names[0] ?? ''
  const what = actual.startsWith('[')
    ? 'an array'
    : actual.startsWith('"')
      ? 'a JSON string'
      : actual.startsWith('{')
        ? `an object with ${names.includes('`id`') && first === '`id`' ? 'the fields of a Pet' : first}`
        : cut(actual)
  return wanted === 'an Error object'
    ? `The ${statusIn(message)} of ${request} has ${what}, not ${wanted}`
    : `${request} returns ${what}, not ${wanted}`
}

/** A rejected ordinary creation: what is special about it. */
function aboutCreation({ clause, message, exchanges }: Finding): string | undefined {
  const { request } = exchanges.at(-1) ?? {}
  if (request?.method !== 'POST' || !message.startsWith('POST /pets responded')) return undefined
  const { body = '', headers } = request
  const special: Partial<Record<ClauseId, string>> = {
    'create.status-optional': 'without status',
    'create.status': `with status ${/"status":("\w+")/.exec(body)?.[1]}`,
    'http.json-request': message.includes(' 415 ')
      ? `with Content-Type: ${headers['content-type']}`
      : String.raw`with white space, \u escapes and status before name in its body`,
  }
  return special[clause] && message.replace('POST /pets', `POST /pets ${special[clause]}`)
}

const cut = (text: string): string => (text.length > maxLengths.value ? `${text.slice(0, maxLengths.value)}…` : text)

/** Shortens two texts to the part where they begin to differ. */
function aroundDifference(a: string, b: string): [string, string] {
  const at = [...a].findIndex((char, index) => char !== [...b][index])
  const from = Math.max(0, at - 12)
  const part = (text: string): string => {
    const chars = [...text]
    if (chars.length <= 40) return text
    return `${from > 0 ? '…' : ''}${chars.slice(from, from + 34).join('')}${chars.length > from + 34 ? '…' : ''}`
  }
  return [part(a), part(b)]
}
