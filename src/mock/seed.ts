import type { Pet } from '../spec/types.ts'

/** The words of names come from the English locale of @faker-js/faker, under the license in seed.notice.txt. */
const split = (words: string): readonly string[] => words.trim().split(/,\s+/)

const petNames = split(`
    Ace, Archie, Bailey, Bandit, Bella, Bentley, Bruno, Buddy, Charlie, Coco, Cookie, Cooper, Daisy, Dixie, Finn,
    Ginger, Gracie, Gus, Hank, Jack, Jax, Joey, Kobe, Leo, Lola, Louie, Lucy, Maggie, Max, Mia, Milo, Molly, Murphey,
    Nala, Nova, Ollie, Oreo, Rosie, Scout, Stella, Teddy, Tuffy
`)

const breeds = {
  dogs: split(`
    Affenpinscher, Airedale Terrier, Akita, Alaskan Malamute, Australian Shepherd, Basenji, Basset Hound, Beagle,
    Bearded Collie, Bernese Mountain Dog, Bichon Frisé, Border Collie, Border Terrier, Boston Terrier, Boxer,
    Cairn Terrier, Cardigan Welsh Corgi, Cavalier King Charles Spaniel, Chihuahua, Chow Chow, Dachshund, Dalmatian,
    English Cocker Spaniel, English Setter, English Springer Spaniel, Eurasier, Flat-Coated Retriever, French Bulldog,
    German Shepherd Dog, Golden Retriever, Great Dane, Greyhound, Havanese, Irish Setter, Irish Wolfhound,
    Jack Russell Terrier, Keeshond, Labrador Retriever, Lagotto Romagnolo, Leonberger, Lhasa Apso, Maltese,
    Miniature Schnauzer, Newfoundland, Norfolk Terrier, Old English Sheepdog, Papillon, Pembroke Welsh Corgi, Pointer,
    Pomeranian, Poodle, Portuguese Water Dog, Pug, Rough Collie, Saint Bernard, Samoyed, Scottish Terrier,
    Shetland Sheepdog, Shiba Inu, Shih Tzu, Siberian Husky, Vizsla, Weimaraner, West Highland White Terrier, Whippet,
    Yorkshire Terrier
  `),
  cats: split(`
    Abyssinian, American Curl, American Shorthair, Balinese, Bengal, Birman, Bombay, British Shorthair, Burmese,
    Chartreux, Cornish Rex, Devon Rex, Egyptian Mau, Exotic Shorthair, Himalayan, Japanese Bobtail, Korat, Maine Coon,
    Manx, Munchkin, Norwegian Forest Cat, Ocicat, Oriental, Persian, Ragdoll, Russian Blue, Scottish Fold, Selkirk Rex,
    Siamese, Siberian, Singapura, Snowshoe, Somali, Sphynx, Tonkinese, Turkish Angora, Turkish Van
  `),
  birds: split(`
    Budgerigar, Crested Myna, Harlequin Duck, Inca Dove, Monk Parakeet, Mourning Dove, Muscovy Duck, Red-crowned Parrot,
    Rock Dove, Spotted Dove, White-winged Parakeet, Wood Duck, Zenaida Dove
  `),
  rabbits: split(`
    American Fuzzy Lop, Belgian Hare, Beveren, Checkered Giant, Dwarf Hotot, English Angora, English Lop, English Spot,
    Flemish Giant, French Lop, Harlequin, Holland Lop, Jersey Wooly, Lionhead, Mini Lop, Mini Rex, Netherland Dwarf,
    Palomino, Rex, Silver Fox, Silver Marten
  `),
  fish: split(`
    Amur Catfish, Channel Catfish, Common Carp, Crucian Carp, Grass Carp, Iridescent Shark, Mandarin Fish, Pond Loach,
    Rainbow Trout, Silver Carp
  `),
  rodents: split(`
    Chinchilla, Common Degu, Domestic Guinea Pig, Hamster, Long-tailed Chinchilla, Short-tailed Chinchilla
  `),
  reptiles: split(`
    Ball Python, California Kingsnake, Checkered Garter Snake, Corn Snake, Gecko, Hognose Snake, Milk Snake,
    Prairie Kingsnake, Rosy Boa, Turtle
  `),
  horses: split(`
    Andalusian Horse, Appaloosa, Arabian Horse, Clydesdale Horse, Falabella, Friesian Horse, Haflinger,
    Hanoverian Horse, Icelandic Horse, Knabstrupper, Lipizzan, Lusitano, Miniature Horse, Morgan Horse, Norwegian Fjord,
    Paso Fino, Percheron, Shire Horse, Thoroughbred, Trakehner, Welsh Cob
  `),
}

