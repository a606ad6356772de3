import { hostname } from 'node:os'

import { printJson } from '../../json.ts'
import { correlationOf } from '../../mock/journal/correlation.ts'
import type { ControlChange, RunningMock, StartOptions } from '../../mock/start.ts'
import type { LoggedRequest, RuleInForce } from '../../mock/index.ts'
import { isLost } from '../../mock/schemas/faults.ts'
import type { FlagTable, Parsed } from '../../options.ts'
import { count, inert, inertJson, painter, shortInert, type Style } from '../../report/text.ts'
import { version } from '../../spec/version.ts'
import { tryParseJson } from '../../validate.ts'
import { type Console, toFailure } from '../command.ts'

export const logTable = (help: string): FlagTable => ({
  'log FORMAT': { oneOf: ['text', 'json', 'none'], help },
  'log-bodies': {
    needs: 'log FORMAT',
    help: 'with --log json: also print the bodies of requests and responses',
  },
})

export interface LogOptions {
  /** The format when no flag selects one: `text` or `none`. */
  usual: string
  color: boolean
  /** The columns of the terminal; longer lines are cut. Default: any number. */
  columns?: (() => number | undefined) | undefined
  write: (text: string) => void
  /** Whose rules the lines name. */
  mock?: () => Pick<RunningMock, 'rules' | 'sandboxes'>
}

/** Empty when nothing is logged, which costs nothing. */
export function createLog(
  flags: Parsed,
  { usual, color, columns, write, mock }: LogOptions,
): Pick<StartOptions, 'onRequest' | 'onControl'> {
  const format = flags.text('log') ?? usual
  if (format === 'none') return {}
  const rulesOf: RulesOf = (sandbox) =>
    ((sandbox === undefined ? undefined : mock?.().sandboxes.get(sandbox)) ?? mock?.())?.rules() ??
    []
  const hasBodies = flags.has('log-bodies')
  const toLine =
    format === 'json'
      ? (logged: LoggedRequest) => toJsonLine(logged, hasBodies)
      : toTextLine({ color, columns, rulesOf })
  const toControlLine =
    format === 'json'
      ? (change: ControlChange) => lineOf('info', 'control', { ...change })
      : toTextControlLine(color)
  return {
    onRequest: (request) => write(toLine(request)),
    onControl: (change) => write(toControlLine(change)),
  }
}

/** The process that writes a line: all lines of several mocks may end in one place. */
const instance = `${hostname()}/${process.pid}`

/** A line of a JSON log, with control characters escaped. */
const lineOf = (
  level: 'info' | 'warn' | 'error',
  event: string,
  { at = new Date().toISOString(), ...fields }: { at?: string; [field: string]: unknown },
): string => `${inertJson(printJson({ at, level, event, instance, ...fields }))}\n`

const bare = (text: string): string => text.trimEnd().replaceAll(/^petstore: /gm, '')

/** A console whose messages are lines of a JSON log. */
export function toJsonConsole(console: Console, write: (line: string) => void): Console {
  return {
    ...console,
    notify(text, isProblem) {
      for (const message of bare(text).split('\n'))
        write(lineOf(isProblem ? 'warn' : 'info', 'notice', { message }))
    },
  }
}

/** The lines of a mock that starts, and of one that has stopped. */
export const startLine = ({ url, controlUrl, consoleUrl, catalog }: RunningMock): string =>
  lineOf('info', 'start', {
    message: `The Pet Store mock is ready, with ${count(catalog.size, 'pet')}.`,
    version,
    url,
    controlUrl,
    consoleUrl,
  })
export const stopLine = (isSaved: boolean): string =>
  lineOf('info', 'stop', {
    message: isSaved
      ? 'The mock has stopped.'
      : 'The mock has stopped, and not everything is saved.',
  })

/** The line of an error that ends the process. */
export function failureLine(error: unknown, env: Console['env']): { code: number; line: string } {
  const { code, text } = toFailure(error, env)
  return { code, line: lineOf('error', 'failure', { message: bare(text), exitCode: code }) }
}

function toTextControlLine(color: boolean) {
  const paint = painter(color)
  return ({ at, address, caller, request, response }: ControlChange): string => {
    const shown = [
      paint('dim', timeOfDay(at)),
      paint(colorOf(response.status), String(response.status)),
      paint('dim', 'control'),
      inert(request.method).padEnd(7),
      shortInert(request.target, maxTargetLength).padEnd(24),
      paint('dim', inert(`by ${caller} from ${address}`)),
    ]
    return `${shown.join('  ')}\n`
  }
}

