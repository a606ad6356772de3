import type { Mock } from '../../../src/mock/index.ts'
import { bigPet, type Case, headersOf } from './cases.ts'
import type { Answer } from './compare.ts'

/** Adds the large pet of all mocks under test. */
export function addBigPet({ catalog }: Pick<Mock, 'catalog'>): void {
  catalog.import([...catalog.export(), bigPet])
}

/** Calls the mock directly, with the body faults that an adapter must report. */
export async function sendDirectly(mock: Mock, sent: Case): Promise<Answer> {
  const bytes =
    typeof sent.body === 'string'
      ? new TextEncoder().encode(sent.body)
      : (sent.body ?? new Uint8Array())
  const body = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  const isUtf8 = new TextEncoder().encode(body).length === bytes.length
  const fault = bytes.length > 1_048_576 ? 'too-large' : isUtf8 ? undefined : 'not-utf8'
  const { method, target } = sent
  const headers = { host: 'petstore.test', ...headersOf(sent) }
  const reply = await mock.handle({
    method,
    target,
    headers,
    body,
    ...(fault !== undefined && { bodyFault: fault }),
  })
  const returned = reply.wire?.bytes ?? new TextEncoder().encode(reply.body)
  return {
    status: reply.status,
    headers: { ...reply.headers },
    body: method === 'HEAD' ? new Uint8Array() : returned,
  }
}
