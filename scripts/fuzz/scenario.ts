import type { Chance } from './chance.ts'

/** One thing that a client does on a connection. */
export type Step =
  | { send: Buffer }
  | { pauseMs: number }
  /** Waits until this many final replies have come. */
  | { awaitReplies: number }
  /** Says that nothing more will be sent. */
  | { finish: true }
  /** Gives the connection up, in order or with a reset. */
  | { abandon: 'close' | 'reset' }

/** What a reply must be, in the order of the requests. */
export interface Expected {
  /** The method that was sent: a reply to HEAD has no body. */
  method: string
  /** The lawful statuses, by the specification, the RFCs and the documented defaults of the mock. */
  statuses: readonly number[]
  /** What is wrong with a 2xx body, if anything. */
  body?: (text: string) => string | undefined
  /** The beginning of the names of headers that must not be there. */
  never?: string
  /** A deployment that makes other choices may accept it. */
  mayBeAccepted?: true
  /** The connection may be closed before this reply. */
  optional?: true
}

/** A conversation on one connection. It ends when the mock closes, or the client gives up. */
export interface Scenario {
  steps: readonly Step[]
  replies: readonly Expected[]
  /** Names of pets that may come into being although no reply confirms them: the client has gone. */
  inDoubt?: readonly string[]
  /** How long it may take, in milliseconds: 10,000 by default. */
  limitMs?: number
}

/** What a case has to go by. */
export interface Context {
  chance: Chance
  key: string
  /** A name that no other pet of this run has. */
  petName: () => string
  /** The key of a sandbox. */
  sandboxKey: string
  /** The pets from the start as the mock shows them: the one with id 1 comes first. */
  seeded: readonly SeededPet[]
}

export interface SeededPet {
  text: string
  status: string | undefined
}

/** Whoever plays a case that is more than one conversation. */
export interface Stage {
  port: number
  /** Bytes of memory that the mock has in use. */
  memory: () => Promise<number>
  /** Plays a scenario and returns what was wrong. */
  play: (scenario: Scenario) => Promise<string[]>
}

/** One way to be hostile. */
export type FuzzCase = {
  /** `group/name`. */
  id: string
  /** Takes a time limit of the mock to end: only in runs that are long enough. */
  slow?: true
} & (
  | { make: (context: Context) => Scenario }
  /** Many connections at a time. Returns what was wrong. */
  | { storm: (context: Context, stage: Stage) => Promise<string[]> }
)
