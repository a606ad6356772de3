import type { ExactPet } from '../spec/types.ts'
import type { Created, PetList } from './catalog.ts'

export interface Shown {
  /** In list order, as far as lists have shown it. */
  listed: ExactPet[]
  /** New pets that no list has shown, oldest first. */
  created: ExactPet[]
}

/** @param pets as they were last shown; lists and created pets are in the order of their responses */
export function toShown(
  pets: Iterable<ExactPet>,
  lists: readonly PetList[],
  created: Iterable<Pick<Created, 'pet'>>,
): Shown {
  const latest = new Map([...pets].map((pet) => [String(pet.id), pet]))
  const order = new Set<string>()
  // The longest unfiltered list comes first: pets missing from it come later, even if it is full.
  const isWider = (a: PetList, b: PetList): number =>
    Number(a.status !== undefined) - Number(b.status !== undefined) || b.pets.length - a.pets.length
  for (const { pets: shown } of lists.toReversed().sort(isWider)) for (const { id } of shown) order.add(String(id))
  const newIds = [...created].map(({ pet }) => String(pet.id)).filter((id) => !order.has(id))
  for (const id of latest.keys()) if (!newIds.includes(id)) order.add(id)
  const toPets = (ids: Iterable<string>): ExactPet[] =>
    [...ids].flatMap((id) => {
      const pet = latest.get(id)
      return pet === undefined ? [] : [pet]
    })
  return { listed: toPets(order), created: toPets(newIds) }
}
