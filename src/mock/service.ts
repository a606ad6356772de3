import type { ChoiceId } from '../spec/choices.ts'
import type { OperationId } from '../spec/operations.ts'
import { authenticate } from './authenticate.ts'
import { createPet, getPet, listPets } from './handlers.ts'
import type { MockReply, SandboxRequest, SandboxRespond } from './message.ts'
import { methodOf } from './method.ts'
import { isPreflight, outside, preflight } from './outside.ts'
import { createRoutes, type Route } from './routes.ts'
import { withIntervention } from './rules.ts'
import type { Context } from './context.ts'

/**
 * One request, one reply: route, authenticate, let rules intervene, then let the operation judge the rest. A path that is
 * no operation needs no key, so that its answer can say what was probably meant.
 */
export function createService(context: Context): SandboxRespond {
  const { settings, profile, problems, replies, rules, visibility } = context
  const findRoute = createRoutes(settings.basePath)

  return (request) => {
    if (profile['http.cors'] === 'any-origin' && isPreflight(request)) {
      return { ...preflight(request, context), reason: 'http.cors=any-origin' }
    }
    const route = findRoute(request.target)
    if (route.at === 'nowhere' || route.at === 'malformed') return outside.path(route, context)
    if (route.at !== 'trailing-slash') return respondAt(route, request)
    if (profile['http.trailing-slash'] !== 'same') {
      return madeBy('http.trailing-slash', outside.trailingSlash(route, context))
    }
    return respondAt(route.without, request)
  }

  function respondAt(route: Route, request: SandboxRequest): MockReply {
    const method = methodOf(request)
    if (method === 'HEAD' && profile['http.head'] === '200') {
      return withoutBody(respondAt(route, { ...request, method: 'GET' }))
    }
    const operation = operationAt(route, method)
    if (operation === undefined && !(method === 'OPTIONS' && profile['http.options'] === '401')) {
      return madeBy('http.options', outside.method(request, route, context))
    }
    // "When the key is missing or invalid, the service answers 401", whatever else is wrong with the request.
    const rejection = authenticate(request.credential, profile)
    if (rejection !== undefined) return problems.unauthorized(rejection.message, rejection.reason)
    visibility.settle()
    return operation === undefined
      ? madeBy('http.options', outside.method(request, route, context))
      : operate(operation, route, request)
  }

  /** Names the choice where the reply does not: an answer that is no error. */
  function madeBy(choice: ChoiceId, reply: MockReply): MockReply {
    return reply.reason === undefined ? { ...reply, reason: `${choice}=${profile[choice]}` } : reply
  }

  function operate(operation: OperationId, route: Route, request: SandboxRequest): MockReply {
    const asked = { operation, request, query: queryOf(route), petId: petIdOf(route) }
    const intervention = rules.interveneIn(asked, settings.overrides)
    if (intervention === undefined) return ordinary(route, request)
    if (typeof intervention === 'string') return problems.badRequest(intervention)
    const { reply, headers } = intervention
    const answer = reply === undefined ? ordinary(route, request) : problems.ruled(reply, operation, intervention.rule)
    return withIntervention(replies.withHeaders(answer, headers), intervention)
  }

  function ordinary(route: Route, request: SandboxRequest): MockReply {
    if (route.at === 'pet') return getPet(context, route.petId)
    return methodOf(request) === 'POST' ? createPet(context, request) : listPets(context, queryOf(route))
  }
}

/** Nothing is left of what a rule does to the body, either. */
function withoutBody({ wire, ...reply }: MockReply): MockReply {
  if (wire?.bytes === undefined) return { ...reply, ...(wire && { wire }), body: '' }
  return { ...reply, body: '' }
}

function operationAt(route: Route, method: string): OperationId | undefined {
  if (route.at === 'pets' && method === 'GET') return 'listPets'
  if (route.at === 'pets' && method === 'POST') return 'createPet'
  if (route.at === 'pet' && method === 'GET') return 'getPet'
  return undefined
}

function queryOf(route: Route): string {
  return route.at === 'pets' || route.at === 'pet' ? route.query : ''
}

function petIdOf(route: Route): string | undefined {
  return route.at === 'pet' ? route.petId : undefined
}
