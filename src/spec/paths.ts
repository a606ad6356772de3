/**
 * The interface as types, in the form that openapi-typescript gives the document `openapi.json`: for `openapi-fetch` and
 * the like. Integers are `number` here, since such clients read JSON with `JSON.parse`: beyond 2^53 they are rounded.
 */

/** What each path takes and returns, relative to the base URL. */
export interface paths {
  '/pets': {
    parameters: NoParameters
    /** List animals: "returns a paginated list of animals." */
    get: operations['listPets']
    put?: never
    /** Add an animal. "The client does not send `id`; the service assigns it." */
    post: operations['createPet']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/pets/{petId}': {
    parameters: NoParameters
    /**
     * Get an animal: "fetch one animal by its identifier."
     *
     * @deprecated To be removed on 5 December 2030. Use `GET /pets` with the `status` filter.
     */
    get: operations['getPet']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
}

/** The schemas and responses of the document. */
export interface components {
  schemas: {
    /** Availability status. */
    PetStatus: 'available' | 'pending' | 'sold'
    /** The request body for creation. The client does not send `id`. */
    NewPet: {
      /** The animal's name. Length or format limits: not shown. */
      name: string
      /** Identifier of the category the animal belongs to: an int64. */
      categoryId: number
      status?: components['schemas']['PetStatus']
    }
    /** All fields of NewPet plus the identifier. */
    Pet: {
      /** Unique identifier, assigned by the service on creation: an int64. */
      id: number
      /** The animal's name. Length or format limits: not shown. */
      name: string
      /** Identifier of the category the animal belongs to: an int64. */
      categoryId: number
      status?: components['schemas']['PetStatus']
    }
    /** A JSON array of Pet objects. */
    Pets: components['schemas']['Pet'][]
    /** The body of every error response. */
    Error: {
      /** Machine-readable error code. The set of values is not shown. */
      code: string
      /** Human-readable description. */
      message: string
      /** The HTTP status code. Repeats the status of the response. */
      status: number
    }
  }
  responses: {
    /** Any other error. Every error response carries an Error body. */
    OtherError: Json<components['schemas']['Error']>
    /** The API key is missing or invalid. */
    Unauthorized: Json<components['schemas']['Error']>
  }
  parameters: never
  requestBodies: never
  headers: never
  pathItems: never
}

/** What each operation takes and returns, by its name. */
export interface operations {
  listPets: {
    parameters: {
      query?: {
        /** Maximum number of animals to return: 1 to 100; 20 by default. */
        limit?: number
        /** Return only animals with this status. */
        status?: components['schemas']['PetStatus']
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** A Pets array (array of Pet). */
      200: Json<components['schemas']['Pets']>
      401: components['responses']['Unauthorized']
      default: components['responses']['OtherError']
    }
  }
  createPet: {
    parameters: NoParameters
    /** A NewPet object. `name` and `categoryId` are required. */
    requestBody: { content: { 'application/json': components['schemas']['NewPet'] } }
    responses: {
      /** The created Pet, including its assigned `id`. */
      201: Json<components['schemas']['Pet']>
      /** The body is missing required fields or holds invalid values. */
      400: Json<components['schemas']['Error']>
      401: components['responses']['Unauthorized']
      default: components['responses']['OtherError']
    }
  }
  getPet: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** The identifier of the animal: an int64. */
        petId: number
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** A Pet. */
      200: Json<components['schemas']['Pet']>
      401: components['responses']['Unauthorized']
      /** The animal cannot be found. */
      404: Json<components['schemas']['Error']>
      default: components['responses']['OtherError']
    }
  }
}

interface NoParameters {
  query?: never
  header?: never
  path?: never
  cookie?: never
}

interface Json<Body> {
  headers: { [name: string]: unknown }
  content: { 'application/json': Body }
}
