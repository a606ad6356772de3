import { createAuthenticate } from './authenticate.ts'
import { createPet, getPet, listPets } from './handlers.ts'
import type { MockReply, MockRequest, Respond } from './message.ts'
import { isPreflight, outside, preflight } from './outside.ts'
import { createRoutes, type Route } from './routes.ts'
import type { World } from './world.ts'

/**
 * One request, one reply: route, authenticate, then let the operation judge the rest. A path that is no operation needs
 * no key, so that its answer can say what was probably meant.
 */
export function createService(world: World): Respond {
  const { settings, profile, problems, visibility } = world
  const findRoute = createRoutes(settings.basePath)
  const authenticate = createAuthenticate(settings.keys, profile)

  return (request) => {
    if (profile['http.cors'] === 'any-origin' && isPreflight(request)) return preflight(request, world)
    const route = findRoute(request.target)
    if (route.at === 'nowhere' || route.at === 'malformed') return outside.path(route, world)
    if (route.at !== 'trailing-slash') return respondAt(route, request)
    if (profile['http.trailing-slash'] !== 'same') return outside.trailingSlash(route, world)
    return respondAt(route.without, request)
  }

  function respondAt(route: Route, request: MockRequest): MockReply {
    const method = request.method.toUpperCase()
    if (method === 'HEAD' && profile['http.head'] === '200') {
      return { ...respondAt(route, { ...request, method: 'GET' }), body: '' }
    }
    const operation = operationAt(route, method)
    if (operation === undefined && !(method === 'OPTIONS' && profile['http.options'] === '401')) {
      return outside.method(request, route, world)
    }
    // "When the key is missing or invalid, the service answers 401", whatever else is wrong with the request.
    const refusal = authenticate(request.headers['authorization'])
    if (refusal !== undefined) return problems.unauthorized(refusal)
    visibility.settle()
    return operation === undefined ? outside.method(request, route, world) : operation(world, request)
  }
}

type Operation = (world: World, request: MockRequest) => MockReply

function operationAt(route: Route, method: string): Operation | undefined {
  if (route.at === 'pets' && method === 'GET') return (world) => listPets(world, route.query)
  if (route.at === 'pets' && method === 'POST') return createPet
  if (route.at === 'pet' && method === 'GET') return (world) => getPet(world, route.petId)
  return undefined
}
