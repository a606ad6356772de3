import type { Reached } from '../../contract/report/report.ts'
import { defaultKeyVariable } from '../../contract/http/curl.ts'
import { type Flag, type Parsed, parseFlags } from '../../options.ts'
import type { Console } from '../command.ts'
import { verifyFlags } from './verify-flags.ts'

/** How the command line of a run reached its target, for a report and the commands below it. */
export function reachedBy(
  flags: Parsed,
  deployment: string | undefined,
  kinds: readonly Flag['decides'][] = ['access', 'verdict'],
): Reached {
  const reached: Reached = {
    ...(deployment !== undefined && { deployment }),
    options: {},
    access: {},
  }
  for (const {
    name,
    value,
    decides,
    shown = (text: string) => [name, text] as const,
  } of verifyFlags) {
    if (!kinds.includes(decides) || !flags.has(name)) continue
    const all = decides === 'access' ? reached.access : reached.options
    if (value === undefined) all[name] = []
    for (const text of value === undefined ? [] : flags.list(name)) {
      const [as, word] = shown(text) ?? []
      if (as !== undefined && word !== undefined) all[as] = [...(all[as] ?? []), word]
    }
  }
  const headers = reached.access['header-env']?.map(
    (text) => [text.split(':')[0]?.toLowerCase(), text] as const,
  )
  if (headers) reached.access['header-env'] = [...new Map(headers).values()]
  // The curl commands of the report read a key of the command line from there, a deployment from elsewhere.
  if (flags.given('key') !== undefined && deployment !== undefined)
    reached.access['key-env'] = [defaultKeyVariable]
  return reached
}

/**
 * A command line with the options of the run that wrote a report, where it gives no others. Access to the target is
 * never taken from a file, which anybody may have written.
 */
export function withReported(
  { args, env }: Console,
  rows: readonly Flag[],
  flags: Parsed,
  { options }: Reached,
): Parsed {
  const excluded = new Set(
    rows.flatMap(({ name, excludes = [] }) => (flags.given(name) === undefined ? [] : excludes)),
  )
  const taken = rows.filter(
    ({ name, decides, excludes = [] }) =>
      decides === 'verdict' &&
      Object.hasOwn(options, name) &&
      flags.given(name) === undefined &&
      !excluded.has(name) &&
      excludes.every((other) => flags.given(other) === undefined),
  )
  const words = taken.flatMap(({ name, value }) =>
    value === undefined ? [`--${name}`] : (options[name] ?? []).map((text) => `--${name}=${text}`),
  )
  return parseFlags(rows, [...words, ...args], env)
}
