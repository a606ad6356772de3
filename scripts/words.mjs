/** Writes the words of the generated pets, `src/mock/pets/seed-words.gen.ts`, from the English locale of faker. */
import { join } from 'node:path'

import { en } from '@faker-js/faker'

import { writeChanged } from './files.mjs'

const { animal } = en

/**
 * Where faker keeps the animals of a kind, and which of them a pet store sells: faker also knows wild ducks, tuna and snakes
 * that kill. Of its hundreds of breeds of dogs and horses, a name of one word marks the better known.
 */
const kinds = {
  dogs: { from: animal.dog, sold: /^\p{L}{3,8}$/u },
  cats: { from: animal.cat, sold: /./ },
  birds: {
    from: animal.bird,
    sold: /budgerigar$|parakeet$|parrot$|myna$|finch$|siskin$|dove$|quail$/i,
  },
  rabbits: { from: animal.rabbit, sold: /./ },
  fish: { from: animal.fish, sold: /carp$|catfish$|loach$|cyprinid$|mandarin fish$|trout$/i },
  rodents: {
    from: [...animal.rodent, ...animal.type],
    sold: /chinchilla$|degu$|guinea pig$|hamster$/i,
  },
  reptiles: {
    from: [...animal.snake, ...animal.type],
    sold: /(?:ball|royal) python$|\bboa$|kingsnake$|(?:corn|garter|hognose|milk) snake$|gecko$|turtle$/i,
  },
  horses: { from: animal.horse, sold: /^\p{L}{8,10}$/u },
}

/** Short, so that a list of pets is no wider than it must be, and without a character that a command or a page escapes. */
const isUsable = (word) => word.length <= 16 && /^[\p{L} -]+$/u.test(word)

/** Each word once, in an order that does not depend on that of faker. */
const distinct = (words) => [...new Set(words)].toSorted((one, other) => (one < other ? -1 : 1))

/** Faker writes some words as in a sentence: `Common carp`. */
const titled = (words) => words.replace(/(?<=^| )\p{Lowercase}/gu, (letter) => letter.toUpperCase())

export function writeWords() {
  const breeds = Object.entries(kinds).map(([kind, { from, sold }]) => [
    kind,
    distinct(from.filter((word) => sold.test(word) && isUsable(word)).map(titled)),
  ])
  writeChanged(
    join(import.meta.dirname, '../src/mock/pets/seed-words.gen.ts'),
    `/** Words for the names of generated pets, from the English locale of @faker-js/faker, under its license. Written by scripts/words.mjs. */

export const petNames: readonly string[] = ${JSON.stringify(distinct(animal.pet_name))}

export const breeds = ${JSON.stringify(Object.fromEntries(breeds), null, 2)}
`,
  )
}

/** For tests that run without a build. */
export { writeWords as setup }
