import { existsSync } from 'node:fs'
import { lstat, realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { UsageError } from '../errors.ts'
import { readJsonFile } from './files.ts'

/** A deployment that petstore.config.json names. */
export interface Deployment {
  baseUrl: string
  /** The environment variable that holds the key. */
  keyEnv: string
  /** Create no pets there. Default: true for production; otherwise as without a configuration. */
  readOnly?: boolean
  maxWrites?: number
  categoryId?: number | bigint
  /** So many requirements, or so many of a hundred, must be checked at least. */
  minVerified?: number | string
  /** A baseline file, relative to the configuration. */
  baseline?: string
  /** Reporters as --reporter takes them; files are relative to the working folder. */
  reporters?: string[]
}

const fileName = 'petstore.config.json'

const members: Record<keyof Deployment, { holds(value: unknown): boolean; expected: string }> = {
  baseUrl: { holds: (value) => typeof value === 'string' && URL.canParse(value), expected: 'an absolute URL' },
  keyEnv: {
    holds: (value) => typeof value === 'string' && /^[A-Za-z_][A-Za-z0-9_]*$/.test(value),
    expected: 'the name of an environment variable, such as PETSTORE_STAGING_KEY',
  },
  readOnly: { holds: (value) => typeof value === 'boolean', expected: 'true or false' },
  maxWrites: { holds: (value) => Number.isInteger(value) && (value as number) >= 0, expected: 'an integer from 0 on' },
  categoryId: {
    holds: (value) => typeof value === 'bigint' || Number.isSafeInteger(value),
    expected: 'an integer',
  },
  minVerified: {
    holds: (value) =>
      typeof value === 'string' ? /^(\d{1,2}|100)%$/.test(value) : Number.isInteger(value) && (value as number) >= 0,
    expected: 'a number of requirements, such as 40, or a percentage, such as "80%"',
  },
  baseline: { holds: (value) => typeof value === 'string', expected: 'the name of a file' },
  reporters: {
    holds: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
    expected: 'an array of reporters such as "junit=report.xml"',
  },
}

/** A deployment, and where it was found. */
export interface Found extends Deployment {
  name: string
  /** The configuration. */
  file: string
}

interface Configuration {
  file: string
  deployments: Map<string, Deployment>
}

/**
 * Finds a deployment by its name.
 *
 * @param file the configuration; undefined looks for petstore.config.json from `folder` upwards
 * @throws {UsageError} when there is no such configuration or deployment, or when it has mistakes
 */
export async function findDeployment(name: string, file: string | undefined, folder: string): Promise<Found> {
  const config = await readConfiguration(file, folder)
  if (config === undefined) {
    throw new UsageError(
      `${JSON.stringify(name)} is no URL, and no ${fileName} that names deployments was found from here upwards`,
    )
  }
  const deployment = config.deployments.get(name)
  if (!deployment) {
    const known = config.deployments.size === 0 ? 'none' : [...config.deployments.keys()].join(', ')
    throw new UsageError(`${config.file} names no deployment ${JSON.stringify(name)}; it names ${known}`)
  }
  const { baseline } = deployment
  return {
    ...deployment,
    name,
    file: config.file,
    ...(name === 'production' && { readOnly: deployment.readOnly ?? true }),
    ...(baseline !== undefined && { baseline: resolve(dirname(config.file), baseline) }),
  }
}

/**
 * The name of the deployment at a base URL, if the configuration has one.
 *
 * @throws {UsageError} when the configuration has mistakes, or is named and does not exist
 */
export async function nameOfDeployment(
  baseUrl: string,
  file: string | undefined,
  folder: string,
): Promise<string | undefined> {
  const config = await readConfiguration(file, folder)
  const plain = (url: string): string => (URL.canParse(url) ? new URL(url).href : url).replace(/\/+$/, '')
  return [...(config?.deployments ?? [])].find(([, deployment]) => plain(deployment.baseUrl) === plain(baseUrl))?.[0]
}

async function readConfiguration(file: string | undefined, folder: string): Promise<Configuration | undefined> {
  const found = file ?? (await findUpwards(folder))
  if (found === undefined) return undefined
  return { file: found, deployments: readDeployments(await readJsonFile(found, 'the configuration'), found) }
}

/**
 * Finds the configuration that belongs to a folder: in it or above, up to the root of its repository, the home folder, or
 * the last folder of the same owner. Beyond, anybody may have put it there.
 *
 * @throws {UsageError} when the file is another user's
 */
async function findUpwards(folder: string): Promise<string | undefined> {
  const { uid } = await stat(folder)
  const home = await realpath(homedir()).catch(() => undefined)
  for (let at = folder; (await stat(at)).uid === uid; at = dirname(at)) {
    const file = join(at, fileName)
    const found = await lstat(file).catch(() => undefined)
    if (found && found.uid !== uid && found.uid !== process.getuid?.()) {
      throw new UsageError(`${file} belongs to another user; to use it all the same, give --config ${file}`)
    }
    if (found) return file
    if (at === home || existsSync(join(at, '.git')) || dirname(at) === at) return undefined
  }
  return undefined
}

/**
 * The reporters of a deployment.
 *
 * @throws {UsageError} when one writes outside the working folder, which only the command line may demand
 */
export async function reportersOf({ file, reporters }: Found, folder: string): Promise<string[] | undefined> {
  const inside = await realpath(folder)
  for (const reporter of reporters ?? []) {
    const at = reporter.indexOf('=')
    const way = at === -1 ? '' : relative(inside, await realPathOf(resolve(folder, reporter.slice(at + 1))))
    if (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)) continue
    throw new UsageError(`${file}: ${reporter} is outside the working folder; to write it, give --reporter ${reporter}`)
  }
  return reporters
}

