/** A client of the Pet Store Service. Tests pass another `fetch`. */
export interface Pet {
  name: string
  status?: 'available' | 'pending' | 'sold'
}

export class Shop {
  readonly #url: string
  readonly #headers: Record<string, string>
  readonly #fetch: typeof fetch

  constructor(url: string, key: string, fetchOf: typeof fetch = fetch) {
    this.#url = url
    this.#headers = { authorization: `Bearer ${key}` }
    this.#fetch = fetchOf
  }

  /** The names of at most five pets for sale. Retries once after a 503. */
  async forSale(attempts = 2): Promise<string[]> {
    const response = await this.#fetch(`${this.#url}/pets?status=available&limit=5`, {
      headers: this.#headers,
    })
    if (response.status === 503 && attempts > 1) return this.forSale(attempts - 1)
    if (!response.ok) throw new Error(`The service is closed (${response.status}).`)
    return ((await response.json()) as Pet[]).map(({ name }) => name)
  }
}
