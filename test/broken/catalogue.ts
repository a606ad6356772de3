import { accessFaults } from './access-faults.ts'
import { bodyHoles } from './body-holes.ts'
import { toBrokenServers } from './broken-server.ts'
import { creationFaults } from './creation-faults.ts'
import { emptyListFaults } from './empty-list-faults.ts'
import { errorFaults } from './error-faults.ts'
import { exactnessFaults } from './exactness-faults.ts'
import type { BrokenServer, Row } from './fault.ts'
import { getFaults } from './get-faults.ts'
import { intermittentFaults } from './intermittent-faults.ts'
import { keyFaults } from './key-faults.ts'
import { laggingFaults } from './lagging-faults.ts'
import { limitFaults } from './limit-faults.ts'
import { oddQueryFaults } from './odd-query-faults.ts'
import { parallelFaults } from './parallel-faults.ts'
import { refusalFaults } from './refusal-faults.ts'
import { routingFaults } from './routing-faults.ts'
import { shapeFaults } from './shape-faults.ts'
import { statusFaults } from './status-faults.ts'
import { trivialServers } from './trivial-servers.ts'
import { wireFaults } from './wire-faults.ts'

export type { BrokenServer } from './fault.ts'

const tables: readonly (readonly Row[])[] = [
  routingFaults,
  keyFaults,
  accessFaults,
  limitFaults,
  statusFaults,
  emptyListFaults,
  shapeFaults,
  exactnessFaults,
  creationFaults,
  bodyHoles.map(([id, ...rest]): Row => [`accepts-${id}`, ...rest]),
  refusalFaults,
  getFaults,
  errorFaults.map(([id, ...rest]): Row => [`error-${id}`, ...rest]),
  wireFaults,
  oddQueryFaults,
  intermittentFaults,
  parallelFaults,
  laggingFaults,
]

/** Every broken server: foreign to the product, lawful but for one fault. */
export const brokenServers: readonly BrokenServer[] = [...trivialServers, ...tables.flatMap(toBrokenServers)]
