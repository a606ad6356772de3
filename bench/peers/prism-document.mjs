/**
 * The OpenAPI document that Prism mocks. Prism keeps no pets and answers with examples: those of this document have the
 * length that the mock's answers have, and a request names the one that it wants.
 */
import { readFileSync } from 'node:fs'

import { firstPets } from '../pets.mjs'

/** The document as JSON. */
export function toPrismDocument(count) {
  const document = JSON.parse(readFileSync(new URL('../../src/spec/openapi.json', import.meta.url), 'utf8'))
  const pets = firstPets(count)
  const available = pets.filter(({ status }) => status === 'available')
  const { get: list, post: create } = document.paths['/pets']
  const { get } = document.paths['/pets/{petId}']
  give(list, '200', { twenty: pets.slice(0, 20), hundred: available.slice(0, 100) })
  give(create, '201', { one: pets[0] })
  give(get, '200', { one: pets[6] })
  for (const operation of [list, create, get]) {
    give(operation, '401', { one: { code: 'unauthorized', message: 'The API key is not valid.', status: 401 } })
  }
  return JSON.stringify(document)

  function give(operation, status, examples) {
    const response = operation.responses[status]
    const media = { ...resolve(response).content['application/json'] }
    delete media.example
    media.examples = Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]))
    operation.responses[status] = { ...resolve(response), content: { 'application/json': media } }
  }

  function resolve(node) {
    if (node.$ref === undefined) return node
    return node.$ref
      .slice(2)
      .split('/')
      .reduce((parent, name) => parent[name], document)
  }
}
