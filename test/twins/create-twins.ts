import { toTwins, type LawfulTwin } from './lawful-twin.ts'

/** Twins that differ in what they make of a new pet, or refuse. */
export const createTwins: LawfulTwin[] = [
  ...toTwins('"The status a new animal gets when status is omitted at creation: not shown."', [
    ['default-status-pending', 'A pet without a status becomes pending', { defaultStatus: 'pending' }],
    ['default-status-sold', 'A pet without a status becomes sold', { defaultStatus: 'sold' }],
    [
      'default-status-varies',
      'A pet without a status gets one that depends on its name, or none',
      { defaultStatus: 'varies' },
    ],
    ['default-status-absent', 'A pet without a status stays without one', { defaultStatus: 'absent' }],
  ]),
  ...toTwins('NewPet is said to have three fields, and not what becomes of others', [
    ['extra-members-stored', 'Members that NewPet does not have are stored and shown', { extraMembers: 'stored' }],
    ['extra-members-400', 'Members that NewPet does not have are refused with 400', { extraMembers: 400 }],
    ['extra-members-422', 'Members that NewPet does not have are refused with 422', { extraMembers: 422 }],
  ]),
  ...toTwins('"The client does not send `id`; the service assigns it."', [
    ['sent-id-400', 'A body with an id is refused with 400', { sentId: 400 }],
    ['sent-id-409', 'A body with an id is refused with 409', { sentId: 409 }],
    ['sent-id-422', 'A body with an id is refused with 422', { sentId: 422 }],
  ]),
  ...toTwins('"Category record: not shown beyond its identifier referenced by categoryId."', [
    ['category-unknown-400', 'An unknown category is refused with 400', { unknownCategories: 400 }],
    ['category-unknown-404', 'An unknown category is refused with 404', { unknownCategories: 404 }],
    ['category-unknown-409', 'An unknown category is refused with 409', { unknownCategories: 409 }],
    ['category-unknown-422', 'An unknown category is refused with 422', { unknownCategories: 422 }],
    [
      'category-unknown-422-empty-store',
      'An unknown category is refused with 422, and no pet shows a known one',
      { unknownCategories: 422, pets: 0 },
      { categoryId: 3 },
    ],
    [
      'category-unknown-400-odd-pets',
      'An unknown category is refused with 400, and the known ones are odd',
      { unknownCategories: 400, oddPets: true, pets: 0 },
    ],
  ]),
  ...toTwins('"Length or format limits of name: not shown."', [
    ['names-trimmed', 'Spaces around a name are removed', { names: 'trimmed' }],
    [
      'names-trimmed-not-blank',
      'Spaces around a name are removed, and nothing may not be left',
      { names: 'trimmed', emptyNames: 400 },
    ],
    [
      'names-nfc',
      'Names are stored in Unicode form NFC',
      { names: 'nfc' },
      { doubt: 'The name of the created Pet has other code points than the one sent.' },
    ],
    [
      'names-nfd',
      'Names are stored in Unicode form NFD',
      { names: 'nfd' },
      { doubt: 'The name of the created Pet has other code points than the one sent.' },
    ],
    ['names-empty-400', 'An empty name is refused with 400', { emptyNames: 400 }],
    ['names-empty-422', 'An empty name is refused with 422', { emptyNames: 422 }],
    [
      'names-long-400',
      'A name of more than 30 characters is refused with 400',
      { longNames: { longest: 30, status: 400 } },
    ],
    [
      'names-long-413',
      'A name of more than 30 characters is refused with 413',
      { longNames: { longest: 30, status: 413 } },
    ],
    [
      'names-long-422',
      'A name of more than 30 characters is refused with 422',
      { longNames: { longest: 30, status: 422 } },
    ],
    [
      'names-plain-400',
      'A name has only letters, digits, spaces and hyphens, or is refused with 400',
      { unusualNames: 400 },
    ],
    [
      'names-plain-422',
      'A name has only letters, digits, spaces and hyphens, or is refused with 422',
      { unusualNames: 422 },
    ],
    ['names-unique-409', 'A name that another pet has is refused with 409', { duplicateNames: 409 }],
    ['names-unique-400', 'A name that another pet has is refused with 400', { duplicateNames: 400 }],
  ]),
  ...toTwins('bodies "are JSON (`application/json`)", and what follows another declaration is not stated', [
    ['media-type-any', 'A JSON body may be declared as text/plain', { otherMediaType: 'accepted' }],
    ['media-type-other-400', 'A body declared as text/plain is refused with 400', { otherMediaType: 400 }],
    ['media-type-none-415', 'A body without a Content-Type is refused with 415', { noMediaType: 415 }],
    ['media-type-none-400', 'A body without a Content-Type is refused with 400', { noMediaType: 400 }],
  ]),
  ...toTwins('"201: body is the created Pet", and no header is named', [
    ['location-absent', 'A creation has no Location', { location: 'absent' }],
    ['location-absolute', 'A creation has an absolute Location', { location: 'absolute' }],
  ]),
  ...toTwins('"How an API key is obtained, its lifetime and its permissions: not shown."', [
    ['key-digits', 'The key has no letters, so that it is the same in upper and lower case', { key: '4711081512345' }],
    ['key-lower-case', 'The key is one word in lower case', { key: 'bearer' }],
    ['key-one-character', 'The key is a single character', { key: 'k' }],
    ['key-token68', 'The key has all characters that a bearer token may have', { key: 'aZ09-._~+/aZ09==' }],
    ['key-long', 'The key has 4,000 characters', { key: 'Abc123.-_~'.repeat(400) }],
    [
      'key-read-only',
      'The key may not write: each creation gets 403',
      { mayWrite: false },
      { expectNotVerified: true },
    ],
    [
      'key-read-only-small-store',
      'The key may not write, and there are three pets',
      { mayWrite: false, pets: 3 },
      { expectNotVerified: true },
    ],
    [
      'key-read-only-empty-store',
      'The key may not write, and there is no pet',
      { mayWrite: false, pets: 0 },
      { expectNotVerified: true },
    ],
  ]),
]

