import type { Int64, PetStatus } from '../../spec/types.ts'
import type { Exchange, Plan } from '../http/exchange.ts'
import { listsIn, sightingIn, type PetList, type Sighted, type Sighting } from './catalog.ts'
import { petsOf } from './expect.ts'
import type { Log } from './run-log.ts'
import type { SeenPet } from './shapes.ts'

/** What a judge must know of the run beside its log. */
export interface Assumptions {
  /** Milliseconds within which a new pet, or a change, must be visible everywhere. */
  windowMs: number
  /** Whether getPet may be removed, and seems to be. */
  getRemoved: boolean
  /** Whether the run sends only a few requests. */
  isSmoke: boolean
  /** Pets that it may still create; undefined in a read-only run. */
  writesLeft?: number | undefined
}

/** One request of a question: a list, a pet by getPet, or a pet wherever it is shown, but for one list. */
export type Read = { list: string } | { get: Int64 } | { find: Sighted; except?: string }

/** What decides: requests to send next. The responses are found in the log by its purpose. */
export interface Question {
  purpose: string
  /** The time of the run from which on it can decide. Default: at once. */
  notBefore?: number
  /** Sent side by side. */
  reads?: readonly Read[]
  /** Pets that are created side by side, as far as the run may: ordinary ones, or with the name and the body of another creation. */
  create?: {
    status: PetStatus | undefined
    times: number
    categoryId?: Int64 | undefined
    like?: { name: string; body: string | undefined }
  }
  /** Creations that must be rejected, sent side by side before the reads. */
  resend?: readonly Plan[]
}

/** Reads the log, and yields the questions that are open. */
export type Judging<Result> = Generator<Question, Result, void>

/** The responses to a question. It is sent once for its purpose: posed again, it has the same responses. */
export function* pose(log: Log, question: Question): Judging<readonly Exchange[]> {
  if (!log.posed.has(question.purpose)) yield question
  return log.responses(question.purpose)
}

/** A result of the log alone. */
// oxlint-disable-next-line require-yield -- Nothing is open.
export function* concluded<Result>(result: Result): Judging<Result> {
  return result
}

/** What a judge concludes if it needs no further question; undefined as long as one is open. */
export function concludedSoFar<Result>(judging: Judging<Result>): Result | undefined {
  const { done, value } = judging.next()
  return done ? value : undefined
}

/** One of several looks at what may be a violation. Each sends its own requests. */
export interface Look {
  log: Log
  assumptions: Assumptions
  /** Begins the purposes of its questions. */
  key: string
  /** The looks before it, and whether they have found a violation; undefined where they were inconclusive. */
  earlier: readonly { key: string; found: boolean | undefined }[]
}

/** Lists, read side by side. */
export function* readLists(
  { key, log }: Look,
  what: string,
  paths: readonly string[],
  notBefore = 0,
): Judging<PetList[]> {
  const reads = paths.map((list) => ({ list }))
  return listsIn(yield* pose(log, { purpose: `${key}, ${what}`, notBefore, reads }))
}

/** Pets by getPet, read side by side. */
export const readPets = (
  { key, log }: Look,
  what: string,
  ids: readonly Int64[],
): Judging<readonly Exchange[]> =>
  pose(log, { purpose: `${key}, ${what}`, reads: ids.map((get) => ({ get })) })

/** A pet wherever it is shown, but for one list. */
export function* readElsewhere(
  { key, log }: Look,
  what: string,
  sighting: Sighted,
  except?: string,
): Judging<Sighting | undefined> {
  const read = { find: sighting, ...(except !== undefined && { except }) }
  const shown = yield* pose(log, { purpose: `${key}, ${what}`, reads: [read] })
  const last = shown.at(-1)
  return last && sightingIn(last, sighting.pet.id)
}

/** How much older a pet must be than one that has changed: at 1, the time of a request would decide; more only takes longer. */
export const longer = 1.2
/** Pets that are fetched to see whether others change or remove them: a run sends about 190 requests, and each such question takes a ninth more. */
export const mostFetched = 20

/** The pet that the responses to a question show: by getPet whatever its id. */
export function shownIn(responses: readonly Exchange[], id: Int64): SeenPet | undefined {
  const pets = responses.map((one) =>
    one.operation === 'getPet' ? petsOf(one)[0] : sightingIn(one, id)?.pet,
  )
  return pets.findLast((pet) => pet !== undefined)
}
