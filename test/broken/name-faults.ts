import type { TwinOptions } from '../twins/settings.ts'
import { editMember, editText, escapeHtml, mojibake, type Members } from './answer-edits.ts'
import type { Row, Seams } from './fault.ts'
import { inLists, inGet, inCreate, storing } from './places.ts'
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
  ['name-html-stored', same, 'Names are stored escaped for HTML', () => storingName(escapeHtml)],
  ['name-html-in-get', same, 'Names are escaped for HTML in getPet', () => inGet(named(escapeHtml))],
  ['m62-name-mojibake', same, 'Names are read as Latin-1 when they are stored', () => storingName(mojibake)],
  [
    'name-mojibake-in-list',
    same,
    'Names are read as Latin-1 in lists',
    () => inLists(named(mojibake), { pets: 35, ids: 'gaps', order: 'newest' }),
  ],
  [
    'name-mojibake-in-201',
    same,
    'Names are read as Latin-1 in the answer of createPet',
    () => inCreate(named(mojibake)),
  ],
  [
    'name-cut-at-255',
    same,
    'A name is cut to 255 characters and the creation answered 201',
    () => storingName((name) => name.slice(0, 255)),
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
    'm58-list-shows-other-name',
    same,
    'Lists show the name before its last letter',
    () => inLists(named((name) => name.slice(0, -1))),
  ],
]
