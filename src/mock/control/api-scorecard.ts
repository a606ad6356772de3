import { UsageError } from '../../errors.ts'
import type { MockReply } from '../message.ts'
import { json, page, text } from './api-replies.ts'
import type { Call, Route } from './api-route.ts'

const types = {
  json: 'application/json',
  text: 'text/plain; charset=utf-8',
  markdown: 'text/markdown; charset=utf-8',
  html: 'text/html; charset=utf-8',
} as const
type ReporterName = keyof typeof types

/** How the clients of a world keep the contract. */
export const scorecardRoutes: readonly Route[] = [
  {
    id: 'readScorecards',
    method: 'GET',
    path: '/scorecard',
    summary: 'How each client keeps its side of the contract',
    description: 'Of all worlds, or of one sandbox below its path.',
    parameters: [
      {
        name: 'reporter',
        description: 'As a report: what `petstore scorecard --reporter` prints.',
        schema: { type: 'string', enum: Object.keys(types), default: 'json' },
      },
    ],
    replies: {
      200: {
        description: 'The scorecards.',
        schema: 'Scorecards',
        types: Object.values(types).flatMap((type) => (type === types.json ? [] : [type.replace(/;.*/, '')])),
      },
    },
    handle(call) {
      const { reporter = 'json' } = call.query
      if (!isReporter(reporter)) throw new UsageError(`reporter must be one of ${Object.keys(types).join(', ')}.`)
      return reporter === 'json' ? json(200, { scorecards: scorecardsOf(call) }) : report(call, reporter)
    },
  },
]

function scorecardsOf({ api, world }: Call) {
  return world === api.mock ? api.allScorecards() : world.scorecards()
}

async function report(call: Call, name: ReporterName): Promise<MockReply> {
  const { scorecardReporters } = await import('../scorecard/reporters.ts')
  const body = scorecardReporters[name](scorecardsOf(call))
  if (name !== 'html') return text(200, types[name], body)
  const { styleHash } = await import('../../report/html-style.ts')
  return page(body, `'${styleHash}'`)
}

function isReporter(name: string): name is ReporterName {
  return Object.hasOwn(types, name)
}
