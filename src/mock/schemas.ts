import { limits } from '../spec/operations.ts'
import { newPetSchema } from '../spec/schemas.ts'

/** The schemas of what clients of the interface send: the build compiles them to `validators`. */
export const schemas = {
  NewPet: newPetSchema,
  ListPetsQuery: {
    type: 'object',
    properties: {
      limit: { type: 'integer', minimum: limits.minimum, maximum: limits.maximum },
      status: newPetSchema.properties.status,
    },
  },
} as const satisfies Record<string, object>