/** Twins that differ in getPet. */
export const getTwins: LawfulTwin[] = [
  ...toTwins('what follows a petId that is no integer, or is beyond int64, is not stated', [
    ['pet-id-text-404', 'A petId that is no integer gets 404', { petIdNotInteger: 404 }],
    ['pet-id-text-422', 'A petId that is no integer gets 422', { petIdNotInteger: 422 }],
    ['pet-id-beyond-404', 'A petId beyond int64 gets 404', { petIdBeyondInt64: 404 }],
    ['pet-id-beyond-422', 'A petId beyond int64 gets 422', { petIdBeyondInt64: 422 }],
    ['pet-id-loose', '007, +7 and 7.0 are the pet 7', { loosePetIds: true, petIdNotInteger: 404 }],
  ]),
  ...toTwins('"Compatibility policy and the way deprecations are announced beyond this: not shown."', [
    [
      'deprecation-rfc',
      'getPet carries Deprecation and Sunset as RFC 9745 and RFC 8594 have them',
      { deprecationHeaders: 'rfc' },
    ],
    ['deprecation-draft', 'getPet carries Deprecation: true, Sunset and Warning', { deprecationHeaders: 'draft' }],
  ]),
  ...toTwins('"The operation is marked deprecated and is to be removed on 5 December 2030."', [
    ['get-removed-410', 'getPet is gone, with 410', { getPet: 410 }, { now: '2031-01-01' }],
    ['get-removed-404', 'getPet is gone, with 404', { getPet: 404 }, { now: '2031-01-01' }],
    ['get-removed-405', 'getPet is gone, with 405', { getPet: 405 }, { now: '2031-01-01' }],
    ['get-removed-501', 'getPet is gone, with 501', { getPet: 501 }, { now: '2031-01-01' }],
    [
      'get-removed-410-newest',
      'getPet is gone, and the newest pet is listed first',
      { getPet: 410, order: 'newest' },
      { now: '2031-01-01' },
    ],
    ['get-kept-after-removal-date', 'getPet still works after its removal date', {}, { now: '2031-01-01' }],
  ]),
]
