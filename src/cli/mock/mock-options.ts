import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expectNone, type Issue, messageOf, sentenceOf, UsageError } from '../../errors.ts'
import type { Rule, StartOptions } from '../../mock/index.ts'
import { sandboxName } from '../../mock/service/sandbox-key.ts'
import { generatePets } from '../../mock/pets/generate.ts'
import { toPet } from '../../mock/pets/pet.ts'
import { defaultKey } from '../../mock/sandbox/settings.ts'
import type { Parsed } from '../../options.ts'
import type { ExactNewPet, ExactPet } from '../../spec/types.ts'
import { type Console, note } from '../command.ts'
import { readTextFile } from '../files.ts'
import type { JsonFile } from '../json-file.ts'
import { readDelay, readRateLimit } from './mock-flags.ts'

/** Reads the options of a mock from flags, environment and files. Throws a UsageError that lists all mistakes. */
export async function readMockOptions(console: Console, flags: Parsed) {
  const issues: Issue[] = []
  /** Adds the issues of a rejected promise to the others. */
  const collect = <Value>(reading: Promise<Value>): Promise<Value | undefined> =>
    reading.catch((error: unknown) => {
      if (!(error instanceof UsageError)) throw error
      issues.push(...error.issues)
      return undefined
    })
  const pets = await collect(
    readSource(flags, 'data', 'the pets file', '. Leave out --data to start with seeded pets.'),
  )
  const made = await collect(readPetsFrom(flags))
  const rules = await collect(readSource(flags, 'rules', 'the rules file'))
  const observed = await collect(readObserved(console, flags))
  const chosen = readBehaviors(flags.list('behavior'), issues)
  if (rules !== undefined && !Array.isArray(rules.value)) {
    issues.push({ path: rules.place(''), message: 'the rules must be a JSON array' })
  }
  const tls = await collect(readTls(flags))
  expectNone(issues)

  const keys = flags.list('key')
  const names = flags.list('sandbox-names')
  const seed = flags.integer('vary')
  const varied =
    seed === undefined ? {} : (await import('../../mock/sandbox/profile.ts')).varyProfile(seed)
  const delay = readDelay(flags.text('delay') ?? '')
  const limit = readRateLimit(flags.text('rate-limit') ?? '')
  const before: Rule[] = delay === undefined ? [] : [{ delayMs: delay }]
  const data = pets === undefined ? made : (pets.value as unknown as readonly ExactPet[])
  const { pets: count, ...plain } = flags.options() as StartOptions
  const options: StartOptions = {
    ...plain,
    tls,
    shared: readShared(flags),
    data,
    pets: data === undefined ? count : undefined,
    sandboxes: names.length > 0 ? names : !flags.has('no-sandboxes'),
    // Later rules are matched first: a rate limit counts every request, and a global delay gives way to other rules.
    rules: [
      ...before,
      ...((rules?.value ?? []) as Rule[]),
      ...(limit === undefined ? [] : [{ rateLimit: limit }]),
    ],
    keys: flags.has('no-sandboxes') ? keys : withoutSandboxes(keys),
    profile: { ...varied, ...observed, ...chosen },
  }
  return {
    /** Everything except callbacks and the file to save to. */
    options,
    /** The accepted keys, sandbox keys included. */
    keys,
    /** Where each rule of the file is, by its id. */
    rulePlaces: new Map(
      ((rules?.value ?? []) as unknown[]).map((_, index) => [
        `rule-${before.length + index + 1}`,
        rules?.place(`/${index}`) ?? '',
      ]),
    ),
    /** Words an issue that `startMock` finds in one of the files; undefined for any other. */
    inFile({ path, message }: Issue): Issue | undefined {
      const [option, ...parts] = path.split('/')
      if (option === 'data') return pets && placed(pets, parts, message)
      const [index, ...rest] = parts
      if (option !== 'rules' || index === undefined) return undefined
      return rules && placed(rules, [String(Number(index) - before.length), ...rest], message)
    },
  }
}

/** `rules.json:3:5: /1/times must be ...` */
export function placed(file: JsonFile, parts: readonly string[], message: string): Issue {
  const pointer = parts.map((part) => `/${part}`).join('')
  return {
    path: file.place(pointer),
    message: pointer === '' ? message : sentenceOf({ path: pointer, message }),
  }
}

async function readTls(flags: Parsed): Promise<StartOptions['tls']> {
  const cert = flags.text('tls-cert')
  const key = flags.text('tls-key')
  if (cert === undefined || key === undefined) return undefined
  return {
    cert: await readTextFile(cert, 'the certificate'),
    key: await readTextFile(key, 'the private key'),
  }
}

async function readSource(flags: Parsed, flag: 'data' | 'rules', what: string, hint = '') {
  const file = flags.text(flag)
  return file === undefined
    ? undefined
    : (await import('../json-file.ts')).readJsonFile(file, what, hint)
}

/** The pets that the module of `--pets-from` makes. */
async function readPetsFrom(flags: Parsed): Promise<readonly ExactPet[] | undefined> {
  const file = flags.text('pets-from')
  if (file === undefined) return undefined
  await readTextFile(file, 'the module of the pets')
  const loading = import(pathToFileURL(resolve(file)).href) as Promise<{ default?: unknown }>
  const { default: generate } = await loading.catch((error: unknown) => {
    throw new UsageError([{ path: file, message: `cannot be loaded: ${messageOf(error)}` }])
  })
  if (typeof generate !== 'function') {
    const message =
      'must export a function: export default (n) => ({ name: `Pet ${n}`, categoryId: 1 })'
    throw new UsageError([{ path: file, message }])
  }
  const issues: Issue[] = []
  const { pets: count = 0, ids = 'small' } = flags.options() as StartOptions
  const pets = generatePets(generate as (n: number) => ExactNewPet, { count, ids }, issues)
  expectNone(issues.map((issue) => ({ path: file, message: sentenceOf(issue).replace(/\.$/, '') })))
  return pets.map(toPet)
}

function readShared(flags: Parsed): StartOptions['shared'] {
  const url = flags.text('shared')
  if (url === undefined) return undefined
  const sandboxTtlMs = flags.milliseconds('sandbox-ttl')
  return { url, name: flags.text('shared-name'), sandboxTtlMs }
}

async function readObserved(console: Console, flags: Parsed): Promise<StartOptions['profile']> {
  const file = flags.text('profile')
  if (file === undefined) return undefined
  const { readJsonFile } = await import('../json-file.ts')
  const { readProfile } = await import('../../mock/sandbox/profile.ts')
  const { profile, leftOut } = readProfile((await readJsonFile(file, 'the profile')).value, file)
  for (const id of leftOut) {
    note(console, `The mock does not support what ${file} says about ${id} and uses the default.`)
  }
  return profile
}

function readBehaviors(texts: readonly string[], issues: Issue[]): Record<string, string> {
  const pairs = texts.map(
    (text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)] as const,
  )
  const ids = pairs.map(([id]) => id)
  const twice = ids.filter((id, index) => ids.indexOf(id) < index)
  issues.push(
    ...twice.map((id) => ({ path: '--behavior', message: `${id} is given twice; give it once` })),
  )
  return Object.fromEntries(pairs)
}

/** Sandbox keys are accepted without being listed, also when the environment sets one. */
function withoutSandboxes(keys: readonly string[]): readonly string[] {
  const listed = keys.filter((key) => sandboxName(key) === undefined)
  return listed.length === 0 ? [defaultKey] : listed
}
