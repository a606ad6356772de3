import type { ClauseId } from '../../src/spec/clauses.ts'
import type { Row } from './fault.ts'
import { bytes, text } from './pages.ts'

const utf8: ClauseId[] = ['http.json-body']

/** Bodies that are no JSON text in UTF-8. */
export const jsonTextFaults: Row[] = [
  ['utf-16', utf8, 'Bodies are encoded in UTF-16', () => bytes((body) => Buffer.from(body.toString(), 'utf16le'))],
  ['nul-behind', utf8, 'A NUL stands behind the JSON', () => text((body) => `${body}\0`)],
]
