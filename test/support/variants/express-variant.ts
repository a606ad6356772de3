import { createServer } from 'node:http'
import express, { type NextFunction, type Request, type Response } from 'express'
import {
  int64Max,
  int64Min,
  plainSpelling,
  writeJson,
  type Writable,
  toObject,
} from './exact-json.ts'
import { isPetStatus, petStatuses, readNewPet } from './new-pet.ts'
import { variantKey, type RunningVariant } from './running-variant.ts'
import { serve } from './serve.ts'

type Pet = Map<string, Writable>

/**
 * Typical Express server: oldest first, new pets are sold, weak ETags, case-insensitive paths with an optional trailing
 * slash, any media type, the default limit for an invalid one.
 */
export async function startExpressVariant(): Promise<RunningVariant> {
  const pets: Pet[] = []
  const add = (name: string, categoryId: bigint, status: string): Pet => {
    const id = BigInt(-1 - pets.length)
    const pet: Pet = toObject({ id, status, name, categoryId })
    pets.push(pet)
    return pet
  }
  for (let nth = 1; nth <= 130; nth++)
    add(`Animal ${nth}`, BigInt(nth % 4), petStatuses[nth % 3] ?? 'sold')

  const app = express()
  // Authenticate before the body is read: without a key the response is 401 even for a malformed body.
  app.use((request, response, next) => {
    if (request.get('authorization') === `Bearer ${variantKey}`) next()
    else sendError(response, 401, 'Unauthorized', 'This needs a valid API key.')
  })

  const router = express.Router()
  router
    .route('/pets')
    .get((request, response) => {
      const { limit, status } = request.query
      const wanted = typeof limit === 'string' && /^\d+$/.test(limit) ? Number(limit) : 20
      const matching = isPetStatus(status)
        ? pets.filter((pet) => pet.get('status') === status)
        : pets
      send(response, 200, matching.slice(0, wanted >= 1 && wanted <= 100 ? wanted : 20))
    })
    // Raw bytes: express.json would round integers beyond 2^53.
    .post(express.raw({ type: () => true, limit: '1mb' }), (request, response) => {
      const body = readNewPet(Buffer.isBuffer(request.body) ? request.body : new Uint8Array())
      if ('rejected' in body) return sendError(response, 400, 'BadRequest', body.rejected)
      const pet = add(body.name, body.categoryId, body.status ?? 'sold')
      response.location(`/v1/pets/${String(pet.get('id'))}`)
      send(response, 201, pet)
    })
    .all((_, response) => sendError(response, 405, 'MethodNotAllowed', 'There is no such method.'))
  router
    .route('/pets/:petId')
    .get((request, response) => {
      const { petId } = request.params
      const id = /^-?\d+$/.test(petId) ? BigInt(petId) : undefined
      const isInt64 = id !== undefined && id >= int64Min && id <= int64Max
      const pet = isInt64 ? pets.find((one) => one.get('id') === id) : undefined
      if (pet === undefined) sendError(response, 404, 'NotFound', 'There is no such pet.')
      else send(response, 200, pet)
    })
    .all((_, response) => sendError(response, 405, 'MethodNotAllowed', 'There is no such method.'))

  app.use('/v1', router)
  app.use((_, response) => sendError(response, 404, 'NotFound', 'There is nothing at this path.'))
  // Express recognizes an error handler by its four parameters.
  app.use(
    (
      error: { status?: number; message: string },
      _: Request,
      response: Response,
      _next: NextFunction,
    ) => {
      sendError(response, error.status ?? 500, 'Error', error.message)
    },
  )

  return serve(createServer(app))
}

function send(response: Response, status: number, json: Writable): void {
  response
    .status(status)
    .type('application/json')
    .send(writeJson(json, { ...plainSpelling, layout: 'indented' }))
}

function sendError(response: Response, status: number, code: string, message: string): void {
  send(response, status, toObject({ code, message, status: BigInt(status) }))
}
