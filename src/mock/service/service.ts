import type { BehaviorId } from '../../spec/behaviors.ts'
import type { OperationId } from '../../spec/operations.ts'
import { authenticate } from './authenticate.ts'
import { listedOrigin, preflightHeaders } from './cors.ts'
import type { Context } from './context.ts'
import { allowedOn, handlers } from './handlers.ts'
import type { MockReply, MockRequest, Respond, Wire } from './message.ts'
import type { ErrorStatus } from './parameters.ts'
import { isPreflight, operationOf, type Route } from './route.ts'
import type { Intervention } from '../rules/rules.ts'
import type { FaultName } from '../schemas/faults.ts'

/**
 * Responds to a request: route, authenticate, apply rules, then call the handler of the operation. An unknown path needs
 * no key, so that its reply can say which path was probably meant.
 */
export function createService(context: Context): Respond {
  const { settings, profile, problems, replies, rules, store, clock, findRoute } = context

  /** Finds the route; what has none, or is a preflight, needs no key. */
  return (request) => {
    if (isPreflight(request) && isAllowed(request)) {
      const option = profile['http.cors']
      const reply = replies.empty(204, preflightHeaders(request))
      return { ...reply, reason: option === 'none' ? 'http.cors' : `http.cors=${option}` }
    }
    const route = findRoute(request.target)
    // Its path may be meant for an operation.
    if (route.at === 'malformed')
      return rejectWithoutKey(request) ?? problems.rejected(400, route.message)
    if (route.at === 'nowhere')
      return rejected('http.unknown-path', profile['http.unknown-path'], route.message)
    if (route.at !== 'trailing-slash') return respondAt(route, request)
    const { target, without } = route
    const option = profile['http.trailing-slash']
    if (option === 'same') return respondAt(without, request)
    if (option === 'redirect') {
      return { ...replies.empty(308, { location: target }), reason: 'http.trailing-slash=redirect' }
    }
    const message = `There is nothing at this path. Did you mean ${target}, without the trailing slash?`
    return rejected('http.trailing-slash', option, message)
  }

  function isAllowed(request: MockRequest): boolean {
    return (
      profile['http.cors'] === 'any-origin' ||
      listedOrigin(settings.corsOrigins, request) !== undefined
    )
  }

  function rejected(behavior: BehaviorId, option: ErrorStatus, message: string): MockReply {
    return problems.rejected(option, message, `${behavior}=${option}`)
  }

  /** "When the key is missing or invalid, the service answers 401", whatever else is wrong with the request. */
  function rejectWithoutKey(request: MockRequest): MockReply | undefined {
    const rejection = authenticate(context.credentialOf(request), profile)
    return rejection && problems.unauthorized(rejection)
  }

  /** Finds the operation, and compares the key. */
  function respondAt(route: Route, request: MockRequest): MockReply {
    const method = request.method.toUpperCase()
    if (method === 'HEAD' && profile['http.head'] === '200') {
      return withoutBody(respondAt(route, { ...request, method: 'GET' }))
    }
    const operation = operationOf(route, method)
    const needsKey =
      operation !== undefined || (method === 'OPTIONS' && profile['http.options'] === '401')
    if (!needsKey) return respondToMethod(route, method)
    const rejection = rejectWithoutKey(request)
    if (rejection !== undefined) return rejection
    if (store.waiting.length > 0) store.showWaiting(clock.elapsed())
    return operation === undefined
      ? respondToMethod(route, method)
      : operate(operation, route, request)
  }

  function respondToMethod(route: Route, method: string): MockReply {
    const allow = allowedOn(route.at, context)
    const notAllowed = (behavior: BehaviorId, option: ErrorStatus): MockReply =>
      problems.methodNotAllowed(option, method, allow, `${behavior}=${option}`)
    if (method === 'OPTIONS') {
      const option = profile['http.options']
      // With the option 401, requests without a key were rejected before.
      return option === '200' || option === '204' || option === '401'
        ? {
            ...replies.empty(option === '200' ? 200 : 204, { allow }),
            reason: `http.options=${option}`,
          }
        : notAllowed('http.options', option)
    }
    const onHead = profile['http.head']
    return method === 'HEAD' && onHead !== '200'
      ? notAllowed('http.head', onHead)
      : notAllowed('http.unknown-method', profile['http.unknown-method'])
  }

  /** Calls the handler of an operation, unless a rule or the header Prefer has another response. */
  function operate(operation: OperationId, route: Route, request: MockRequest): MockReply {
    const { query = '', petId } = route as { query?: string; petId?: string }
    const call = { operation, request, query, petId }
    const intervention = rules.intervene(call, settings.overrides)
    if (intervention === undefined) return handlers[operation](context, call)
    if (typeof intervention === 'string') return problems.rejected(400, intervention)
    const { reply, headers, rule } = intervention
    const response =
      reply === undefined
        ? handlers[operation](context, call)
        : problems.ruled(reply, operation, rule)
    return withIntervention(replies.withHeaders(response, headers), intervention)
  }
}

function withIntervention(reply: MockReply, { rule, delayMs, fault }: Intervention): MockReply {
  const changed: MockReply = { ...reply, rule }
  if (delayMs !== undefined) changed.delayMs = delayMs
  if (fault !== undefined) {
    changed.fault = typeof fault === 'string' ? fault : 'slow-body'
    changed.wire = { ...reply.wire, ...wires[changed.fault](reply) }
    if (typeof fault === 'object') changed.wire.bodyMs = fault.slowBodyMs
  }
  return changed
}

/** What the adapter must do for each fault. */
const wires: Readonly<Record<FaultName, (reply: MockReply) => Wire>> = {
  reset: () => ({ reset: true }),
  'empty-response': () => ({ reset: true, empty: true }),
  silence: () => ({ silent: true }),
  'truncated-body': truncated,
  'broken-chunk': (reply) => ({ ...truncated(reply), brokenChunk: true }),
  'slow-body': () => ({}),
}

/** Half of the body, with the length of all of it. */
function truncated({ body }: MockReply): NonNullable<MockReply['wire']> {
  const bytes = new TextEncoder().encode(body)
  return { bytes: bytes.slice(0, bytes.length >> 1), contentLength: bytes.length }
}

/** Also drops the bytes and the length that a rule sets. */
function withoutBody({ wire, ...reply }: MockReply): MockReply {
  return { ...reply, ...(wire !== undefined && wire.bytes === undefined && { wire }), body: '' }
}
