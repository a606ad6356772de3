import { didYouMean, expectNone, fail, type Issue } from '../../errors.ts'
import type { Profile } from '../../spec/behaviors.ts'
import { issuesOf, maxIssues, toInstant } from '../../validate.ts'
import { generatePets } from '../pets/generate.ts'
import { checkPets, type StoredPet } from '../pets/pet.ts'
import { defaultEntries } from '../journal/journal.ts'
import type { Defect } from '../defects/defect.ts'
import { maxRules, readRule } from '../rules/rule.ts'
import type { MockOptions, Settings, SettingsPatch } from './types.ts'
import {
  definedIn,
  integer,
  integerIn,
  isFunction,
  listener,
  mistakesIn,
  type OptionCheck,
  type OptionChecks,
} from '../../option-checks.ts'
import { isNamePattern, sandboxName } from '../service/sandbox-key.ts'
import { options as behaviorOptions, validators } from '../schemas/validators.gen.ts'

export const systemTime = (): number => Date.now()

/** The address of a mock without the option `host`. */
export const defaultHost = '127.0.0.1'

/** The API key of a mock without the option `keys`. */
export const defaultKey = 'petstore-test-key'

/** The default option of each unspecified behavior. */
export const defaultProfile: Readonly<Profile> = Object.freeze(
  Object.fromEntries(
    Object.entries(behaviorOptions).map(([id, values]) => [id, values.split('|', 1)[0]]),
  ) as Profile,
)

/** The options that are integers with bounds: minimum, maximum. */
export const ranges = { pets: [0, 100_000], journal: [100, 100_000], port: [0, 65_535] } as const

const defaultPets = 100

