/** The environment that Mockoon serves: a CRUD route over a data bucket of pets, and a rule that asks for the key. */
import { firstPets } from '../pets.mjs'

/** The environment as JSON. */
export function toMockoonEnvironment({ pets, key, port }) {
  const bucket = 'pets'
  const response = {
    latency: 0,
    filePath: '',
    sendFileAsBody: false,
    disableTemplating: true,
    fallbackTo404: false,
    headers: [{ key: 'content-type', value: 'application/json' }],
    callbacks: [],
    rulesOperator: 'OR',
    rules: [],
  }
  const wrongKey = {
    target: 'header',
    modifier: 'Authorization',
    value: `Bearer ${key}`,
    invert: true,
    operator: 'equals',
  }
  return JSON.stringify({
    uuid: 'pet-store',
    lastMigration: 33,
    name: 'Pet Store',
    endpointPrefix: 'v1',
    port,
    hostname: '127.0.0.1',
    rootChildren: [{ type: 'route', uuid: 'pets-route' }],
    data: [{ uuid: 'pets-data', id: bucket, name: 'Pets', documentation: '', value: JSON.stringify(firstPets(pets)) }],
    routes: [
      {
        uuid: 'pets-route',
        type: 'crud',
        documentation: '',
        method: '',
        endpoint: 'pets',
        responseMode: null,
        responses: [
          {
            ...response,
            uuid: 'pets-response',
            label: 'The pets',
            statusCode: 200,
            body: '{}',
            bodyType: 'DATABUCKET',
            databucketID: bucket,
            crudKey: 'id',
            default: true,
          },
          {
            ...response,
            uuid: 'unauthorized-response',
            label: 'The key is missing or invalid',
            statusCode: 401,
            body: '{"code":"unauthorized","message":"The API key is not valid.","status":401}',
            bodyType: 'INLINE',
            databucketID: '',
            crudKey: 'id',
            default: false,
            rules: [wrongKey],
          },
        ],
      },
    ],
  })
}
