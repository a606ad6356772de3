import type { RunningMock } from '../mock/start.ts'
import type { Parsed } from '../options.ts'
import type { MockInput } from './mock-options.ts'
import type { SaveFile } from './save-file.ts'

/** What `petstore mock` says when it is ready. */
export function greeting(mock: RunningMock, { keys, options, varied }: MockInput, flags: Parsed): string {
  const { url, settings, controlUrl } = mock
  const [key = ''] = keys
  const switched = switchedOn(flags)
  const drawn = Object.entries(varied).map(([id, option]) => `    ${id}=${option}`)
  return [
    `The Pet Store mock is ready, with ${settings.pets} pets${options.data === undefined ? '' : ` of ${flags.text('data')}`}.`,
    '',
    `  Base URL  ${url}`,
    `  API key   ${keys.join(', ')}`,
    ...(settings.sandboxes ? ['  Sandbox   petstore key NAME makes a key with pets of its own'] : []),
    ...(controlUrl === undefined ? [] : [`  Control   ${controlUrl}${tokenHint(mock, flags)}`]),
    `  Try it    curl -H ${quote(`Authorization: Bearer ${key}`)} ${quote(`${url}/pets?limit=3`)}`,
    ...(switched.length === 0 ? [] : ['', ...switched.map(([label, text]) => `  ${label.padEnd(8)}  ${text}`)]),
    ...(drawn.length === 0 ? [] : ['', '  Drawn, unless chosen otherwise:', ...drawn]),
    '',
    'Stop it with Ctrl-C.',
    '',
  ].join('\n')
}

/** A token that the user chose is known, and is not shown. */
function tokenHint({ controlToken }: RunningMock, flags: Parsed): string {
  if (controlToken === undefined) return ''
  return flags.has('control-token') ? ', with the token that was set' : `, with the token ${controlToken}`
}

/** What is not as it is by default. */
function switchedOn(flags: Parsed): [label: string, text: string][] {
  const [save, now, deviations] = [flags.text('save'), flags.text('now'), flags.list('deviate')]
  const rules = [
    ...toTexts(flags.text('rules'), (file) => `of ${file}`),
    ...toTexts(flags.text('delay'), (delay) => `delay ${delay} ms`),
    ...toTexts(flags.text('rate-limit'), (limit) => `at most ${limit.replace('/', ' requests in ')} s`),
  ]
  return [
    ...toTexts<[string, string]>(save, (file) => ['Saves to', file]),
    ...toTexts<[string, string]>(now, (day) => ['Clock', `stands at ${day}`]),
    ...(rules.length === 0 ? [] : [['Rules', rules.join(', ')] as [string, string]]),
    ...(deviations.length === 0 ? [] : [['Broken', `on purpose: ${deviations.join(', ')}`] as [string, string]]),
  ]
}

function toTexts<Text>(value: string | undefined, toText: (value: string) => Text): Text[] {
  return value === undefined ? [] : [toText(value)]
}

/** What the user should know before something is lost or found by others; a line each. */
export function warnings(mock: RunningMock, flags: Parsed, save: SaveFile | undefined): string {
  const isAlone = isLoopback(flags.text('host'))
  const isTokenUnseen = mock.controlToken !== undefined && flags.has('quiet') && !flags.has('control-token')
  return [
    ...(isAlone
      ? []
      : [
          'Other machines can reach this mock. Its data is not protected by more than its key; see docs/explanation/security.md.',
        ]),
    ...(isTokenUnseen ? [`The token of the control API is ${mock.controlToken}`] : []),
    ...(save?.isThere === true && !flags.has('data')
      ? [
          `${flags.text('save')} is there already and will be written over; --data ${flags.text('save')} starts from it.`,
        ]
      : []),
  ]
    .map((line) => `${line}\n`)
    .join('')
}

const isLoopback = (host: string | undefined): boolean =>
  host === undefined || host === 'localhost' || host === '::1' || host.startsWith('127.')

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
