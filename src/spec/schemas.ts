/** JSON Schemas (2020-12) of the resources, as "Resources and their fields" states them. */

const petStatusSchema = {
  description: 'Availability status.',
  type: 'string',
  enum: ['available', 'pending', 'sold'],
} as const

const newPetProperties = {
  name: { description: "The animal's name.", type: 'string' },
  categoryId: { description: 'Identifier of the category the animal belongs to.', type: 'integer', format: 'int64' },
  status: petStatusSchema,
} as const

/** The request body of createPet. */
export const newPetSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'NewPet',
  type: 'object',
  required: ['name', 'categoryId'],
  properties: newPetProperties,
} as const

/** A Pet as the service returns it. Fields beyond these are not forbidden. */
export const petSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Pet',
  type: 'object',
  required: ['id', 'name', 'categoryId'],
  properties: {
    id: { description: 'Unique identifier, assigned by the service on creation.', type: 'integer', format: 'int64' },
    ...newPetProperties,
  },
} as const

/** The body of every error response. */
export const errorSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Error',
  type: 'object',
  required: ['code', 'message', 'status'],
  properties: {
    code: { description: 'Machine-readable error code.', type: 'string' },
    message: { description: 'Human-readable description.', type: 'string' },
    status: { description: 'The HTTP status code.', type: 'integer' },
  },
} as const
