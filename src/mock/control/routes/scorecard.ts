import { json, page, text } from '../reply.ts'
import { type Route, route } from '../route.ts'

const types = {
  json: 'application/json',
  text: 'text/plain; charset=utf-8',
  markdown: 'text/markdown; charset=utf-8',
  html: 'text/html; charset=utf-8',
} as const

/** How the clients of a sandbox keep the contract. */
export const scorecardRoutes: readonly Route[] = [
  route<undefined, { reporter?: keyof typeof types }>(
    'GET /scorecard',
    'readScorecards',
    'Read how each client keeps its side of the contract',
    {
      description: 'Of all sandboxes, or of one sandbox below its path.',
      query: 'ScorecardQuery',
      responses: {
        200: {
          description: 'The scorecards.',
          schema: 'Scorecards',
          types: Object.values(types).flatMap((type) => (type === types.json ? [] : [type.replace(/;.*/, '')])),
        },
      },
      async handle({ api, sandbox, query: { reporter = 'json' } }) {
        const scorecards = await (sandbox === api.mock ? api.allScorecards() : sandbox.scorecards())
        if (reporter === 'json') return json(200, { scorecards })
        const { scorecardReporters } = await import('../../scorecard/reporters.ts')
        const body = scorecardReporters[reporter](scorecards)
        return reporter === 'html' ? page(body) : text(200, types[reporter], body)
      },
    },
  ),
]
