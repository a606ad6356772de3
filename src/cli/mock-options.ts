import { UsageError } from '../errors.ts'
import { inertLines } from '../report/inert.ts'
import type { DeviationId } from '../mock/deviations.ts'
import { isDelay } from '../mock/read-rule.ts'
import type { Delay, Rule } from '../mock/types.ts'
import type { StartOptions } from '../mock/start.ts'
import type { Parsed } from '../options.ts'
import type { ExactPet } from '../spec/types.ts'
import type { Console } from './console.ts'
import type { JsonSource } from './json-source.ts'
import type { Sources } from './flag-issues.ts'

/** What the command line says of a mock. */
export interface MockInput {
  /** All but what the process adds: where to save, and whom to tell. */
  options: StartOptions
  /** The keys that are let in, sandbox keys among them. */
  keys: readonly string[]
  /** The options that `--vary` drew. */
  varied: Readonly<Record<string, string>>
  /** The files that it names, to tell where in them the mistakes are that `startMock` finds. */
  sources: Sources
}

/**
 * Reads the options of a mock from the command line, the environment and the files that they name.
 *
 * @param port where to listen when nothing says so
 * @throws {UsageError} that tells all mistakes
 */
export async function readMockOptions(console: Console, flags: Parsed, port: number): Promise<MockInput> {
  const mistakes: string[] = []
  const data = excluding(flags, 'data', 'pets', 'the pets come from the file, or from the seed', mistakes)
  const control = excluding(
    flags,
    'control-token',
    'no-control',
    'a control API that is not there needs no token',
    mistakes,
  )
  const pets = data === 'pets' ? undefined : await readSource(flags, 'data', 'the pets file', mistakes)
  const rules = await readSource(flags, 'rules', 'the rules file', mistakes)
  const named = await readNamedProfile(console, flags, mistakes)
  const choices = flags.list('choose').flatMap((text) => readChoice(text, mistakes))
  if (rules !== undefined && !Array.isArray(rules.value)) {
    mistakes.push(`${flags.text('rules')}:1:1: the rules must be a JSON array`)
  }
  const { before, after } = readTrouble(flags, mistakes)
  if (mistakes.length > 0) throw new UsageError(mistakes.join('\n'))

  const { defaultKey } = await import('../mock/settings.ts')
  const keys = flags.has('key') ? flags.list('key') : [defaultKey]
  const seed = flags.integer('vary')
  const varied = seed === undefined ? {} : (await import('../mock/profile.ts')).varyProfile(seed)
  const options: StartOptions = {
    port: flags.integer('port') ?? port,
    ...given('host', flags.text('host')),
    ...given('seed', flags.integer('seed')),
    ...given('pets', data === 'data' ? undefined : flags.integer('pets')),
    ...given('data', pets?.value as readonly ExactPet[] | undefined),
    ...given('basePath', flags.text('base-path')),
    ...given('now', flags.text('now')),
    ...given('controlToken', control === 'no-control' ? undefined : flags.text('control-token')),
    controlHosts: flags.list('control-host'),
    control: control === 'control-token' || !flags.has('no-control'),
    sandboxes: !flags.has('no-sandboxes'),
    overrides: !flags.has('no-overrides'),
    explain: flags.has('explain'),
    // The last rule goes first: a limit counts whatever else happens, and a delay of all answers gives way to others.
    rules: [...before, ...((rules?.value ?? []) as Rule[]), ...after],
    keys: flags.has('no-sandboxes') ? keys : await withoutSandboxes(keys, defaultKey),
    profile: { ...varied, ...named, ...Object.fromEntries(choices) },
    // Which ids there are is checked with all other options.
    deviations: flags.list('deviate') as DeviationId[],
  }
  return { options, keys, varied, sources: { data: pets, rules, rulesBefore: before.length } }
}

/**
 * Which of two options that exclude each other counts: the command line goes before the environment. Undefined when at
 * most one is there.
 */
function excluding<A extends string, B extends string>(
  flags: Parsed,
  one: A,
  other: B,
  why: string,
  mistakes: string[],
): A | B | undefined {
  if (!flags.has(one) || !flags.has(other)) return undefined
  const [isOneGiven, isOtherGiven] = [flags.given(one) !== undefined, flags.given(other) !== undefined]
  if (isOneGiven !== isOtherGiven) return isOneGiven ? one : other
  mistakes.push(`--${one} and --${other} exclude each other: ${why}`)
  return undefined
}

