import type { TwinOptions } from '../twins/settings.ts'
import { editListed, editMember, editPets, editText, escapeHtml, mojibake, type Members } from './answer-edits.ts'
import { bodyText, withBody } from './call.ts'
import type { Row, Seams } from './fault.ts'
import { inLists, inGet, inCreate, storing, onceCached } from './places.ts'
import { same } from './clause-groups.ts'

const named =
  (edit: (name: string) => string) =>
  (pet: Members): Members =>
    editMember(pet, 'name', editText(edit))

const storingName = (edit: (name: string) => string, shop?: TwinOptions): Seams =>
  storing(({ name }) => ({ name: edit(name) }), shop)

/** Names that come back other than they were sent or are shown elsewhere. */
export const nameFaults: Row[] = [
  ['m61-name-lower-case', same, 'Names are stored in lower case', () => storingName((name) => name.toLowerCase())],
  [
    'name-capitals',
    same,
    'Names are stored with capitals at each word',
    () => storingName((name) => name.toLowerCase().replace(/\b\w/g, (char) => char.toUpperCase())),
  ],
  [
    'name-joiner-lost',
    same,
    'Characters without a width are lost',
    () => storingName((name) => name.replace(/\u200d/g, '')),
  ],
  [
    'name-as-replacement',
    same,
    'A name is put into a text as the replacement of a pattern',
    () => storingName((name) => 'x'.replace('x', name)),
  ],
  [
    'name-quotes-made-plain',
    same,
    'Curved apostrophes become straight',
    () => storingName((name) => name.replaceAll('’', "'")),
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
    () => onceCached(300, (answer) => editPets(answer, named(mojibake))),
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

  [
    'long-name-mangled',
    same,
    'Letters of several bytes are lost where a long body is put together from its pieces',
    () => ({
      hear(call) {
        const { body } = call.request
        if (call.operation !== 'createPet' || body.length <= 16_000) return call
        const pieces = Array.from({ length: Math.ceil(body.length / 15_999) }, (_, index) =>
          Buffer.from(body.subarray(index * 15_999, (index + 1) * 15_999)).toString(),
        )
        return withBody(call, pieces.join(''))
      },
    }),
  ],
]
