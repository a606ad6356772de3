import { type JsonValue, parseJson, printJson } from '../../src/json.ts'

/** What a client of one world knows of its pets. */
export interface KnownPets {
  /** What was seen of each pet, by its id. */
  readonly texts: Map<string, string>
  /** Names of creations that are under way, or whose answer was lost. */
  readonly doubted: Set<string>
  /** Takes the answer to a creation, and tells what is wrong with it. */
  confirm: (text: string, sent: { name: string; categoryId: bigint }) => string | undefined
  /** Compares a pet as it is shown with what is known. */
  compare: (pet: JsonValue) => string | undefined
  /** Compares the whole catalogue, when nothing is under way. */
  compareAll: (pets: readonly JsonValue[]) => string[]
  /** A copy, for a snapshot. */
  copy: () => { texts: Map<string, string>; doubted: Set<string> }
  restore: (copy: { texts: Map<string, string>; doubted: Set<string> }) => void
}

/** Knowledge that begins with the pets of the start. */
export function createKnownPets(seeded: readonly JsonValue[]): KnownPets {
  const texts = new Map(seeded.map((pet): [string, string] => [idOf(pet), printJson(pet)]))
  const doubted = new Set<string>()

  function compare(pet: JsonValue): string | undefined {
    const id = idOf(pet)
    const known = texts.get(id)
    const text = printJson(pet)
    if (known === undefined) return doubted.has(nameOf(pet)) ? undefined : `Nobody confirmed this pet: ${text}`
    return known === text ? undefined : `Pet ${id} was ${known} and is ${text}`
  }

  return {
    texts,
    doubted,
    compare,
    confirm(text, sent) {
      const pet = parseJson(text)
      const id = idOf(pet)
      const known = texts.get(id)
      if (known !== undefined) return `The id ${id} was given twice: to ${known}, and to ${text}`
      texts.set(id, printJson(pet))
      doubted.delete(sent.name)
      const { name, categoryId } = pet as { name: JsonValue; categoryId: JsonValue }
      return name === sent.name && BigInt(categoryId as number) === sent.categoryId
        ? undefined
        : `The pet ${sent.name} with the categoryId ${sent.categoryId} was confirmed as ${text}`
    },
    compareAll(pets) {
      const faults = pets.map(compare).filter((fault) => fault !== undefined)
      const there = new Set(pets.map(idOf))
      if (there.size !== pets.length) faults.push('Two pets of the catalogue have the same id.')
      for (const [id, text] of texts) if (!there.has(id)) faults.push(`Pet ${id} was confirmed and is missing: ${text}`)
      // What is found once must still be there the next time.
      for (const pet of pets) texts.set(idOf(pet), printJson(pet))
      doubted.clear()
      return faults
    },
    copy: () => ({ texts: new Map(texts), doubted: new Set(doubted) }),
    restore(copy) {
      texts.clear()
      doubted.clear()
      for (const [id, text] of copy.texts) texts.set(id, text)
      for (const name of copy.doubted) doubted.add(name)
    },
  }
}

function idOf(pet: JsonValue): string {
  return String((pet as { id: number | bigint }).id)
}

function nameOf(pet: JsonValue): string {
  return (pet as { name: string }).name
}
