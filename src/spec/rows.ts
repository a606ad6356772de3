/** Table rows of the specification as sentences, with their column headings, and the sentence before a list with the list. */
export const rows: Readonly<Record<string, string>> = {
  'A client can do three things:':
    'A client can do three things: list animals, optionally filtered by availability status; add an animal; fetch one animal by its identifier.',
  '| limit | integer | minimum 1, maximum 100 | 20 | Maximum number of animals to return. |':
    'limit: integer, minimum 1, maximum 100, default 20. Maximum number of animals to return.',
  '| status | PetStatus | one of available, pending, sold | none (no filter) | Return only animals with this status. |':
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
  '| limit parameter minimum | listPets | 1 |':
    'limit parameter minimum, applies to listPets: value 1.',
  '| limit parameter maximum | listPets | 100 |':
    'limit parameter maximum, applies to listPets: value 100.',
  '| limit parameter default | listPets | 20 |':
    'limit parameter default, applies to listPets: value 20.',
  '| 400 | Request body lacks required fields or has invalid values. | createPet |':
    'HTTP status 400, condition: Request body lacks required fields or has invalid values. Operations: createPet.',
  '| 404 | The requested animal cannot be found. | getPet |':
    'HTTP status 404, condition: The requested animal cannot be found. Operations: getPet.',
}
