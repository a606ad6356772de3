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

const media: ClauseId[] = ['http.media-type']

/** JSON that does not say that it is. */
export const mediaTypeFaults: Row[] = [
  ['text-json', media, 'JSON is declared as text/json', () => header('text/json')],
  ['text-plain-for-list', media, 'A list is declared as text/plain', () => header('text/plain', isList)],
]
