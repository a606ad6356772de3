import type { ClauseId } from '../../src/spec/clauses.ts'
import type { TwinAnswer } from '../twins/answers.ts'
import type { StoredPet } from '../twins/pet-table.ts'
import type { TwinOptions } from '../twins/settings.ts'
import {
  editInteger,
  editListed,
  editMember,
  editPets,
  editSingle,
  editText,
  escapeHtml,
  mojibake,
  only,
  through32Bits,
  throughDouble,
  type Members,
} from './answer-edits.ts'
import { bodyText, withBody } from './call.ts'
import type { Row, Seams } from './fault.ts'

type Integer = (integer: bigint) => bigint
const integer =
  (member: string, edit: Integer) =>
  (pet: Members): Members =>
    editMember(pet, member, editInteger(edit))
const named =
  (edit: (name: string) => string) =>
  (pet: Members): Members =>
    editMember(pet, 'name', editText(edit))

const everywhere = (edit: (pet: Members) => Members, shop?: TwinOptions): Seams => ({
  ...(shop && { shop }),
  say: (answer) => editPets(answer, edit),
})
const inLists = (edit: (pet: Members) => Members, shop?: TwinOptions): Seams => ({
  ...(shop && { shop }),
  say: (answer) => editListed(answer, edit),
})
const inGet = (edit: (pet: Members) => Members, shop?: TwinOptions): Seams => ({
  ...(shop && { shop }),
  say: only('getPet', (answer) => editSingle(answer, edit)),
})
const inCreate = (edit: (pet: Members) => Members, shop?: TwinOptions): Seams => ({
  ...(shop && { shop }),
  say: only('createPet', (answer) => editSingle(answer, edit)),
})

/** Stores something else than was sent, and answers with what it has stored. */
const storing = (
  edit: (pet: Pick<StoredPet, 'name' | 'categoryId'>) => Partial<StoredPet>,
  shop?: TwinOptions,
): Seams => ({
  ...(shop && { shop }),
  store: (table) => ({ ...table, add: (pet) => table.add({ ...pet, ...edit(pet) }) }),
})
const storingName = (edit: (name: string) => string, shop?: TwinOptions): Seams =>
  storing(({ name }) => ({ name: edit(name) }), shop)

/** Shows the sent value at first, and what the store has made of it once the cache has lost it. */
const forgetting = (afterMs: number, edit: (answer: TwinAnswer) => TwinAnswer): Seams => {
  const born = new Map<string, number>()
  return {
    say(answer, { operation }) {
      const id = answer.json instanceof Map ? String(answer.json.get('id')) : ''
      if (operation === 'createPet') born.set(id, performance.now())
      const isFresh = performance.now() - (born.get(id) ?? 0) < afterMs
      return operation === 'createPet' || (operation === 'getPet' && isFresh) ? answer : edit(answer)
    },
  }
}

const exact: ClauseId[] = [
  'create.exact',
  'create.success',
  'create.stored',
  'get.by-id',
  'state.reads-change-nothing',
  'service.catalogue',
]
const same: ClauseId[] = [
  'get.by-id',
  'create.stored',
  'state.reads-change-nothing',
  'service.catalogue',
  'create.success',
]
const ids: ClauseId[] = [...same, 'get.success', 'pet.id.unique', 'create.listed', 'create.id-assigned']

