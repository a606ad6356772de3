import type { VerifyInput } from '../../contract/index.ts'
import { mistakeInKey } from '../../option-checks.ts'
import { UsageError } from '../../errors.ts'
import type { Parsed } from '../../options.ts'
import { type Console, note } from '../command.ts'
import { findDeployment, type FoundDeployment, readConfiguration } from '../deployments.ts'
import { readTextFile } from '../files.ts'
import { keyFromCommand } from '../command-key.ts'

/** Reads the options of a run. The command line goes before the environment, and both before the configuration. */
export async function readRunOptions(console: Console, flags: Parsed, target: string) {
  const deployment = await readDeployment(console, flags, target)
  const readOnly =
    flags.has('read-only') || (!flags.has('allow-writes') && (deployment?.readOnly ?? false))
  const input: VerifyInput = {
    ...flags.options({ ...deployment }),
    baseUrl: deployment?.baseUrl ?? target,
    ...(await readKey(console, flags, deployment)),
    readOnly,
    // `readOnly: false` in the configuration is consent.
    allowWrites: flags.has('allow-writes') || deployment?.readOnly === false,
    ...readHeaders(console, flags, deployment),
    ...(await readCertificateFiles(flags)),
    proxy: proxiesOf(console),
  }
  const readOnlyBy = flags.has('read-only')
    ? '--read-only'
    : readOnly
      ? `readOnly of ${deployment?.name} in petstore.config.json`
      : undefined
  if (deployment !== undefined) {
    const { file, name, baseUrl } = deployment
    note(console, `petstore.config.json: ${file}, deployment ${name}, ${new URL(baseUrl).origin}`)
  }
  /** `deployment` is set when the target is a name in the configuration, `readOnlyBy` to what makes the run read-only. */
  return { input, deployment, readOnlyBy }
}

export type RunOptions = Awaited<ReturnType<typeof readRunOptions>>

/** As curl reads them. HTTP_PROXY in capitals is not read: in CGI programs, it is a header of the request. */
export const proxiesOf = ({ env }: Console): NonNullable<VerifyInput['proxy']> => ({
  http: env['http_proxy'],
  https: env['https_proxy'] ?? env['HTTPS_PROXY'],
  all: env['all_proxy'] ?? env['ALL_PROXY'],
  no: env['no_proxy'] ?? env['NO_PROXY'],
})

/** The configured deployment; undefined when the target is a URL. */
export async function readDeployment(
  { folder }: Console,
  flags: Parsed,
  target: string,
): Promise<FoundDeployment | undefined> {
  const config = flags.text('config')
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(target)) {
    // Checks a configuration that is given but not needed, to catch a wrong path.
    if (config !== undefined) await readConfiguration(config, folder)
    return undefined
  }
  const [, host, path = '/v1'] =
    /^([\w.-]+:\d+|localhost|\d+(?:\.\d+){3}|[\w-]+(?:\.[\w-]+)+)(\/.*)?$/.exec(target) ?? []
  if (host === undefined || (await readConfiguration(config, folder))?.deployments.has(target))
    return findDeployment(target, config, folder)
  const scheme = /^(?:localhost|127\.)/.test(host) ? 'http' : 'https'
  throw new UsageError(
    `${JSON.stringify(target)} is not a URL; did you mean ${scheme}://${host}${path}?`,
  )
}

async function readKey(
  { env }: Console,
  flags: Parsed,
  deployment: FoundDeployment | undefined,
): Promise<Pick<VerifyInput, 'apiKey' | 'keyVariable'>> {
  const command = flags.text('key-command')
  if (command !== undefined) return { apiKey: keyFromCommand(command, '--key-command', env) }
  const named = flags.text('key-env')
  // The name may be a key given by mistake, so that no message has it.
  if (named !== undefined) {
    const variable = 'the variable given with --key-env'
    const apiKey = expectKey(env[named], variable, `set ${variable}`)
    return { apiKey, keyVariable: named }
  }
  const file = flags.text('key-file')
  if (file !== undefined) {
    const key = await readTextFile(file, 'the key file')
    if (key.trim() === '') throw new UsageError(`the key file ${file} is empty`)
    return { apiKey: expectKey(key, `the key file ${file}`, '') }
  }
  const given = flags.given('key')
  if (given !== undefined && given !== '') return { apiKey: given }
  const configured = given === undefined && configuredCommand(flags, deployment)
  if (configured) return { apiKey: keyFromCommand(...configured, env) }
  const keyVariable = keyEnvOf(deployment)
  const remedy = `set ${keyVariable}, or give --key or --key-file`
  return { apiKey: expectKey(given ?? env[keyVariable], keyVariable, remedy), keyVariable }
}

/** The keyCommand of a deployment. A file that somebody left in a folder may not start programs by itself. */
function configuredCommand(flags: Parsed, deployment: FoundDeployment | undefined) {
  if (deployment?.keyCommand === undefined) return undefined
  const { file, name, keyCommand } = deployment
  const place = `the keyCommand of ${name}`
  if (flags.given('config') === undefined)
    throw new UsageError(`${file}: ${place} starts a program; to allow it, add --config ${file}`)
  return [keyCommand, place] as const
}

