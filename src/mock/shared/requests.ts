import { accepted } from '../service/authenticate.ts'
import type { MockRequest } from '../service/message.ts'

type Headers = MockRequest['headers']

/** A request in an entry of a log. */
type EntryRequest = Omit<MockRequest, 'headers'> & {
  /** Or the place of an earlier request of the entry that has the same headers. */
  headers: Headers | number
}

/**
 * The JSON of a request in an entry. An accepted key is omitted.
 *
 * @param headers the JSON of its headers.
 * @param placeOf the places of earlier requests of the entry, by their headers.
 */
export function printRequest(
  { method, target, body, bodyFault, credential, connection, address, scheme }: MockRequest,
  headers: string,
  place: number,
  placeOf: Map<string, number>,
): string {
  const earlier = placeOf.get(headers)
  if (earlier === undefined) placeOf.set(headers, place)
  const rest = JSON.stringify({
    method,
    target,
    body,
    bodyFault,
    credential: credential === accepted ? undefined : credential,
    connection,
    address,
    scheme,
  })
  return `{"headers":${earlier ?? headers},${rest.slice(1)}`
}

export function readRequests(text: string): MockRequest[] {
  const requests: MockRequest[] = []
  for (const request of JSON.parse(text) as EntryRequest[]) {
    const { headers, credential = accepted } = request
    requests.push(Object.assign(request, { credential, headers: headersOf(headers, requests) }))
  }
  return requests
}

function headersOf(headers: Headers | number, earlier: readonly MockRequest[]): Headers {
  if (typeof headers === 'number') return (earlier[headers] as MockRequest).headers
  // A header may be named like an inherited property.
  return Object.assign(Object.create(null) as Headers, headers)
}
