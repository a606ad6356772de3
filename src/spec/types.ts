/**
 * A JSON integer of format int64. A `number` when it is a safe integer, a `bigint` beyond 2^53: never rounded.
 * Range: -9223372036854775808 to 9223372036854775807.
 */
export type Int64 = number | bigint

/** "String enumeration with exactly these values: `available`, `pending`, `sold`." */
export type PetStatus = 'available' | 'pending' | 'sold'

/**
 * A Pet as the service returns it: all fields of NewPet plus the identifier. Its integers are `number`, as JSON.parse and
 * the type `paths` have them: right up to 2^53, rounded beyond. See `ExactPet`.
 */
export interface Pet<Integer extends Int64 = number> {
  /** Unique identifier, assigned by the service on creation. */
  id: Integer
  /** The animal's name. */
  name: string
  /** Identifier of the category the animal belongs to. */
  categoryId: Integer
  /** Availability status. Not required. */
  status?: PetStatus
}

/** A Pet whose integers are exact: what the kit itself reads (`parseJson`, `mock.pets`, `mock.catalog`). */
export type ExactPet = Pet<Int64>

/** The request body of createPet. The client does not send `id`; the service assigns it. */
export type NewPet = Omit<Pet, 'id'>

/** A NewPet whose integers are exact. */
export type ExactNewPet = Omit<ExactPet, 'id'>

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
