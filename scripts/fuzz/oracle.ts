import { type JsonValue, parseJson, printJson } from '../../src/json.ts'
import type { Heard } from './conversation.ts'
import { ordinaryLimitMs } from './conversation.ts'
import type { PetLedger } from './pet-ledger.ts'
import { readReplies, type Reply, saysClose, valuesOf } from './responses.ts'
import type { Expected, Scenario } from './scenario.ts'

/** How strictly the statuses are judged. */
export interface Judgement {
  /** The key, which no answer may show. */
  key: string
  /** The mock makes other choices than by default: any lawful status will do, and any order of a list. */
  anyChoice: boolean
  ledger: PetLedger
}

/** What only an accident prints: a frame of a stack, a file of the implementation. */
const trace = /\n\s+at |node:internal|\.[jt]s:\d+|\b(?:Type|Range|Reference|Syntax|URI)Error\b|\[object /

/** What is wrong with how a scenario went. */
export function judge({ replies: expected, limitMs, steps }: Scenario, heard: Heard, judgement: Judgement): string[] {
  if (heard.end === 'refused') return ['no connection came about']
  const gone = steps.some((step) => 'abandon' in step)
  const finished = steps.some((step) => 'finish' in step)
  const { replies, fault } = readReplies(
    heard.bytes,
    expected.map(({ method }) => method),
  )
  const faults: string[] = []
  if (fault !== undefined && !gone) faults.push(`It sent ${fault}.`)
  if (heard.end === 'time-limit') faults.push(`It was not over within ${limitMs ?? ordinaryLimitMs} ms.`)
  if (heard.end === 'reset') faults.push('The connection was reset.')
  for (const [index, reply] of replies.entries()) {
    const about = replies.length > 1 ? `Reply ${index + 1}` : 'The reply'
    const wishes = expected[index]
    const wrong = [
      ...faultsOfReply(reply, judgement),
      ...(wishes === undefined ? ['answers what was never sent'] : faultsOfAnswer(reply, wishes, judgement)),
    ]
    if (reply.status === 201) judgement.ledger.confirm(reply.body)
    faults.push(...wrong.map((what) => `${about} (${reply.status}): ${what}.`))
  }
  const missing = expected[replies.length]
  if (missing !== undefined && !gone && heard.end !== 'time-limit') {
    if (missing.optional !== true) faults.push(`Reply ${replies.length + 1} of ${expected.length} never came.`)
    else if (replies.length > 0 && !finished && !saysClose(replies.at(-1) as Reply)) {
      faults.push('The connection was closed behind a reply that did not say so.')
    }
  }
  return faults
}

/** What holds for each reply, whatever was asked. */
function faultsOfReply(reply: Reply, { key }: Judgement): string[] {
  const { status, body } = reply
  const faults: string[] = []
  const head = reply.headers.map((header) => header.join(': ')).join('\n')
  if (`${head}\n${body}`.includes(key)) faults.push('it shows the key')
  if (trace.test(head) || trace.test(body)) faults.push('it shows the inside of the mock')
  if (valuesOf(reply, 'date').length !== 1) faults.push('it has no Date, or more than one (RFC 9110 section 6.6.1)')
  if (status === 405 && valuesOf(reply, 'allow').length !== 1)
    faults.push('405 without Allow (RFC 9110 section 15.5.6)')
  if (status >= 400 && body !== '') faults.push(...faultsOfError(reply))
  return faults
}

/** "Every error response carries an Error body (`code`, `message`, `status`; all required)." */
function faultsOfError(reply: Reply): string[] {
  const faults: string[] = []
  const [type = ''] = valuesOf(reply, 'content-type')
  if (!/^application\/json\s*(;|$)/i.test(type)) faults.push(`an Error declared as ${JSON.stringify(type)}`)
  const error = parsed(reply.body)
  if (error === undefined || typeof error !== 'object' || error === null || Array.isArray(error)) {
    return [...faults, 'the body is no JSON object']
  }
  const { code, message, status } = error as { [name: string]: JsonValue }
  if (typeof code !== 'string' || code === '') faults.push('the Error has no code')
  if (typeof message !== 'string' || message === '') faults.push('the Error has no message')
  if (status !== reply.status) faults.push(`the Error has the status ${printJson(status ?? null)}`)
  return faults
}

function faultsOfAnswer(reply: Reply, expected: Expected, { anyChoice }: Judgement): string[] {
  const { status, body } = reply
  const faults: string[] = []
  const isKnown = expected.statuses.includes(status)
  // A creation that must be refused is refused whatever a deployment chooses.
  if (anyChoice ? status === 201 && !isKnown && expected.mayBeAccepted !== true : !isKnown) {
    faults.push(`the status should be ${expected.statuses.join(' or ')}`)
  }
  if (status >= 500 && status !== 501 && status !== 505 && !isKnown) faults.push('the mock itself failed')
  const { never } = expected
  if (never !== undefined && reply.headers.some(([name]) => name.startsWith(never)))
    faults.push(`it has a header ${never}...`)
  if (expected.method === 'HEAD') return faults
  if (status >= 400 && body === '') faults.push('there is no Error body')
  if (status === 200 || status === 201) {
    const value = parsed(body)
    if (value === undefined) faults.push('the body is not JSON')
    else if (isKnown && !anyChoice) faults.push(...[expected.body?.(body)].filter((fault) => fault !== undefined))
  }
  return faults
}

function parsed(text: string): JsonValue | undefined {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
