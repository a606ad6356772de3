import type { RequirementId } from '../../spec/requirements.ts'
import { authentication } from './authentication.ts'
import { creating } from './creating.ts'
import type { Apply, Defects, Defect } from './defect.ts'
import { errors } from './errors.ts'
import { getting } from './getting.ts'
import { listing } from './listing.ts'
import { pets } from './pets.ts'
import { rejecting } from './rejecting.ts'
import { wire } from './wire.ts'
import type { MockReply, MockRequest } from '../service/message.ts'
import type { DefectId } from '../schemas/schemas.gen.ts'

const tables: readonly Defects[] = [
  authentication,
  listing,
  pets,
  creating,
  rejecting,
  getting,
  errors,
  wire,
]

/** All deliberate defects. */
export const defects = tables.flatMap((table) =>
  Object.entries(table).flatMap(([requirement, defects]) =>
    Object.entries(defects).map(([id, [description, apply, pets]]) => ({
      id,
      requirement: requirement as RequirementId,
      description,
      apply: reportingDefect(id, apply),
      ...(pets !== undefined && { pets }),
    })),
  ),
) as readonly (Defect & { id: DefectId })[]

/**
 * Adds the id of a defect to each reply that it affected: by the reply itself, its request or the pets. One that cannot
 * read what others have made of a reply leaves it as it is.
 */
function reportingDefect(id: string, apply: Apply): Apply {
  return (respond, context) => {
    const { store } = context
    let inner: { request: MockRequest; reply: MockReply; version: number }[] = []
    const defective = apply((request) => {
      const reply = respond(request)
      inner = [{ request, reply, version: store.version }]
      return reply
    }, context)
    return (request) => {
      inner = []
      let reply: MockReply
      try {
        reply = defective(request)
      } catch {
        reply = inner[0]?.reply ?? respond(request)
      }
      const [passed] = inner
      const isSame =
        passed !== undefined &&
        passed.version === store.version &&
        isSameReply(passed.reply, reply) &&
        (passed.request === request || isRejectedAnyway(passed.request, request, reply))
      return isSame ? reply : { ...reply, defects: [...(passed?.reply.defects ?? []), id] }
    }
  }
}

const isSameReply = (one: MockReply, other: MockReply): boolean =>
  one === other ||
  (one.status === other.status &&
    one.body === other.body &&
    one.wire === other.wire &&
    one.delayMs === other.delayMs &&
    JSON.stringify(one.headers) === JSON.stringify(other.headers))

/** Authentication comes first: whatever else a defect changes in a request, it is not why its key is rejected. */
const isRejectedAnyway = (sent: MockRequest, request: MockRequest, reply: MockReply): boolean =>
  reply.status === 401 &&
  sent.credential === request.credential &&
  sent.headers['authorization'] === request.headers['authorization']
