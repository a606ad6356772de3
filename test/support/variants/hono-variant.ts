import type { Server } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import { Hono, type Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { int64Max, int64Min, writeJson, type Writable, toObject } from './exact-json.ts'
import { isPetStatus, petStatuses, readNewPet } from './new-pet.ts'
import { variantKey, type RunningVariant } from './running-variant.ts'
import { serve } from './serve.ts'

interface Pet {
  id: bigint
  name: string
  categoryId: bigint
  status: string
}

/** Typical Hono server: sorted by name, ids beyond 2^53, 422 where the specification names no error status. */
export async function startHonoVariant(): Promise<RunningVariant> {
  const pets: Pet[] = []
  const add = (name: string, categoryId: bigint, status: string): Pet => {
    const pet = { id: 9_007_199_254_740_993n + BigInt(pets.length), name, categoryId, status }
    pets.push(pet)
    return pet
  }
  for (let nth = 1; nth <= 105; nth++)
    add(`Animal ${nth}`, 2n ** 62n, petStatuses[nth % 3] ?? 'sold')

  const app = new Hono().basePath('/v1')
  app.use(async (c, next) => {
    if (c.req.header('authorization') !== `Bearer ${variantKey}`) {
      c.header('WWW-Authenticate', 'Bearer realm="pets"')
      return sendError(c, 401, 'unauthenticated', 'No valid API key.')
    }
    return next()
  })
  app.notFound((c) => sendError(c, 404, 'no-such-route', `Nothing at ${c.req.path}.`))
  app.onError((error, c) =>
    sendError(c, error instanceof HTTPException ? error.status : 500, 'error', error.message),
  )

  app.get('/pets', (c) => {
    const [text = '20'] = c.req.queries('limit') ?? []
    const limit = /^\d+$/.test(text) ? Number(text) : 0
    if (limit < 1 || limit > 100)
      return sendError(c, 422, 'limit', 'limit is an integer from 1 to 100.')
    const [status] = c.req.queries('status') ?? []
    if (status !== undefined && !isPetStatus(status))
      return sendError(c, 422, 'status', 'status is one of three.')
    const matching = pets.filter((pet) => status === undefined || pet.status === status)
    const byName = matching.toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
    return send(c, 200, byName.slice(0, limit).map(toJson))
  })

  app.post('/pets', async (c) => {
    const body = readNewPet(new Uint8Array(await c.req.arrayBuffer()))
    if ('rejected' in body) return sendError(c, 400, 'body', body.rejected)
    if (body.sentId) return sendError(c, 422, 'id', 'The service assigns the id.')
    const pet = add(body.name, body.categoryId, body.status ?? 'pending')
    c.header('Location', new URL(`/v1/pets/${pet.id}`, c.req.url).href)
    return send(c, 201, toJson(pet))
  })

  app.get('/pets/:petId', (c) => {
    const petId = c.req.param('petId')
    if (!/^-?\d+$/.test(petId)) return sendError(c, 422, 'pet-id', 'petId is an integer.')
    const id = BigInt(petId)
    if (id < int64Min || id > int64Max) return sendError(c, 422, 'pet-id', 'petId is an int64.')
    const pet = pets.find((one) => one.id === id)
    return pet === undefined
      ? sendError(c, 404, 'no-such-pet', `No pet ${id}.`)
      : send(c, 200, toJson(pet))
  })

  return serve(createAdaptorServer(app) as Server)
}

const toJson = (pet: Pet): Map<string, Writable> => new Map(Object.entries(pet))

function send(c: Context, status: ContentfulStatusCode, json: Writable): Response {
  return c.body(writeJson(json), status, { 'content-type': 'application/json; charset=UTF-8' })
}

function sendError(
  c: Context,
  status: ContentfulStatusCode,
  code: string,
  message: string,
): Response {
  const body = toObject({ code, message, status: BigInt(status) })
  return send(c, status, body)
}