/** The key of a deployment for a command that calls it through a proxy. */
export async function keyForCommand(
  { env }: Console,
  flags: Parsed,
  deployment: FoundDeployment | undefined,
): Promise<string | undefined> {
  const configured = configuredCommand(flags, deployment)
  if (configured) return keyFromCommand(...configured, env)()
  const keyEnv = keyEnvOf(deployment, 'give its base URL, and set PETSTORE_API_KEY')
  return env[keyEnv] ?? env['PETSTORE_API_KEY']
}

/** Without space around it: a secret often ends with a line break. `place` is where it comes from. */
function expectKey(text: string | undefined, place: string, remedy: string): string {
  const key = text?.trim() ?? ''
  if (key === '') throw new UsageError(`the API key is missing: ${remedy}`)
  const mistake = mistakeInKey(key)
  if (mistake !== undefined) throw new UsageError(`${place} ${mistake}`)
  return key
}

/** The variables of a configuration: it could otherwise send any secret to any host. */
const ours = /^PETSTORE_(?!CONTROL_TOKEN$)/

function keyEnvOf(deployment: FoundDeployment | undefined, remedy?: string): string {
  if (deployment?.keyEnv === undefined) return 'PETSTORE_API_KEY'
  const { file, name, baseUrl, keyEnv } = deployment
  if (ours.test(keyEnv)) return keyEnv
  throw new UsageError(
    `${file}: the keyEnv of ${name} must begin with PETSTORE_; to send ${keyEnv} to ${new URL(baseUrl).origin}, ${remedy ?? `give --key-env ${keyEnv}`}`,
  )
}

export async function readCertificateFiles(
  flags: Parsed,
): Promise<Pick<VerifyInput, 'ca' | 'cert' | 'certKey'>> {
  const read = async (flag: string, what: string): Promise<string | undefined> => {
    const file = flags.text(flag)
    return file === undefined ? undefined : readTextFile(file, what)
  }
  return {
    ca: await read('ca', 'the certificate file'),
    cert: await read('cert', 'the client certificate'),
    certKey: await read('cert-key', 'the private key'),
  }
}

/** Headers of the command line and of the deployment; the command line goes first. */
export function readHeaders(
  { env }: Console,
  flags: Parsed,
  deployment?: FoundDeployment,
): { headers: Record<string, string>; headerVariables: Record<string, string> } {
  const configured: Named = new Map(
    Object.entries(deployment?.headers ?? {}).map(([name, value]) => [
      name.toLowerCase(),
      {
        name,
        value: configuredValue(env, deployment, name, value),
        ...(typeof value === 'object' && { variable: value.env }),
      },
    ]),
  )
  const all: Named = new Map([
    ...configured,
    ...headersIn(flags.list('header'), '--header'),
    ...headersIn(flags.list('header-env'), '--header-env', env),
  ])
  const each = [...all.values()]
  return {
    headers: Object.fromEntries(each.map(({ name, value }) => [name, value])),
    headerVariables: Object.fromEntries(
      each.flatMap(({ name, variable }) => (variable === undefined ? [] : [[name, variable]])),
    ),
  }
}

/** Headers by their names in lower case, with the variable that has the value, if one was named. */
type Named = Map<string, { name: string; value: string; variable?: string }>

function configuredValue(
  env: Console['env'],
  deployment: FoundDeployment | undefined,
  name: string,
  value: string | { env: string },
): string {
  if (typeof value === 'string') return value
  const { file, name: of, baseUrl } = deployment as FoundDeployment
  const where = `${file}: the header ${name} of ${of}`
  if (!ours.test(value.env)) {
    const instead = `--header-env '${name}: ${value.env}'`
    throw new UsageError(
      `${where} must come from a variable that begins with PETSTORE_; to send ${value.env} to ${new URL(baseUrl).origin}, give ${instead}`,
    )
  }
  const found = env[value.env]?.trim()
  if (found === undefined || found === '')
    throw new UsageError(`${where} needs the variable ${value.env}, which is not set`)
  return found
}

/** The messages do not repeat a header: it may hold a secret. With `env`, the texts name variables. */
function headersIn(texts: readonly string[], flag: string, env?: Console['env']): Named {
  const headers: Named = new Map()
  for (const [index, text] of texts.entries()) {
    const at = text.indexOf(':')
    const name = text.slice(0, at).trim()
    if (at < 1 || name === '') {
      const form = env === undefined ? "'Name: value'" : "'Name: VARIABLE'"
      throw new UsageError(
        `${flag} takes ${form}; number ${index + 1} of ${texts.length} has no colon`,
      )
    }
    const same = headers.get(name.toLowerCase())?.name
    if (same !== undefined)
      throw new UsageError(`${flag} gives ${same} twice; join its values with commas`)
    const rest = text.slice(at + 1).trim()
    const isVariable = env !== undefined && /^[a-z_]\w*$/i.test(rest)
    const value = env === undefined ? rest : isVariable ? env[rest]?.trim() : undefined
    // What stands instead of the variable may be a secret.
    if (value === undefined || (env !== undefined && value === ''))
      throw new UsageError(`${flag} ${name} names a variable that is not set`)
    headers.set(name.toLowerCase(), { name, value, ...(isVariable && { variable: rest }) })
  }
  return headers
}
