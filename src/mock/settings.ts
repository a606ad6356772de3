import { didYouMean, type Issue, UsageError, formatValue } from '../errors.ts'
import { checkPets } from './catalog.ts'
import { toInstant } from './clock.ts'
import type { Deviation } from './deviations/deviation.ts'
import type { StoredPet } from './catalog.ts'
import { completeProfile } from './choices.ts'
import { mostRules, readRule } from './read-rule.ts'
import type { MockOptions, Settings, SettingsPatch } from './types.ts'
import { sandboxName } from './sandbox-key.ts'

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
 * @throws {UsageError} that tells all mistakes together.
 */
export function readSettings(options: MockOptions, { table, known = [], mistakes = [] }: ReadSettings): Settings {
  const all = [...names, ...known]
  for (const name of Object.keys(options)) {
    if (!all.includes(name))
      mistakes.push({ path: '', message: `There is no option ${JSON.stringify(name)}. There are ${all.join(', ')}.` })
  }
  const { seed = 1, pets = 100, keys = [defaultKey], basePath = '/v1', now, rules = [] } = options
  const { sandboxes = true, overrides = true, explain = false, onNotice, onRequest, data } = options
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
      message: 'must hold no sandbox key: each of those leads to a world of its own without being listed.',
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
  const flags = { sandboxes, overrides, explain }
  for (const [name, flag] of Object.entries(flags)) {
    if (typeof flag !== 'boolean')
      mistakes.push({ path: name, message: `must be true or false, and was ${formatValue(flag)}.` })
  }
  for (const [name, listener] of Object.entries({ onNotice, onRequest })) {
    if (listener !== undefined && typeof listener !== 'function')
      mistakes.push({ path: name, message: 'must be a function.' })
  }
  if (!Array.isArray(rules))
    mistakes.push({ path: 'rules', message: `must be a list of rules, and was ${formatValue(rules)}.` })
  else if (rules.length > mostRules)
    mistakes.push({ path: 'rules', message: `must be at most ${mostRules}, and were ${rules.length}.` })
  const read = (Array.isArray(rules) ? rules : []).map((rule, index) => readRule(rule, `rules/${index}`, mistakes))
  const patch = readPatch(options, table, mistakes)
  if (mistakes.length > 0) throw new UsageError(mistakes)
  return Object.freeze({
    seed,
    pets: given?.length ?? pets,
    data: given,
    keys: Object.freeze([...keys]),
    basePath,
    ...patch,
    rules: Object.freeze(read),
    ...flags,
    now: typeof now === 'function' ? () => now().getTime() : () => Date.now(),
    stoppedAt,
  })
}

/** The profile and the deviations of options. */
function readPatch(
  options: Pick<MockOptions, 'profile' | 'deviations'>,
  table: readonly Deviation[],
  mistakes: Issue[],
): Pick<Settings, 'profile' | 'deviations'> {
  const { profile = {}, deviations = [] } = options
  const chosen: unknown = deviations
  const ids: readonly unknown[] = Array.isArray(chosen) ? chosen : []
  const isProfile = typeof profile === 'object' && profile !== null && !Array.isArray(profile)
  if (!isProfile)
    mistakes.push({
      path: 'profile',
      message: `must be an object of choices and options, and was ${formatValue(profile)}.`,
    })
  const complete = completeProfile(isProfile ? profile : {}, mistakes)
  if (!Array.isArray(chosen))
    mistakes.push({ path: 'deviations', message: `must be a list of ids, and was ${formatValue(chosen)}.` })
  for (const id of ids) {
    if (!table.some((deviation) => deviation.id === id))
      mistakes.push({ path: 'deviations', message: unknownDeviation(id, table) })
  }
  return { profile: complete, deviations: Object.freeze([...(ids as readonly string[])]) }
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

function unknownDeviation(id: unknown, table: readonly Deviation[]): string {
  const there = `there is no deviation ${formatValue(id)}`
  if (table.length === 0) return `${there} here. They are loaded by petstore-kit/mock: make the mock there.`
  return `${there}${didYouMean(
    formatValue(id),
    table.map((deviation) => deviation.id),
  )}`
}

/** @throws {UsageError} that tells all mistakes. */
export function patchSettings(settings: Settings, patch: SettingsPatch, table: readonly Deviation[]): Settings {
  const mistakes: Issue[] = []
  if (typeof patch !== 'object' || patch === null) {
    throw new UsageError(`What changes must be an object of settings, and was ${formatValue(patch)}.`)
  }
  const { profile, deviations = settings.deviations, overrides, explain, ...others } = patch
  for (const name of Object.keys(others)) {
    mistakes.push({
      path: '',
      message: `${JSON.stringify(name)} cannot be changed while the mock runs. What can are profile, deviations, overrides and explain.`,
    })
  }
  const flags = {
    ...(overrides !== undefined && { overrides }),
    ...(explain !== undefined && { explain }),
  }
  for (const [name, flag] of Object.entries(flags)) {
    if (typeof flag !== 'boolean')
      mistakes.push({ path: name, message: `must be true or false, and was ${formatValue(flag)}.` })
  }
  const isProfile =
    profile === undefined || (typeof profile === 'object' && profile !== null && !Array.isArray(profile))
  const read = readPatch(
    { profile: isProfile ? { ...settings.profile, ...withoutUndefined(profile) } : profile, deviations },
    table,
    mistakes,
  )
  if (mistakes.length > 0) throw new UsageError(mistakes)
  return Object.freeze({ ...settings, ...flags, ...read })
}

function withoutUndefined(profile: SettingsPatch['profile'] = {}): SettingsPatch['profile'] {
  return Object.fromEntries(Object.entries(profile).filter(([, option]) => option !== undefined))
}
