/**
 * Writes the words of the seeded pets. They come from the English locale of faker, at build time: a mock that is
 * started or bundled for a browser does not load its megabytes.
 *
 * `node scripts/run-ts.mjs seed-words` writes `src/mock/seed-words.ts` anew.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { en } from '@faker-js/faker'

const animal = en.animal ?? {}

/** What a pet store sells: faker also knows lions, tuna and snakes that kill. Each word must be one of faker's. */
const kept = [
  {
    kind: 'dogs',
    from: animal.dog,
    words:
      'Affenpinscher|Airedale Terrier|Akita|Alaskan Malamute|Australian Shepherd|Basenji|Basset Hound|Beagle|Bearded Collie|Bernese Mountain Dog|Bichon Frisé|Border Collie|Border Terrier|Boston Terrier|Boxer|Cairn Terrier|Cardigan Welsh Corgi|Cavalier King Charles Spaniel|Chihuahua|Chow Chow|Dachshund|Dalmatian|English Cocker Spaniel|English Setter|English Springer Spaniel|Eurasier|Flat-Coated Retriever|French Bulldog|German Shepherd Dog|Golden Retriever|Great Dane|Greyhound|Havanese|Irish Setter|Irish Wolfhound|Jack Russell Terrier|Keeshond|Labrador Retriever|Lagotto Romagnolo|Leonberger|Lhasa Apso|Maltese|Miniature Schnauzer|Newfoundland|Norfolk Terrier|Old English Sheepdog|Papillon|Pembroke Welsh Corgi|Pointer|Pomeranian|Poodle|Portuguese Water Dog|Pug|Rough Collie|Saint Bernard|Samoyed|Scottish Terrier|Shetland Sheepdog|Shiba Inu|Shih Tzu|Siberian Husky|Vizsla|Weimaraner|West Highland White Terrier|Whippet|Yorkshire Terrier',
  },
  {
    kind: 'cats',
    from: animal.cat,
    words:
      'Abyssinian|American Curl|American Shorthair|Balinese|Bengal|Birman|Bombay|British Shorthair|Burmese|Chartreux|Cornish Rex|Devon Rex|Egyptian Mau|Exotic Shorthair|Himalayan|Japanese Bobtail|Korat|Maine Coon|Manx|Munchkin|Norwegian Forest Cat|Ocicat|Oriental|Persian|Ragdoll|Russian Blue|Scottish Fold|Selkirk Rex|Siamese|Siberian|Singapura|Snowshoe|Somali|Sphynx|Tonkinese|Turkish Angora|Turkish Van',
  },
  {
    kind: 'birds',
    from: animal.bird,
    words:
      'Budgerigar|Crested Myna|Harlequin Duck|Inca Dove|Monk Parakeet|Mourning Dove|Muscovy Duck|Red-crowned Parrot|Rock Dove|Spotted Dove|White-winged Parakeet|Wood Duck|Zenaida Dove',
  },
  {
    kind: 'rabbits',
    from: animal.rabbit,
    words:
      'American Fuzzy Lop|Belgian Hare|Beveren|Checkered Giant|Dwarf Hotot|English Angora|English Lop|English Spot|Flemish Giant|French Lop|Harlequin|Holland Lop|Jersey Wooly|Lionhead|Mini Lop|Mini Rex|Netherland Dwarf|Palomino|Rex|Silver Fox|Silver Marten',
  },
  {
    kind: 'fish',
    from: animal.fish,
    words:
      'Amur catfish|Channel catfish|Common carp|Crucian carp|Grass carp|Iridescent shark|Mandarin fish|Pond loach|Rainbow trout|Silver carp',
  },
  {
    kind: 'rodents',
    from: [...(animal.rodent ?? []), ...(animal.type ?? [])],
    words: 'Chinchilla|Common degu|Domestic guinea pig|hamster|Long-tailed chinchilla|Short-tailed chinchilla',
  },
  {
    kind: 'reptiles',
    from: [...(animal.snake ?? []), ...(animal.type ?? [])],
    words:
      'Ball Python|California kingsnake|Checkered garter snake|Corn snake|gecko|Hognose snake|Milk snake|Prairie kingsnake|Rosy boa|turtle',
  },
  {
    kind: 'horses',
    from: animal.horse,
    words:
      'Andalusian Horse|Appaloosa|Arabian Horse|Clydesdale Horse|Falabella|Friesian Horse|Haflinger|Hanoverian Horse|Icelandic Horse|Knabstrupper|Lipizzan|Lusitano|Miniature Horse|Morgan Horse|Norwegian Fjord|Paso Fino|Percheron|Shire Horse|Thoroughbred|Trakehner|Welsh Cob',
  },
]

/** What `src/mock/seed-words.ts` holds. */
export function seedWords() {
  const breeds = kept.map(({ kind, from, words }) => [
    kind,
    words.split('|').map((word) => titled(known(word, from ?? []))),
  ])
  return { petNames: animal.pet_name ?? [], breeds: Object.fromEntries(breeds) as Record<string, string[]> }
}

export function main(): void {
  const { petNames, breeds } = seedWords()
  const rows = Object.entries(breeds).map(([kind, words]) => `  ${kind}: split(\`${wrapped(words)}\n  \`),\n`)
  const text = `/** Words of the seeded pets, from the English locale of @faker-js/faker: written by scripts/seed-words.ts. */

const split = (words: string): readonly string[] => words.trim().split(/,\\s+/)

/** What a pet is called. */
export const petNames = split(\`${wrapped(petNames)}\n\`)

/** What it is, by kind of animal. */
export const breeds = {
${rows.join('')}}
`
  writeFileSync(join(import.meta.dirname, '../src/mock/seed-words.ts'), text)
}

/** In lines of at most 120 characters. */
const wrapped = (words: readonly string[]): string =>
  ['', ...(words.join(', ').match(/\S.{0,114}(?:,(?= )|$)/g) ?? [])].join('\n    ')

function known(word: string, from: readonly string[]): string {
  if (!from.includes(word)) throw new Error(`faker no longer has the word ${JSON.stringify(word)}`)
  return word
}

/** Faker writes some words as in a sentence: `Common carp`. */
function titled(words: string): string {
  return words.replace(/(^| )\p{Lowercase}/gu, (letter) => letter.toUpperCase())
}
