import { expect, test } from 'vitest'
import { orderOf } from '../../../src/contract/observe.ts'
import type { Created, PetList } from '../../../src/contract/catalog.ts'
import { toExchange } from './exchange.ts'

/** A list of pets, written as `3Max 1Bella`: ids and names. */
function list(text: string): PetList {
  const pets = text
    .split(' ')
    .map((word) => ({ id: Number.parseInt(word, 10), name: word.replace(/^\d+/, ''), categoryId: 1 }))
  const exchange = toExchange('GET /pets?limit=100', 200, pets)
  return { exchange, pets, length: pets.length, atMost: 100, status: undefined, complete: true }
}

/** Pets that a run created one after the other, by id. */
const created = (...ids: number[]): Created[] =>
  ids.map((id, index) => {
    const pet = { id, name: '', categoryId: 1 }
    const sentAt = index * 10
    return { pet, exchange: toExchange('POST /pets', 201, pet, { sentAt }), at: sentAt + 1, wasRead: true }
  })

test.each<[order: string | undefined, lists: string[], own: number[]]>([
  ['oldest-first', ['1Rex 2Max 3Bella 8Pk 9Pk'], [8, 9]],
  ['newest-first', ['9Pk 8Pk 1Rex 2Max 3Bella'], [8, 9]],
  ['newest-first', ['9Pb 8Pc 7Pa'], [7, 8, 9]],
  ['by-name', ['3Bella 9Mo 2Max 8Mu 1Rex'].map((text) => text.replace('9Mo 2Max', '2Max 9Mo')), [8, 9]],
  ['shuffled', ['1Rex 2Max 3Bella', '1Rex 3Bella 2Max'], []],
  ['shuffled', ['1Rex 2Max 3Bella', '1Rex 2Max 3Bella', '3Bella 9Pk 2Max 1Rex'], [9]],
  // Ids that the service does not give out in order say nothing: ages do.
  ['oldest-first', ['5Rex 2Max 9Bella 4Pk 3Pk'], [4, 3]],
  // A new pet at the end, and pages that overlap, are no disagreement.
  ['oldest-first', ['1Rex 2Max 3Bella', '1Rex 2Max 3Bella 9Pk'], [9]],
  // Nothing tells.
  [undefined, [], []],
  [undefined, ['1Rex 2Max'], []],
  [undefined, ['3Rex 1Max 2Bella'], []],
  [undefined, ['1Rex 9Pk 2Max'], [9]],
  [undefined, ['2Ada 3Bo 9Cy'], [9]],
])('%s: %j', (order, lists, own) => {
  expect(orderOf(lists.map(list), created(...own))).toBe(order)
})

test('names are compared by code points, not by UTF-16 units', () => {
  // U+FF5E comes before U+1F436, whose first UTF-16 unit is smaller.
  expect(orderOf([list('3a 2\uff5e 1\u{1f436}')], [])).toBe('by-name')
})
