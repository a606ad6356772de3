/** The page's client of the Pet Store Service: the same with the mock and in production. */
// A type import adds nothing to the bundle.
import type { ExactNewPet, ExactPet, PetStatus } from 'petstore-kit'

import { parseExactly, printExactly } from './exact-json.ts'

/** The service returned an error or could not be reached. The message is for the user. */
export class PetStoreError extends Error {
  override readonly name = 'PetStoreError'
  /** The HTTP status; undefined without a response. */
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
 * @param baseUrl the base URL of the service, which ends in `/v1`.
 * @param timeoutMs how long a response may take.
 */
export function createPetStore({ baseUrl, apiKey, timeoutMs = 10_000 }: PetStoreOptions): PetStore {
  async function send(path: string, init: RequestInit): Promise<unknown> {
    const timeout = AbortSignal.timeout(timeoutMs)
    const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout
    const headers = { ...init.headers, authorization: `Bearer ${apiKey}` }
    let status: number
    let text: string
    try {
      const response = await fetch(`${baseUrl}${path}`, { ...init, headers, signal })
      status = response.status
      text = await response.text()
    } catch (error) {
      // The page canceled the request: nothing to show.
      if (init.signal?.aborted) throw error
      const message = timeout.aborted
        ? 'The pet store did not respond in time.'
        : 'The pet store cannot be reached.'
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

/** The service sends a message with every error; a gateway may not. */
function messageOf(status: number, text: string): string {
  if (status === 401) return 'The pet store does not accept the key of this page.'
  if (status === 400) {
    try {
      const { message } = parseExactly(text) as { message?: unknown }
      if (typeof message === 'string') return message
    } catch {
      // Not JSON.
    }
  }
  return `The pet store has a problem (${status}).`
}
