import { describe, expect, test } from 'vitest'
import { creating, invalid as rejecting, logOf, type Row } from './log-of.ts'

const rex = { id: 1, name: 'Rex', categoryId: 7, status: 'available' }
const own = { id: 9, name: 'Petkit a', categoryId: 7, status: 'sold' }

const accepted = creating(own.name)
const invalid = rejecting('Petkit b')

test('a pet of the run was shown as it was created once getPet has shown it so', () => {
  const creation: Row = ['POST /pets', 201, own, accepted]
  const [created] = logOf(creation).created
  expect(created?.pet).toEqual(own)
  const isShown = (...rows: Row[]): boolean => {
    const log = logOf(creation, ...rows)
    return log.wasShownAsCreated(log.created[0] as NonNullable<typeof created>)
  }
  expect(isShown()).toBe(false)
  expect(isShown(['GET /pets/9', 404, ''])).toBe(false)
  expect(isShown(['GET /pets/9', 200, { ...own, status: 'pending' }])).toBe(false)
  expect(isShown(['GET /pets/9', 200, own])).toBe(true)
  // A list may echo what was sent; only where getPet returns nothing is it a witness.
  expect(isShown(['GET /pets?limit=100', 200, [rex, own]])).toBe(true)
  const listed: Row = ['GET /pets?limit=100', 200, [rex, own]]
  expect(isShown(listed, ['GET /pets/1', 200, rex])).toBe(false)
})

test.each([
  ['/pets?status=sold&limit=5', 1],
  ['/pets?limit=5&limit=6', 0],
  ['/pets?limit=05', 0],
  // A target may select pets by it.
  ['/pets?q=Rex', 0],
  ['/pets?constructor=1', 0],
])('the lists of the log: %s adds %i', (path, count) => {
  expect(logOf([`GET ${path}`, 200, []]).lists).toHaveLength(count)
})

describe('an id that was given twice', () => {
  test('is remembered with both pets, and the first one is no pet of the run any more', () => {
    const other = { ...own, name: 'Petkit c' }
    const log = logOf(
      ['POST /pets', 201, own, accepted],
      ['POST /pets', 201, other, accepted],
      ['GET /pets?limit=100', 200, [other]],
    )
    expect(log.repeatedIds).toMatchObject([{ first: { pet: own }, second: { pet: other } }])
    expect(log.created).toMatchObject([{ pet: other }])
    expect(log.catalog.of(9)).toMatchObject([{ pet: other }])
  })

  test('together with a name belongs to the second pet alone', () => {
    const later = { ...own, status: 'pending' }
    const log = logOf(['POST /pets', 201, own, accepted], ['POST /pets', 201, later, accepted])
    expect(log.created).toMatchObject([{ pet: later }])
    expect(log.catalog.of(9)).toMatchObject([{ pet: later }])
  })

  test('was never stored, if no response shows the name, and getPet did not find such a pet before', () => {
    const other = { ...own, name: 'Petkit c' }
    const absent: Row = ['GET /pets/9', 404, {}]
    const wasNeverStored = (before: Row[], after: Row[] = []): boolean | undefined => {
      const first: Row = ['POST /pets', 201, own, accepted]
      const second: Row = ['POST /pets', 201, other, accepted]
      const log = logOf(first, ...before, second, ...after)
      return log.repeatedIds[0] && log.wasNeverStored(log.repeatedIds[0])
    }
    expect(wasNeverStored([absent])).toBe(true)
    // The second one may have replaced it.
    expect(wasNeverStored([])).toBe(false)
    expect(wasNeverStored([], [absent])).toBe(false)
    expect(wasNeverStored([['GET /pets/9', 200, own], absent])).toBe(false)
    expect(wasNeverStored([absent], [['GET /pets?limit=100', 200, [own]]])).toBe(false)
  })

  test('may be the one of a pet of others', () => {
    const log = logOf(
      ['GET /pets?limit=100', 200, [rex]],
      ['POST /pets', 201, { ...own, id: 1 }, accepted],
    )
    expect(log.repeatedIds).toMatchObject([{ first: { pet: rex }, second: { pet: { id: 1 } } }])
  })
})

test('rejected creations are known by the names that were sent', () => {
  const log = logOf(
    ['POST /pets', 201, own, accepted],
    ['POST /pets', 400, {}, invalid],
    // The name is that of a pet: it may be rejected for that.
    ['POST /pets', 409, {}, accepted],
    ['POST /pets', 500, {}, creating('Petkit d')],
  )
  expect([...log.rejected.keys()]).toEqual(['Petkit b'])
  expect(log.writes).toBe(1)
})

test('an accepted invalid creation makes a pet, but none of the run', () => {
  const log = logOf(['POST /pets', 201, own, invalid])
  expect(log.writes).toBe(1)
  expect(log.created).toEqual([])
  expect(log.accepted).toBeUndefined()
})

test('a pet is old if it was shown before the first creation', () => {
  const log = logOf(
    ['GET /pets?limit=100', 200, [rex]],
    ['POST /pets', 201, own, accepted],
    ['GET /pets?limit=100', 200, [rex, own, { ...rex, id: 2 }]],
  )
  expect([1, 9, 2, 3].map((id) => log.isOld(id))).toEqual([true, false, false, false])
})
