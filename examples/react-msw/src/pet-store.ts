/** The page's client of the Pet Store Service. It knows nothing of a mock: in production it is the same. */
// Only a type: it leaves nothing behind in what is built.
import type { ExactNewPet, ExactPet, PetStatus } from 'petstore-kit'

import { parseExactly, printExactly } from './exact-json.ts'

/** The service refused, or could not be reached. The message can be shown to a person. */
export class PetStoreError extends Error {
  override readonly name = 'PetStoreError'
  /** The HTTP status; undefined when there was no answer. */
  readonly status: number | undefined

  constructor(message: string, status?: number) {
    super(message)
    this.status = status
  }
}

export interface PetStore {
  /** At most 100 pets: the interface has no further pages. */
  list: (status: PetStatus | undefined, signal: AbortSignal) => Promise<ExactPet[]>
  add: (pet: ExactNewPet) => Promise<ExactPet>
}

/**
 * @param baseUrl as the service's documentation gives it; it ends in `/v1`.
 * @param timeoutMs how long an answer may take.
 */
export function createPetStore({ baseUrl, apiKey, timeoutMs = 10_000 }: PetStoreOptions): PetStore {
  async function send(path: string, init: RequestInit): Promise<unknown> {
    const timeout = AbortSignal.timeout(timeoutMs)
    const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout
    const headers = { ...init.headers, authorization: `Bearer ${apiKey}` }
    let status: number
    let text: string
    try {
      const reply = await fetch(`${baseUrl}${path}`, { ...init, headers, signal })
      status = reply.status
      text = await reply.text()
    } catch (error) {
      // What the page itself called off is no mistake that somebody should read about.
      if (init.signal?.aborted) throw error
      const message = timeout.aborted ? 'The pet store takes too long.' : 'The pet store cannot be reached.'
      throw new PetStoreError(message)
    }
    if (status >= 400) throw new PetStoreError(messageOf(status, text), status)
    return parseExactly(text)
  }

  return {
    list: async (status, signal) => {
      const query = status === undefined ? '' : `&status=${status}`
      return (await send(`/pets?limit=100${query}`, { signal })) as ExactPet[]
    },
    add: async (pet) => {
      const headers = { 'content-type': 'application/json' }
      return (await send('/pets', { method: 'POST', headers, body: printExactly(pet) })) as ExactPet
    },
  }
}

interface PetStoreOptions {
  baseUrl: string
  apiKey: string
  timeoutMs?: number
}

/** Every error has a body with a message; what stands in between, such as a gateway, may not know that. */
function messageOf(status: number, text: string): string {
  if (status === 401) return 'The pet store does not accept the key of this page.'
  if (status === 400) {
    try {
      const { message } = parseExactly(text) as { message?: unknown }
      if (typeof message === 'string') return message
    } catch {
      // It is no JSON.
    }
  }
  return `The pet store has a problem (${status}).`
}
