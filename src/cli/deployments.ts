import { existsSync } from 'node:fs'
import { lstat, realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { didYouMean, expectNone, fail, type Issue, UsageError } from '../errors.ts'
import { hideUser } from '../report/credentials.ts'
import { escaped, issuesInFile } from '../validate.ts'
import type { Deployment } from './config.gen.ts'
import { reasonOf } from './files.ts'
import { validators } from './validators.gen.ts'

const fileName = 'petstore.config.json'

export interface FoundDeployment extends Deployment {
  name: string
  file: string
  /** The line of the file where its definition begins. */
  line: number
}

/**
 * @param file the configuration; by default petstore.config.json in `folder` or above
 * @throws {UsageError} when there is no such configuration or deployment, or when it has mistakes
 */
export async function findDeployment(
  name: string,
  file: string | undefined,
  folder: string,
): Promise<FoundDeployment> {
  const config = await readConfiguration(file, folder)
  const shown = JSON.stringify(hideUser(name))
  if (config === undefined) {
    throw new UsageError(
      `${shown} is not a URL, and no ${fileName} was found in this folder or its parent folders`,
    )
  }
  const deployment = config.deployments.get(name)
  if (!deployment) {
    const known = [...config.deployments.keys()]
    const hint = didYouMean(name, known) || `; it names ${known.join(', ') || 'none'}`
    throw new UsageError(`${config.file} has no deployment ${shown}${hint}`)
  }
  const { baseline } = deployment
  return {
    ...deployment,
    name,
    file: config.file,
    line: config.lineOf(name),
    ...(name === 'production' && { readOnly: deployment.readOnly ?? true }),
    ...(baseline !== undefined && { baseline: resolve(dirname(config.file), baseline) }),
  }
}

/** The name of the deployment with a base URL: `preferred` if it is one of several. */
export async function nameOfDeployment(
  baseUrl: string,
  file: string | undefined,
  folder: string,
  preferred?: string,
): Promise<string | undefined> {
  const config = await readConfiguration(file, folder)
  const plain = (url: string): string =>
    (URL.canParse(url) ? new URL(url).href : url).replace(/(?<!\/)\/+$/, '')
  const names = [...(config?.deployments ?? [])].flatMap(([name, deployment]) =>
    plain(deployment.baseUrl) === plain(baseUrl) ? [name] : [],
  )
  return names.find((name) => name === preferred) ?? names[0]
}

/** @throws {UsageError} when the configuration has mistakes, or is named and does not exist */
export async function readConfiguration(file: string | undefined, folder: string) {
  const found = file ?? (await findUpwards(folder))
  if (found === undefined) return undefined
  const { readJsonFile } = await import('./json-file.ts')
  const config = await readJsonFile(found, 'the configuration')
  expectNone(config.repeated())
  return {
    file: found,
    deployments: readDeployments(config.value, found),
    lineOf(name: string): number {
      const place = config.place(`/deployments/${escaped(name)}`)
      return Number(place.slice(found.length + 1).split(':', 1)[0])
    },
  }
}

/**
 * Looks for the configuration in a folder and above, up to the root of the repository, the home folder, or the last
 * folder of the same owner: other users may write beyond.
 *
 * @throws {UsageError} when the file belongs to another user
 */
async function findUpwards(folder: string): Promise<string | undefined> {
  const { uid } = await stat(folder).catch((error: unknown) =>
    fail(`the working folder cannot be read: ${reasonOf(error)}`),
  )
  const home = await realpath(homedir()).catch(() => undefined)
  for (let at = folder; (await stat(at)).uid === uid; at = dirname(at)) {
    const file = join(at, fileName)
    const found = await lstat(file).catch(() => undefined)
    if (found && found.uid !== uid && found.uid !== process.getuid?.()) {
      throw new UsageError(
        `${file} belongs to another user; to use it anyway, add --config ${file}`,
      )
    }
    if (found && !(await stat(file).catch(() => found)).isFile()) {
      throw new UsageError(
        `${file} is not a regular file; remove it, or name another one with --config`,
      )
    }
    if (found) return file
    if (at === home || existsSync(join(at, '.git')) || dirname(at) === at) return undefined
  }
  return undefined
}

/** @throws {UsageError} when a reporter writes outside the working folder, which only the command line may request */
export async function reportersOf(
  { file, reporters }: FoundDeployment,
  folder: string,
): Promise<string[] | undefined> {
  const inside = await realpath(folder)
  for (const reporter of reporters ?? []) {
    const at = reporter.indexOf('=')
    const way =
      at === -1 ? '' : relative(inside, await realPathOf(resolve(folder, reporter.slice(at + 1))))
    if (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)) continue
    throw new UsageError(
      `${file}: ${reporter} is outside the working folder; to write it, add --reporter ${reporter}`,
    )
  }
  return reporters
}

/** Resolves links, also of a path whose end does not exist. */
async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch {
    return dirname(path) === path ? path : join(await realPathOf(dirname(path)), basename(path))
  }
}

function readDeployments(config: unknown, file: string): Map<string, Deployment> {
  const issues: Issue[] = issuesInFile(validators.Config, config, file).map((issue) => {
    // Explains why keys are rejected.
    const isKey =
      issue.code === 'closed' &&
      /(?:key|token|secret|password|authorization|bearer)[^/]*$/i.test(issue.path)
    const message =
      ': do not store a key in a file that others read; set keyEnv to the name of an environment variable'
    return isKey ? { path: '', message: `${issue.path}${message}` } : issue
  })
  const { deployments } = Object(config) as { deployments?: Record<string, Deployment> }
  const named = Object(deployments) as Record<string, Deployment>
  for (const [name, deployment] of Object.entries(named)) {
    const { keyEnv, keyCommand } = Object(deployment) as Partial<Deployment>
    if (Object(deployment) !== deployment || (keyEnv === undefined) !== (keyCommand === undefined))
      continue
    const path = `${file}: /deployments/${escaped(name)}`
    issues.push({ path, message: 'must have either keyEnv or keyCommand' })
  }
  expectNone(issues)
  return new Map(Object.entries(named))
}
