import type { ClauseId } from '../../src/spec/clauses.ts'
import type { TwinOptions } from '../twins/settings.ts'
import type { Row } from './fault.ts'
import { isSuccess, isList, isLong, bytes, text } from './pages.ts'

const utf8: ClauseId[] = ['http.json-body']
const newest: TwinOptions = { pets: 40, ids: 'random', order: 'newest' }

/** Bodies that are no JSON text in UTF-8. */
export const jsonTextFaults: Row[] = [
  [
    'm113-guard-prefix',
    utf8,
    'A guard against script inclusion stands before the JSON',
    () => text((body) => `)]}',\n${body}`),
  ],
  ['m113-byte-order-mark', utf8, 'A byte order mark stands before the JSON', () => text((body) => `\uFEFF${body}`)],
  [
    'byte-order-mark-in-errors',
    [...utf8, 'error.body'],
    'A byte order mark stands before the JSON of errors',
    () =>
      text(
        (body) => `\uFEFF${body}`,
        ({ status }) => status >= 400,
      ),
  ],
  [
    'm113-nan',
    utf8,
    'A category of 1 is written as NaN in lists',
    () =>
      text((body) => body.replace(/"categoryId":\s*1(?:\.0)?(?=[,\s}])/g, '"categoryId":NaN'), isList, {
        pets: 40,
        ids: 'gaps',
      }),
  ],
  [
    'm113-trailing-comma',
    utf8,
    'A comma stands behind the last pet of a list',
    () =>
      text(
        (body) => body.replace(/\]\s*$/, ',]'),
        (page, call) => isList(page, call) && page.body.length > 2,
      ),
  ],
  [
    'm114-repeated-member',
    utf8,
    'A Pet has its id twice',
    () =>
      text(
        (body) => body.replace('{', '{"id": 1,'),
        (page, { operation }) => operation === 'getPet' && isSuccess(page),
      ),
  ],
  [
    'repeated-status-in-list',
    utf8,
    'The last pet of a list has its status twice',
    () => text((body) => body.replace(/\}(\s*\])\s*$/, ',"status":"sold"}$1'), isList, { pets: 50, ids: 'random' }),
  ],
  [
    'm56-latin-1',
    utf8,
    'Bodies are encoded in Latin-1',
    () => bytes((body) => Buffer.from(body.toString(), 'latin1'), isSuccess, newest),
  ],
  [
    'latin-1-in-list',
    utf8,
    'Lists are encoded in Latin-1',
    () => bytes((body) => Buffer.from(body.toString(), 'latin1'), isList, newest),
  ],
  [
    'latin-1-declared',
    utf8,
    'getPet is encoded in Latin-1 and says so',
    () => ({
      shop: newest,
      write: (page, { operation }) =>
        operation === 'getPet'
          ? {
              ...page,
              headers: { 'content-type': 'application/json; charset=iso-8859-1' },
              body: Buffer.from(page.body.toString(), 'latin1'),
            }
          : page,
    }),
  ],
  ['utf-16', utf8, 'Bodies are encoded in UTF-16', () => bytes((body) => Buffer.from(body.toString(), 'utf16le'))],
  [
    'utf-8-surrogates',
    utf8,
    'Characters beyond the first plane are written as two surrogates of three bytes each',
    () =>
      bytes(
        (body) => {
          const surrogate = (unit: number): number[] => [
            0xe0 | (unit >> 12),
            0x80 | ((unit >> 6) & 63),
            0x80 | (unit & 63),
          ]
          return Buffer.concat(
            [...body.toString()].map((char) =>
              char.length === 2
                ? Buffer.from([...surrogate(char.charCodeAt(0)), ...surrogate(char.charCodeAt(1))])
                : Buffer.from(char),
            ),
          )
        },
        isSuccess,
        newest,
      ),
  ],
  [
    'text-behind',
    utf8,
    'A comment with the duration stands behind the JSON',
    () => text((body) => `${body}<!-- 12 ms -->`),
  ],
  [
    'text-behind-long-list',
    utf8,
    'Three bytes stand behind lists of more than 3000 bytes',
    () => text((body) => `${body}\n0;`, isLong, { pets: 75, ids: 'random' }),
  ],
  ['nul-behind', utf8, 'A NUL stands behind the JSON', () => text((body) => `${body}\0`)],
  [
    'two-texts',
    utf8,
    'The body of createPet has its JSON twice',
    () =>
      text(
        (body) => `${body}\n${body}`,
        ({ status }) => status === 201,
      ),
  ],
  [
    'one-pet-per-line',
    [...utf8, 'list.success'],
    'A list is one pet per line',
    () =>
      text(
        (body) =>
          body
            .replace(/^\s*\[/, '')
            .replace(/\]\s*$/, '')
            .replace(/\},\s*\{/g, '}\n{'),
        isList,
      ),
  ],
  ['callback', utf8, 'A list is the argument of a callback', () => text((body) => `callback(${body})`, isList)],
  ['single-quotes-in-answers', utf8, 'Strings stand in single quotes', () => text((body) => body.replaceAll('"', "'"))],
  [
    'raw-control-characters',
    utf8,
    'Line breaks within strings are not escaped',
    () =>
      text((body) => body.replaceAll('\\n', '\n'), isSuccess, {
        pets: 40,
        oddPets: true,
        order: 'oldest',
        ids: 'random',
      }),
  ],
  [
    'quotes-not-escaped',
    utf8,
    'Quotation marks within names are not escaped',
    () => text((body) => body.replace(/\\"/g, '"'), isSuccess, newest),
  ],
  [
    'ids-with-plus',
    utf8,
    'Ids have a plus sign in getPet',
    () =>
      text(
        (body) => body.replace(/"id":\s*(?=\d)/, '"id":+'),
        (page, { operation }) => operation === 'getPet' && isSuccess(page),
        { pets: 30 },
      ),
  ],
]
