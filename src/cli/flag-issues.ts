import { type Issue, sentenceOf, UsageError } from '../errors.ts'
import type { JsonFile } from './json-file.ts'

/** The files whose mistakes `startMock` finds. */
export interface Sources {
  data: JsonFile | undefined
  rules: JsonFile | undefined
  /** Rules of other flags, which come before those of the file. */
  rulesBefore: number
}

/** What the command line calls the options of the library, where the name differs. */
const flagOf: Record<string, string> = {
  // Of a mock.
  keys: 'key',
  profile: 'choose',
  deviations: 'deviate',
  // Of a run of the suite.
  apiKey: 'key',
  timeoutMs: 'timeout',
  settleMs: 'settle',
  retryBudgetMs: 'retry-budget',
  maxDurationMs: 'max-duration',
  waitUntilReadyMs: 'wait-until-ready',
  headers: 'header',
}

/** Where the command line lists the ids that an option takes. */
const listOf: Record<string, string> = {
  profile: 'petstore profile list',
  deviations: 'petstore mock --list-deviations',
}

/** More issues than these do not help. */
const mostShown = 20

/** The issues of options in the words of the command line, and with their places in files. */
export function inFlags({ issues }: UsageError, sources?: Sources): UsageError {
  const shown = issues.slice(0, mostShown).map((issue) => toFlag(issue, sources))
  const more = issues.length - shown.length
  return new UsageError([...shown, ...(more === 0 ? [] : [{ path: '', message: `and ${more} more` }])])
}

function toFlag({ path, message }: Issue, sources?: Sources): Issue {
  const [option = '', ...parts] = path.split('/')
  if (sources?.data !== undefined && option === 'data') return placed(sources.data, parts, message)
  if (sources?.rules !== undefined && option === 'rules' && parts.length > 0) {
    return placed(sources.rules, [String(Number(parts[0]) - sources.rulesBefore), ...parts.slice(1)], message)
  }
  if (option === '') return { path, message }
  if (option === 'baseUrl') return { path: 'the base URL', message }
  const flag = flagOf[option] ?? option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  const hasNoHint = /^(there is no|is unknown)/.test(message) && !message.includes('did you mean')
  const hint = hasNoHint && listOf[option] !== undefined ? `; ${listOf[option]} lists them` : ''
  return {
    path: [`--${flag}`, ...parts].join(' '),
    message: hint === '' ? message : `${message.replace(/\.$/, '')}${hint}`,
  }
}

/** An issue with its place in a file: `rules.json:3:5: /1/times must be ...`. */
function placed(file: JsonFile, parts: readonly string[], message: string): Issue {
  const pointer = parts.map((part) => `/${part}`).join('')
  return { path: file.place(pointer), message: pointer === '' ? message : sentenceOf({ path: pointer, message }) }
}
