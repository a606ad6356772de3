import fc from 'fast-check'
import { expect, test } from 'vitest'

import { parsePet, printPet } from '../../../src/mock/catalog.ts'

const name = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) }),
  fc.constantFrom('', '"', '\\', '\u0000', '\u001f', '\u007f', '\u2028', '\ud800', '\udfff', '\ud83d\udc36', '"\\"'),
)

test('a pet is printed as JSON.stringify prints it, and read back as it was', () => {
  fc.assert(
    fc.property(
      fc.maxSafeInteger(),
      name,
      fc.maxSafeInteger(),
      fc.constantFrom('available', 'pending', 'sold', undefined),
      (id, name, categoryId, status) => {
        const text = printPet({ id, name, categoryId, status })
        expect(text).toBe(JSON.stringify({ id, name, categoryId, status }))
        expect(parsePet(text)).toEqual({ id, name, categoryId, status })
      },
    ),
    { numRuns: 500 },
  )
})
