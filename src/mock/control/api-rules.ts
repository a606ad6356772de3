import { UsageError } from '../../errors.ts'
import { mostRules } from '../read-rule.ts'
import type { Rule } from '../rule.ts'
import { readSwitch } from './api-query.ts'
import { done, json, problem } from './api-replies.ts'
import type { Route } from './api-route.ts'

/** The rules of a world. */
export const ruleRoutes: readonly Route[] = [
  {
    id: 'listRules',
    method: 'GET',
    path: '/rules',
    summary: 'The rules in force',
    parameters: [
      { name: 'pending', description: 'Only those that were never used.', schema: { type: 'boolean', default: false } },
    ],
    replies: { 200: { description: 'The rules, in the order in which they were added.', schema: 'Rules' } },
    handle({ world, query }) {
      return json(200, { rules: readSwitch('pending', query['pending']) ? world.pendingRules() : world.rules() })
    },
  },
  {
    id: 'addRules',
    method: 'POST',
    path: '/rules',
    summary: 'Add a rule, or several',
    description:
      'The rules of a world take at most 8 MiB, those of all sandboxes together 64 MiB. Errors, delays, faults and rate limits, for some requests or all. The newest goes first.',
    body: {
      schema: 'NewRules',
      example: { when: { operation: 'listPets' }, reply: { status: 503 }, times: 2 },
    },
    replies: {
      201: { description: 'The rules that were added.', schema: 'Rules' },
      409: { description: `There is no room for them: a world takes ${mostRules} rules.`, schema: 'Error' },
    },
    handle({ world, body }) {
      const rules = Array.isArray(body) ? body : [body]
      if (rules.length === 0) throw new UsageError('The list holds no rule.')
      if (rules.length > mostRules) throw new UsageError(`The list holds more than ${mostRules} rules.`)
      if (world.rules().length + rules.length > mostRules) {
        return problem(409, `A world takes ${mostRules} rules. Remove some first.`)
      }
      return json(201, { rules: world.use(...(rules as unknown as Rule[])) })
    },
  },
  {
    id: 'removeRules',
    method: 'DELETE',
    path: '/rules',
    summary: 'Remove all rules',
    replies: { 204: { description: 'There are no rules any more.' } },
    handle({ world }) {
      world.removeRules()
      return done()
    },
  },
  {
    id: 'removeRule',
    method: 'DELETE',
    path: '/rules/{id}',
    summary: 'Remove a rule',
    replies: { 204: { description: 'It is gone.' }, 404: { description: 'There is no such rule.', schema: 'Error' } },
    handle({ world, path: { id = '' } }) {
      return world.removeRules(id) ? done() : problem(404, `There is no rule ${JSON.stringify(id)}.`)
    },
  },
]
