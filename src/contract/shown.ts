import type { ExactPet } from '../spec/types.ts'
import type { Created, PetList } from './catalog.ts'

/** The pets that responses have shown. */
export interface Shown {
  /** In the order in which a list of all pets would show them, as far as lists have shown it. */
  listed: ExactPet[]
  /** Those that were created meanwhile and that no list has shown, the oldest first. */
  created: ExactPet[]
}

/**
 * The pets that responses have shown.
 *
 * @param pets each as it was shown last
 * @param lists in the order in which they came
 * @param created in the order of their creation
 */
export function toShown(
  pets: Iterable<ExactPet>,
  lists: readonly PetList[],
  created: Iterable<Pick<Created, 'pet'>>,
): Shown {
  const latest = new Map([...pets].map((pet) => [String(pet.id), pet]))
  const order = new Set<string>()
  // The widest list without a filter comes first: what is not in it, though it is full, stands behind it.
  const isWider = (a: PetList, b: PetList): number =>
    Number(a.status !== undefined) - Number(b.status !== undefined) || b.pets.length - a.pets.length
  for (const { pets: shown } of lists.toReversed().sort(isWider)) for (const { id } of shown) order.add(String(id))
  const makings = [...created].map(({ pet }) => String(pet.id)).filter((id) => !order.has(id))
  for (const id of latest.keys()) if (!makings.includes(id)) order.add(id)
  const toPets = (ids: Iterable<string>): ExactPet[] =>
    [...ids].flatMap((id) => {
      const pet = latest.get(id)
      return pet === undefined ? [] : [pet]
    })
  return { listed: toPets(order), created: toPets(makings) }
}
