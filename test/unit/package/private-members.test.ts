/** What works on one runtime by a private member of Node or of a library breaks silently on another. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const src = join(import.meta.dirname, '../../../src')

/** A member by an underscore, a hidden symbol, or Node's inside. */
const forbidden = [
  /[\w)\]]\??\._[a-zA-Z]/,
  /\[['"`]_[a-zA-Z]/,
  /\b_(?:header|send|writeRaw|storeHeader|handle|httpMessage|writableState|readableState)\b/,
  /\[k[A-Z]\w+\]|\bk(?:PrimaryKey|RelationMap|CollectionId|Socket)\b/,
  /getOwnPropertySymbols|process\.binding|internalBinding/,
]

const breaksIn = (source: string): string[] =>
  source.split('\n').filter((line) => forbidden.some((pattern) => pattern.test(line)))

test('no file touches a private member of Node or of a library', () => {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name))
  expect(files.length).toBeGreaterThan(100)
  const found = files.flatMap((name) =>
    breaksIn(readFileSync(join(src, name), 'utf8')).map((line) => `${name}: ${line}`),
  )
  expect(found).toEqual([])
})

test.each([
  '(response as Headed)._header = whole',
  'interface Headed { _header?: string }',
  "response['_header'] = whole",
  'socket?._handle?.fd',
  'record[kPrimaryKey]',
  "asked.get('kPrimaryKey')",
  'Object.getOwnPropertySymbols(record)',
  "process.binding('http_parser')",
])('%s is found', (line) => {
  expect(breaksIn(line)).toEqual([line])
})