const isKey = (key: unknown): key is string => typeof key === 'string' && /^[\x21-\x7e]+$/.test(key)
/** As a browser sends it. `*` and `null` stand for any page, and no such page may send credentials. */
export const isOrigin = (origin: unknown): boolean =>
  typeof origin === 'string' &&
  /^[a-z][a-z\d+.-]*:\/\/[^\s/?#*@]+$/.test(origin) &&
  (!/^https?:/.test(origin) || (URL.canParse(origin) && new URL(origin).origin === origin))
/** For options that are checked elsewhere. */
const anything: OptionCheck = ['', () => true]

const checks: { readonly [Name in keyof Required<MockOptions>]: OptionCheck } = {
  seed: integer,
  pets: integerIn(ranges.pets),
  ids: ['one of small, large', (ids) => ids === 'small' || ids === 'large'],
  data: anything,
  generate: ['a function that returns a NewPet', isFunction],
  keys: [
    'a list of API keys: at least one, each of printable ASCII without spaces',
    (keys) => Array.isArray(keys) && keys.length > 0 && keys.every(isKey),
  ],
  basePath: [
    'a path such as /v1, without dot segments and a slash at its end',
    // Clients resolve dot segments before they send a request.
    (path) => typeof path === 'string' && /^(\/(?!\.{1,2}(\/|$))[\w.~-]+)*$/.test(path),
  ],
  corsOrigins: [
    'a list of origins such as http://localhost:5173, without a path and without *',
    (origins) => Array.isArray(origins) && origins.every(isOrigin),
  ],
  profile: anything,
  defects: anything,
  rules: [
    `a list of at most ${maxRules} rules`,
    (rules) => Array.isArray(rules) && (rules as unknown[]).length <= maxRules,
  ],
  sandboxes: [
    'true, false, or a list of names such as team-a or team-*',
    (names) =>
      typeof names === 'boolean' ||
      (Array.isArray(names) && names.length > 0 && names.every(isNamePattern)),
  ],
  overrides: anything,
  explain: anything,
  journal: integerIn(ranges.journal),
  onNotice: listener,
  onRequest: listener,
  Collection: listener,
  now: [
    'a Date, a date such as 2030-12-05, or a function',
    (now) => isFunction(now) || toInstant(now) !== undefined,
  ],
}
/** `table` has all defects, `more` checks of further options. Throws a UsageError with all mistakes. */
export function readSettings(
  options: MockOptions,
  table: readonly Defect[],
  more: OptionChecks = {},
): Settings {
  const mistakes = mistakesIn(options, { ...checks, ...more })
  const {
    seed = 1,
    pets = defaultPets,
    ids = 'small',
    keys = [defaultKey],
    basePath = '/v1',
    corsOrigins = [],
    sandboxes = true,
    journal = defaultEntries,
    now,
    rules = [],
  } = options
  const givenPets = readGivenPets(options, mistakes)
  if (
    sandboxes &&
    Array.isArray(keys) &&
    keys.some((key) => isKey(key) && sandboxName(key) !== undefined)
  ) {
    mistakes.push({
      path: 'keys',
      message:
        'must not contain a sandbox key: each of those opens its own sandbox without being listed.',
    })
  }
  const read = (Array.isArray(rules) ? rules : []).map((rule, index) =>
    readRule(rule, `rules/${index}`, mistakes),
  )
  const first = hasOrigins(corsOrigins) ? { ...defaults, profile: originsProfile } : defaults
  const patch = readPatch(changeableOf(options as Changeable), first, table, mistakes)
  expectNone(mistakes)
  return Object.freeze({
    seed,
    pets: givenPets?.length ?? pets,
    ids,
    data: givenPets,
    keys: Object.freeze([...keys]),
    basePath,
    corsOrigins: Object.freeze([...corsOrigins]),
    ...patch,
    journal,
    rules: Object.freeze(read),
    sandboxes: typeof sandboxes === 'boolean' ? sandboxes : Object.freeze([...sandboxes]),
    now:
      typeof now === 'function'
        ? () => toInstant(now()) ?? fail('now returns no Date.')
        : systemTime,
    stoppedAt: typeof now === 'function' ? undefined : toInstant(now),
  })
}

/** The initial pets of the options `data` or `generate`; undefined for those of the seed. */
function readGivenPets(options: MockOptions, mistakes: Issue[]): StoredPet[] | undefined {
  const { data, generate, seed, pets, ids = 'small' } = options
  const reject = (message: string): void => void mistakes.push({ path: '', message })
  if (data !== undefined && pets !== undefined) reject('pets and data cannot be combined.')
  if (data !== undefined && generate !== undefined)
    reject('data and generate cannot be combined: both make the initial pets.')
  if (seed !== undefined && generate !== undefined)
    reject('seed and generate cannot be combined: the pets are those that generate makes.')
  if (data !== undefined) return checkPets(data, 'data', mistakes)
  // With other mistakes, the function is not called.
  if (generate === undefined || mistakes.length > 0) return undefined
  return generatePets(generate, { count: pets ?? defaultPets, ids }, mistakes)
}

/** The settings that may change while a mock runs. */
export type Changeable = Pick<Settings, keyof SettingsPatch>

export const changeableOf = ({ profile, defects, overrides, explain }: Changeable): Changeable => ({
  profile,
  defects,
  overrides,
  explain,
})

const hasOrigins = (origins: unknown): boolean => Array.isArray(origins) && origins.length > 0

/** With a list of origins, other origins are none. */
const originsProfile: Readonly<Profile> = Object.freeze({ ...defaultProfile, 'http.cors': 'none' })

const defaults: Changeable = {
  profile: defaultProfile,
  defects: [],
  overrides: true,
  explain: false,
}

function readPatch(
  patch: unknown,
  before: Changeable,
  table: readonly Defect[],
  issues: Issue[],
): Changeable {
  const found = issuesOf(validators.SettingsPatch, patch, { quotes: true }).map(
    ({ code, path, message }) => ({
      path,
      message:
        code === 'closed'
          ? `cannot be changed while the mock is running; these can be: ${Object.keys(before).join(', ')}.`
          : `${path === '' ? 'The settings ' : ''}${message}`,
    }),
  )
  const { profile, defects, overrides, explain } = (patch ?? {}) as SettingsPatch
  const ids = Array.isArray(defects) ? (defects as Settings['defects']) : []
  const known = table.map(({ id }) => id)
  const unknown = ids
    .filter((id) => typeof id === 'string' && !known.includes(id))
    .slice(0, maxIssues)
  issues.push(
    ...found,
    ...unknown.map((id) => ({ path: 'defects', message: unknownDefect(id, known) })),
  )
  if (found.length > 0) return before
  return {
    profile: Object.freeze({ ...before.profile, ...definedIn(profile ?? {}) }),
    defects: defects === undefined ? before.defects : Object.freeze([...new Set(ids)]),
    overrides: overrides ?? before.overrides,
    explain: explain ?? before.explain,
  }
}

export function patchSettings(
  settings: Settings,
  patch: SettingsPatch,
  table: readonly Defect[],
): Settings {
  const issues: Issue[] = []
  const changed = readPatch(patch, changeableOf(settings), table, issues)
  expectNone(issues)
  return Object.freeze({ ...settings, ...changed })
}

function unknownDefect(id: string, known: readonly string[]): string {
  const there = `there is no defect ${JSON.stringify(id)}`
  if (known.length === 0)
    return `${there} here. They are loaded by petstore-kit/mock: make the mock there.`
  return there + didYouMean(id, known)
}
