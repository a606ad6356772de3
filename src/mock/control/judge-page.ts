/** What a page tells at a glance. It is not parsed: pages are many, and a text in one cannot hold `{"id":` unescaped. */

const pet = '{"id":'
/** Where the id of the first pet begins. */
const start = 1 + pet.length

/** Stands for no pet. */
export const noId = -1

/** The id of a pet that is shown alone, or undefined when it cannot be told. */
export function idOf(body: string): number | bigint | undefined {
  if (!body.startsWith(pet)) return undefined
  const end = body.indexOf(',', pet.length)
  const digits = body.slice(pet.length, end)
  if (end === -1 || end > pet.length + 19 || !/^\d+$/.test(digits)) return undefined
  return digits.length > 15 ? BigInt(digits) : Number(digits)
}

/** The id of the pet that comes first, or `noId` when there is none, or none that a double holds. */
export function firstIdOf(body: string): number {
  if (!body.startsWith(pet, 1)) return noId
  let id = 0
  for (let at = start; at < start + 16; at += 1) {
    const digit = body.charCodeAt(at) - 48
    if (!(digit >= 0 && digit <= 9)) return at === start ? noId : id
    id = id * 10 + digit
  }
  return noId
}

/** Whether a page shows more than one pet. */
export function hasMoreThanOne(body: string): boolean {
  return body.includes(pet, start)
}

/** How many pets a page shows. */
export function countPets(body: string): number {
  let count = 0
  for (let at = body.indexOf(pet); at !== -1; at = body.indexOf(pet, at + pet.length)) count += 1
  return count
}
