import type { VerifyInput } from '../contract/index.ts'
import { UsageError } from '../errors.ts'
import { parseJson } from '../json.ts'
import type { Parsed } from '../options.ts'
import type { Console } from './console.ts'
import type { Deployment } from './deployments.ts'
import { findDeployment } from './deployments.ts'
import { readTextFile } from './files.ts'

/** The options of a run, and the deployment that the configuration names, if the target is one. */
export interface RunOptions {
  input: VerifyInput
  deployment: Deployment | undefined
}

/**
 * Reads what a run needs from the command line, the environment and the configuration, in this order of precedence.
 *
 * @param target a base URL, or the name of a deployment
 * @throws {UsageError} when something is missing or wrong
 */
export async function readRunOptions(console: Console, flags: Parsed, target: string): Promise<RunOptions> {
  const deployment = /^[a-z][a-z0-9+.-]*:/i.test(target)
    ? undefined
    : await findDeployment(target, flags.text('config'), console.folder)
  if (flags.given('read-only') !== undefined && flags.has('allow-writes')) {
    throw new UsageError('--read-only and --allow-writes contradict each other; give one of them')
  }
  const readOnly = !flags.has('allow-writes') && (flags.has('read-only') || (deployment?.readOnly ?? false))
  const ca = flags.text('ca')
  const { env } = console
  const input: VerifyInput = {
    baseUrl: deployment?.baseUrl ?? target,
    apiKey: await readKey(console, flags, deployment),
    readOnly,
    // A configuration that says so is a consent given once, with its eyes open.
    allowWrites: flags.has('allow-writes') || deployment?.readOnly === false,
    maxWrites: flags.integer('max-writes') ?? deployment?.maxWrites,
    categoryId: readInt64(flags.text('category-id')) ?? deployment?.categoryId,
    timeoutMs: flags.milliseconds('timeout'),
    settleMs: flags.milliseconds('settle'),
    concurrency: flags.integer('concurrency'),
    retryBudgetMs: flags.milliseconds('retry-budget'),
    waitUntilReadyMs: flags.milliseconds('wait-until-ready'),
    headers: readHeaders(flags.list('header')),
    ca: ca === undefined ? undefined : await readCa(ca),
    insecure: flags.has('insecure'),
    proxy: {
      http: env['http_proxy'],
      https: env['https_proxy'] ?? env['HTTPS_PROXY'],
      no: env['no_proxy'] ?? env['NO_PROXY'],
    },
    now: flags.text('now'),
  }
  return { input, deployment }
}

async function readKey({ env }: Console, flags: Parsed, deployment: Deployment | undefined): Promise<string> {
  const file = flags.text('key-file')
  if (file !== undefined) {
    if (flags.given('key') !== undefined) throw new UsageError('give --key or --key-file, not both')
    const key = (await readTextFile(file, 'the key file')).trim()
    if (key === '') throw new UsageError(`the key file ${file} is empty`)
    return key
  }
  const key = flags.given('key') ?? (deployment === undefined ? flags.text('key') : env[deployment.keyEnv])
  if (key !== undefined && key !== '') return key
  const variable = deployment?.keyEnv ?? 'PETSTORE_API_KEY'
  throw new UsageError(`the API key is missing: set ${variable}, or give --key or --key-file`)
}

function readInt64(text: string | undefined): number | bigint | undefined {
  if (text === undefined) return undefined
  if (!/^-?\d{1,19}$/.test(text)) throw new UsageError(`--category-id takes an integer, not ${JSON.stringify(text)}`)
  return parseJson(text.replace(/^(-?)0+(?=\d)/, '$1')) as number | bigint
}

async function readCa(file: string): Promise<string> {
  const text = await readTextFile(file, 'the certificate file')
  const mistakes: string[] = []
  const { readCertificates } = await import('../contract/options.ts')
  readCertificates(text, mistakes)
  if (mistakes.length > 0) throw new UsageError(mistakes.map((mistake) => `${file}: ${mistake}`).join('\n'))
  return text
}

/** The messages do not repeat a header, because its value may be a secret. */
function readHeaders(texts: readonly string[]): Record<string, string> {
  const headers = new Map<string, string>()
  for (const [index, text] of texts.entries()) {
    const at = text.indexOf(':')
    const name = text.slice(0, at).trim()
    if (at < 1 || name === '') {
      throw new UsageError(
        `--header takes 'Name: value'; number ${index + 1} of ${texts.length} has no name with a colon`,
      )
    }
    const same = [...headers.keys()].find((known) => known.toLowerCase() === name.toLowerCase())
    if (same !== undefined) throw new UsageError(`--header gives ${same} twice; join its values with commas`)
    headers.set(name, text.slice(at + 1).trim())
  }
  return Object.fromEntries(headers)
}
