/** The pets of the mock, for the peers that keep pets: everyone starts with the same catalogue. */
import { createSeed } from '../dist/mock/seed.js'

/** The first pets of the mock's default seed. */
export function firstPets(count) {
  const seed = createSeed(1)
  return Array.from({ length: count }, (_, index) => seed.pet(index + 1))
}
