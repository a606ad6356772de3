import { toVariants, type ConformingVariant } from './conforming-variant.ts'

/** Variants of createPet. */
export const createVariants: ConformingVariant[] = [
  ...toVariants('"The status a new animal gets when status is omitted at creation: not shown."', [
    ['default-status-pending', { defaultStatus: 'pending' }],
    ['default-status-sold', { defaultStatus: 'sold' }],
    ['default-status-varies', { defaultStatus: 'varies' }],
    ['default-status-absent', { defaultStatus: 'absent' }],
    [
      'default-status-comes-later',
      { defaultStatus: 'absent', statusAfterMs: 400, latencyMs: [30, 60] },
    ],
  ]),
  ...toVariants('NewPet has three fields; the handling of other fields is not specified', [
    ['extra-fields-stored', { extraFields: 'stored' }],
    ['extra-fields-400', { extraFields: 400 }],
    ['extra-fields-422', { extraFields: 422 }],
  ]),
  ...toVariants('"The client does not send `id`; the service assigns it."', [
    ['sent-id-400', { sentId: 400 }],
    ['sent-id-409', { sentId: 409 }],
    ['sent-id-422', { sentId: 422 }],
  ]),
  ...toVariants('"Category record: not shown beyond its identifier referenced by categoryId."', [
    ['category-unknown-400', { unknownCategories: 400 }],
    ['category-unknown-404', { unknownCategories: 404 }],
    ['category-unknown-409', { unknownCategories: 409 }],
    ['category-unknown-422', { unknownCategories: 422 }],
    ['category-unknown-422-empty-store', { unknownCategories: 422, pets: 0 }, { categoryId: 3 }],
    [
      'categories-closed-but-one',
      { closedCategories: { upTo: 4n, status: 404 }, unknownCategories: 404 },
    ],
    ['category-closed-only-one', { closedCategories: { upTo: 1n, status: 422 }, pets: 1 }],
    ['category-unknown-400-odd-pets', { unknownCategories: 400, oddPets: true, pets: 0 }],
  ]),
  ...toVariants('"Length or format limits of name: not shown."', [
    ['names-trimmed', { names: 'trimmed' }],
    ['names-end-trimmed', { names: 'end-trimmed' }],
    ['names-trimmed-not-blank', { names: 'trimmed', emptyNames: 400 }],
    [
      'names-nfc',
      { names: 'nfc' },
      { doubt: 'The name of the created Pet has other code points than the one sent.' },
    ],
    [
      'names-nfd',
      { names: 'nfd' },
      { doubt: 'The name of the created Pet has other code points than the one sent.' },
    ],
    [
      'names-nfd-no-controls',
      { names: 'nfd-no-controls' },
      { doubt: 'The name of the created Pet has other code points than the one sent.' },
    ],
    [
      'names-spaces-for-controls',
      { names: 'spaces' },
      { doubt: 'The name of the created Pet has other code points than the one sent.' },
    ],
    ['names-empty-400', { emptyNames: 400 }],
    ['names-empty-422', { emptyNames: 422 }],
    ['names-long-400', { longNames: { longest: 30, status: 400 } }],
    ['names-short-413', { longNames: { longest: 10, status: 413 } }],
    ['names-long-422', { longNames: { longest: 30, status: 422 } }],
    ['names-plain-400', { unusualNames: 400 }],
    ['names-plain-422', { unusualNames: 422 }],
    ['names-numbered', { script: 'numbered' }],
    ['names-cyrillic', { script: 'cyrillic' }],
    ['names-cyrillic-few', { script: 'cyrillic', pets: 2 }],
    ['names-cyrillic-empty-store', { script: 'cyrillic', pets: 0 }, { categoryId: 3 }],
    ['names-unique-409', { duplicateNames: 409 }],
    ['names-unique-400', { duplicateNames: 400 }],
  ]),
  ...toVariants('"The set of `code` values and statuses other than those listed: not shown."', [
    ['creations-one-at-a-time', { creationPauseMs: 30 }],
    [
      'creations-one-at-a-time-whatever-the-body',
      { creationPauseMs: 5, pausesRequests: true, latencyMs: [1, 9] },
    ],
    ['creations-one-at-a-time-few', { creationPauseMs: 30, pets: 5, duplicateNames: 409 }],
  ]),
  ...toVariants(
    'bodies "are JSON (`application/json`)"; the response to other media types or formats is not specified',
    [
      ['json-lenient', { isLenient: true }],
      ['media-type-any', { otherMediaType: 'accepted' }],
      ['media-type-other-400', { otherMediaType: 400 }],
      ['media-type-none-415', { noMediaType: 415 }],
      ['media-type-none-400', { noMediaType: 400 }],
    ],
  ),
  ...toVariants('"201: body is the created Pet"; no header is specified', [
    ['location-absent', { location: 'absent' }],
    ['location-absolute', { location: 'absolute' }],
  ]),
  ...toVariants('"How an API key is obtained, its lifetime and its permissions: not shown."', [
    ['key-digits', { key: '4711081512345' }],
    ['key-lower-case', { key: 'bearer' }],
    ['key-one-character', { key: 'k' }],
    ['key-token68', { key: 'aZ09-._~+/aZ09==' }],
    ['key-long', { key: 'Abc123.-_~'.repeat(400) }],
    ['key-sees-own-pets', { nextId: 403 }, { depth: 'thorough' }],
    ['key-ends-among-reads', { keyEndsAfter: 20 }, { expectNotVerified: true }],
    ['key-ends-among-creations', { keyEndsAfter: 60 }, { expectNotVerified: true }],
    ['key-ends-among-rejections', { keyEndsAfter: 100 }, { expectNotVerified: true }],
    ['key-read-only', { mayWrite: false }, { expectNotVerified: true }],
    ['key-read-only-small-store', { mayWrite: false, pets: 3 }, { expectNotVerified: true }],
    ['key-read-only-empty-store', { mayWrite: false, pets: 0 }, { expectNotVerified: true }],
  ]),
]

export const getVariants: ConformingVariant[] = [
  ...toVariants(
    'the response to a petId that is not an integer, or not an int64, is not specified',
    [
      ['pet-id-text-404', { petIdNotInteger: 404 }],
      ['pet-id-text-422', { petIdNotInteger: 422 }],
      ['pet-id-beyond-404', { petIdBeyondInt64: 404 }],
      ['pet-id-beyond-422', { petIdBeyondInt64: 422 }],
      ['pet-id-loose', { loosePetIds: true, petIdNotInteger: 404 }],
    ],
  ),
  ...toVariants(
    '"Compatibility policy and the way deprecations are announced beyond this: not shown."',
    [
      ['deprecation-rfc', { deprecationHeaders: 'rfc' }],
      ['deprecation-draft', { deprecationHeaders: 'draft' }],
    ],
  ),
  ...toVariants('"The operation is marked deprecated and is to be removed on 5 December 2030."', [
    ['get-removed-410', { getPet: 410 }, { now: '2031-01-01' }],
    ['get-removed-404', { getPet: 404 }, { now: '2031-01-01' }],
    ['get-removed-405', { getPet: 405 }, { now: '2031-01-01' }],
    ['get-removed-501', { getPet: 501 }, { now: '2031-01-01' }],
    ['get-removed-410-newest', { getPet: 410, order: 'newest' }, { now: '2031-01-01' }],
    ['get-kept-after-removal-date', {}, { now: '2031-01-01' }],
  ]),
]
