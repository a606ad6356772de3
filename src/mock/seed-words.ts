/** Words of the seeded pets, from the English locale of @faker-js/faker. */

const split = (words: string): readonly string[] => words.trim().split(/,\s+/)

export const petNames = split(`
    Ace, Archie, Bailey, Bandit, Bella, Bentley, Bruno, Buddy, Charlie, Coco, Cookie, Cooper, Daisy, Dixie, Finn,
    Ginger, Gracie, Gus, Hank, Jack, Jax, Joey, Kobe, Leo, Lola, Louie, Lucy, Maggie, Max, Mia, Milo, Molly, Murphey,
    Nala, Nova, Ollie, Oreo, Rosie, Scout, Stella, Teddy, Tuffy
`)

export const breeds = {
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
