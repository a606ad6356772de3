import { fastify, type FastifyReply } from 'fastify'
import { int64Max, int64Min, writeJson, type Writable, toObject } from './exact-json.ts'
import { isPetStatus, petStatuses, readNewPet } from './new-pet.ts'
import { variantKey, type RunningVariant } from './running-variant.ts'

type Pet = Map<string, Writable>

/** Typical Fastify server: newest first, new pets have no status, 415 for bodies that are not declared as JSON. */
export async function startFastifyVariant(): Promise<RunningVariant> {
  const pets = new Map<bigint, Pet>()
  const add = (name: string, categoryId: bigint, status?: string): Pet => {
    const id = 1000n + BigInt(pets.size)
    const pet: Pet = toObject({ categoryId, id, name })
    if (status !== undefined) pet.set('status', status)
    pets.set(id, pet)
    return pet
  }
  for (let nth = 1; nth <= 110; nth++) add(`Animal ${nth}`, 3n, petStatuses[nth % 3])

  const rejectKey = (reply: FastifyReply): FastifyReply =>
    sendError(reply, 401, 'ERR_UNAUTHORIZED', 'Give a valid key.')
  const hasKey = (header: string | undefined): boolean => header === `Bearer ${variantKey}`
  const app = fastify({
    forceCloseConnections: true,
    // The router rejects a malformed path before any hook runs; authentication still comes first.
    frameworkErrors(error, request, reply) {
      if (hasKey(request.headers.authorization))
        sendError(reply as FastifyReply, error.statusCode ?? 400, error.code, error.message)
      else rejectKey(reply as FastifyReply)
    },
    clientErrorHandler(_, socket) {
      const body = writeJson(toError(400, 'ERR_BAD_REQUEST', 'This is not HTTP.'))
      const head = `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
      if (socket.writable) socket.end(`${head}\r\nConnection: close\r\n\r\n${body}`)
    },
  })
  app.removeAllContentTypeParsers()
  // Raw bytes: a parsed body would have rounded its integers.
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, body, done) =>
    done(null, body),
  )
  app.addHook('onRequest', async (request, reply) => {
    if (!hasKey(request.headers.authorization)) return rejectKey(reply)
  })
  app.setErrorHandler<{ statusCode?: number; code?: string; message: string }>((error, _, reply) =>
    sendError(reply, error.statusCode ?? 500, error.code ?? 'ERR_INTERNAL', error.message),
  )
  app.setNotFoundHandler((_, reply) =>
    sendError(reply, 404, 'ERR_NO_ROUTE', 'There is no such route.'),
  )

  app.get<{ Querystring: Record<string, string | string[]> }>('/v1/pets', (request, reply) => {
    const { limit = '20', status } = request.query
    if (typeof limit !== 'string' || !/^-?\d+$/.test(limit))
      return sendError(reply, 400, 'ERR_LIMIT', 'limit is an integer.')
    if (status !== undefined && !isPetStatus(status))
      return sendError(reply, 400, 'ERR_STATUS', 'status is one of three.')
    const matching = [...pets.values()].filter(
      (pet) => status === undefined || pet.get('status') === status,
    )
    return send(
      reply,
      200,
      matching.toReversed().slice(0, Math.min(Math.max(Number(limit), 1), 100)),
    )
  })

  app.post('/v1/pets', (request, reply) => {
    const body = readNewPet(request.body instanceof Buffer ? request.body : new Uint8Array())
    if ('rejected' in body) return sendError(reply, 400, 'ERR_BODY', body.rejected)
    return send(reply, 201, add(body.name, body.categoryId, body.status))
  })

  app.get<{ Params: { petId: string } }>('/v1/pets/:petId', (request, reply) => {
    const { petId } = request.params
    if (!/^-?\d+$/.test(petId)) return sendError(reply, 400, 'ERR_ID', 'petId is an integer.')
    const id = BigInt(petId)
    const isInt64 = id >= int64Min && id <= int64Max
    const pet = isInt64 ? pets.get(id) : undefined
    return pet === undefined
      ? sendError(reply, 404, 'ERR_NO_PET', 'There is no such pet.')
      : send(reply, 200, pet)
  })

  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  return { url: `${origin}/v1`, key: variantKey, close: () => app.close() }
}

function send(reply: FastifyReply, status: number, json: Writable): FastifyReply {
  return reply.code(status).type('application/json').send(writeJson(json))
}

function sendError(
  reply: FastifyReply,
  status: number,
  code: string,
  message: string,
): FastifyReply {
  return send(reply, status, toError(status, code, message))
}

function toError(status: number, code: string, message: string): Map<string, Writable> {
  return toObject({ status: BigInt(status), code, message })
}
