import type { ClauseId } from '../../src/spec/clauses.ts'
import type { Call } from './call.ts'
import type { Page, Row, Seams } from './fault.ts'
import { isSuccess, isList } from './pages.ts'

const header = (value: string | undefined, when: (page: Page, call: Call) => boolean = isSuccess): Seams => ({
  write(page, call) {
    if (!when(page, call)) return page
    const headers = Object.fromEntries(Object.entries(page.headers).filter(([name]) => name !== 'content-type'))
    return { ...page, headers: value === undefined ? headers : { ...headers, 'content-type': value } }
  },
})

const json: ClauseId[] = ['http.json-body', 'http.media-type']
const media: ClauseId[] = ['http.media-type']

/** JSON that does not say that it is. */
export const mediaTypeFaults: Row[] = [
  ['m112-no-media-type', media, 'Answers have no Content-Type', () => header(undefined)],
  ['m112-text-html', media, 'JSON is declared as text/html', () => header('text/html; charset=utf-8')],
  ['text-json', media, 'JSON is declared as text/json', () => header('text/json')],
  ['json-api', media, 'JSON is declared as application/vnd.api+json', () => header('application/vnd.api+json')],
  ['text-plain-for-list', media, 'A list is declared as text/plain', () => header('text/plain', isList)],
  [
    'octets-for-201',
    media,
    'The answer of createPet is declared as application/octet-stream',
    () => header('application/octet-stream', ({ status }) => status === 201),
  ],
  [
    'json-lines-for-sold',
    media,
    'The list of sold pets is declared as application/x-ndjson',
    () => header('application/x-ndjson', (page, call) => isList(page, call) && call.status === 'sold'),
  ],
  [
    'html-declared-for-get',
    media,
    'getPet declares its JSON as text/html',
    () => header('text/html', (page, { operation }) => operation === 'getPet' && isSuccess(page)),
  ],
  [
    'xml-unless-json-is-asked',
    json,
    'Whoever accepts anything gets XML',
    () => ({
      write: (page, { request }) =>
        isSuccess(page) && !String(request.headers['accept'] ?? '*/*').includes('application/json')
          ? { ...page, headers: { 'content-type': 'application/xml' }, body: Buffer.from('<pets/>') }
          : page,
    }),
  ],
]