/** The JSON file that a flag names. */
async function readSource(
  flags: Parsed,
  flag: 'data' | 'rules',
  what: string,
  mistakes: string[],
): Promise<JsonSource | undefined> {
  const file = flags.text(flag)
  if (file === undefined) return undefined
  const { readJsonSource } = await import('./json-source.ts')
  const missing = flag === 'data' ? '; to begin with seeded pets, leave --data out: --save FILE makes such a file' : ''
  return telling(readJsonSource(file, what, missing), mistakes)
}

async function readNamedProfile(
  console: Console,
  flags: Parsed,
  mistakes: string[],
): Promise<StartOptions['profile'] | undefined> {
  const file = flags.text('profile')
  if (file === undefined) return undefined
  const [{ readJsonFile }, { readProfile }] = await Promise.all([import('./files.ts'), import('../mock/profile.ts')])
  const read = await telling(
    readJsonFile(file, 'the profile').then((value) => readProfile(value, file)),
    mistakes,
  )
  for (const id of read?.leftOut ?? []) {
    console.tell(inertLines(`The mock cannot do what ${file} says of ${id}, and takes its default there.\n`))
  }
  return read?.profile
}

/** What a promise comes to; its mistake is told with the others. */
async function telling<Value>(promise: Promise<Value>, mistakes: string[]): Promise<Value | undefined> {
  try {
    return await promise
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    mistakes.push(error.message)
    return undefined
  }
}

/** The rules that stand before and behind those of the file. */
function readTrouble(flags: Parsed, mistakes: string[]): { before: Rule[]; after: Rule[] } {
  const [delay, limit] = [flags.text('delay'), flags.text('rate-limit')]
  return {
    before: delay === undefined ? [] : toDelayRule(delay, mistakes),
    after: limit === undefined ? [] : toRateLimitRule(limit, mistakes),
  }
}

/** The rule of `--delay`: `200`, `100-300` or `median=80,p99=900`. */
function toDelayRule(text: string, mistakes: string[]): Rule[] {
  const delayMs = readDelay(text)
  if (isDelay(delayMs)) return [{ delayMs }]
  mistakes.push(
    `--delay takes milliseconds up to 600000: 200, 100-300 or median=80,p99=900, not ${JSON.stringify(text)}`,
  )
  return []
}

function readDelay(text: string): Delay | undefined {
  const number = String.raw`(\d{1,9}(?:\.\d{1,3})?)`
  const [, from, to] = new RegExp(`^${number}(?:-${number})?$`).exec(text) ?? []
  if (from !== undefined) return to === undefined ? Number(from) : { from: Number(from), to: Number(to) }
  const [, median, p99] = new RegExp(`^median=${number}, *p99=${number}$`).exec(text) ?? []
  return median === undefined ? undefined : { median: Number(median), p99: Number(p99) }
}

/** The rule of `--rate-limit`: `10/1`, ten requests in one second. */
function toRateLimitRule(text: string, mistakes: string[]): Rule[] {
  const [, requests, seconds] = /^(\d{1,9})\/(\d{1,9}(?:\.\d{1,3})?)$/.exec(text) ?? []
  const windowMs = Math.round(Number(seconds) * 1000)
  if (requests !== undefined && windowMs > 0) return [{ rateLimit: { requests: Number(requests), windowMs } }]
  mistakes.push(`--rate-limit takes N/SECONDS, such as 10/1 or 100/60, not ${JSON.stringify(text)}`)
  return []
}

/** A sandbox key is let in without being listed, also where it is the key of the environment. */
async function withoutSandboxes(keys: readonly string[], fallback: string): Promise<readonly string[]> {
  const { sandboxName } = await import('../mock/sandbox-key.ts')
  const listed = keys.filter((key) => sandboxName(key) === undefined)
  return listed.length === 0 ? [fallback] : listed
}

/** An option that is passed on only when it was given. */
function given<Name extends string, Value>(name: Name, value: Value | undefined): { [name in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { [name in Name]: Value })
}

function readChoice(text: string, mistakes: string[]): [string, string][] {
  const at = text.indexOf('=')
  if (at >= 1) return [[text.slice(0, at), text.slice(at + 1)]]
  mistakes.push(`--choose takes CHOICE=OPTION, such as list.order=newest-first, not ${JSON.stringify(text)}`)
  return []
}
