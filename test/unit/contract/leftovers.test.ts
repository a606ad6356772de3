/** Pets with invalid values that runs have created, and that a deployment keeps after it was fixed. */
import { describe, expect, test } from 'vitest'
import type { Report, VerifyInput } from '../../../src/contract/index.ts'
import { startBroken } from '../../proof/broken/broken-server.ts'
import { editPets, withField } from '../../proof/broken/response-edits.ts'
import { verifyBroken } from '../../proof/broken/verify-broken.ts'
import { toVariants } from '../../support/variants/conforming-variant.ts'
import { verifyMock } from '../../support/verify-in-process.ts'
import { verifyVariant } from '../../support/verify-variant.ts'

/** Verifies a conforming service whose pet 1 has another name, and a categoryId beyond int64. */
const verifyWith = (name: string, pets: number, more: Partial<VerifyInput>): Promise<Report> =>
  verifyBroken(
    {
      start: (time) =>
        startBroken(
          () => ({
            shop: { pets },
            say: (reply) =>
              editPets(reply, (pet) =>
                pet.get('id') === 1n
                  ? withField(withField(pet, 'name', name), 'categoryId', 2n ** 63n)
                  : pet,
              ),
          }),
          time,
        ),
    },
    more,
  )

const resultOf = ({ requirements }: Report, id: string) =>
  requirements.find((requirement) => requirement.id === id)

describe('an invalid pet of an earlier run', () => {
  test.each([
    ['Petkit Qrstvw Bm', {}],
    ['Petkit build-7 Bm', { readOnly: true }],
  ])('among others that conform is named: %s, %o', async (name, more) => {
    const report = await verifyWith(name, 40, more)
    expect(report.findings).toEqual([])
    expect(report.verdict).toBe('conforms')
    expect(resultOf(report, 'pet.category-id')).toMatchObject({
      verdict: 'not-verified',
      reason: expect.stringMatching(
        new RegExp(`^pet 1, ${name}, was created by an earlier run: delete it`),
      ),
    })
    expect(report.notes).toContain(`Pets of earlier runs are invalid: 1 (${name}). Delete them.`)
  })

  test('is a violation where no other pet conforms, which names it first', async () => {
    const report = await verifyWith('Petkit Qrstvw Bm', 1, { readOnly: true })
    expect(report.findings).toMatchObject([
      {
        requirement: 'pet.category-id',
        message: expect.stringMatching(/^Pet 1, Petkit Qrstvw Bm, was created by an earlier run/),
      },
    ])
  })

  test('is not one of others with another name', async () => {
    const report = await verifyWith('Rex', 40, { readOnly: true })
    expect(resultOf(report, 'pet.category-id')?.verdict).toBe('violated')
  })
})

test('a run says which of its pets are invalid and stay, and stores one of a kind', async () => {
  const report = await verifyMock({ pets: 40, defects: ['reject.status-unknown-stored'] })
  const notes = report.notes.filter((note) => note.includes('Pets of this run are invalid'))
  expect(notes).toHaveLength(1)
  expect(notes[0]).toMatch(/stay: \d+ \(Petkit Bcdfgh [A-Z][a-z]\)\. Delete them once/)
})

test('ids that are given again to all pets after a moment are called what a reset looks like', async () => {
  const removed = { which: 'own', afterMs: 1100 } as const
  const [variant] = toVariants('a reset is not expected', [
    ['reset', { removed, pets: 40, latencyMs: [20, 60] }],
  ])
  const [report] = variant ? await verifyVariant(variant) : []
  expect(report?.notes.join()).toContain('a reset of the database during the run looks like this')
})
