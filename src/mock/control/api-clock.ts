import type { JsonValue } from '../../json.ts'
import type { Sandbox } from '../sandbox.ts'
import { readMembers } from './api-body.ts'
import { instant } from './api-instant.ts'
import { json, problem } from './api-replies.ts'
import type { Route } from './api-route.ts'

/** The clock of a world. */
export const clockRoutes: readonly Route[] = [
  {
    id: 'readClock',
    method: 'GET',
    path: '/clock',
    summary: 'What the clock shows',
    replies: { 200: { description: 'The clock.', schema: 'Clock' } },
    handle: ({ world }) => clockOf(world),
  },
  {
    id: 'setClock',
    method: 'PUT',
    path: '/clock',
    summary: 'Stop the clock at an instant',
    description: 'From 5 December 2030 on, getPet is gone.',
    body: { schema: 'NewClock', example: { now: '2030-12-06' } },
    replies: { 200: { description: 'The clock.', schema: 'Clock' } },
    handle({ world, body }) {
      const { now } = readMembers(body, {
        now: {
          fits: isInstant,
          kind: 'a date such as 2030-12-06, or an instant such as 2030-12-06T09:30:00Z',
          required: true,
        },
      })
      world.clock.set(now as string)
      return clockOf(world)
    },
  },
  {
    id: 'resetClock',
    method: 'DELETE',
    path: '/clock',
    summary: 'The clock as it was at the start',
    replies: { 200: { description: 'The clock.', schema: 'Clock' } },
    handle({ world }) {
      world.clock.reset()
      return clockOf(world)
    },
  },
  {
    id: 'advanceClock',
    method: 'POST',
    path: '/clock/advance',
    summary: 'Move the clock',
    description: 'Rate limits and outage windows move along.',
    body: { schema: 'ClockAdvance', example: { ms: 60_000 } },
    replies: {
      200: { description: 'The clock.', schema: 'Clock' },
      409: {
        description: 'From where the clock stands, it would leave the years that a date can tell.',
        schema: 'Error',
      },
    },
    handle({ world, body }) {
      const { ms } = readMembers(body, {
        ms: { fits: (value) => Number.isSafeInteger(value), kind: 'an integer: milliseconds', required: true },
      })
      if (Number.isNaN(new Date(world.clock.now().getTime() + (ms as number)).getTime())) {
        return problem(409, 'ms would move the clock out of the years that a date can tell.')
      }
      world.clock.advance(ms as number)
      return clockOf(world)
    },
  },
]

const isInstant = (value: JsonValue): boolean => typeof value === 'string' && instant.test(value)

const clockOf = (world: Sandbox) => json(200, { now: world.clock.now().toISOString() })
