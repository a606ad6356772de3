import type { VariantOptions } from '../../support/variants/settings.ts'

/** Varied options of conforming servers, so that no fault is found only due to an order, an id scheme or a size. */
const shops: readonly VariantOptions[] = [
  { pets: 40, ids: 'gaps', order: 'newest', defaultStatus: 'pending', sentId: 400 },
  { pets: 64, ids: 'random', order: 'oldest', unknownStatus: 'empty', extraFields: 'stored' },
  { pets: 150, ids: 'sequential', order: 'oldest' },
  { pets: 35, ids: 'descending', order: 'name', defaultStatus: 'sold', names: 'trimmed' },
  { pets: 120, ids: 'beyond-2^53', order: 'id-descending', errorExtras: 'nested' },
  { pets: 101, ids: 'negative', order: 'status', petExtras: 'nested' },
  { pets: 56, ids: 'random', order: 'random', defaultStatus: 'absent', statuses: 'some-absent' },
  { pets: 90, ids: 'extremes', order: 'newest', limitOutside: 'clamp', unknownStatus: 'ignored' },
  {
    pets: 30,
    ids: 'gaps',
    order: 'random',
    escapes: 'non-ascii',
    layout: 'indented',
    fieldOrder: 'reversed',
  },
  {
    pets: 150,
    ids: 'gaps',
    order: 'newest',
    limitOutside: 422,
    unknownStatus: 422,
    duplicateNames: 409,
  },
  { pets: 48, ids: 'random', order: 'id-descending', integers: 'fraction', petExtras: 'flat' },
  { pets: 75, ids: 'around-zero', order: 'oldest', oddPets: true, defaultStatus: 'varies' },
]

/** Picks one of them, always the same for an id. */
export function shopFor(id: string): VariantOptions {
  const sum = [...id].reduce((total, char) => (total * 31 + char.charCodeAt(0)) % 100_003, 7)
  return shops[sum % shops.length] ?? {}
}
