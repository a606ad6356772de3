import { inert, inertJson } from '../report/inert.ts'
import type { LoggedRequest } from '../mock/types.ts'

/** Prints one request as a line. */
export type ToLine = (request: LoggedRequest) => string

/** Characters of a target that a line for people shows. */
const longestTarget = 160

/** A line for people: time, method, target, status, and what is special about the answer. */
export function toTextLine({ color }: { color: boolean }): ToLine {
  const paint = (code: number, text: string): string => (color ? `\u001b[${code}m${text}\u001b[0m` : text)
  return ({ at, request, response, sandbox, rule, delayMs, fault }) => {
    const { status } = response
    const extras = [
      ...(fault === undefined ? [] : [fault]),
      ...(delayMs === undefined ? [] : [`after ${Math.round(delayMs)} ms`]),
      ...(rule === undefined ? [] : [rule]),
      ...(sandbox === undefined ? [] : [`sandbox ${sandbox}`]),
      ...(status < 400 ? [] : [errorMessage(response.body)]),
    ].filter((text) => text !== '')
    const shown = [
      paint(2, timeOfDay(at)),
      paint(
        fault === undefined ? colorOf(status) : 31,
        fault === 'reset' || fault === 'silence' ? '---' : String(status),
      ),
      inert(request.method).padEnd(4),
      inert(clip(request.target)),
      ...(extras.length === 0 ? [] : [paint(2, inert(extras.join(', ')))]),
    ]
    return `${shown.join('  ')}\n`
  }
}

/** A JSON line for machines: the entry of the journal, and the sandbox. Characters that move a cursor are escaped. */
export function toJsonLine({ sandbox, ...entry }: LoggedRequest): string {
  return `${inertJson(JSON.stringify({ ...(sandbox !== undefined && { sandbox }), ...entry }))}\n`
}

/** The local time, as on the watch of whoever reads it. */
function timeOfDay(at: string): string {
  const time = new Date(at)
  const two = (part: number): string => String(part).padStart(2, '0')
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':')
  return `${clock}.${String(time.getMilliseconds()).padStart(3, '0')}`
}

/** Green, yellow, red. */
const colorOf = (status: number): number => (status < 400 ? 32 : status < 500 ? 33 : 31)

function clip(target: string): string {
  return target.length > longestTarget ? `${target.slice(0, longestTarget)}...` : target
}

/** What the Error body says; nothing where there is none. */
function errorMessage(body: string): string {
  try {
    const { message } = JSON.parse(body) as { message?: unknown }
    return typeof message === 'string' ? message : ''
  } catch {
    return ''
  }
}
