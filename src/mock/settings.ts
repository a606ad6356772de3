import { didYouMean, type Issue, UsageError, formatValue } from '../errors.ts'
import { issuesOf } from '../validate.ts'
import { checkPets } from './catalog.ts'
import { toInstant } from './clock.ts'
import type { Deviation } from './deviations/deviation.ts'
import type { StoredPet } from './catalog.ts'
import { defaultProfile } from './choices.ts'
import { mostRules, readRule } from './read-rule.ts'
import type { MockOptions, Settings, SettingsPatch } from './types.ts'
import { sandboxName } from './sandbox-key.ts'
import { validators } from './validators.gen.ts'

/** The clock of the system: milliseconds since 1970. */
export const systemTime = (): number => Date.now()

/** The API key of a mock whose user chose none. */
export const defaultKey = 'petstore-test-key'

const mostPets = 100_000
const names = [
  'seed',
  'pets',
  'data',
  'keys',
  'basePath',
  'profile',
  'deviations',
  'rules',
  'sandboxes',
  'overrides',
  'explain',
  'onNotice',
  'onRequest',
  'Collection',
  'now',
]

/** What a caller of `readSettings` knows. */
export interface ReadSettings {
  /** The deviations that ids are looked up in. */
  table: readonly Deviation[]
  /** Names of further options, which the caller checks. */
  known?: readonly string[]
  /** Found by the caller. */
  mistakes?: Issue[]
}

/**
 * Checks options once.
 *
 * @throws {UsageError} with all mistakes.
 */
export function readSettings(options: MockOptions, { table, known = [], mistakes = [] }: ReadSettings): Settings {
  const all = [...names, ...known]
  for (const name of Object.keys(options)) {
    if (!all.includes(name))
      mistakes.push({ path: '', message: `There is no option ${JSON.stringify(name)}. There are ${all.join(', ')}.` })
  }
  const { seed = 1, pets = 100, keys = [defaultKey], basePath = '/v1', now, rules = [] } = options
  const { sandboxes = true, onNotice, onRequest, data } = options
  if (!Number.isSafeInteger(seed))
    mistakes.push({ path: 'seed', message: `must be an integer, and was ${formatValue(seed)}.` })
  if (!isCount(pets, mostPets))
    mistakes.push({ path: 'pets', message: `must be an integer from 0 to ${mostPets}, and was ${formatValue(pets)}.` })
  if (data !== undefined && options.pets !== undefined)
    mistakes.push({ path: '', message: 'pets and data exclude each other.' })
  const given = data === undefined ? undefined : readData(data, mistakes)
  if (!Array.isArray(keys) || keys.length === 0 || !keys.every(isKey)) {
    mistakes.push({
      path: 'keys',
      message: 'must be a list of API keys: at least one, each of printable ASCII without spaces.',
    })
  } else if (sandboxes && (keys as readonly string[]).some((key) => sandboxName(key) !== undefined)) {
    mistakes.push({
      path: 'keys',
      message: 'must hold no sandbox key: each of those leads to its own sandbox without being listed.',
    })
  }
  if (typeof basePath !== 'string' || !/^(\/[\w.~-]+)*$/.test(basePath)) {
    mistakes.push({
      path: 'basePath',
      message: `must be a path such as /v1, without a slash at its end, and was ${formatValue(basePath)}.`,
    })
  }
  const stoppedAt = typeof now === 'function' ? undefined : toInstant(now)
  if (now !== undefined && typeof now !== 'function' && stoppedAt === undefined)
    mistakes.push({
      path: 'now',
      message: `must be a Date, a date such as 2030-12-05, or a function, and was ${formatValue(now)}.`,
    })
  if (typeof sandboxes !== 'boolean')
    mistakes.push({ path: 'sandboxes', message: `must be true or false, and was ${formatValue(sandboxes)}.` })
  for (const [name, listener] of Object.entries({ onNotice, onRequest })) {
    if (listener !== undefined && typeof listener !== 'function')
      mistakes.push({ path: name, message: 'must be a function.' })
  }
  if (!Array.isArray(rules))
    mistakes.push({ path: 'rules', message: `must be a list of rules, and was ${formatValue(rules)}.` })
  else if (rules.length > mostRules)
    mistakes.push({ path: 'rules', message: `must be at most ${mostRules}, and were ${rules.length}.` })
  const read = (Array.isArray(rules) ? rules : []).map((rule, index) => readRule(rule, `rules/${index}`, mistakes))
  const { profile, deviations, overrides, explain } = options
  const patch = readPatch({ profile, deviations, overrides, explain }, initial, table, mistakes)
  if (mistakes.length > 0) throw new UsageError(mistakes)
  return Object.freeze({
    seed,
    pets: given?.length ?? pets,
    data: given,
    keys: Object.freeze([...keys]),
    basePath,
    ...patch,
    rules: Object.freeze(read),
    sandboxes,
    now: typeof now === 'function' ? () => now().getTime() : systemTime,
    stoppedAt,
  })
}

