import { readMembers } from './api-body.ts'
import { done, json, problem } from './api-replies.ts'
import type { Route } from './api-route.ts'

const noSandbox = { description: 'There is no such sandbox now.', schema: 'Error' } as const

/** The sandboxes of a mock. */
export const sandboxRoutes: readonly Route[] = [
  {
    id: 'listSandboxes',
    method: 'GET',
    path: '/sandboxes',
    summary: 'The sandboxes that are there',
    replies: { 200: { description: 'The sandboxes.', schema: 'Sandboxes' } },
    handle({ api }) {
      const { sandboxes } = api.mock
      return json(200, { sandboxes: sandboxes.list(), dropped: sandboxes.dropped })
    },
  },
  {
    id: 'makeSandbox',
    method: 'POST',
    path: '/sandboxes',
    summary: 'Make a sandbox, or find the one with this name',
    description: 'The first request with its key makes it, too.',
    body: { schema: 'NewSandbox', example: { name: 'team-a' } },
    replies: {
      200: { description: 'It was there.', schema: 'SandboxKey' },
      201: { description: 'It is there now.', schema: 'SandboxKey' },
      409: { description: 'The sandboxes are switched off.', schema: 'Error' },
    },
    handle({ api, body }) {
      const { name } = readMembers(body, {
        name: { fits: (value) => typeof value === 'string', kind: 'a string', required: true },
      }) as { name: string }
      const { sandboxes, settings } = api.mock
      if (!settings.sandboxes) return problem(409, 'The mock was started with its sandboxes switched off.')
      const wasThere = sandboxes.has(name)
      const { key } = sandboxes.get(name)
      return json(wasThere ? 200 : 201, { name, key })
    },
  },
  {
    id: 'readSandbox',
    method: 'GET',
    path: '/sandboxes/{sandbox}',
    summary: 'What is known of a sandbox',
    replies: { 200: { description: 'The sandbox.', schema: 'Sandbox' }, 404: noSandbox },
    handle({ api, path: { sandbox = '' } }) {
      const found = api.mock.sandboxes.list().find(({ name }) => name === sandbox)
      return found === undefined ? missingSandbox(sandbox) : json(200, found)
    },
  },
  {
    id: 'deleteSandbox',
    method: 'DELETE',
    path: '/sandboxes/{sandbox}',
    summary: 'End a sandbox',
    description: 'The next request with its key finds a new one.',
    replies: { 204: { description: 'It is gone.' }, 404: noSandbox },
    handle({ api, path: { sandbox = '' } }) {
      return api.mock.sandboxes.delete(sandbox) ? done() : missingSandbox(sandbox)
    },
  },
]

/** The answer where a path names a sandbox that is not there: a typing mistake shall not make one. */
export const missingSandbox = (name: string) =>
  problem(
    404,
    `There is no sandbox ${JSON.stringify(name)} now. A POST to the list of sandboxes makes one, and so does the first request with its key.`,
  )
