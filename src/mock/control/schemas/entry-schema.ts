import { operationIds } from '../../../spec/operations.ts'
import { schemas as scorecards } from '../../scorecard/validators.gen.ts'
import { faultNames } from '../../schemas/faults.ts'
import { ref, text } from '../../schemas/schemas.ts'
import { array, instant, object, string } from './input-schemas.ts'

/** A field that is only there where it applies. */
const present = (description: string) => ({ const: true, description })
const request = { method: text, target: text }
const response = { status: { type: 'integer' } }

const fields = {
  number: { type: 'integer', minimum: 1, description: '1, 2, 3 and so on, in each sandbox.' },
  at: {
    ...instant,
    description:
      'When the request arrived, in UTC by the system clock: `2026-11-20T12:00:00.000Z`.',
  },
  durationMs: {
    type: 'number',
    minimum: 0,
    description:
      'Milliseconds from the complete request to its response (the computation, and `delayMs`), or until the client left.',
  },
  'delayMs?': {
    type: 'number',
    minimum: 0,
    description: 'Milliseconds by which a rule or the request delayed the response.',
  },
  'fault?': {
    enum: faultNames,
    description: 'What the client got instead of the complete response.',
  },
  'operation?': {
    title: 'OperationId',
    enum: operationIds,
    description: 'Absent when the request is not an operation.',
  },
  'reason?': string(
    'The requirement, or the unspecified behavior with its option, that determined the response: `list.order=by-name`. An id for ' +
      '`GET /_petstore/explain/{id}`.',
  ),
  'rule?': string('The id of the rule that determined the response, or `prefer`.'),
  source: {
    title: 'ResponseSource',
    description: '`reason` and `rule` in parts, and deliberate defects.',
    ...object({
      'requirement?': string('The id of the requirement that it follows.'),
      'behavior?': string('The id of the unspecified behavior that it shows.'),
      'option?': string('The active option of that behavior.'),
      'rule?': string('The id of the rule that responded, delayed or limited, or `prefer`.'),
      'defects?': array(
        text,
        'The ids of the deliberate defects that affected the request, the pets or the response.',
      ),
    }),
  },
  'changes?': array(
    object({ 'before?': ref('Pet'), 'after?': ref('Pet') }),
    'How the request changed the pets of the sandbox, in order: a new pet has only `after`.',
  ),
  'abandoned?': present(
    'The client closed the connection before the response was sent, usually because of a timeout. `durationMs` is ' +
      'then how long it waited. An event `changed` shows it.',
  ),
  'malformed?': present(
    'The request was rejected as invalid HTTP, such as 431. Method, target and headers are what could be read: `-` for ' +
      'nothing. Such requests are in the journal of the mock, whatever their key, and in no scorecard.',
  ),
  'message?': string(
    'The `message` of the Error body in the response, unless it only names the rule.',
  ),
  'client?': string('What sent it, according to its `User-Agent`: `curl/8.5.0`, `Chrome/147`.'),
  'suite?': present('The contract suite sent it, according to its `User-Agent`.'),
  'bodyDropped?': present('The response body was dropped to make space for later entries.'),
  'judged?': {
    title: 'JudgedResponse',
    description:
      'The verdict of the contract suite on the response of a deployment, in the journal of `petstore proxy`.',
    ...object({
      verdict: {
        enum: ['conforms', 'violates', 'not-judged', 'proxy'],
        description: '`proxy`: the proxy responded itself, since the deployment did not.',
      },
      'reason?': string('Why it was not judged, or why the proxy responded itself.'),
      'violations?': array(
        object({
          requirement: text,
          quote: text,
          sentence: text,
          message: text,
          pointer: text,
          expected: text,
          actual: text,
        }),
        'What it violates: at most five.',
      ),
    }),
  },
}

export const summary = {
  title: 'JournalSummary',
  description: 'An entry without headers and bodies.',
  ...object({ ...fields, request: object(request), response: object(response) }),
}

const { id, severity, title, reference, fix } = scorecards.ScorecardIssue.properties
const body = {
  'body?': text,
  'bodyCut?': present('Only the beginning of the body was recorded.'),
}
const headers = { type: 'object', additionalProperties: { anyOf: [text, array(text)] } } as const

/** An entry of the journal: a query may leave out headers and bodies. */
export const entry = object({
  ...fields,
  request: object({ ...request, 'headers?': headers, ...body }),
  response: object({ ...response, 'headers?': headers, ...body }),
  'issues?': array(
    object({
      id,
      severity,
      title,
      reference,
      fix,
      message: string('What is wrong with this request.'),
    }),
    'The mistakes of the client in this request. Absent in streams.',
  ),
})
