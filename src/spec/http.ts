/** A request as plain data, so that it can carry what a WHATWG `Request` forbids. */
export interface HttpRequest {
  /** As sent, in any letter case: `GET`. */
  method: string
  /** The request target in origin form, undecoded: `/v1/pets?limit=5`. */
  target: string
  /** Header names in lower case. A header that came more than once has an array. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** The body as text; empty when there is no body. */
  body: string
}

/** A reply as plain data. */
export interface HttpReply {
  /** The HTTP status code. */
  status: number
  /** Header names in lower case. Content-Length is the server adapter's affair. */
  headers: Readonly<Record<string, string>>
  /** The body as text; empty when there is no body. */
  body: string
}
