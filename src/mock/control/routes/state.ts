import { behaviors } from '../../../spec/behaviors.ts'
import { requirements } from '../../../spec/requirements.ts'
import { readProfile, varyProfile } from '../../sandbox/profile.ts'
import { withNearest } from '../../journal/nearest.ts'
import { maxRules } from '../../rules/rule.ts'
import { changeableOf, defaultKey, defaultProfile } from '../../sandbox/settings.ts'
import type { Sandbox } from '../../sandbox/types.ts'
import { empty, json, problem, response, type ControlRoute, route } from './route.ts'
import { explainBehavior, withSentence } from './mock.ts'

const noRule = response('No rule has this id.', 'Error')
const theClock = { 200: response('The clock.', 'Clock') }
const newSettings = { 200: response('The new settings.', 'Settings') }

/** The settings, the rules and the clock of a sandbox. */
export const stateRoutes: readonly ControlRoute[] = [
  route('GET /settings', 'readSettings', 'Read the settings', {
    description: 'Without the keys that the mock was given.',
    responses: { 200: response('The settings.', 'Settings') },
    handle({ api: { proxyOf }, sandbox }) {
      const { key, ...settings } = settingsOf(sandbox)
      // The keys of a proxy are those of the deployment.
      return json(200, { ...settings, ...(proxyOf === undefined ? { key } : { proxyOf }) })
    },
  }),
  route('PATCH /settings', 'changeSettings', 'Change some settings', {
    description:
      'The others stay, and so do the pets. A list of defects replaces the previous one.',
    body: { schema: 'SettingsPatch', example: { profile: { 'list.order': 'newest-first' } } },
    responses: newSettings,
    handle({ sandbox, body }) {
      sandbox.configure(body)
      return json(200, settingsOf(sandbox))
    },
  }),
  route(
    'POST /settings/vary',
    'varySettings',
    'Pick an allowed option for each unspecified behavior',
    {
      description:
        'At random, and the same for the same seed: another conforming deployment. The permission to create stays.',
      body: { schema: 'NewSeed', example: { seed: 7 } },
      responses: newSettings,
      handle({ sandbox, body: { seed } }) {
        sandbox.configure({ profile: varyProfile(seed) })
        return json(200, settingsOf(sandbox))
      },
    },
  ),
  route(
    'PUT /settings/profile',
    'takeProfile',
    'Behave like a deployment, by its profile or its report',
    {
      description: 'Behaviors that it does not name get their default.',
      body: {
        schema: 'ObservedProfile',
        limit: 64 * 1_048_576,
        example: { 'list.order': 'newest-first' },
      },
      responses: {
        200: response('The new settings, and what the mock cannot do.', 'ProfileTaken'),
      },
      handle({ sandbox, body }) {
        const { profile, leftOut } = readProfile(body, 'The body')
        sandbox.configure({ profile: { ...defaultProfile, ...profile } })
        return json(200, { settings: settingsOf(sandbox), leftOut })
      },
    },
  ),
  route('GET /behaviors', 'listBehaviors', 'List the unspecified behaviors and their options', {
    responses: {
      200: response('The unspecified behaviors, in the order of the specification.', 'Behaviors'),
    },
    handle({ sandbox: { settings } }) {
      return json(200, {
        behaviors: behaviors.map((behavior) => ({
          ...explainBehavior(behavior),
          active: settings.profile[behavior.id],
        })),
      })
    },
  }),
  route('GET /defects', 'listDefects', 'List the deliberate defects', {
    responses: {
      200: response('The deliberate defects, each with the requirement that it breaks.', 'Defects'),
    },
    async handle({ sandbox: { settings } }) {
      const { defects } = await import('../../defects/index.ts')
      const quotes = new Map<string, string>(requirements.map(({ id, quote }) => [id, quote]))
      return json(200, {
        defects: defects.map(({ id, requirement, description }) => {
          const quote = quotes.get(requirement) ?? ''
          return withSentence({
            id,
            requirement,
            description,
            quote,
            active: settings.defects.includes(id),
          })
        }),
      })
    },
  }),
  route('POST /reset', 'reset', 'Reset everything to the initial state', {
    description:
      'Pets, ids, rules, clock, settings, the state of defects, and the journal with its scorecard. Snapshots stay.',
    body: { schema: 'ResetOptions', optional: true, example: { journal: 'keep' } },
    responses: { 204: response('Everything is reset.') },
    handle: ({ sandbox, body }) => sandbox.reset(body),
  }),
  route('GET /rules', 'listRules', 'List the rules', {
    needs: 'journal',
    description: 'A rule that no request has used has the nearest request, and what differs in it.',
    query: 'RulesQuery',
    responses: { 200: response('The rules, the oldest first.', 'Rules') },
    async handle({ sandbox, query }) {
      const rules = query.pending ? sandbox.pendingRules() : sandbox.rules()
      return json(200, { rules: await withNearest(sandbox, rules) })
    },
  }),
  route('POST /rules', 'addRules', 'Add one or more rules', {
    description:
      'Errors, delays, faults and rate limits, for some requests or all. The newest rule applies first. Rules, pets and snapshots ' +
      'of a sandbox take at most 64 MiB.',
    body: {
      schema: 'NewRules',
      example: { when: { operation: 'listPets' }, reply: { status: 503 }, times: 2 },
    },
    responses: { 201: response('The added rules.', 'Rules') },
    handle({ sandbox, body }) {
      const rules = [body].flat()
      return rules.length === 0 || rules.length > maxRules
        ? problem(400, `Send 1 to ${maxRules} rules.`)
        : json(201, { rules: sandbox.use(...rules) })
    },
  }),
  route('DELETE /rules', 'removeRules', 'Remove all rules', {
    responses: { 204: response('All rules are removed.') },
    handle({ sandbox }) {
      sandbox.removeRules()
    },
  }),
  route('GET /rules/{id}', 'readRule', 'Read a rule', {
    needs: 'journal',
    responses: {
      200: response('The rule.', 'RuleInForce'),
      404: noRule,
    },
    async handle({ sandbox, path: { id = '' } }) {
      const found = sandbox.rules().filter((rule) => rule.id === id)
      const [rule] = await withNearest(sandbox, found)
      return rule === undefined ? missingRule(id) : json(200, rule)
    },
  }),
  route('PATCH /rules/{id}', 'changeRule', 'Switch a rule on or off, or move it', {
    body: { schema: 'RulePatch', example: { enabled: false } },
    responses: {
      200: response('The changed rule.', 'RuleInForce'),
      404: noRule,
    },
    handle({ sandbox, path: { id = '' }, body }) {
      const rule = sandbox.changeRule(id, body)
      return rule === undefined ? missingRule(id) : json(200, rule)
    },
  }),
  route('DELETE /rules/{id}', 'removeRule', 'Remove a rule', {
    responses: {
      204: response('The rule is removed.'),
      404: noRule,
    },
    handle({ sandbox, path: { id = '' } }) {
      return sandbox.removeRules(id) ? empty() : missingRule(id)
    },
  }),
  route('GET /clock', 'readClock', 'Read the clock', {
    responses: theClock,
    handle: ({ sandbox }) => clockOf(sandbox),
  }),
  route('PUT /clock', 'setClock', 'Set, stop or start the clock', {
    description:
      'getPet is removed on 5 December 2030. An empty object stops the clock at the current time.',
    body: { schema: 'NewClock', example: { now: '2030-12-06' } },
    responses: theClock,
    handle({ sandbox, body: { now = sandbox.clock.now(), ...options } }) {
      sandbox.clock.set(now, options)
      return clockOf(sandbox)
    },
  }),
  route('DELETE /clock', 'resetClock', 'Reset the clock', {
    responses: theClock,
    handle({ sandbox }) {
      sandbox.clock.reset()
      return clockOf(sandbox)
    },
  }),
  route('POST /clock/advance', 'advanceClock', 'Move the clock', {
    description: 'Rate limits and outage windows move with the clock.',
    body: { schema: 'ClockAdvance', example: { ms: 60_000 } },
    responses: theClock,
    handle({ sandbox, body: { ms } }) {
      sandbox.clock.advance(ms)
      return clockOf(sandbox)
    },
  }),
]

const missingRule = (id: string) => problem(404, `No rule has the id ${JSON.stringify(id)}.`)

/** Without data, and without keys that the mock was given. */
function settingsOf({ name, key, settings }: Sandbox) {
  const { seed, pets, ids, basePath, keys } = settings
  const known = name === undefined ? keys.find((one) => one === defaultKey) : key
  return {
    seed,
    pets,
    ids,
    basePath,
    key: known,
    ...changeableOf(settings),
  }
}

const clockOf = ({ clock: { now, frozen, startedAt } }: Sandbox) =>
  json(200, { now: now().toISOString(), frozen, startedAt: startedAt.toISOString() })
