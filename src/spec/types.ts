/**
 * A JSON integer of format int64. A `number` when it is a safe integer, a `bigint` beyond 2^53: never rounded.
 * Range: -9223372036854775808 to 9223372036854775807.
 */
export type Int64 = number | bigint

/** "String enumeration with exactly these values: `available`, `pending`, `sold`." */
export type PetStatus = 'available' | 'pending' | 'sold'

/** A Pet as the service returns it: all fields of NewPet plus the identifier. */
export interface Pet {
  /** Unique identifier, assigned by the service on creation. */
  id: Int64
  /** The animal's name. */
  name: string
  /** Identifier of the category the animal belongs to. */
  categoryId: Int64
  /** Availability status. Not required. */
  status?: PetStatus
}

/** The request body of createPet. The client does not send `id`; the service assigns it. */
export type NewPet = Omit<Pet, 'id'>

/** A JSON array of Pet objects. */
export type Pets = Pet[]

/** The body of every error response. */
export interface ErrorBody {
  /** Machine-readable error code. Its values are not shown in the specification. */
  code: string
  /** Human-readable description. */
  message: string
  /** The HTTP status code, repeated. */
  status: number
}
