import { emptyListFaults, limitFaults, oddQueryFaults, statusFaults } from './list-faults.ts'
import { keyFaults, openDoorFaults, rememberedKeyFaults } from './auth-faults.ts'
import {
  acceptFaults,
  errorFaults,
  jsonTextFaults,
  mediaTypeFaults,
  nameHoles,
  syntaxHoles,
  valueHoles,
} from './body-faults.ts'
import { toBrokenServers } from './broken-server.ts'
import { arrivalFaults, connectionFaults, framingFaults } from './connection-faults.ts'
import * as creations from './create-faults.ts'
import type { BrokenServer, Row } from './fault.ts'
import * as pets from './pet-faults.ts'
import * as time from './time-faults.ts'
import { trivialServers } from './trivial-servers.ts'

export type { BrokenServer } from './fault.ts'

const prefixed = (prefix: string, rows: readonly Row[]): Row[] =>
  rows.map(([id, ...rest]) => [`${prefix}${id}`, ...rest])

/** All broken servers: independent of the mock, and conforming except for one fault. */
export const brokenServers: readonly BrokenServer[] = [
  ...trivialServers,
  ...[keyFaults, openDoorFaults, rememberedKeyFaults].flatMap(toBrokenServers),
  ...[limitFaults, emptyListFaults, oddQueryFaults, statusFaults].flatMap(toBrokenServers),
  ...[pets, creations, time].flatMap((tables) => Object.values(tables).flatMap(toBrokenServers)),
  ...toBrokenServers(prefixed('accepts-', [...valueHoles, ...nameHoles, ...syntaxHoles])),
  ...toBrokenServers(prefixed('error-', errorFaults)),
  ...[acceptFaults, mediaTypeFaults, jsonTextFaults].flatMap(toBrokenServers),
  ...toBrokenServers([...framingFaults, ...arrivalFaults, ...connectionFaults]).map((one) => ({
    ...one,
    needsSockets: true as const,
  })),
]