/** Values that come back other than they were sent or are shown elsewhere: rounded, cut, escaped or misread. */
export const exactnessFaults: Row[] = [
  [
    'm53-category-double',
    exact,
    'categoryId is rounded through a double',
    () =>
      storing(({ categoryId }) => ({
        categoryId: throughDouble(categoryId) > 2n ** 63n - 1n ? 2n ** 63n - 1n : throughDouble(categoryId),
      })),
  ],
  [
    'category-double-in-list',
    exact,
    'categoryId is rounded through a double in lists only',
    () => inLists(integer('categoryId', throughDouble), { pets: 45, ids: 'random', order: 'newest' }),
  ],
  [
    'category-double-in-get',
    exact,
    'categoryId is rounded through a double in getPet only',
    () => inGet(integer('categoryId', throughDouble)),
  ],
  [
    'category-double-in-201',
    exact,
    'categoryId is rounded through a double in the answer of createPet only',
    () => inCreate(integer('categoryId', throughDouble)),
  ],
  [
    'negative-category-double',
    exact,
    'A negative categoryId beyond 2^53 is rounded through a double',
    () => storing(({ categoryId }) => ({ categoryId: categoryId < 0n ? throughDouble(categoryId) : categoryId })),
  ],
  [
    'category-double-once-cached',
    exact,
    'categoryId is rounded through a double as soon as 300 ms have passed',
    () => forgetting(300, (answer) => editPets(answer, integer('categoryId', throughDouble))),
  ],
  [
    'category-float-32',
    exact,
    'categoryId is rounded to 24 binary digits',
    () => storing(({ categoryId }) => ({ categoryId: BigInt.asIntN(64, BigInt(Math.fround(Number(categoryId)))) })),
  ],
  [
    'm55-category-32-bits',
    exact,
    'categoryId is cut to 32 bits',
    () => storing(({ categoryId }) => ({ categoryId: through32Bits(categoryId) })),
  ],
  [
    'category-32-bits-in-list',
    exact,
    'categoryId is cut to 32 bits in lists only',
    () => inLists(integer('categoryId', through32Bits), { pets: 60, ids: 'gaps' }),
  ],
  [
    'category-32-bits-saturated',
    exact,
    'categoryId beyond 32 bits is stored as 2147483647',
    () =>
      storing(({ categoryId }) => ({
        categoryId: categoryId > 2147483647n ? 2147483647n : categoryId < -2147483648n ? -2147483648n : categoryId,
      })),
  ],
  [
    'category-largest-negated',
    exact,
    '9223372036854775807 comes back as -9223372036854775808',
    () => storing(({ categoryId }) => ({ categoryId: categoryId === 2n ** 63n - 1n ? -(2n ** 63n) : categoryId })),
  ],
  [
    'category-0-becomes-1',
    exact,
    'categoryId 0 is stored as 1',
    () => storing(({ categoryId }) => ({ categoryId: categoryId === 0n ? 1n : categoryId })),
  ],
  ['m63-category-0', exact, 'categoryId is stored as 0', () => storing(() => ({ categoryId: 0n }))],
  [
    'category-absolute',
    exact,
    'A negative categoryId loses its sign',
    () =>
      storing(({ categoryId }) => ({
        categoryId:
          categoryId < 0n && categoryId > -(2n ** 63n) ? -categoryId : categoryId === -(2n ** 63n) ? 0n : categoryId,
      })),
  ],
  [
    'm54-id-double-in-list',
    ids,
    'Ids beyond 2^53 are rounded in lists',
    () => inLists(integer('id', throughDouble), { pets: 40, ids: 'random' }),
  ],
  [
    'id-double-in-get',
    ids,
    'Ids beyond 2^53 are rounded in getPet',
    () => inGet(integer('id', throughDouble), { pets: 64, ids: 'beyond-2^53' }),
  ],
  [
    'id-double-in-201',
    ids,
    'Ids beyond 2^53 are rounded in the answer of createPet',
    () => inCreate(integer('id', throughDouble), { pets: 30, ids: 'random', order: 'newest' }),
  ],
  [
    'id-double-everywhere',
    ids,
    'Ids beyond 2^53 are rounded in each answer',
    () => everywhere(integer('id', throughDouble), { pets: 50, ids: 'random' }),
  ],
  [
    'id-32-bits-in-list',
    ids,
    'Ids are cut to 32 bits in lists',
    () => inLists(integer('id', through32Bits), { pets: 75, ids: 'random', order: 'name' }),
  ],
  [
    'id-absolute-in-list',
    ids,
    'Negative ids lose their sign in lists',
    () =>
      inLists(
        integer('id', (id) => (id < 0n ? -id : id)),
        { pets: 60, ids: 'negative' },
      ),
  ],
  ['m61-name-lower-case', same, 'Names are stored in lower case', () => storingName((name) => name.toLowerCase())],
  [
    'name-capitals',
    same,
    'Names are stored with capitals at each word',
    () => storingName((name) => name.toLowerCase().replace(/\b\w/g, (char) => char.toUpperCase())),
  ],
  ['name-html-stored', same, 'Names are stored escaped for HTML', () => storingName(escapeHtml)],
  [
    'name-html-in-list',
    same,
    'Names are escaped for HTML in lists',
    () => inLists(named(escapeHtml), { pets: 40, ids: 'random', order: 'newest' }),
  ],
  ['name-html-in-get', same, 'Names are escaped for HTML in getPet', () => inGet(named(escapeHtml))],
  [
    'name-tags-stripped',
    same,
    'Tags are taken out of names',
    () => storingName((name) => name.replace(/<[^>]*>/g, '')),
  ],
  [
    'name-spaces-collapsed',
    same,
    'Runs of spaces within a name become one',
    () => storingName((name) => name.replace(/ {2,}/g, ' ')),
  ],
  [
    'name-quote-doubled',
    same,
    'An apostrophe within a name is doubled',
    () => storingName((name) => name.replaceAll("'", "''")),
  ],
  [
    'name-backslash-lost',
    same,
    'A backslash within a name is lost',
    () => storingName((name) => name.replaceAll('\\', '')),
  ],
  [
    'name-percent-decoded',
    same,
    'Percent escapes within a name are decoded',
    () =>
      storingName((name) =>
        name.replace(/%([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
      ),
  ],
  [
    'name-plus-is-space',
    same,
    'A plus within a name becomes a space',
    () => storingName((name) => name.replaceAll('+', ' ')),
  ],
  ['m62-name-mojibake', same, 'Names are read as Latin-1 when they are stored', () => storingName(mojibake)],
  [
    'name-mojibake-in-list',
    same,
    'Names are read as Latin-1 in lists',
    () => inLists(named(mojibake), { pets: 35, ids: 'gaps', order: 'newest' }),
  ],
  [
    'name-mojibake-in-get',
    same,
    'Names are read as Latin-1 in getPet',
    () => inGet(named(mojibake), { pets: 48, ids: 'random' }),
  ],
  [
    'name-mojibake-in-201',
    same,
    'Names are read as Latin-1 in the answer of createPet',
    () => inCreate(named(mojibake)),
  ],
  [
    'name-mojibake-once-cached',
    same,
    'Names are read as Latin-1 as soon as 300 ms have passed',
    () => forgetting(300, (answer) => editPets(answer, named(mojibake))),
  ],
  [
    'name-without-emoji',
    same,
    'Characters beyond the first plane become a question mark',
    () => storingName((name) => name.replace(/[\u{10000}-\u{10FFFF}]/gu, '?')),
  ],
  [
    'name-ascii-only',
    same,
    'Letters beyond ASCII lose their marks or are lost',
    () => storingName((name) => name.normalize('NFD').replace(/[^\x20-\x7e]/g, '')),
  ],
  [
    'name-ascii-in-list',
    same,
    'Letters beyond ASCII become question marks in lists',
    () =>
      inLists(
        named((name) => name.replace(/[^\x20-\x7e]/g, '?')),
        { pets: 56, ids: 'random', order: 'newest' },
      ),
  ],
  ['name-sharp-s', same, 'The sharp s is stored as ss', () => storingName((name) => name.replaceAll('ß', 'ss'))],
  [
    'name-cut-at-255',
    same,
    'A name is cut to 255 characters and the creation answered 201',
    () => storingName((name) => name.slice(0, 255)),
  ],
  [
    'name-cut-at-20',
    same,
    'A name is cut to 20 characters and the creation answered 201',
    () => storingName((name) => name.slice(0, 20)),
  ],
  [
    'name-empty-replaced',
    same,
    'An empty name is stored as Unnamed',
    () => storingName((name) => (name === '' ? 'Unnamed' : name)),
  ],
  [
    'name-of-digits-shortened',
    same,
    'Zeros at the start of a name of digits are lost',
    () => storingName((name) => (/^\d+$/.test(name) ? String(BigInt(name)) : name)),
  ],
  [
    'escaped-surrogates-lost',
    [...same, 'http.json-request'],
    'A character written as a pair of \\u escapes is lost',
    () => ({
      hear: (call) =>
        call.operation === 'createPet'
          ? withBody(call, bodyText(call).replace(/\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}/gi, '??'))
          : call,
    }),
  ],
  [
    'm58-list-shows-other-name',
    same,
    'Lists show the name before its last letter',
    () => inLists(named((name) => name.slice(0, -1))),
  ],
  [
    'list-shows-other-category',
    same,
    'Lists show the category plus one',
    () => inLists(integer('categoryId', (id) => (id < 100n ? id + 1n : id))),
  ],
  [
    'first-listed-differs',
    same,
    'The first pet of a list has the category of the second plus one',
    () => ({
      shop: { pets: 40, ids: 'random', order: 'oldest' },
      say: (answer) =>
        editListed(answer, (pet, index) => (index === 0 ? integer('categoryId', (id) => id + 1n)(pet) : pet)),
    }),
  ],
  [
    'last-listed-differs',
    same,
    'The last pet of a page of 100 has another name than it has elsewhere',
    () => ({
      shop: { pets: 120, ids: 'gaps', order: 'oldest' },
      say: (answer) =>
        editListed(answer, (pet, index, all) =>
          all.length === 100 && index === 99 ? named((name) => `${name}?`)(pet) : pet,
        ),
    }),
  ],
]
