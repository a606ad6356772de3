import { UsageError } from '../../errors.ts'
import { toDocument } from './api-openapi.ts'
import { json, problem } from './api-replies.ts'
import { prefix, type Route } from './api-route.ts'

/** What there is of the control API once. */
export const rootRoutes: readonly Route[] = [
  {
    id: 'readIndex',
    method: 'GET',
    path: '',
    summary: 'What there is',
    replies: { 200: { description: 'All operations.', schema: 'Index' } },
    handle({ api }) {
      return json(200, {
        name: 'The control API of the Pet Store mock',
        version: api.version,
        openapi: `${prefix}/openapi.json`,
        operations: api.routes.map(({ method, path, summary }) => ({ method, path, summary })),
      })
    },
  },
  {
    id: 'readHealth',
    method: 'GET',
    path: '/health',
    summary: 'Whether the mock is alive',
    replies: { 200: { description: 'It is.', schema: 'Health' } },
    handle: ({ api }) => json(200, { status: 'ok', version: api.version }),
  },
  {
    id: 'readReadiness',
    method: 'GET',
    path: '/ready',
    summary: 'Whether the mock answers as it should',
    replies: {
      200: { description: 'It does.', schema: 'Readiness' },
      503: { description: 'Not yet, or no more.', schema: 'Error' },
    },
    handle: ({ api }) => (api.isReady() ? json(200, { status: 'ready' }) : problem(503, 'The mock is not ready.')),
  },
  {
    id: 'readDocument',
    method: 'GET',
    path: '/openapi.json',
    summary: 'This interface as an OpenAPI 3.1 document',
    replies: { 200: { description: 'The document.', schema: 'Document' } },
    async handle({ api: { routes, version } }) {
      const { deviations } = await import('../deviations.ts')
      return json(200, toDocument({ routes, version, deviations: deviations.map(({ id }) => id) }))
    },
  },
  {
    id: 'save',
    method: 'POST',
    path: '/save',
    summary: 'Write the state to its file',
    replies: {
      200: { description: 'It is written.', schema: 'Saved' },
      501: { description: 'The mock was started without a file to save to.', schema: 'Error' },
    },
    async handle({ api: { save } }) {
      if (save === undefined) return problem(501, 'There is no file to save to. Start the mock with `--save FILE`.')
      try {
        return json(200, { file: await save() })
      } catch (error) {
        return problem(500, error instanceof UsageError ? error.message : 'The state could not be saved.')
      }
    },
  },
]
