import { expect, test } from 'vitest'
import { observeOrder } from '../../../src/contract/judge/observe.ts'
import { toList, type Created, type PetList } from '../../../src/contract/judge/catalog.ts'
import { toExchange } from './exchange.ts'

/** Creates a list of pets from ids and names such as `3Max 1Bella`. */
function list(text: string): PetList {
  const pets = text.split(' ').map((word) => ({
    id: Number.parseInt(word, 10),
    name: word.replace(/^\d+/, ''),
    categoryId: 1,
  }))
  const exchange = toExchange('GET /pets?limit=100', 200, pets)
  return toList(exchange) as PetList
}

/** Pets created by the run in sequence, by id. */
const created = (...ids: number[]): Created[] =>
  ids.map((id, index) => {
    const pet = { id, name: '', categoryId: 1 }
    const sentAt = index * 10
    return {
      pet,
      exchange: toExchange('POST /pets', 201, pet, { sentAt }),
      pointer: '',
    }
  })

/** The option that these lists show, or those that remain possible. */
function orderOf(lists: readonly PetList[], own: readonly Created[]): unknown {
  const observed: unknown[] = []
  const findings = { observe: (_: string, option: unknown) => void observed.push(option) }
  observeOrder(findings as never, '/pets?limit=100', { lists, created: own })
  return observed[0]
}

const unordered = ['oldest-first', 'newest-first', 'shuffled']

test.each<[order: string | readonly string[] | undefined, lists: string[], own: number[]]>([
  ['oldest-first', ['1Rex 2Max 3Bella 8Pk 9Pk'], [8, 9]],
  ['newest-first', ['9Pk 8Pk 1Rex 2Max 3Bella'], [8, 9]],
  ['newest-first', ['9Pb 8Pc 7Pa'], [7, 8, 9]],
  ['by-name', ['5Ada 3Bella 6Cleo 7Dot 2Max 9Mo 8Mu 1Rex'], [8, 9]],
  ['by-name', ['5Ada 3Bella 6Cleo 7Dot 2Max 4Nell 8Otto 1Rex'], []],
  ['shuffled', ['1Rex 2Max 3Bella', '1Rex 3Bella 2Max'], []],
  ['shuffled', ['1Rex 2Max 3Bella', '1Rex 2Max 3Bella', '3Bella 9Pk 2Max 1Rex'], [9]],
  // A read-only run sees no age but that of ids.
  ['oldest-first', ['1Rex 2Max 3Bella 4Ada 5Cleo 6Pk 7Pk 8Pk'], []],
  ['newest-first', ['8Rex 7Max 6Bella 5Ada 4Cleo 3Pk 2Pk 1Pk'], []],
  [unordered, ['3Rex 2Max 1Bella'], []],
  // The order of creation counts, not the order of ids.
  ['oldest-first', ['5Rex 2Max 9Bella 4Pk 3Pk'], [4, 3]],
  // A new pet at the end of an otherwise equal page is no contradiction.
  ['oldest-first', ['1Rex 2Max 3Bella', '1Rex 2Max 3Bella 9Pk'], [9]],
  // Not sorted by name: any other order is possible.
  [unordered, ['3Rex 1Max 2Bella'], []],
  [unordered, ['1Rex 9Pk 2Max'], [9]],
  // No evidence: a short list may be sorted by name by chance, and ids may follow the names.
  [undefined, ['3Bella 2Max 1Rex'], []],
  [undefined, ['1Ada 2Bella 3Cleo 4Dot 5Max 6Nell 7Otto 8Rex'], []],
  [undefined, ['8Ada 7Bella 6Cleo 5Dot 4Max 3Nell 2Otto 1Rex'], []],
  [undefined, [], []],
  [undefined, ['1Rex 2Max'], []],
  [undefined, ['2Ada 3Bo 9Cy'], [9]],
])('%s: %j', (order, lists, own) => {
  expect(orderOf(lists.map(list), created(...own))).toEqual(order)
})

test('names are compared by code points, not by UTF-16 units', () => {
  // U+FF5E comes before U+1F436, whose first UTF-16 unit is smaller.
  expect(orderOf([list('3a 5b 2c 6d 7e 4f 8\uff5e 1\u{1f436}')], [])).toBe('by-name')
})
