import { expect, test } from 'vitest'
import { Catalog, changes, difference, samePet } from '../../../src/contract/catalog.ts'
import { toExchange } from './exchange.ts'

const bella = { id: 1, name: 'Bella', categoryId: 3, status: 'sold' } as const
const max = { id: 9007199254740993n, name: 'Max', categoryId: 3 }

test('it counts each pet once, however often it is shown, and knows when', () => {
  const catalog = new Catalog()
  catalog.see([bella, max], toExchange('GET /pets', 200, '', { sentAt: 10 }))
  catalog.see([bella], toExchange('GET /pets/1', 200, '', { sentAt: 20 }))
  expect(catalog.count()).toBe(2)
  expect(catalog.count('sold')).toBe(1)
  expect(catalog.count('pending')).toBe(0)
  expect(catalog.count(undefined, 5)).toBe(0)
  expect(catalog.of(9007199254740993n)[0]?.exchange.sentAt).toBe(10)
  expect(catalog.of('1')[0]?.exchange.sentAt).toBe(10)
  expect(catalog.of(9007199254740992n)).toEqual([])
  expect(catalog.statuses()).toEqual(new Set(['sold', undefined]))
})

test('two answers that show a pet differently contradict each other', () => {
  const catalog = new Catalog()
  const list = toExchange('GET /pets', 200)
  const single = toExchange('GET /pets/1', 200)
  catalog.see([max, bella], list)
  catalog.see([bella], single)
  expect(catalog.contradictions()).toEqual([])
  catalog.see([{ ...bella, status: 'pending' }], single)
  expect(catalog.contradictions()).toEqual([
    [
      { pet: bella, exchange: list, pointer: '/1' },
      { pet: { ...bella, status: 'pending' }, exchange: single, pointer: '' },
    ],
  ])
})

test('pets are compared by their four fields, exactly', () => {
  expect(samePet(bella, { ...bella })).toBe(true)
  for (const other of [{ id: 2 }, { name: 'bella' }, { categoryId: 4 }, { status: 'pending' } as const]) {
    expect(samePet(bella, { ...bella, ...other })).toBe(false)
  }
  expect(samePet(max, { ...max, id: 9007199254740992n })).toBe(false)
  expect(samePet(bella, { id: 1, name: 'Bella', categoryId: 3 })).toBe(false)
})

test('a difference is told in words', () => {
  expect(difference({ name: 'Bella', categoryId: 3 }, bella)).toBeUndefined()
  expect(difference({ status: 'pending' }, bella)).toBe('status "sold" instead of "pending"')
  expect(changes(bella, { id: 1, name: 'Bel', categoryId: 3 })).toBe(
    'name "Bel" instead of "Bella", status absent instead of "sold"',
  )
})
