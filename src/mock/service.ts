import type { ChoiceId } from '../spec/choices.ts'
import type { OperationId } from '../spec/operations.ts'
import { createAuthenticate } from './authenticate.ts'
import { createPet, getPet, listPets } from './handlers.ts'
import type { MockReply, MockRequest, Respond } from './message.ts'
import { methodOf } from './method.ts'
import { isPreflight, outside, preflight } from './outside.ts'
import { createRoutes, type Route } from './routes.ts'
import { withIntervention } from './rules.ts'
import type { World } from './world.ts'

/**
 * One request, one reply: route, authenticate, let rules intervene, then let the operation judge the rest. A path that is
 * no operation needs no key, so that its answer can say what was probably meant.
 */
export function createService(world: World): Respond {
  const { settings, profile, problems, replies, rules, visibility } = world
  const findRoute = createRoutes(settings.basePath)
  const authenticate = createAuthenticate(settings.keys, profile)

  return (request) => {
    if (profile['http.cors'] === 'any-origin' && isPreflight(request)) {
      return { ...preflight(request, world), because: 'http.cors=any-origin' }
    }
    const route = findRoute(request.target)
    if (route.at === 'nowhere' || route.at === 'malformed') return outside.path(route, world)
    if (route.at !== 'trailing-slash') return respondAt(route, request)
    if (profile['http.trailing-slash'] !== 'same') {
      return madeBy('http.trailing-slash', outside.trailingSlash(route, world))
    }
    return respondAt(route.without, request)
  }

  function respondAt(route: Route, request: MockRequest): MockReply {
    const method = methodOf(request)
    if (method === 'HEAD' && profile['http.head'] === '200') {
      return withoutBody(respondAt(route, { ...request, method: 'GET' }))
    }
    const operation = operationAt(route, method)
    if (operation === undefined && !(method === 'OPTIONS' && profile['http.options'] === '401')) {
      return madeBy('http.options', outside.method(request, route, world))
    }
    // "When the key is missing or invalid, the service answers 401", whatever else is wrong with the request.
    const notLetIn = authenticate(request.headers['authorization'])
    if (notLetIn !== undefined) return problems.unauthorized(notLetIn.message, notLetIn.because)
    visibility.settle()
    return operation === undefined
      ? madeBy('http.options', outside.method(request, route, world))
      : operate(operation, route, request)
  }

  /** Names the choice where the reply does not: an answer that is no error. */
  function madeBy(choice: ChoiceId, reply: MockReply): MockReply {
    return reply.because === undefined ? { ...reply, because: `${choice}=${profile[choice]}` } : reply
  }

  function operate(operation: OperationId, route: Route, request: MockRequest): MockReply {
    const asked = { operation, request, query: queryOf(route), petId: petIdOf(route) }
    const intervention = rules.interveneIn(asked, settings.overrides)
    if (intervention === undefined) return ordinary(route, request)
    if (typeof intervention === 'string') return problems.badRequest(intervention)
    const { reply, headers } = intervention
    const answer = reply === undefined ? ordinary(route, request) : problems.ruled(reply, operation, intervention.rule)
    return withIntervention(replies.withHeaders(answer, headers), intervention)
  }

  function ordinary(route: Route, request: MockRequest): MockReply {
    if (route.at === 'pet') return getPet(world, route.petId)
    return methodOf(request) === 'POST' ? createPet(world, request) : listPets(world, queryOf(route))
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
