import { createHash } from 'node:crypto'

import { UsageError } from '../../errors.ts'
import { printJson } from '../../json.ts'
import { version } from '../../spec/version.ts'
import type { Settings } from '../types.ts'
import type { Sealer } from './sealer.ts'

/** What all mocks of a name must have in common: the version, then a line for each option. */
export function recordOf(settings: Settings, sealer: Sealer, controlToken: string | undefined): string {
  const { seed, pets, ids, basePath, sandboxes, overrides, explain, deviations, profile, data, rules, stoppedAt } =
    settings
  const hashOf = (value: object): string =>
    createHash('sha256').update(printJson(value)).digest('base64url').slice(0, 22)
  const record: Record<string, string> = {
    seed: String(seed),
    pets: String(pets),
    ids,
    data: data === undefined ? 'seeded' : hashOf(data),
    keys: sealer.fingerprint,
    basePath,
    sandboxes: String(sandboxes),
    overrides: String(overrides),
    explain: String(explain),
    deviations: deviations.join(', '),
    ...profile,
    rules: rules.length === 0 ? 'none' : hashOf(rules),
    now: stoppedAt === undefined ? 'running' : new Date(stoppedAt).toISOString(),
    controlToken: controlToken === undefined ? 'none' : sealer.digest(controlToken),
  }
  return [version, ...Object.entries(record).map(([option, value]) => `${option}: ${value}`)].join('\n')
}

/** The error when the record differs from that of the other mocks. */
export function refusal(own: string, there: string, name: string): UsageError {
  const read = (record: string): Readonly<Record<string, string>> =>
    Object.fromEntries(`version: ${record}`.split('\n').map((line) => line.split(/: (.*)/s))) as Record<string, string>
  const others = read(there)
  const differing = Object.entries(read(own)).flatMap(([option, value]) => {
    const other = others[option]
    if (other === value) return []
    // Another version may have other lines.
    return [other === undefined || hidden.test(option) ? `other ${option}` : `${option} ${other}, not ${value}`]
  })
  return new UsageError([
    {
      path: 'shared',
      message:
        `the mock ${name} of this engine has ${differing.join('; ')}. All mocks with the same name need the same ` +
        'options and the same version: use the same ones, or another --shared-name.',
    },
  ])
}

/** Options whose values are secrets or hashes. */
const hidden = /^(keys|controlToken|data|rules)$/
