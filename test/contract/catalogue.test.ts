import { expect, test } from 'vitest'
import { Catalogue, changes, difference, samePet } from '../../src/contract/catalogue.ts'
import { toExchange } from './exchange.ts'

const bella = { id: 1, name: 'Bella', categoryId: 3, status: 'sold' } as const
const max = { id: 9007199254740993n, name: 'Max', categoryId: 3 }

test('it counts each pet once, however often it is shown, and knows when', () => {
  const catalogue = new Catalogue()
  catalogue.see([bella, max], toExchange('GET /pets', 200, '', { sentAt: 10 }))
  catalogue.see([bella], toExchange('GET /pets/1', 200, '', { sentAt: 20 }))
  expect(catalogue.count()).toBe(2)
  expect(catalogue.count('sold')).toBe(1)
  expect(catalogue.count('pending')).toBe(0)
  expect(catalogue.count(undefined, 5)).toBe(0)
  expect(catalogue.seenSince(9007199254740993n)).toBe(10)
  expect(catalogue.seenSince('1')).toBe(10)
  expect(catalogue.seenSince(9007199254740992n)).toBeUndefined()
  expect(catalogue.statuses()).toEqual(new Set(['sold', undefined]))
})

test('two answers that show a pet differently contradict each other', () => {
  const catalogue = new Catalogue()
  const list = toExchange('GET /pets', 200)
  const single = toExchange('GET /pets/1', 200)
  catalogue.see([max, bella], list)
  catalogue.see([bella], single)
  expect(catalogue.contradictions()).toEqual([])
  catalogue.see([{ ...bella, status: 'pending' }], single)
  expect(catalogue.contradictions()).toEqual([
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
