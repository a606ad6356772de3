import { parseJson } from '../../src/json.ts'
import { converse } from './conversation.ts'
import { petsPath, toRequest } from './requests.ts'
import { readReplies } from './responses.ts'
import type { Context, SeededPet } from './scenario.ts'

/** What the mock has promised: every pet that a 201 confirmed is there as it was shown, and no other one is. */
export interface PetLedger {
  /** Takes the body of a 201. */
  confirm: (text: string) => void
  /** A pet of this name may exist although nobody was told. */
  doubt: (name: string) => void
  /** Bytes of all pets that were confirmed. */
  readonly bytes: number
  /** Asks for the pets since the last audit, or for all of them, and tells what is wrong. */
  audit: (port: number, context: Context, which: 'new' | 'all') => Promise<string[]>
}

/** Ids behind the highest one that was confirmed, which are asked for as well. */
const beyond = 20
/** Requests in one conversation. */
const together = 100

/** A ledger of a mock that started with these pets, whose ids are 1, 2, 3 and so on. */
export function createPetLedger(seeded: readonly SeededPet[]): PetLedger {
  const confirmed = new Map<number, string>()
  const early: string[] = []
  const doubted = new Set<string>()
  let highest = seeded.length
  let audited = 0
  let bytes = 0
  for (const [index, { text }] of seeded.entries()) confirmed.set(index + 1, text)

  return {
    confirm(text) {
      const id = idOf(text)
      if (id === undefined) early.push(`A pet was confirmed with an id that is none: ${text.slice(0, 200)}`)
      else if (confirmed.has(id)) early.push(`The id ${id} was given twice: ${text.slice(0, 200)}`)
      else {
        confirmed.set(id, text)
        highest = Math.max(highest, id)
        bytes += text.length
      }
    },
    doubt: (name) => void doubted.add(name),
    get bytes() {
      return bytes
    },
    async audit(port, context, which) {
      const faults = early.splice(0)
      for (let first = which === 'all' ? 1 : audited + 1; first <= highest + beyond; first += together) {
        const ids = Array.from({ length: Math.min(together, highest + beyond - first + 1) }, (_, at) => first + at)
        const shown = await ask(port, context, ids)
        if (shown === undefined) return [...faults, `The pets from ${first} on could not be asked for.`]
        for (const [index, id] of ids.entries()) {
          const fault = compare(id, shown[index])
          if (fault !== undefined) faults.push(fault)
        }
      }
      audited = highest
      return faults
    },
  }

  function compare(id: number, shown: string | undefined): string | undefined {
    const promised = confirmed.get(id)
    if (promised === shown) return undefined
    if (promised !== undefined) {
      return `Pet ${id} was confirmed as ${promised.slice(0, 200)} and is ${shown?.slice(0, 200) ?? 'missing'}`
    }
    const { name } = parseJson(shown as string) as { name?: unknown }
    if (typeof name !== 'string' || !doubted.has(name)) return `Nobody confirmed this pet: ${shown?.slice(0, 200)}`
    confirmed.set(id, shown as string)
    highest = Math.max(highest, id)
    return undefined
  }
}

/** The texts of pets, in the order of the ids; undefined where there is none. */
async function ask(
  port: number,
  context: Context,
  ids: readonly number[],
): Promise<(string | undefined)[] | undefined> {
  const requests = ids.map((id, index) => {
    const last = index === ids.length - 1
    return toRequest(context, { target: `${petsPath}/${id}`, headers: last ? [['Connection', 'close']] : [] })
  })
  const heard = await converse(port, { steps: [{ send: Buffer.concat(requests) }], replies: [] })
  const { replies } = readReplies(heard.bytes, [])
  if (replies.length !== ids.length || replies.some(({ status }) => status !== 200 && status !== 404)) return undefined
  return replies.map(({ status, body }) => (status === 200 ? body : undefined))
}

function idOf(text: string): number | undefined {
  try {
    const { id } = parseJson(text) as { id?: unknown }
    return typeof id === 'number' && Number.isSafeInteger(id) && id > 0 ? id : undefined
  } catch {
    return undefined
  }
}
