/** Two pets with the name of one creation. Each test is a log of literals. */
import { expect, test } from 'vitest'
import { findDuplicate } from '../../../src/contract/claims/contradictions.ts'
import { creating, logOf, type Row } from './log-of.ts'

const own = { id: 99, name: 'Petkit a', categoryId: 7, status: 'sold' }
const creation: Row = ['POST /pets', 201, own, creating(own.name)]
const listing = (...others: { id: number; name: string }[]): Row => [
  'GET /pets?limit=100',
  200,
  [own, ...others.map((other) => ({ ...own, ...other }))],
]

test.each<[what: string, rows: Row[], isFound: boolean]>([
  ['one pet', [creation, listing()], false],
  ['a creation that was executed twice', [creation, listing({ id: 100, name: own.name })], true],
  [
    'one whose name is stored in another form',
    [
      ['POST /pets', 201, { ...own, name: 'Petkit b' }, creating('Petkit  b')],
      [
        'GET /pets',
        200,
        [
          { ...own, name: 'Petkit b' },
          { ...own, id: 100, name: 'Petkit b' },
        ],
      ],
    ],
    true,
  ],
  [
    'one without a response',
    [
      ['POST /pets', 502, '', creating('Petkit b')],
      creation,
      listing({ id: 100, name: 'Petkit b' }, { id: 101, name: 'Petkit b' }),
    ],
    true,
  ],
  [
    'copies that somebody else makes under other names',
    [creation, listing({ id: 100, name: 'Petkit a copy' }, { id: 101, name: 'Petkit a copy' })],
    false,
  ],
])('%s', (_, rows, isFound) => {
  expect(findDuplicate(logOf(...rows)) !== undefined).toBe(isFound)
})
