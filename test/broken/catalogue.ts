import { acceptFaults } from './accept-faults.ts'
import { toBrokenServers } from './broken-server.ts'
import { cacheFaults } from './cache-faults.ts'
import { connectionFaults } from './connection-faults.ts'
import { creationFaults } from './creation-faults.ts'
import { defaultLimitFaults } from './default-limit-faults.ts'
import { emptyListFaults } from './empty-list-faults.ts'
import { errorFaults } from './error-faults.ts'
import type { BrokenServer, Row } from './fault.ts'
import { forgottenPetFaults } from './forgotten-pet-faults.ts'
import { framingFaults } from './framing-faults.ts'
import { getFaults } from './get-faults.ts'
import { integerFaults } from './integer-faults.ts'
import { intermittentFaults } from './intermittent-faults.ts'
import { jsonTextFaults } from './json-text-faults.ts'
import { keptRefusalFaults } from './kept-refusal-faults.ts'
import { keyFaults } from './key-faults.ts'
import { laggingFaults } from './lagging-faults.ts'
import { lateRuleFaults } from './late-rule-faults.ts'
import { limitFaults } from './limit-faults.ts'
import { mediaTypeFaults } from './media-type-faults.ts'
import { memberFaults } from './member-faults.ts'
import { nameFaults } from './name-faults.ts'
import { newIdFaults } from './new-id-faults.ts'
import { oddQueryFaults } from './odd-query-faults.ts'
import { openDoorFaults } from './open-door-faults.ts'
import { parallelFaults } from './parallel-faults.ts'
import { refusalFaults } from './refusal-faults.ts'
import { rememberedKeyFaults } from './remembered-key-faults.ts'
import { routingFaults } from './routing-faults.ts'
import { shapeFaults } from './shape-faults.ts'
import { statusFaults } from './status-faults.ts'
import { syntaxHoles } from './syntax-holes.ts'
import { trivialServers } from './trivial-servers.ts'
import { unknownIdFaults } from './unknown-id-faults.ts'
import { valueHoles } from './value-holes.ts'
import { vanishingFaults } from './vanishing-faults.ts'

export type { BrokenServer } from './fault.ts'

/** What all ids of a table begin with, and the table. */
const tables: readonly (readonly [string, readonly Row[]])[] = [
  ['', routingFaults],
  ['', keyFaults],
  ['', openDoorFaults],
  ['', rememberedKeyFaults],
  ['', limitFaults],
  ['', defaultLimitFaults],
  ['', statusFaults],
  ['', emptyListFaults],
  ['', memberFaults],
  ['', shapeFaults],
  ['', integerFaults],
  ['', nameFaults],
  ['', creationFaults],
  ['', forgottenPetFaults],
  ['', newIdFaults],
  ['accepts-', valueHoles],
  ['accepts-', syntaxHoles],
  ['', refusalFaults],
  ['', keptRefusalFaults],
  ['', unknownIdFaults],
  ['', getFaults],
  ['error-', errorFaults],
  ['', acceptFaults],
  ['', mediaTypeFaults],
  ['', jsonTextFaults],
  ['', oddQueryFaults],
  ['', intermittentFaults],
  ['', vanishingFaults],
  ['', cacheFaults],
  ['', parallelFaults],
  ['', laggingFaults],
  ['', lateRuleFaults],
]

/** Every broken server: foreign to the product, lawful but for one fault. */
export const brokenServers: readonly BrokenServer[] = [
  ...trivialServers,
  ...tables.flatMap(([prefix, rows]) => toBrokenServers(rows.map(([id, ...rest]): Row => [`${prefix}${id}`, ...rest]))),
  ...[...framingFaults, ...connectionFaults].flatMap((row) =>
    toBrokenServers([row]).map((one) => ({ ...one, needsSockets: true as const })),
  ),
]