type Changeable = Pick<Settings, 'profile' | 'deviations' | 'overrides' | 'explain'>

const initial: Changeable = { profile: defaultProfile, deviations: [], overrides: true, explain: false }

/** What may change while a mock runs, after a patch. */
function readPatch(patch: unknown, before: Changeable, table: readonly Deviation[], issues: Issue[]): Changeable {
  const found = issuesOf(validators.SettingsPatch, patch, { quotes: true }).map(({ code, path, message }) => ({
    path,
    message:
      code === 'closed'
        ? `cannot be changed while the mock runs; what can be: ${Object.keys(before).join(', ')}.`
        : `${path === '' ? 'The settings ' : ''}${message}`,
  }))
  const { profile, deviations, overrides, explain } = (patch ?? {}) as SettingsPatch
  const ids = Array.isArray(deviations) ? (deviations as readonly string[]) : []
  const unknown = ids.filter((id) => typeof id === 'string' && !table.some((deviation) => deviation.id === id))
  issues.push(...found, ...unknown.map((id) => ({ path: 'deviations', message: unknownDeviation(id, table) })))
  if (found.length > 0) return before
  const chosen = Object.entries(profile ?? {}).filter(([, option]) => option !== undefined)
  return {
    profile: Object.freeze({ ...before.profile, ...Object.fromEntries(chosen) }),
    deviations: deviations === undefined ? before.deviations : Object.freeze([...ids]),
    overrides: overrides ?? before.overrides,
    explain: explain ?? before.explain,
  }
}

/** @throws {UsageError} with all issues. */
export function patchSettings(settings: Settings, patch: SettingsPatch, table: readonly Deviation[]): Settings {
  const issues: Issue[] = []
  const { profile, deviations, overrides, explain } = settings
  const changed = readPatch(patch, { profile, deviations, overrides, explain }, table, issues)
  if (issues.length > 0) throw new UsageError(issues)
  return Object.freeze({ ...settings, ...changed })
}

/** Whether a value is an integer from 0 to `most`. */
export function isCount(value: unknown, most: number): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= most
}

function isKey(key: unknown): boolean {
  return typeof key === 'string' && /^[\x21-\x7e]+$/.test(key)
}

function readData(data: unknown, mistakes: Issue[]): readonly StoredPet[] | undefined {
  const checked = checkPets(data)
  if ('pets' in checked) return checked.pets
  mistakes.push(...checked.mistakes.map(({ pointer, message }) => ({ path: `data${pointer}`, message })))
  return undefined
}

function unknownDeviation(id: string, table: readonly Deviation[]): string {
  const there = `there is no deviation ${JSON.stringify(id)}`
  if (table.length === 0) return `${there} here. They are loaded by petstore-kit/mock: make the mock there.`
  return `${there}${didYouMean(
    id,
    table.map((deviation) => deviation.id),
  )}`
}
