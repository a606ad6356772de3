import { limitQuote, limits, statusQuote } from './operations.ts'

const { minimum, maximum, default: usual } = limits

/** Table rows of the specification as sentences, with their column headings, and the sentence before a list with the list. */
export const rows: Readonly<Record<string, string>> = {
  'A client can do three things:':
    'A client can do three things: list animals, optionally filtered by availability status; add an animal; fetch one animal by its identifier.',
  [limitQuote]: `limit: integer, minimum ${minimum}, maximum ${maximum}, default ${usual}. Maximum number of animals to return.`,
  [statusQuote]:
    'status: PetStatus, one of available, pending, sold, default none (no filter). Return only animals with this status.',
  '| id | integer | int64 | yes | Unique identifier, assigned by the service on creation. |':
    'id: integer, int64, required. Unique identifier, assigned by the service on creation.',
  "| name | string | - | yes | The animal's name. |": "name: string, required. The animal's name.",
  '| categoryId | integer | int64 | yes | Identifier of the category the animal belongs to. |':
    'categoryId: integer, int64, required. Identifier of the category the animal belongs to.',
  '| categoryId | integer | int64 | yes | Identifier of the category. |':
    'categoryId: integer, int64, required. Identifier of the category.',
  '| status | string (PetStatus) | - | no | Availability status. |':
    'status: string (PetStatus), not required. Availability status.',
  '| code | string | yes | Machine-readable error code. |':
    'code: string, required. Machine-readable error code.',
  '| message | string | yes | Human-readable description. |':
    'message: string, required. Human-readable description.',
  '| status | integer | yes | The HTTP status code. |':
    'status: integer, required. The HTTP status code.',
  [`| limit parameter minimum | listPets | ${minimum} |`]: `limit parameter minimum, applies to listPets: value ${minimum}.`,
  [`| limit parameter maximum | listPets | ${maximum} |`]: `limit parameter maximum, applies to listPets: value ${maximum}.`,
  [`| limit parameter default | listPets | ${usual} |`]: `limit parameter default, applies to listPets: value ${usual}.`,
  '| 400 | Request body lacks required fields or has invalid values. | createPet |':
    'HTTP status 400, condition: Request body lacks required fields or has invalid values. Operations: createPet.',
  '| 404 | The requested animal cannot be found. | getPet |':
    'HTTP status 404, condition: The requested animal cannot be found. Operations: getPet.',
}
