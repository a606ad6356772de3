import { toTwins, type LawfulTwin } from './lawful-twin.ts'

/** Twins that differ in what the list holds, in which order, and in how they read an odd query. */
export const listTwins: LawfulTwin[] = [
  ...toTwins('"Ordering of results: not shown."', [
    ['order-newest', 'The newest pet comes first', { order: 'newest' }],
    ['order-by-name', 'The list is sorted by name', { order: 'name' }],
    [
      'order-id-descending',
      'The list is sorted by descending id, and ids are random',
      { order: 'id-descending', ids: 'random' },
    ],
    ['order-random', 'Each answer is in another order and shows another page', { order: 'random' }],
    [
      'order-by-status',
      'The list is sorted by status, pets without one last',
      { order: 'status', statuses: 'some-absent' },
    ],
  ]),
  ...toTwins('what follows a limit outside 1 to 100 is not stated', [
    ['limit-outside-422', 'A limit outside the range is refused with 422', { limitOutside: 422 }],
    ['limit-outside-404', 'A limit outside the range is refused with 404', { limitOutside: 404 }],
    [
      'limit-outside-clamped',
      'A limit outside the range is taken as the nearest one inside',
      { limitOutside: 'clamp' },
    ],
    ['limit-outside-default', 'A limit outside the range gives the default page', { limitOutside: 'default' }],
    [
      'limit-zero-empty',
      'A limit below 1 gives an empty page and one above 100 a page of 100',
      { limitOutside: 'empty-or-clamp' },
    ],
  ]),
  ...toTwins('what follows a limit that is no integer, or is sent twice, is not stated', [
    [
      'limit-text-422',
      'limit=abc and an empty limit are refused with 422',
      { limitNotInteger: 422, limitRepeated: 422 },
    ],
    [
      'limit-text-default',
      'limit=abc and an empty limit give the default page',
      { limitNotInteger: 'default', limitRepeated: 'default' },
    ],
    [
      'limit-text-leading-digits',
      'limit=5abc is read as 5',
      { limitNotInteger: 'leading-digits', limitOutside: 'clamp' },
    ],
    ['limit-repeated-first', 'The first of two limits counts', { limitRepeated: 'first' }],
    ['limit-repeated-last', 'The last of two limits counts', { limitRepeated: 'last' }],
  ]),
  ...toTwins('what follows a status filter outside the three, or sent twice, is not stated', [
    ['status-unknown-422', 'An unknown status is refused with 422', { unknownStatus: 422, statusRepeated: 422 }],
    ['status-unknown-ignored', 'An unknown status is no filter', { unknownStatus: 'ignored' }],
    ['status-unknown-empty', 'An unknown status matches no pet', { unknownStatus: 'empty' }],
    ['status-repeated-first', 'The first of two filters counts', { statusRepeated: 'first' }],
    ['status-repeated-last', 'The last of two filters counts', { statusRepeated: 'last' }],
    ['status-repeated-any', 'Two filters let pass what matches either', { statusRepeated: 'any-of' }],
  ]),
  ...toTwins('"Page navigation beyond limit (offset, cursor, links): not shown."', [
    [
      'parameters-unknown-400',
      'A query parameter without a name in the specification is refused with 400',
      { unknownParameters: 400 },
    ],
    [
      'parameters-unknown-422',
      'A query parameter without a name in the specification is refused with 422',
      { unknownParameters: 422 },
    ],
    ['paging-link', 'The list carries a Link header', { pagingHeaders: 'link' }],
    ['paging-total', 'The list carries an X-Total-Count header', { pagingHeaders: 'total' }],
  ]),
]

/** Twins that differ in what the catalogue holds when a client comes. */
export const storeTwins: LawfulTwin[] = [
  ...toTwins('nothing is said about how many pets there are', [
    ['store-empty', 'There is no pet', { pets: 0 }],
    ['store-1', 'There is one pet', { pets: 1 }],
    ['store-3', 'There are three pets, one of each status', { pets: 3 }],
    ['store-19', 'There are 19 pets, one fewer than a page', { pets: 19 }],
    ['store-20', 'There are 20 pets, just one page', { pets: 20, order: 'newest' }],
    ['store-21', 'There are 21 pets', { pets: 21 }],
    ['store-99', 'There are 99 pets', { pets: 99, order: 'newest' }],
    ['store-100', 'There are 100 pets', { pets: 100 }],
    ['store-101', 'There are 101 pets', { pets: 101, order: 'newest' }],
    ['store-1000', 'There are 1,000 pets, the newest last', { pets: 1000 }],
    ['store-5000', 'There are 5,000 pets, the newest first', { pets: 5000, order: 'newest' }],
    ['store-5000-random', 'There are 5,000 pets, shuffled', { pets: 5000, order: 'random' }],
  ]),
  ...toTwins('status is not required, and nothing is said about how many pets have which', [
    ['store-all-available', 'All pets are available', { statuses: 'available' }],
    ['store-all-pending', 'All pets are pending', { statuses: 'pending' }],
    ['store-all-sold', 'All pets are sold', { statuses: 'sold' }],
    ['store-no-status', 'No pet has a status', { statuses: 'none' }],
    ['store-some-without-status', 'Every fourth pet has no status', { statuses: 'some-absent' }],
    [
      'store-no-status-small',
      'Five pets without a status, and a new one has none either',
      { statuses: 'none', pets: 5, defaultStatus: 'absent' },
    ],
  ]),
  ...toTwins('"Length or format limits of name: not shown.", and categoryId is any int64', [
    [
      'store-odd-pets',
      'Emoji, right-to-left text, control characters, 5,000 letters, `__proto__`, extreme categories',
      { oddPets: true },
    ],
    ['store-odd-pets-only', 'There are only odd pets, the newest first', { oddPets: true, pets: 0, order: 'newest' }],
    [
      'store-odd-pets-escaped',
      'Odd pets, with each character of a text escaped',
      { oddPets: true, escapes: 'everything', order: 'random' },
    ],
  ]),
  ...toTwins('"Unique identifier, assigned by the service on creation.", of any int64', [
    ['ids-beyond-2-53', 'Ids begin beyond 2^53', { ids: 'beyond-2^53' }],
    ['ids-negative', 'Ids are negative and fall', { ids: 'negative' }],
    ['ids-around-zero', 'Ids begin at -3 and pass 0', { ids: 'around-zero' }],
    ['ids-random', 'Ids are random numbers of 63 bits', { ids: 'random' }],
    ['ids-gaps', 'Ids rise with gaps', { ids: 'gaps' }],
    ['ids-descending', 'Ids fall', { ids: 'descending' }],
    ['ids-extremes', 'Ids come from both ends of int64, its ends among them', { ids: 'extremes' }],
    [
      'ids-extremes-shuffled',
      'Ids come from both ends of int64, and no page shows them all',
      { ids: 'extremes', order: 'random', pets: 400 },
    ],
  ]),
]
