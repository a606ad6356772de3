import type { Socket } from 'node:net'
import type { VariantRequest } from '../../support/variants/responses.ts'
import { readJson, type Json } from '../../support/variants/exact-json.ts'
import { variantKey } from '../../support/variants/running-variant.ts'

/** A request with its parts according to the specification. */
export interface Call {
  request: VariantRequest
  operation: 'listPets' | 'createPet' | 'getPet' | undefined
  parameters: URLSearchParams
  /** The parameter, if it occurs once and is an integer. */
  limit: number | undefined
  status: string | undefined
  petId: string | undefined
  /** The value of the Authorization header, empty without one. */
  credential: string
  isAuthorized: boolean
  socket: Socket
  /** 1 for the first request of this server. */
  nth: number
  /** The body as it arrived. */
  pieces?: readonly Buffer[]
}

export function toCall(request: VariantRequest, socket: Socket, nth: number): Call {
  const [, petId] = /^\/v1\/pets\/([^/]+)$/.exec(request.path) ?? []
  const isCollection = request.path === '/v1/pets'
  const parameters = new URLSearchParams(request.query)
  const limits = parameters.getAll('limit')
  const credential = String(request.headers['authorization'] ?? '')
  return {
    request,
    operation:
      isCollection && request.method === 'GET'
        ? 'listPets'
        : isCollection && request.method === 'POST'
          ? 'createPet'
          : petId !== undefined && request.method === 'GET'
            ? 'getPet'
            : undefined,
    parameters,
    limit: limits.length === 1 && /^-?\d+$/.test(limits[0] ?? '') ? Number(limits[0]) : undefined,
    status: parameters.get('status') ?? undefined,
    petId,
    credential,
    isAuthorized:
      /^bearer +/i.test(credential) && credential.replace(/^bearer +/i, '') === variantKey,
    socket,
    nth,
  }
}

export function withRequest(call: Call, changes: Partial<VariantRequest>): Call {
  return toCall({ ...call.request, ...changes }, call.socket, call.nth)
}

/** The same call with changed parameters; undefined removes one. */
export function withParameters(
  call: Call,
  changes: Record<string, string | number | undefined>,
): Call {
  const parameters = new URLSearchParams(call.parameters)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) parameters.delete(name)
    else parameters.set(name, String(value))
  }
  return withRequest(call, { query: parameters.toString() })
}

/** The same call with a valid key. */
export function withValidKey(call: Call): Call {
  return withRequest(call, {
    headers: { ...call.request.headers, authorization: `Bearer ${variantKey}` },
  })
}

export const bodyText = ({ request }: Call): string => Buffer.from(request.body).toString()

export function bodyObject(call: Call): Map<string, Json> | undefined {
  try {
    const body = readJson(bodyText(call))
    return body instanceof Map ? body : undefined
  } catch {
    return undefined
  }
}

export const withBody = (call: Call, text: string): Call =>
  withRequest(call, { body: Buffer.from(text) })
