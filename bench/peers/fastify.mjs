/** The Pet Store Service written with Fastify, with its validation and serialization by schema. */
import Fastify from 'fastify'

import { firstPets } from '../contestants.mjs'

const { port, key, pets: count } = JSON.parse(process.argv[2])

const status = { type: 'string', enum: ['available', 'pending', 'sold'] }
const fields = { name: { type: 'string' }, categoryId: { type: 'integer' }, status }
const newPet = { type: 'object', required: ['name', 'categoryId'], properties: fields }
const pet = {
  type: 'object',
  required: ['id', ...newPet.required],
  properties: { id: { type: 'integer' }, ...fields },
}
const query = {
  type: 'object',
  properties: { limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 }, status },
}

const pets = new Map(firstPets(count).map((one) => [one.id, one]))
const server = Fastify()

server.addHook('onRequest', (request, reply, next) => {
  if (request.headers.authorization === `Bearer ${key}`) next()
  else
    reply
      .code(401)
      .send({ code: 'unauthorized', message: 'The API key is not valid.', status: 401 })
})

server.get(
  '/v1/pets',
  { schema: { querystring: query, response: { 200: { type: 'array', items: pet } } } },
  (request, reply) => {
    const page = []
    for (const one of pets.values()) {
      if (page.length === request.query.limit) break
      if (request.query.status === undefined || one.status === request.query.status) page.push(one)
    }
    reply.send(page)
  },
)

server.get('/v1/pets/:petId', { schema: { response: { 200: pet } } }, (request, reply) => {
  const one = pets.get(Number(request.params.petId))
  if (one === undefined)
    reply
      .code(404)
      .send({ code: 'not_found', message: 'There is no pet with this id.', status: 404 })
  else reply.send(one)
})

server.post('/v1/pets', { schema: { body: newPet, response: { 201: pet } } }, (request, reply) => {
  const one = { id: pets.size + 1, ...request.body }
  pets.set(one.id, one)
  reply.code(201).send(one)
})

await server.listen({ port, host: '127.0.0.1' })
