import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'

import { readJsonFile } from '../../../src/cli/json-file.ts'
import { UsageError } from '../../../src/errors.ts'
import { cpuOf } from '../../support/cpu.ts'
import { makeFolder } from '../../support/folder.ts'
import { runs } from '../../support/level.ts'

let file: string
beforeEach(() => void (file = join(makeFolder(), 'pets.json')))

function read(text: string) {
  writeFileSync(file, text)
  return readJsonFile(file, 'the pets file')
}

async function at(text: string, pointer: string) {
  return (await read(text)).place(pointer)
}

const mistakeOf = (text: string): Promise<unknown> => read(text).catch((error: unknown) => error)

test('many positions in a long array take no longer than one', async () => {
  const { place } = await read(`[${Array(300_000).fill('1').join()}]`)
  const places = async (count: number): Promise<string[]> =>
    Array.from({ length: count }, (_, index) => place(`/${299_999 - index}`))
  const first = await cpuOf(() => places(1))
  const others = await cpuOf(async () => {
    const found = await places(40)
    expect(found[39]).toBe(`${file}:1:${2 * 299_960 + 2}`)
  })
  expect(others).toBeLessThan(10 * Math.max(first, 20))
})

describe('the position of a value', () => {
  const text = [
    '[',
    '  { "id": 1, "a/b~": [true, {"x": null}] },',
    '  {"id" :',
    '    2}',
    ']',
  ].join('\n')

  test.each([
    ['', '1:1'],
    ['/0', '2:3'],
    ['/0/id', '2:11'],
    ['/0/a~1b~0/1/x', '2:35'],
    ['/1/id', '4:5'],
  ])('%s', async (pointer, place) => {
    expect(await at(text, pointer)).toBe(`${file}:${place}`)
  })

  test('a missing value has the position of its nearest ancestor', async () => {
    expect(await at(text, '/1/name')).toBe(`${file}:3:3`)
    expect(await at(text, '/7/name')).toBe(`${file}:1:1`)
  })

  test('the last of two properties with one name counts', async () => {
    expect(await at('{"a": 1, "a": 2}', '/a')).toBe(`${file}:1:15`)
  })

  test('finds each value of any JSON text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.constantFrom('', ' ', '\t'), async (value, indent) => {
        const text = JSON.stringify(value, undefined, indent)
        const { place } = await read(text)
        for (const [pointer, one] of pairsOf(value, '')) {
          const at = place(pointer).slice(file.length + 1)
          const [line = 0, column = 0] = at.split(':').map(Number)
          const begins = text.split('\n')[line - 1]?.[column - 1]
          expect(begins, pointer).toBe(JSON.stringify(one)[0])
        }
      }),
    )
  })
})

test('reads UTF-16, which PowerShell 5 writes, and rejects invalid text', async () => {
  const utf16 = Buffer.from('\uFEFF[\r\n{"name": "Ren\u00e9e"}]', 'utf16le')
  writeFileSync(file, utf16)
  expect((await readJsonFile(file, 'the pets file')).value).toEqual([{ name: 'Ren\u00e9e' }])
  writeFileSync(file, utf16.subarray(0, -1))
  await expect(readJsonFile(file, 'the pets file')).rejects.toThrow(
    `${file}:1: the pets file is not UTF-8`,
  )
})

describe('the reason why a text is not JSON', () => {
  test.each([
    ['[{"id": 1,}]', '1:11', 'property name expected'],
    ['[1, 2,\n]', '2:1', 'value expected'],
    ['[1 2]', '1:4', 'comma expected'],
    ['{"a" 1}', '1:6', 'colon expected'],
    ["{'a': 1}", '1:2', 'invalid symbol'],
    ['[1]\n[2]', '2:1', 'end of file expected'],
    ['[1', '1:3', 'close bracket expected'],
    ['', '1:1', 'value expected'],
    ['["abc]', '1:2', 'unexpected end of string'],
    ['["a\tb"]', '1:2', 'invalid character'],
    ['["\\x"]', '1:2', 'invalid escape character'],
    ['[01]', '1:3', 'comma expected'],
    ['[NaN]', '1:2', 'invalid symbol'],
    ['// pets\n[]', '1:1', 'invalid comment token'],
  ])('%j', async (text, place, words) => {
    const error = await mistakeOf(text)
    expect(error).toBeInstanceOf(UsageError)
    expect((error as UsageError).message).toBe(
      `${file}:${place}: the pets file is not JSON: ${words}`,
    )
  })

  test('every text that JSON.parse rejects has a position', async () => {
    const piece = fc.constantFrom(
      ...'[]{},:"\\ \n019.-e+tfn',
      'true',
      'null',
      '"a"',
      '\\u00e9',
      '"a":1',
    )
    await fc.assert(
      fc.asyncProperty(fc.array(piece), async (pieces) => {
        const text = pieces.join('')
        const message = ((await mistakeOf(text)) as UsageError | undefined)?.message
        if (isJson(text)) expect(message, text).toBeUndefined()
        else
          expect(message, text).toMatch(/pets\.json:\d+:\d+: the pets file is not JSON: [a-z ]+$/)
      }),
      { numRuns: runs(1_000) },
    )
  })

  test('supports any nesting depth', async () => {
    expect(await mistakeOf('['.repeat(15_000))).toEqual(
      new UsageError(`${file}: the pets file is not JSON`),
    )
    expect(await at('['.repeat(15_000) + ']'.repeat(15_000), '/0')).toBe(`${file}:1:2`)
  })
})

function pairsOf(value: unknown, pointer: string): [string, unknown][] {
  const below = Object.entries(typeof value === 'string' ? {} : (value ?? {}))
  return [
    [pointer, value],
    ...below.flatMap(([name, one]) =>
      pairsOf(one, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`),
    ),
  ]
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
