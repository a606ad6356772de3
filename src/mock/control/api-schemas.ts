import { choices } from '../../spec/choices.ts'
import { errorSchema } from '../../spec/schemas.ts'
import { maxRules } from '../rule.ts'
import { ruleFields, schemas as inputs } from '../schemas.ts'
import { schemas as scorecards } from '../scorecard/validators.gen.ts'
import { array, count, countOf, entry, instant, list, object, ref, string, text, words } from './entry-schema.ts'
import { bodies } from './input-schemas.ts'

const { $schema: _, ...error } = errorSchema

const changeable = {
  ...inputs.SettingsPatch.properties,
  deviations: { ...inputs.SettingsPatch.properties.deviations, items: ref('DeviationId') },
}

const option = object({ value: text, meaning: text })

/** The schemas of all requests and replies except `DeviationId`: JSON Schema 2020-12. */
export const schemas = {
  ...bodies,
  Error: error,
  Pet: inputs.Pet,
  Pets: array(ref('Pet'), 'Each with an id of its own, which a schema cannot say.'),
  NewPet: {
    ...inputs.Pet,
    required: inputs.Pet.required.filter((name) => name !== 'id'),
    description: 'A pet to add: without an id it gets the next one.',
  },
  NewPets: { oneOf: [ref('NewPet'), array(ref('NewPet'))] },
  PetCount: object({ pets: countOf('How many pets there are now.') }),
  Index: object({
    name: text,
    version: string('Of petstore-kit.'),
    openapi: string('The path of this document.'),
    operations: {
      type: 'array',
      items: object({ method: text, path: text, summary: text }),
    },
  }),
  Health: object({ status: { const: 'ok' }, reloads: count }, ['reloads']),
  Readiness: object({ status: { const: 'ready' } }),
  Document: { type: 'object', required: ['openapi', 'info', 'paths'], description: 'An OpenAPI 3.1 document.' },
  Settings: object(
    {
      seed: { type: 'integer' },
      pets: countOf('How many pets there are at the start.'),
      ids: { enum: ['small', 'large'], description: 'Whether ids are 1, 2, 3, or odd and beyond 2^53.' },
      basePath: text,
      ...changeable,
      profile: { ...ref('Profile'), required: choices.map((choice) => choice.id) },
      proxyOf: string('Of `petstore proxy`: the deployment to which requests are passed on.'),
    },
    ['proxyOf'],
  ),
  SettingsPatch: { ...inputs.SettingsPatch, properties: changeable },
  Profile: inputs.Profile,
  ObservedProfile: {
    type: 'object',
    description:
      'A profile, or a report of the suite that holds one as `profile`. `unknown` is left out, and so is what the mock ' +
      'cannot do.',
  },
  ProfileTaken: object({
    settings: ref('Settings'),
    leftOut: array(text, 'The ids of the behaviors that the mock cannot show so.'),
  }),
  Snapshot: object({ name: text, pets: count, savedAt: instant }),
  Snapshots: list('snapshots', ref('Snapshot')),
  Rule: inputs.Rule,
  RuleCondition: inputs.RuleCondition,
  RuleReply: inputs.RuleReply,
  NewRules: {
    oneOf: [ref('Rule'), { type: 'array', items: ref('Rule'), minItems: 1, maxItems: maxRules }],
  },
  RuleInForce: {
    type: 'object',
    required: ['id', 'used', 'enabled', 'active'],
    properties: {
      ...ruleFields,
      function: string('Of a rule that is a function, its name, or `anonymous`.'),
      id: string('`rule-1`, `rule-2` and so on.'),
      used: countOf('Requests that it was applied to.'),
      remaining: countOf('How often it can still be used. Absent without `times`.'),
      enabled: { type: 'boolean', description: 'Whether it is switched on.' },
      active: { type: 'boolean', description: 'Whether it will be applied again.' },
    },
  },
  Rules: list('rules', ref('RuleInForce')),
  Clock: object({
    now: {
      ...text,
      pattern: '^(?:[0-9]{4}|[+-][0-9]{6})-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$',
      description:
        'The instant that the clock of the sandbox shows, in UTC. Outside of the years 0 to 9999, the year has a sign and ' +
        'six digits.',
    },
    frozen: { type: 'boolean', description: 'Whether it stands still.' },
    startedAt: { ...instant, description: 'When the sandbox started, by the clock of the system.' },
  }),
  JournalEntry: entry,
  Har: { type: 'object', required: ['log'], description: 'An HTTP archive, version 1.2 (HAR).' },
  Journal: list('entries', ref('JournalEntry')),
  ...scorecards,
  Run: {
    description: 'A run of the contract suite.',
    ...object(
      {
        id: text,
        target: string('`mock`, or the name of a deployment.'),
        sandbox: string('The sandbox whose settings the run took. Absent for the mock itself.'),
        startedAt: instant,
        endedAt: instant,
        state: { enum: ['running', 'ended', 'cancelled', 'failed'] },
        progress: object({ done: count, of: count, check: string('Which ended last.') }, ['check']),
        verdict: { enum: ['conforms', 'violates', 'not-verified'] },
        counts: {
          ...object({
            verified: count,
            violated: count,
            notVerified: count,
            notApplicable: count,
            requests: count,
            writes: count,
          }),
          description: 'As in the report.',
        },
        message: string('Why it failed.'),
      },
      ['sandbox', 'endedAt', 'verdict', 'counts', 'message'],
    ),
  },
  Runs: object({
    runs: array(ref('Run')),
    targets: array(text, 'What the suite may run against: `mock`, and deployments.'),
  }),
  Report: { type: 'object', description: 'The report of `petstore verify`: `petstore-kit/report.schema.json`.' },
  Comparison: object({
    verdict: { enum: ['same', 'no-difference', 'differ', 'not-verified'] },
    before: { type: 'object' },
    after: { type: 'object' },
    requirements: object({
      regressed: array(ref('RequirementChange'), 'Violated now, and not before.'),
      fixed: array(ref('RequirementChange'), 'Violated before, and verified now.'),
      incomparable: array(ref('RequirementChange'), 'One of the runs was inconclusive.'),
      same: count,
    }),
    behaviors: object({
      differing: array(ref('BehaviorChange')),
      oneSided: array(ref('BehaviorChange'), 'Only one of the runs observed them.'),
      same: count,
      unknown: countOf('How many only one of the runs observed, or neither.'),
    }),
  }),
  BehaviorChange: object({
    id: text,
    before: text,
    after: text,
    question: text,
    safe: string('What a client does to be safe with both.'),
    exchanges: {
      ...object({ before: ref('Exchange'), after: ref('Exchange') }, ['before', 'after']),
      description: 'What showed each option.',
    },
  }),
  RequirementChange: object(
    {
      id: text,
      section: text,
      quote: text,
      before: text,
      after: text,
      message: string('What was found where it is violated, or why it is not verified.'),
      exchange: ref('Exchange'),
    },
    ['exchange'],
  ),
  Exchange: object({
    request: object({ method: text, url: text, headers: { type: 'object' }, body: text }, ['body']),
    response: object({ status: count, headers: { type: 'object' }, body: text, bodyCut: { const: true } }, ['bodyCut']),
    curl: string('The same request from a shell, with the key in PETSTORE_API_KEY.'),
  }),
  BaselineDocument: { type: 'object', description: 'A baseline: `petstore-kit/baseline.schema.json`.' },
  SandboxKey: object({ name: text, key: string('The API key that leads there.') }),
  Sandbox: object(
    {
      name: text,
      key: text,
      pets: count,
      requests: countOf('How many requests its journal has counted.'),
      lastSeen: { ...instant, description: 'When its latest request came. Absent before the first.' },
      score: {
        type: ['integer', 'null'],
        minimum: 0,
        maximum: 100,
        description: 'The score of its key: null without requests. Absent in a list without `scores=true`.',
      },
    },
    ['lastSeen', 'score'],
  ),
  Sandboxes: object({
    sandboxes: array(ref('Sandbox'), 'The least recently used first.'),
    dropped: countOf('How many were dropped at full capacity.'),
  }),
  Saved: object({ file: string('The file that holds the state now.') }),
  Explanation: {
    oneOf: [ref('ClauseExplanation'), ref('ChoiceExplanation')],
    discriminator: {
      propertyName: 'kind',
      mapping: { clause: '#/components/schemas/ClauseExplanation', choice: '#/components/schemas/ChoiceExplanation' },
    },
  },
  Requirements: list('requirements', ref('ClauseExplanation')),
  Behaviors: list('behaviors', ref('ChoiceExplanation')),
  Deviations: list(
    'deviations',
    object({
      id: ref('DeviationId'),
      clause: string('The id of the requirement that it breaks.'),
      ...words,
      description: text,
      active: { type: 'boolean', description: 'Whether it is on in the sandbox.' },
    }),
  ),
  ClauseExplanation: object(
    {
      kind: { const: 'clause' },
      id: text,
      section: string('Where it stands in the specification.'),
      ...words,
      restates: array(text, 'Other places that say the same.'),
      reading: text,
      untestable: string('Why no request from outside can test it. Not there where one can.'),
      breaks: string('What usually breaks it. Not there where it cannot be tested.'),
      fix: string('How to fix what breaks it.'),
    },
    ['untestable', 'breaks', 'fix'],
  ),
  ChoiceExplanation: object(
    {
      kind: { const: 'choice' },
      id: text,
      section: string('Where the specification leaves it open.'),
      ...words,
      question: text,
      options: array(option),
      free: string('Of what kind the further texts are that are allowed, too.'),
      default: string('The option that the mock takes until another is chosen.'),
      active: string('The option that is active in the sandbox. Absent in an explanation.'),
      why: text,
      safe: string('What a client does to be safe with every option: it follows "A client that".'),
      chosen: string('The option that the id names.'),
    },
    ['free', 'active', 'chosen'],
  ),
} as const satisfies Record<string, object>

export type SchemaName = keyof typeof schemas