/** A path behind links, also where its end does not exist. */
async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch {
    return dirname(path) === path ? path : join(await realPathOf(dirname(path)), basename(path))
  }
}

/** Reads what stands in a configuration, and tells all its mistakes together, each with its JSON pointer. */
function readDeployments(config: unknown, file: string): Map<string, Deployment> {
  const { $schema: _, deployments, ...rest } = isObject(config) ? config : {}
  const mistakes = Object.keys(rest).map((name) => unknownMember(`/${name}`, name, '$schema and deployments'))
  if (!isObject(deployments)) mistakes.push('/deployments must be an object, a member for each deployment')
  else mistakes.push(...Object.entries(deployments).flatMap(([name, value]) => deploymentMistakes(name, value)))
  if (mistakes.length > 0) throw new UsageError(mistakes.map((mistake) => `${file}: ${mistake}`).join('\n'))
  return new Map(Object.entries(deployments as Record<string, Deployment>))
}

function deploymentMistakes(name: string, deployment: unknown): string[] {
  const pointer = `/deployments/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
  if (!isObject(deployment)) return [`${pointer} must be an object with baseUrl and keyEnv`]
  const missing = (['baseUrl', 'keyEnv'] as const)
    .filter((member) => !Object.hasOwn(deployment, member))
    .map((member) => `${pointer}/${member} is missing: ${members[member].expected}`)
  const wrong = Object.entries(deployment).flatMap(([member, value]) => {
    if (!isMember(member)) return [unknownMember(`${pointer}/${member}`, member, Object.keys(members).join(', '))]
    return members[member].holds(value) ? [] : [`${pointer}/${member} must be ${members[member].expected}`]
  })
  return [...missing, ...wrong]
}

const isMember = (name: string): name is keyof Deployment => Object.hasOwn(members, name)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What looks like a key is refused with the reason; its value is not repeated. */
function unknownMember(pointer: string, name: string, known: string): string {
  return /key|token|secret|password|authorization|bearer/i.test(name)
    ? `${pointer}: a key does not belong into a file that is shared; name its environment variable in keyEnv`
    : `${pointer} is not known; there are ${known}`
}
