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
  categoryId?: number
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
  categoryId: { holds: (value) => Number.isSafeInteger(value), expected: 'an integer' },
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
    throw new UsageError(`${found} names no deployment ${JSON.stringify(name)}; it names ${[...deployments.keys()].join(', ')}`)
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

function readDeployments(config: unknown, file: string): Map<string, Deployment> {
  const { $schema: _, deployments, ...rest } = (config ?? {}) as Record<string, unknown>
  const mistakes: string[] = Object.keys(rest).map((name) => `/${name} is not known; there is deployments`)
  if (typeof deployments !== 'object' || deployments === null || Array.isArray(deployments)) {
    mistakes.push('/deployments must be an object, a member for each deployment')
  }
  for (const [name, deployment] of Object.entries((deployments ?? {}) as Record<string, unknown>)) {
    const values = (deployment ?? {}) as Record<string, unknown>
    for (const member of ['baseUrl', 'keyEnv'] as const) {
      if (!Object.hasOwn(values, member)) mistakes.push(`/deployments/${name}/${member} is missing: ${members[member].expected}`)
    }
    for (const [member, value] of Object.entries(values)) {
      const pointer = `/deployments/${name}/${member}`
      if (/^(api)?-?_?(key|token|secret)$/i.test(member)) {
        mistakes.push(`${pointer}: a key does not belong into a file that is shared; name its environment variable in keyEnv`)
      } else if (!Object.hasOwn(members, member)) {
        mistakes.push(`${pointer} is not known; there are ${Object.keys(members).join(', ')}`)
      } else if (!members[member as keyof Deployment].holds(value)) {
        mistakes.push(`${pointer} must be ${members[member as keyof Deployment].expected}`)
      }
    }
  }
  if (mistakes.length > 0) throw new UsageError(mistakes.map((mistake) => `${file}: ${mistake}`).join('\n'))
  return new Map(Object.entries(deployments as Record<string, Deployment>))
}
