import type { ClauseId } from '../../src/spec/clauses.ts'
import { toAnswer, type TwinAnswer } from '../twins/answers.ts'
import type { Writable } from '../twins/exact-json.ts'
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
    'no-status-in-404',
    status,
    'The Error of a 404 has no status',
    () => errors((error) => withoutMember(error, 'status'), 404),
  ],
  [
    'status-404-in-401',
    repeats,
    'The Error of a 401 has the status 404',
    () => errors((error) => withMember(error, 'status', 404n), 401),
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
  ['error-null', body, 'The Error of a 404 is null', () => whole(404, () => toAnswer(404, null))],
  ['error-empty-object', body, 'The Error of a 401 is {}', () => whole(401, () => toAnswer(401, new Map()))],
  ['html-for-400', body, 'A 400 is a page of HTML', () => whole(400, () => htmlPage(400))],
]
