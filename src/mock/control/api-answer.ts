import { UsageError } from '../../errors.ts'
import type { MockReply, MockRequest } from '../message.ts'
import { readBody } from './api-body.ts'
import { findRoute, splitTarget } from './api-find.ts'
import { readQuery } from './api-query.ts'
import { problem } from './api-replies.ts'
import { type Controlled, prefix, type Route } from './api-route.ts'
import { missingSandbox } from './api-sandboxes.ts'
import { createStreams } from './api-stream.ts'
import { routes } from './api-table.ts'
import type { ControlStream } from './control.ts'

/** Answers a request that the guard has let in. */
export type Answer = (request: MockRequest) => Promise<MockReply | ControlStream>

export function createAnswer(controlled: Omit<Controlled, 'routes' | 'streams'>): Answer {
  const api: Controlled = { ...controlled, routes, streams: createStreams() }

  return async (request) => {
    const method = request.method.toUpperCase()
    if (method !== 'HEAD') return answer(request, method)
    // A stream has no length and no end: its headers are all that HEAD is told.
    const { status, headers } = await answer(request, 'GET')
    return { status, headers, body: '' }
  }

  async function answer(request: MockRequest, method: string): Promise<MockReply | ControlStream> {
    const { path, query } = splitTarget(request.target)
    const found = findRoute(api.routes, method, path)
    if ('hint' in found) {
      const hint = found.hint === undefined ? `GET ${prefix} lists what there is.` : `Did you mean ${found.hint}?`
      return problem(404, `There is nothing here. ${hint}`)
    }
    if ('allow' in found) {
      const allow = found.allow.flatMap((one) => (one === 'GET' ? ['GET', 'HEAD'] : [one]))
      return problem(405, `${method} is no operation here. There are ${allow.join(', ')}.`, { allow: allow.join(', ') })
    }
    return call(found.route, found.path, query, request)
  }

  async function call(route: Route, path: Readonly<Record<string, string>>, query: string, request: MockRequest) {
    const { sandboxes } = api.mock
    const { sandbox: name } = path
    if (name !== undefined && !sandboxes.has(name)) return missingSandbox(name)
    const read = route.method === 'GET' ? { value: undefined } : readBody(request, route.body)
    if ('refusal' in read) return read.refusal
    try {
      return await route.handle({
        api,
        world: name === undefined ? api.mock : sandboxes.get(name),
        isWorldThere: () => name === undefined || sandboxes.has(name),
        path,
        query: readQuery(query, route.parameters),
        headers: request.headers,
        body: read.value,
      })
    } catch (error) {
      if (error instanceof UsageError) return problem(400, error.message)
      throw error
    }
  }
}
