import { access } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
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
  baseline: { holds: (value) => typeof value === 'string', expected: 'the name of a file' },
  reporters: {
    holds: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
    expected: 'an array of reporters such as "junit=report.xml"',
  },
}

/**
 * Finds a deployment by its name.
 *
 * @param file the configuration; undefined looks for petstore.config.json from `folder` upwards
 * @throws {UsageError} when there is no such configuration or deployment, or when it has mistakes
 */
export async function findDeployment(name: string, file: string | undefined, folder: string): Promise<Deployment> {
  const found = file ?? (await findUpwards(folder))
  if (found === undefined) {
    throw new UsageError(
      `${JSON.stringify(name)} is no URL, and no ${fileName} that names deployments was found from here upwards`,
    )
  }
  const deployments = readDeployments(await readJsonFile(found, 'the configuration'), found)
  const deployment = deployments.get(name)
  if (!deployment) {
    const known = deployments.size === 0 ? 'none' : [...deployments.keys()].join(', ')
    throw new UsageError(`${found} names no deployment ${JSON.stringify(name)}; it names ${known}`)
  }
  const { baseline } = deployment
  return {
    ...deployment,
    ...(name === 'production' && { readOnly: deployment.readOnly ?? true }),
    ...(baseline !== undefined && { baseline: resolve(dirname(found), baseline) }),
  }
}

async function findUpwards(folder: string): Promise<string | undefined> {
  const file = join(folder, fileName)
  try {
    await access(file)
    return file
  } catch {
    return dirname(folder) === folder ? undefined : findUpwards(dirname(folder))
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
