/** Strings of JSON that are broken in any way, at any place, given to all that says why a text is not JSON. */
import { sample } from '../support/level.ts'
import type { Limited } from '../support/limited.ts'
import { createControlApi } from '../../src/mock/control/control-api.ts'
import { readInterface } from '../../src/mock/http/interface-document.ts'
import { createMock, defaultKey } from '../../src/mock/index.ts'
import { jsonProblem } from '../../src/json-problem.ts'

const faults = [
  '',
  '\n',
  '\r\n',
  '\t',
  '\0',
  '\x1f',
  '\x7f\n',
  '\\',
  '\\d',
  "\\'",
  '\\u12',
  '\\u12"',
]
const words = 'Bella, the very friendly "golden retriever" of Bob \\ Ä 🐕 \x80'
const escaped = JSON.stringify(words.repeat(3)).slice(1, -1)
const large = 100_000

const isJson = (text: string): boolean => {
  try {
    return JSON.parse(text) !== undefined
  } catch {
    return false
  }
}

/** Faults, with and without the end of the string. */
const ends = faults.flatMap((fault) =>
  ['', '"', ' and more","categoryId":1}'].map((rest) => fault + rest),
)
/** Each at each place of a text, and behind long ones, or a sample of these. */
const broken = [
  ...sample(
    ends.flatMap((end) => Array.from(escaped, (_, at) => escaped.slice(0, at) + end)),
    { usual: 9, slow: 1, all: 1 },
  ),
  ...sample(
    ends.flatMap((end) =>
      ['x', 'Ä', '\x85', '\\n', '\\u00e9', 'x\\n', ' "'].map(
        (filling) => filling.repeat(large / filling.length) + end,
      ),
    ),
    { usual: 5, slow: 1, all: 1 },
  ),
].filter((text) => !isJson(`{"name":"${text}`))

export const main: Limited = async (begin) => {
  const mock = createMock({ pets: 1 })
  const control = createControlApi({ mock, host: '127.0.0.1', readInterface })
  const headers = { 'content-type': 'application/json', host: '127.0.0.1' }
  const keys = [`Bearer ${defaultKey}`, undefined]
  const wrong: string[] = []
  for (const [index, text] of broken.entries()) {
    const body = `{"name":"${text}`
    const name = `${JSON.stringify(body.slice(0, 300))} (${body.length} characters)`
    const expectOf = (what: string, status: number, ...allowed: number[]): void => {
      if (!allowed.includes(status)) wrong.push(`${what} of ${name}: ${status}`)
    }
    for (const authorization of keys) {
      begin(`the service, ${name}`)
      const sent = { ...headers, ...(authorization !== undefined && { authorization }) }
      const reply = await mock.handle({ method: 'POST', target: '/v1/pets', headers: sent, body })
      expectOf('POST', reply.status, authorization === undefined ? 401 : 400)
    }
    begin(`the control API, ${name}`)
    const target = '/_petstore/rules'
    expectOf(
      'rules',
      (await control.respond({ method: 'POST', target, headers, body })).status,
      400,
    )
    // The scorecard judges the requests that the journal has: 401 too.
    if (index % 50 === 0 || body.length > large) {
      begin(`the scorecard, ${name}`)
      if ((await mock.scorecards()).length === 0) wrong.push(`no scorecard of ${name}`)
      mock.reset()
    }
  }
  // A form of the console shows the problem at each keystroke.
  const typed = `{"name":"${escaped}`
  for (let at = 1; at <= typed.length; at += 1) {
    begin(`the console, ${typed.slice(0, at)}`)
    jsonProblem(typed.slice(0, at))
  }
  return wrong
}
