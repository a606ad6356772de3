import { int64Max, int64Min } from './exact-json.ts'
import type { Chance } from './chance.ts'
import { petStatuses, type PetStatus } from './new-pet.ts'
import type { Settings } from './settings.ts'

/** An initial pet of the catalog; ids are assigned in the order of the list. */
export interface FirstPet {
  name: string
  categoryId: bigint
  status?: PetStatus
}

const cyrillicNames = ['Барсик', 'Мурка', 'Шарик', 'Жучка', 'Рекс']
const ordinaryNames = ['Rex', 'Luna', 'Bello', 'Minka', 'Hansi', 'Coco', 'Momo']

/** Conforming pets that break clients with unfounded assumptions. */
const oddPets: FirstPet[] = [
  { name: '', categoryId: 0n, status: 'available' },
  { name: ' ', categoryId: -1n, status: 'pending' },
  { name: '🐕‍🦺🏳️‍🌈👩🏽‍🚀', categoryId: int64Max, status: 'sold' },
  { name: '\u202Eمرحبا שלום\u202C', categoryId: int64Min },
  { name: 'L'.repeat(5000), categoryId: 9007199254740993n, status: 'available' },
  {
    name: '\u0000\u0001\b\t\n\f\r\u001F\u007F\u0085\u2028\u2029\uFEFF',
    categoryId: -9007199254740993n,
    status: 'pending',
  },
  { name: '__proto__', categoryId: 2147483648n, status: 'sold' },
  { name: 'constructor', categoryId: 4294967297n },
  { name: '<b>"Tom" & \\Jerry\\</b>', categoryId: 1n, status: 'available' },
  { name: 'null', categoryId: 1n, status: 'pending' },
  { name: '12345678901234567890', categoryId: 2n, status: 'sold' },
  { name: 'Zoe\u0308', categoryId: 3n, status: 'available' },
  { name: 'Zo\u00EB', categoryId: 3n, status: 'available' },
  { name: 'Twin', categoryId: 4n, status: 'pending' },
  { name: 'Twin', categoryId: 4n, status: 'pending' },
  { name: '{"id":1,"name":"x","categoryId":2}', categoryId: 5n, status: 'sold' },
]

export function listFirstPets({ pets, oddPets: odd, statuses, script }: Settings): FirstPet[] {
  const plain = Array.from({ length: pets }, (_, index) => {
    const status = statusOf(index, statuses)
    const latin = `${ordinaryNames[index % ordinaryNames.length]} ${index + 1}`
    const cyrillic = cyrillicNames[index % cyrillicNames.length] ?? ''
    const name = { any: latin, cyrillic, numbered: `PET-${1_000 + index}` }[script]
    return { name, categoryId: BigInt(1 + (index % 5)), ...(status !== undefined && { status }) }
  })
  return odd ? [...oddPets, ...plain] : plain
}

function statusOf(index: number, statuses: Settings['statuses']): PetStatus | undefined {
  if (statuses === 'mixed') return petStatuses[index % 3]
  if (statuses === 'some-absent') return petStatuses[index % 4]
  return statuses === 'none' ? undefined : statuses
}

/** Returns a generator of unique ids. */
export function createIds(scheme: Settings['ids'], chance: Chance): () => bigint {
  const given = new Set<bigint>()
  let count = 0n
  let last = 1000n
  const next: Record<Settings['ids'], (nth: bigint) => bigint> = {
    sequential: (nth) => nth + 1n,
    'beyond-2^53': (nth) => 2n ** 53n + 1n + nth,
    negative: (nth) => -1n - nth,
    'around-zero': (nth) => nth - 3n,
    random: () =>
      (BigInt(Math.floor(chance() * 2 ** 32)) << 31n) + BigInt(Math.floor(chance() * 2 ** 31)),
    gaps: () => (last += BigInt(1 + Math.floor(chance() * 1000))),
    descending: (nth) => 1_000_000n - nth,
    extremes: (nth) => (nth % 2n === 0n ? int64Max - nth / 2n : int64Min + nth / 2n),
  }
  return () => {
    for (;;) {
      const id = next[scheme](count++)
      if (given.has(id)) continue
      given.add(id)
      return id
    }
  }
}
