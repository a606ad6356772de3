import { UsageError } from '../errors.ts'
import type { DeviationId } from '../mock/index.ts'
import type { Flag } from '../options.ts'
import { parseFlags, showFlags } from '../options.ts'
import type { Console } from './console.ts'
import { readJsonFile } from './files.ts'

/** The options of `petstore mock`. */
export const mockFlags: Flag[] = [
  {
    name: 'port',
    value: 'PORT',
    env: 'PETSTORE_MOCK_PORT',
    default: '4010',
    range: [0, 65_535],
    help: 'the port to listen on; 0 takes a free one',
  },
  { name: 'host', value: 'ADDRESS', env: 'PETSTORE_MOCK_HOST', default: '127.0.0.1', help: 'the address to listen on' },
  {
    name: 'seed',
    value: 'N',
    env: 'PETSTORE_MOCK_SEED',
    default: '1',
    range: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    help: 'which pets there are at the start: the same seed, the same pets',
  },
  {
    name: 'pets',
    value: 'N',
    env: 'PETSTORE_MOCK_PETS',
    default: '100',
    range: [0, 10_000_000],
    help: 'how many pets there are at the start',
  },
  {
    name: 'key',
    value: 'KEY',
    env: 'PETSTORE_API_KEY',
    default: 'petstore-test-key',
    repeatable: true,
    help: 'an API key that is let in',
  },
  {
    name: 'base-path',
    value: 'PATH',
    env: 'PETSTORE_MOCK_BASE_PATH',
    default: '/v1',
    help: 'the path of the base address',
  },
  {
    name: 'choose',
    value: 'CHOICE=OPTION',
    env: 'PETSTORE_MOCK_CHOOSE',
    repeatable: true,
    help: 'what to do where the specification leaves it open; docs/choices.md has the list',
  },
  {
    name: 'profile',
    value: 'FILE',
    env: 'PETSTORE_MOCK_PROFILE',
    help: 'do as the deployment did that this profile, or this JSON report of verify, was observed at',
  },
  {
    name: 'vary',
    value: 'SEED',
    env: 'PETSTORE_MOCK_VARY',
    help: 'draw all that the specification leaves open, lawfully; the same seed, the same choices',
  },
  {
    name: 'deviate',
    value: 'ID',
    env: 'PETSTORE_MOCK_DEVIATE',
    repeatable: true,
    help: 'break the contract on purpose in this way',
  },
  { name: 'list-deviations', help: 'show the ways to break the contract, and end' },
  { name: 'now', value: 'DATE', env: 'PETSTORE_MOCK_NOW', help: 'stop the clock at this day, such as 2030-12-06' },
  { name: 'quiet', env: 'PETSTORE_MOCK_QUIET', help: 'print the base URL alone' },
]

const usage = `Usage: petstore mock [options]

Runs the Pet Store Service in memory until it is stopped with Ctrl-C.

Options:
${showFlags(mockFlags)}
`

/** `petstore mock`: serves until it is interrupted. Returns the exit code. */
export async function mockCommand(console: Console): Promise<number> {
  if (console.args.includes('--help')) {
    await console.print(usage)
    return 0
  }
  const flags = parseFlags(mockFlags, console.args, console.env)
  const [word] = flags.words
  if (word !== undefined) throw new UsageError(`petstore mock takes options only, not ${JSON.stringify(word)}`)
  const { startMock, defaultKey, deviations, readProfile, varyProfile } = await import('../mock/index.ts')
  if (flags.has('list-deviations')) {
    await console.print(
      deviations.map(({ id, clause, description }) => `${id}\n  breaks ${clause}: ${description}\n`).join(''),
    )
    return 0
  }
  const seed = flags.integer('vary')
  const varied = seed === undefined ? {} : varyProfile(seed)
  const file = flags.text('profile')
  const { profile, leftOut } =
    file === undefined ? { profile: {}, leftOut: [] } : readProfile(await readJsonFile(file, 'the profile'), file)
  for (const id of leftOut)
    console.tell(`The mock cannot do what ${file} says of ${id}, and takes its default there.\n`)
  const keys = flags.has('key') ? flags.list('key') : [defaultKey]
  const mock = await startMock({
    port: flags.integer('port') ?? 4010,
    ...given('host', flags.text('host')),
    ...given('seed', flags.integer('seed')),
    ...given('pets', flags.integer('pets')),
    ...given('basePath', flags.text('base-path')),
    ...given('now', flags.text('now')),
    keys,
    profile: { ...varied, ...profile, ...Object.fromEntries(flags.list('choose').map(readChoice)) },
    // Which ids there are is checked with all other options.
    deviations: flags.list('deviate') as DeviationId[],
  }).catch((error: unknown) => {
    throw error instanceof UsageError ? new UsageError(inFlags(error.message), { cause: error }) : error
  })
  try {
    await console.print(flags.has('quiet') ? `${mock.url}\n` : greeting(mock, keys, flags.list('deviate'), varied))
    if (!isLoopback(flags.text('host')))
      console.tell('Other machines can reach this mock. Its data is not protected by more than its key.\n')
    await console.interrupted
  } finally {
    await mock.close()
  }
  return 0
}

/** What `startMock` calls its options, and what the command line calls them. */
const flagOf: Record<string, string> = { keys: 'key', basePath: 'base-path', profile: 'choose', deviations: 'deviate' }

/** The mistakes of options in the words of the command line. */
function inFlags(mistakes: string): string {
  return mistakes
    .replaceAll(
      /^(seed|pets|keys|basePath|now|port|host|profile|deviations)(?= must|:)/gm,
      (name) => `--${flagOf[name] ?? name}`,
    )
    .replaceAll('a Date, a date such as 2030-12-05, or a function', 'a date such as 2030-12-05')
}

/** An option that is passed on only when it was given. */
function given<Name extends string, Value>(name: Name, value: Value | undefined): { [name in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { [name in Name]: Value })
}

function readChoice(text: string): [string, string] {
  const at = text.indexOf('=')
  if (at < 1)
    throw new UsageError(`--choose takes CHOICE=OPTION, such as list.order=newest-first, not ${JSON.stringify(text)}`)
  return [text.slice(0, at), text.slice(at + 1)]
}

const isLoopback = (host: string | undefined): boolean =>
  host === undefined || host === 'localhost' || host === '::1' || host.startsWith('127.')

function greeting(
  { url, settings }: { url: string; settings: { pets: number } },
  keys: readonly string[],
  deviations: readonly string[],
  varied: Readonly<Record<string, string>>,
): string {
  const [key = ''] = keys
  return [
    `The Pet Store mock is ready, with ${settings.pets} pets.`,
    '',
    `  Base URL  ${url}`,
    `  API key   ${keys.join(', ')}`,
    `  Try it    curl -H ${quote(`Authorization: Bearer ${key}`)} ${quote(`${url}/pets?limit=3`)}`,
    ...(deviations.length === 0 ? [] : [`  Broken    on purpose: ${deviations.join(', ')}`]),
    ...(Object.keys(varied).length === 0 ? [] : ['', '  Drawn, unless chosen otherwise:']),
    ...Object.entries(varied).map(([id, option]) => `    ${id}=${option}`),
    '',
    'Stop it with Ctrl-C.',
    '',
  ].join('\n')
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
