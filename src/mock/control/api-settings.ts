import { UsageError } from '../../errors.ts'
import type { JsonValue } from '../../json.ts'
import type { Sandbox, SettingsPatch } from '../sandbox.ts'
import { isObject } from './api-body.ts'
import { done, json } from './api-replies.ts'
import type { Route } from './api-route.ts'

/** The settings of a world, and its start. */
export const settingsRoutes: readonly Route[] = [
  {
    id: 'readSettings',
    method: 'GET',
    path: '/settings',
    summary: 'The settings in force',
    description: 'Without the keys.',
    replies: { 200: { description: 'The settings.', schema: 'Settings' } },
    handle: ({ world }) => json(200, settingsOf(world)),
  },
  {
    id: 'changeSettings',
    method: 'PATCH',
    path: '/settings',
    summary: 'Change some settings',
    description:
      'What is not named stays as it is, and so do the pets. A list of deviations comes in place of the one before.',
    body: { schema: 'SettingsPatch', example: { profile: { 'list.order': 'newest-first' } } },
    replies: { 200: { description: 'The settings in force from now on.', schema: 'Settings' } },
    handle({ world, body }) {
      if (!isObject(body)) throw new UsageError('The body must be a JSON object of settings.')
      world.configure(toPatch(body))
      return json(200, settingsOf(world))
    },
  },
  {
    id: 'reset',
    method: 'POST',
    path: '/reset',
    summary: 'Everything back to the start',
    description:
      'The pets, their ids, the rules, the clock, the settings, and what deviations remember. The journal, the scorecard and the snapshots stay.',
    replies: { 204: { description: 'It is as it was at the start.' } },
    handle({ world }) {
      world.reset()
      return done()
    },
  },
]

/** Neither the keys nor the pets that the mock was given. */
function settingsOf({ settings }: Sandbox): object {
  const { seed, pets, basePath, profile, deviations, overrides, explain } = settings
  return { seed, pets, basePath, profile, deviations, overrides, explain }
}

/** A patch, which `configure` checks. No option is a number: those that only a bigint can hold need not be exact. */
function toPatch(body: Readonly<Record<string, JsonValue>>): SettingsPatch {
  const { profile } = body
  if (!isObject(profile)) return body
  const options = Object.entries(profile).map(([id, option]) => [
    id,
    typeof option === 'bigint' ? Number(option) : option,
  ])
  return { ...body, profile: Object.fromEntries(options) as Record<string, string> }
}
