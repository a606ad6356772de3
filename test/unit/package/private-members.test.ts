/** Private members of Node and libraries differ between versions and runtimes, so src must not use them. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const src = join(import.meta.dirname, '../../../src')

/** Names with an underscore, hidden symbols and internals of Node. */
const forbidden = [
  /[\w)\]]\??\._[a-zA-Z]/,
  /\[['"`]_[a-zA-Z]/,
  /\b_(?:header|send|writeRaw|storeHeader|handle|httpMessage|writableState|readableState)\b/,
  /\[k[A-Z]\w+\]|\bk(?:PrimaryKey|RelationMap|CollectionId|Socket)\b/,
  /getOwnPropertySymbols|process\.binding|internalBinding/,
]

const violationsIn = (source: string): string[] =>
  source.split('\n').filter((line) => forbidden.some((pattern) => pattern.test(line)))

test('src uses no private member of Node or a library', () => {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.tsx?$/.test(name),
  )
  expect(files.length).toBeGreaterThan(100)
  const found = files.flatMap((name) =>
    violationsIn(readFileSync(join(src, name), 'utf8')).map((line) => `${name}: ${line}`),
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
  expect(violationsIn(line)).toEqual([line])
})
