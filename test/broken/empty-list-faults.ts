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
  [
    'm32-empty-204',
    list,
    'A list without pets is 204, in a store of pending pets',
    () => onEmpty({ pets: 25, statuses: 'pending', ids: 'gaps' }, () => ({ status: 204 })),
  ],
  [
    'm32-empty-null',
    list,
    'A list without pets is null',
    () => onEmpty({ ...oneStatus, defaultStatus: 'sold' }, () => toAnswer(200, null)),
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
  [
    'empty-store-null',
    list,
    'The list of a store that has no pet yet is null',
    () => onEmpty({ pets: 0 }, () => toAnswer(200, null)),
  ],
  [
    'empty-envelope',
    list,
    'A list without pets comes in an envelope',
    () => onEmpty(oneStatus, () => toAnswer(200, new Map([['items', []]]))),
  ],
  [
    'empty-media-type',
    ['http.media-type'],
    'A list without pets has no Content-Type',
    () => ({
      shop: oneStatus,
      write: (page) => (page.body.toString() === '[]' ? { status: page.status, headers: {}, body: page.body } : page),
    }),
  ],

  [
    'empty-filter-ignored',
    ['list.status.filter'],
    'A filter that no pet matches is ignored',
    () => ({
      shop: { pets: 30, statuses: 'sold', ids: 'random' },
      store: (table) => ({
        ...table,
        page(limit, statuses) {
          const page = table.page(limit, statuses)
          return page.matching === 0 ? table.page(limit, undefined) : page
        },
      }),
    }),
  ],
]