const maxTargetLength = 160
/** A narrower terminal wraps lines itself. */
const leastColumns = 40

type RulesOf = (sandbox: string | undefined) => readonly RuleInForce[]

/** A line for people: time, status, duration, method, target, and what happened. */
export function toTextLine({
  color,
  columns,
  rulesOf,
}: Pick<LogOptions, 'color' | 'columns'> & { rulesOf: RulesOf }) {
  const paint = painter(color)
  return (logged: LoggedRequest): string => {
    const { at, durationMs, request, response, sandbox, rule, fault, judged } = logged
    const { status } = response
    const hasNoStatus = isLost(fault)
    const done = [
      ...(fault === undefined ? [] : [fault]),
      ...(hasNoStatus ? [] : whatItDid(logged)),
      ...whatWasJudged(logged),
      ...(rule === undefined ? [] : [`by ${ruleUse(rule, rulesOf(sandbox))}`]),
      ...(sandbox === undefined ? [] : [`sandbox ${sandbox}`]),
    ]
    const cells: [text: string, style?: Style][] = [
      [timeOfDay(at), 'dim'],
      [
        hasNoStatus ? '---' : String(status),
        fault === undefined && judged?.verdict !== 'violates' ? colorOf(status) : 'red',
      ],
      [`${durationMs.toFixed(durationMs < 10 ? 1 : 0).padStart(4)} ms`, 'dim'],
      [inert(request.method).padEnd(7)],
      [shortInert(request.target, maxTargetLength).padEnd(24)],
      [inert(done.join(', ')), 'dim'],
    ]
    let left = Math.max(leastColumns, columns?.() ?? Infinity)
    const shown = cells.map(([text, style]) => {
      if (left <= 0) return ''
      const part = text.length > left ? `${text.slice(0, left - 1)}…` : text
      left -= part.length + 2
      return style === undefined ? part : paint(style, part)
    })
    return `${shown.join('  ').trimEnd()}\n`
  }
}

/** A JSON line: the journal entry, its client and the sandbox. */
export function toJsonLine(
  { sandbox, address, request, response, ...entry }: LoggedRequest,
  hasBodies: boolean,
): string {
  const { body: sent, ...requestHead } = request
  const { body: received, ...responseHead } = response
  return lineOf('info', 'request', {
    ...entry,
    address: address || undefined,
    sandbox,
    ...correlationOf(request),
    request: { ...requestHead, ...(hasBodies && { body: sent }) },
    response: { ...responseHead, ...(hasBodies && { body: received }) },
  })
}

/** `20 pets`, `-> pet 101`, or the message of an Error body. */
function whatItDid({ response, message }: LoggedRequest): string[] {
  const { status } = response
  if (status >= 400) return message === undefined ? [] : [message.replace(/\.$/, '')]
  const body = tryParseJson(response.body)
  if (Array.isArray(body)) return [count(body.length, 'pet')]
  // Read as text: the id may exceed the precision of a number.
  const [, id] = /"id":\s*(-?\d+)/.exec(response.body) ?? []
  if (id === undefined) return []
  return [status === 201 ? `-> pet ${id}` : `pet ${id}`]
}

/** The verdict of a proxy on the response, unless it conforms. */
function whatWasJudged({ judged }: LoggedRequest): string[] {
  const violated = new Set(judged?.violations?.map(({ requirement }) => requirement))
  if (violated.size > 0) return [`violates ${[...violated].join(', ')}`]
  return judged?.reason === undefined ? [] : [judged.reason]
}

/** `rule-1 (1 of 2)`, or `Prefer`. */
function ruleUse(id: string, rules: readonly RuleInForce[]): string {
  if (id === 'prefer') return 'Prefer'
  const { used, times } = rules.find((rule) => rule.id === id) ?? {}
  return times === undefined ? id : `${id} (${used} of ${times})`
}

/** `14:05:09.123`, in local time. */
const timeOfDay = (at: string): string => new Date(at).toTimeString().slice(0, 8) + at.slice(19, 23)

const colorOf = (status: number): Style =>
  status < 400 ? 'green' : status < 500 ? 'yellow' : 'red'
