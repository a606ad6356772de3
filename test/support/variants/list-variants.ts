import { toVariants, type ConformingVariant } from './conforming-variant.ts'

/** Variants of listPets: order, and handling of unusual queries. */
export const listVariants: ConformingVariant[] = [
  ...toVariants('"Ordering of results: not shown."', [
    ['order-newest', { order: 'newest' }],
    ['order-by-name', { order: 'name' }],
    ['order-id-descending', { order: 'id-descending', ids: 'random' }],
    ['order-random', { order: 'random' }],
    ['order-by-status', { order: 'status', statuses: 'some-absent' }],
  ]),
  ...toVariants('the response to a limit outside 1 to 100 is not specified', [
    ['limit-outside-422', { limitOutside: 422 }],
    ['limit-outside-404', { limitOutside: 404 }],
    ['limit-outside-clamped', { limitOutside: 'clamp' }],
    ['limit-outside-default', { limitOutside: 'default' }],
    ['limit-zero-empty', { limitOutside: 'empty-or-clamp' }],
  ]),
  ...toVariants(
    'the response to a limit that is not an integer, or is sent twice, is not specified',
    [
      ['limit-text-422', { limitNotInteger: 422, limitRepeated: 422 }],
      ['limit-text-default', { limitNotInteger: 'default', limitRepeated: 'default' }],
      ['limit-text-leading-digits', { limitNotInteger: 'leading-digits', limitOutside: 'clamp' }],
      ['limit-repeated-first', { limitRepeated: 'first' }],
      ['limit-repeated-last', { limitRepeated: 'last' }],
    ],
  ),
  ...toVariants('the response to an unknown status filter, or to two of them, is not specified', [
    ['status-unknown-422', { unknownStatus: 422, statusRepeated: 422 }],
    ['status-unknown-ignored', { unknownStatus: 'ignored' }],
    ['status-unknown-empty', { unknownStatus: 'empty' }],
    ['status-repeated-first', { statusRepeated: 'first' }],
    ['status-repeated-last', { statusRepeated: 'last' }],
    ['status-repeated-any', { statusRepeated: 'any-of' }],
  ]),
  ...toVariants('"Page navigation beyond limit (offset, cursor, links): not shown."', [
    ['parameters-unknown-400', { unknownParameters: 400 }],
    ['parameters-unknown-422', { unknownParameters: 422 }],
    ['paging-link', { pagingHeaders: 'link' }],
    ['paging-total', { pagingHeaders: 'total' }],
  ]),
]

/** Variants with different initial catalogs. */
export const storeVariants: ConformingVariant[] = [
  ...toVariants('the number of pets is not specified', [
    ['store-empty', { pets: 0 }],
    ['store-1', { pets: 1 }],
    ['store-3', { pets: 3 }],
    ['store-19', { pets: 19 }],
    ['store-20', { pets: 20, order: 'newest' }],
    ['store-21', { pets: 21 }],
    ['store-99', { pets: 99, order: 'newest' }],
    ['store-100', { pets: 100 }],
    ['store-101', { pets: 101, order: 'newest' }],
    ['store-1000', { pets: 1000 }],
    ['store-5000', { pets: 5000, order: 'newest' }],
    ['store-5000-random', { pets: 5000, order: 'random' }],
  ]),
  ...toVariants('status is not required, and its distribution is not specified', [
    ['store-all-available', { statuses: 'available' }],
    ['store-all-pending', { statuses: 'pending' }],
    ['store-all-sold', { statuses: 'sold' }],
    ['store-no-status', { statuses: 'none' }],
    ['store-some-without-status', { statuses: 'some-absent' }],
    ['store-no-status-small', { statuses: 'none', pets: 5, defaultStatus: 'absent' }],
  ]),
  ...toVariants('"Length or format limits of name: not shown."; categoryId is any int64', [
    ['store-odd-pets', { oddPets: true }],
    ['store-odd-pets-only', { oddPets: true, pets: 0, order: 'newest' }],
    ['store-odd-pets-escaped', { oddPets: true, escapes: 'everything', order: 'random' }],
  ]),
  ...toVariants('"Unique identifier, assigned by the service on creation.", of any int64', [
    ['ids-beyond-2-53', { ids: 'beyond-2^53' }],
    ['ids-negative', { ids: 'negative' }],
    ['ids-around-zero', { ids: 'around-zero' }],
    ['ids-random', { ids: 'random' }],
    ['ids-gaps', { ids: 'gaps' }],
    ['ids-descending', { ids: 'descending' }],
    ['ids-extremes', { ids: 'extremes' }],
    ['ids-extremes-shuffled', { ids: 'extremes', order: 'random', pets: 400 }],
  ]),
]
