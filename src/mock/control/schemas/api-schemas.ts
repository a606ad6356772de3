import { behaviors } from '../../../spec/behaviors.ts'
import { resources } from '../../../spec/schemas.gen.ts'
import { maxRules } from '../../rules/rule.ts'
import { ref, ruleFields, schemas as inputs, text } from '../../schemas/schemas.ts'
import { schemas as scorecards } from '../../scorecard/validators.gen.ts'
import { entry } from './entry-schema.ts'
import {
  array,
  bodies,
  boolean,
  count,
  countOf,
  instant,
  list,
  object,
  string,
  words,
} from './input-schemas.ts'

const changeable = {
  ...inputs.SettingsPatch.properties,
  defects: { ...inputs.SettingsPatch.properties.defects, items: ref('DefectId') },
}

const option = object({ value: text, meaning: text })

/** The schemas of all requests and replies except `DefectId`: JSON Schema 2020-12. */
export const schemas = {
  ...bodies,
  Error: resources.Error,
  Pet: inputs.Pet,
  Pets: array(ref('Pet'), 'Ids are unique, which the schema does not express.'),
  NewPet: {
    ...inputs.Pet,
    required: inputs.Pet.required.filter((name) => name !== 'id'),
    description: 'A pet to add: without an id it gets the next one.',
  },
  NewPets: { oneOf: [ref('NewPet'), array(ref('NewPet'))] },
  PetCount: object({ pets: countOf('The current number of pets.') }),
  Index: object({
    name: text,
    version: string('The version of petstore-kit.'),
    openapi: string('The path of this document.'),
    operations: array(object({ method: text, path: text, summary: text })),
  }),
  Health: object({ status: { const: 'ok' }, 'reloads?': count }),
  Readiness: object({ status: { const: 'ready' } }),
  Document: {
    type: 'object',
    required: ['openapi', 'info', 'paths'],
    description: 'An OpenAPI 3.1 document.',
  },
  Settings: object({
    seed: { type: 'integer' },
    pets: countOf('The number of initial pets.'),
    ids: {
      enum: ['small', 'large'],
      description: 'Whether ids are 1, 2, 3, or odd and beyond 2^53.',
    },
    basePath: text,
    'key?': string(
      'An API key of the sandbox. Absent when the mock was given its keys, which are secrets.',
    ),
    ...changeable,
    profile: { ...ref('Profile'), required: behaviors.map((behavior) => behavior.id) },
    'proxyOf?': string('The deployment behind `petstore proxy`.'),
  }),
  SettingsPatch: { ...inputs.SettingsPatch, properties: changeable },
  Profile: inputs.Profile,
  ObservedProfile: {
    type: 'object',
    description:
      'A profile, or a report of the suite with a `profile`. `unknown` is omitted, and so is what the mock cannot do.',
  },
  ProfileTaken: object({
    settings: ref('Settings'),
    leftOut: array(text, 'The ids of behaviors that the mock cannot show as observed.'),
  }),
  Snapshot: object({ name: text, pets: count, savedAt: instant }),
  Snapshots: list('snapshots', ref('Snapshot')),
  Rule: inputs.Rule,
  RuleCondition: inputs.RuleCondition,
  RuleReply: inputs.RuleReply,
  RuleStep: inputs.RuleStep,
  Delay: inputs.Delay,
  Fault: inputs.Fault,
  TextMatcher: inputs.TextMatcher,
  NewRules: {
    oneOf: [ref('Rule'), { type: 'array', items: ref('Rule'), minItems: 1, maxItems: maxRules }],
  },
  RuleInForce: {
    description: 'A rule in force, and how often it was used.',
    type: 'object',
    required: ['id', 'used', 'enabled', 'active'],
    properties: {
      ...ruleFields,
      function: string('The name of the function if the rule is one, or `anonymous`.'),
      id: string('`rule-1`, `rule-2` and so on.'),
      used: countOf('The number of requests that it applied to.'),
      remaining: countOf('How often it can still be used. Absent without `times`.'),
      enabled: boolean('False when it is switched off.'),
      active: boolean(
        'Whether it can still apply: it is enabled, and neither `times` nor `during` is over.',
      ),
      nearest: {
        ...ref('NearestRequest'),
        description:
          'Why no request has used it, judging by the latest requests since it was added. Only in replies to GET.',
      },
    },
  },
  NearestRequest: object({
    number: countOf('The number of its entry in the journal.'),
    method: text,
    target: text,
    differences: array(
      object({
        part: string(
          '`operation`, `petId`, `query`, `headers` or `body` of the condition; `key` when the key is missing or invalid.',
        ),
        'name?': string('The name of the parameter, header or field.'),
        'wanted?': { description: 'What the condition requires: a value or a matcher.' },
        'sent?': { description: 'The value in the request. Absent when it is missing.' },
      }),
      'Empty when the request meets the condition, and the rule did not apply for another reason.',
    ),
    message: string('The same as a sentence.'),
  }),
  Rules: list('rules', ref('RuleInForce')),
  Clock: object({
    now: {
      ...text,
      pattern:
        '^(?:[0-9]{4}|[+-][0-9]{6})-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$',
      description:
        'The time of the sandbox in UTC. Outside of the years 0 to 9999, the year has a sign and six digits.',
    },
    frozen: boolean('Whether the clock is stopped.'),
    startedAt: { ...instant, description: 'When the sandbox started, by the system clock.' },
  }),
  JournalEntry: entry,
  JournalCount: object({ count: countOf('The number of entries.') }),
  Har: { type: 'object', required: ['log'], description: 'An HTTP archive, version 1.2 (HAR).' },
  Journal: object({
    dropped: countOf(
      'Entries dropped since the journal was cleared: it was among the largest when all journals together were too large.',
    ),
    entries: array(ref('JournalEntry')),
  }),
  ...scorecards,
  Run: {
    title: 'SuiteRun',
    description: 'A run of the contract suite.',
    ...object({
      id: text,
      target: string('`mock`, or the name of a deployment.'),
      'sandbox?': string('The sandbox whose settings the run uses. Absent for the mock itself.'),
      startedAt: instant,
      'endedAt?': instant,
      state: { enum: ['running', 'ended', 'cancelled', 'failed'] },
      progress: {
        title: 'RunProgress',
        ...object({ done: count, of: count, 'check?': string('The check that ended last.') }),
      },
      'verdict?': { enum: ['conforms', 'violates', 'not-verified'] },
      'counts?': {
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
      'summary?': string(
        'What it found, in the words of the report: `1 cause, 6 consequences, 49 of 49 requirements checked`.',
      ),
      'message?': string('Why it failed.'),
    }),
  },
  Runs: object({
    runs: array(ref('Run')),
    targets: array(text, 'What the suite may run against: `mock`, and deployments.'),
  }),
  Report: {
    type: 'object',
    description: 'The report of `petstore verify`: `petstore-kit/report.schema.json`.',
  },
  Comparison: {
    type: 'object',
    description: 'As of `petstore compare`: `petstore-kit/comparison.schema.json`.',
  },
  BaselineDocument: {
    type: 'object',
    description: 'A baseline: `petstore-kit/baseline.schema.json`.',
  },
  SandboxKey: object({ name: text, key: string('The API key of the sandbox.') }),
  Sandbox: object({
    name: text,
    key: text,
    pets: count,
    requests: countOf('Requests since its journal was cleared.'),
    'lastSeen?': {
      ...instant,
      description: 'When its latest request arrived. Absent before the first.',
    },
    'score?': {
      type: ['integer', 'null'],
      minimum: 0,
      maximum: 100,
      description:
        'The score of its key: null without requests. Absent in a list without `scores=true`.',
    },
  }),
  Sandboxes: object({
    sandboxes: array(ref('Sandbox'), 'The least recently used first.'),
    dropped: countOf('The number of sandboxes dropped at full capacity.'),
  }),
  Saved: object({ file: string('The file with the state.') }),
  Explanation: {
    oneOf: [ref('RequirementExplanation'), ref('BehaviorExplanation')],
    discriminator: {
      propertyName: 'kind',
      mapping: {
        requirement: '#/components/schemas/RequirementExplanation',
        behavior: '#/components/schemas/BehaviorExplanation',
      },
    },
  },
  Requirements: list('requirements', ref('RequirementExplanation')),
  Behaviors: list('behaviors', ref('BehaviorExplanation')),
  Defects: list(
    'defects',
    object({
      id: ref('DefectId'),
      requirement: string('The id of the requirement that it breaks.'),
      ...words,
      description: text,
      active: boolean('Whether it is on in the sandbox.'),
    }),
  ),
  RequirementExplanation: object({
    kind: { const: 'requirement' },
    id: text,
    section: string('The section of the specification.'),
    ...words,
    restates: array(text, 'Other places that state the same.'),
    reading: text,
    'untestable?': string('Why no request can test it. Absent when one can.'),
    'breaks?': string('What usually breaks it. Absent when it cannot be tested.'),
    'fix?': string('How to fix what breaks it.'),
  }),
  BehaviorExplanation: object({
    kind: { const: 'behavior' },
    id: text,
    section: string('The section of the specification.'),
    ...words,
    question: text,
    options: array(option),
    'free?': string('The kind of other values that are allowed.'),
    default: string('The default option of the mock.'),
    'active?': string('The active option in the sandbox. Absent in an explanation.'),
    why: text,
    safe: string('What a client does to be safe with every option, to follow "A client that".'),
    'chosen?': string('The option in the id.'),
  }),
} as const satisfies Record<string, object>

export type SchemaName = keyof typeof schemas
