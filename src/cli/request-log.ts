import { printJson } from '../json.ts'
import type { ControlChange, RunningMock, StartOptions } from '../mock/start.ts'
import type { LoggedRequest, RuleInForce } from '../mock/types.ts'
import type { FlagTable, Parsed } from '../options.ts'
import { count, inert, inertJson, painter, type Style } from '../report/text.ts'
import { isJsonObject, tryParseJson } from '../validate.ts'

export const logTable = (help: string): FlagTable => ({
  'log FORMAT': { oneOf: ['text', 'json', 'none'], help },
})

export interface LogOptions {
  /** The format when no flag selects one: `text` or `none`. */
  usual: string
  color: boolean
  write: (text: string) => void
  /** Whose rules the lines name. */
  mock?: () => Pick<RunningMock, 'rules' | 'sandboxes'>
}

/** Empty when nothing is logged, which costs nothing. */
export function createLog(
  flags: Parsed,
  { usual, color, write, mock }: LogOptions,
): Pick<StartOptions, 'onRequest' | 'onControl'> {
  const format = flags.text('log') ?? usual
  if (format === 'none') return {}
  const rulesOf: RulesOf = (sandbox) =>
    ((sandbox === undefined ? undefined : mock?.().sandboxes.get(sandbox)) ?? mock?.())?.rules() ??
    []
  const toLine = format === 'json' ? toJsonLine : toTextLine({ color, rulesOf })
  const toControlLine = format === 'json' ? toJsonControlLine : toTextControlLine(color)
  return {
    onRequest: (request) => write(toLine(request)),
    onControl: (change) => write(toControlLine(change)),
  }
}

const toJsonControlLine = (change: ControlChange): string =>
  `${inertJson(printJson({ control: true, ...change }))}\n`

function toTextControlLine(color: boolean) {
  const paint = painter(color)
  return ({ at, address, caller, request, response }: ControlChange): string => {
    const shown = [
      paint('dim', timeOfDay(at)),
      paint(colorOf(response.status), String(response.status)),
      paint('dim', 'control'),
      inert(request.method).padEnd(7),
      inert(clip(request.target)).padEnd(24),
      paint('dim', inert(`by ${caller} from ${address}`)),
    ]
    return `${shown.join('  ')}\n`
  }
}

const maxTargetLength = 160

type RulesOf = (sandbox: string | undefined) => readonly RuleInForce[]

/** A line for people: time, status, duration, method, target, and what happened. */
export function toTextLine({ color, rulesOf = () => [] }: { color: boolean; rulesOf?: RulesOf }) {
  const paint = painter(color)
  return (logged: LoggedRequest): string => {
    const { at, durationMs, request, response, sandbox, rule, fault, judged } = logged
    const { status } = response
    const hasNoStatus = fault === 'reset' || fault === 'silence'
    const done = [
      ...(fault === undefined ? [] : [fault]),
      ...(hasNoStatus ? [] : whatItDid(logged)),
      ...whatWasJudged(logged),
      ...(rule === undefined ? [] : [`by ${ruleUse(rule, rulesOf(sandbox))}`]),
      ...(sandbox === undefined ? [] : [`sandbox ${sandbox}`]),
    ]
    const shown = [
      paint('dim', timeOfDay(at)),
      paint(
        fault === undefined && judged?.verdict !== 'violates' ? colorOf(status) : 'red',
        hasNoStatus ? '---' : String(status),
      ),
      paint('dim', `${durationMs.toFixed(durationMs < 10 ? 1 : 0).padStart(4)} ms`),
      inert(request.method).padEnd(7),
      inert(clip(request.target)).padEnd(24),
      paint('dim', inert(done.join(', '))),
    ]
    return `${shown.join('  ').trimEnd()}\n`
  }
}

/** A JSON line: the journal entry and the sandbox, with control characters escaped. */
export function toJsonLine({ sandbox, ...entry }: LoggedRequest): string {
  return `${inertJson(printJson({ ...(sandbox !== undefined && { sandbox }), ...entry }))}\n`
}

/** `20 pets`, `-> pet 101`, or the message of an Error body. */
function whatItDid({ response }: LoggedRequest): string[] {
  const { status } = response
  const body = tryParseJson(response.body)
  if (status >= 400) {
    const message = isJsonObject(body) ? body['message'] : undefined
    return typeof message === 'string' ? [message.replace(/\.$/, '')] : []
  }
  if (Array.isArray(body)) return [count(body.length, 'pet')]
  // Read as text: the id may exceed the precision of a number.
  const [, id] = /"id":\s*(-?\d+)/.exec(response.body) ?? []
  if (id === undefined) return []
  return [status === 201 ? `-> pet ${id}` : `pet ${id}`]
}

/** The verdict of a proxy on the response, unless it conforms. */
function whatWasJudged({ judged }: LoggedRequest): string[] {
  const violated = new Set(judged?.violations?.map(({ clause }) => clause))
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
function timeOfDay(at: string): string {
  const time = new Date(at)
  return `${time.toTimeString().slice(0, 8)}.${String(time.getMilliseconds()).padStart(3, '0')}`
}

const colorOf = (status: number): Style =>
  status < 400 ? 'green' : status < 500 ? 'yellow' : 'red'

function clip(target: string): string {
  return target.length > maxTargetLength ? `${target.slice(0, maxTargetLength)}...` : target
}
