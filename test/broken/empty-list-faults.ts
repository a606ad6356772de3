import type { ClauseId } from '../../src/spec/clauses.ts'
import { toAnswer, type TwinAnswer } from '../twins/answers.ts'
import type { TwinOptions } from '../twins/settings.ts'
import { htmlPage, problem } from './answer-edits.ts'
import type { Row, Seams } from './fault.ts'

const onEmpty = (shop: TwinOptions, empty: () => TwinAnswer): Seams => ({
  shop,
  say: (answer) => (answer.status === 200 && Array.isArray(answer.json) && answer.json.length === 0 ? empty() : answer),
})

const list: ClauseId[] = [
  'list.success',
  'list.status.filter',
  'list.parameters-optional',
  'list.limit.min',
  'list.limit.max',
  'list.limit.honoured',
]
const oneStatus: TwinOptions = { pets: 40, statuses: 'available', ids: 'random' }

/** What is answered when no pet matches, in stores where that happens. */
export const emptyListFaults: Row[] = [
  [
    'm32-empty-404',
    list,
    'A list without pets is 404, in a store of available pets',
    () => onEmpty(oneStatus, () => problem(404)),
  ],
  ['empty-object', list, 'A list without pets is {}', () => onEmpty(oneStatus, () => toAnswer(200, new Map()))],
  [
    'empty-text',
    [...list, 'http.json-body'],
    'A list without pets has no body',
    () => onEmpty(oneStatus, () => ({ status: 200 })),
  ],
  [
    'empty-html',
    [...list, 'http.media-type', 'http.json-body'],
    'A list without pets is a page of HTML',
    () => onEmpty(oneStatus, () => htmlPage(200)),
  ],
  [
    'empty-store-404',
    list,
    'The list of a store that has no pet yet is 404',
    () => onEmpty({ pets: 0, ids: 'random' }, () => problem(404)),
  ],
]
