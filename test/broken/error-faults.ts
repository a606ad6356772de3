import type { ClauseId } from '../../src/spec/clauses.ts'
import { toAnswer, type TwinAnswer } from '../twins/answers.ts'
import { JsonNumber, writeJson, type Writable } from '../twins/exact-json.ts'
import { editError, htmlPage, withMember, withoutMember, type Members } from './answer-edits.ts'
import type { Row, Seams } from './fault.ts'

const errors = (edit: (error: Members, answer: TwinAnswer) => Writable, status?: number): Seams => ({
  say: (answer) =>
    status === undefined || answer.status === status ? editError(answer, (error) => edit(error, answer)) : answer,
})
const whole = (status: number, edit: (answer: TwinAnswer) => TwinAnswer): Seams => ({
  say: (answer) => (answer.status === status ? edit(answer) : answer),
})

const code: ClauseId[] = ['error.code', 'error.body']
const message: ClauseId[] = ['error.message', 'error.body']
const status: ClauseId[] = ['error.status', 'error.body']
const repeats: ClauseId[] = ['error.status-repeats-http']
const body: ClauseId[] = ['error.body', 'http.media-type', 'error.code', 'error.message']

/** Errors without an Error body, or with a wrong one. */
export const errorFaults: Row[] = [
  ['m107-no-code', code, 'An Error has no code', () => errors((error) => withoutMember(error, 'code'))],
  [
    'code-number',
    code,
    'The code of an Error is a number',
    () => errors((error, answer) => withMember(error, 'code', BigInt(answer.status))),
  ],
  [
    'code-null-in-404',
    code,
    'The code of a 404 is null',
    () => errors((error) => withMember(error, 'code', null), 404),
  ],
  ['m108-no-message', message, 'An Error has no message', () => errors((error) => withoutMember(error, 'message'))],
  [
    'message-null-in-401',
    message,
    'The message of a 401 is null',
    () => errors((error) => withMember(error, 'message', null), 401),
  ],
  [
    'message-array-in-400',
    message,
    'The message of a 400 is an array',
    () => errors((error) => withMember(error, 'message', ['name is required']), 400),
  ],
  [
    'no-status-in-404',
    status,
    'The Error of a 404 has no status',
    () => errors((error) => withoutMember(error, 'status'), 404),
  ],
  [
    'm109-status-500-in-400',
    repeats,
    'The Error of a 400 has the status 500',
    () => errors((error) => withMember(error, 'status', 500n), 400),
  ],
  [
    'status-404-in-401',
    repeats,
    'The Error of a 401 has the status 404',
    () => errors((error) => withMember(error, 'status', 404n), 401),
  ],
  [
    'status-200-in-404',
    repeats,
    'The Error of a 404 has the status 200',
    () => errors((error) => withMember(error, 'status', 200n), 404),
  ],
  [
    'status-422-in-400',
    repeats,
    'The Error of a 400 has the status 422',
    () => errors((error) => withMember(error, 'status', 422n), 400),
  ],
  [
    'm110-status-text',
    status,
    'The status of an Error is a string',
    () => errors((error, answer) => withMember(error, 'status', String(answer.status))),
  ],
  [
    'status-fraction',
    [...status, ...repeats],
    'The status of an Error is 400.5',
    () => errors((error) => withMember(error, 'status', new JsonNumber('400.5')), 400),
  ],
  [
    'status-phrase-in-401',
    status,
    'The status of a 401 is its phrase',
    () => errors((error) => withMember(error, 'status', 'Unauthorized'), 401),
  ],
  [
    'm111-problem-json',
    body,
    'Errors are problem+json with type, title and detail',
    () => ({
      say: (answer) =>
        answer.status >= 400
          ? {
              status: answer.status,
              page: {
                contentType: 'application/problem+json',
                text: `{"type":"about:blank","title":"Error","status":${answer.status},"detail":"It failed."}`,
              },
            }
          : answer,
    }),
  ],
  [
    'problem-media-type',
    ['http.media-type'],
    'Errors have all members, but the Content-Type application/problem+json',
    () => ({
      write: (page) =>
        page.status >= 400
          ? { ...page, headers: { ...page.headers, 'content-type': 'application/problem+json' } }
          : page,
    }),
  ],
  ['error-nested', body, 'An Error comes as the member error', () => errors((error) => new Map([['error', error]]))],
  ['error-in-array', body, 'The Error of a 400 is an array of problems', () => errors((error) => [error], 400)],
  ['error-is-text', body, 'The Error of a 404 is a JSON string', () => whole(404, () => toAnswer(404, 'Not Found'))],
  ['error-twice-encoded', body, 'An Error is a JSON string that holds JSON', () => errors((error) => writeJson(error))],
  ['error-null', body, 'The Error of a 404 is null', () => whole(404, () => toAnswer(404, null))],
  ['error-empty-object', body, 'The Error of a 401 is {}', () => whole(401, () => toAnswer(401, new Map()))],
  ['html-for-400', body, 'A 400 is a page of HTML', () => whole(400, () => htmlPage(400))],
  [
    'text-html-for-404',
    ['http.media-type'],
    'A 404 has a right body under the Content-Type text/html',
    () => ({
      write: (page) =>
        page.status === 404 ? { ...page, headers: { ...page.headers, 'content-type': 'text/html' } } : page,
    }),
  ],
  [
    'no-media-type-for-401',
    ['http.media-type'],
    'A 401 has no Content-Type',
    () => ({
      write: ({ status: http, body: bytes, headers }) =>
        http === 401
          ? { status: http, body: bytes, headers: { 'x-request': '1' } }
          : { status: http, body: bytes, headers },
    }),
  ],
  [
    'member-names-in-capitals',
    body,
    'The members of an Error are called Code, Message and Status',
    () =>
      errors((error) => new Map([...error].map(([name, value]) => [name[0]?.toUpperCase() + name.slice(1), value]))),
  ],
]