/** The position of a kind in this list, from 1, is its categoryId. */
const kinds = ['dogs', 'cats', 'birds', 'rabbits', 'fish', 'rodents', 'reptiles', 'horses'] as const

/**
 * Each run of twenty pets, the default page, is dealt from one deck, so that every page shows several kinds of animals and
 * all three statuses with any seed.
 */
const kindDeck = deck(kinds, [5, 4, 2, 2, 2, 2, 1, 2])
const statusDeck = deck(['available', 'pending', 'sold'] as const, [12, 3, 5])

/**
 * Returns a function that makes pet `n` of a seed, from 1. The result depends on nothing else.
 *
 * @param seed any safe integer.
 * @example createSeed(1)(7) // { id: 7, name: 'Rosie the Whippet', categoryId: 1, status: 'available' }
 */
export function createSeed(seed: number): (n: number) => Required<Pet> {
  const key = mix(Math.trunc(seed / 2 ** 32)) ^ (seed | 0)
  const random = (n: number, purpose: number): number =>
    mix(key ^ mix(Math.imul(n, 0x9e3779b1) ^ purpose))
  const kindOf = dealer(kindDeck, (n) => random(n, 1))
  const statusOf = dealer(statusDeck, (n) => random(n, 2))
  return (n) => {
    const kind = kindOf(n)
    const name = `${pick(petNames, random(n, 3))} the ${pick(breeds[kind], random(n, 4))}`
    return { id: n, name, categoryId: kinds.indexOf(kind) + 1, status: statusOf(n) }
  }
}

function deck<Card>(cards: readonly Card[], counts: readonly number[]): readonly Card[] {
  return cards.flatMap((card, index) => Array<Card>(counts[index] ?? 0).fill(card))
}

/** Shuffles a deck for each run of pets, and caches the last one. */
function dealer<Card>(cards: readonly Card[], random: (n: number) => number): (n: number) => Card {
  let shuffledFor = -1
  let shuffled: Card[] = []
  return (n) => {
    const run = Math.floor((n - 1) / cards.length)
    if (run !== shuffledFor) {
      shuffled = [...cards]
      for (let last = cards.length - 1; last > 0; last -= 1) {
        const other = below(last + 1, random(run * cards.length + last))
        const card = shuffled[last] as Card
        shuffled[last] = shuffled[other] as Card
        shuffled[other] = card
      }
      shuffledFor = run
    }
    return shuffled[(n - 1) % cards.length] as Card
  }
}

const pick = <Item>(items: readonly Item[], random: number): Item =>
  items[below(items.length, random)] as Item

/** Scales 32 random bits to an integer below `count`. */
const below = (count: number, random: number): number => Math.floor((random / 2 ** 32) * count)

/** The finalizer of MurmurHash3: each input bit affects all output bits. */
export function mix(value: number): number {
  let bits = value | 0
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}

/** A seeded generator of pseudo-random numbers from 0 to below 1: Mulberry32. */
export class Random {
  /** 32 bits. */
  state: number

  /** @param seed an integer. */
  constructor(seed: number) {
    this.state = seed | 0
  }

  readonly next = (): number => {
    this.state = (this.state + 0x6d2b79f5) | 0
    let bits = Math.imul(this.state ^ (this.state >>> 15), this.state | 1)
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61)
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
  }
}
