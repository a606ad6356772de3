import type { RequirementId } from '../../spec/requirements.ts'
import {
  neverStored,
  repeatedId,
  type Created,
  type PetList,
  type Sighting,
} from '../judge/catalog.ts'
import type { Violation } from '../judge/findings.ts'
import type { Log, RepeatedId } from '../judge/run-log.ts'
import { concluded, type Judging, type Look } from '../judge/questions.ts'
import { judgeExperiment } from './experiments.ts'
import { judgeOwnDiffers, judgeOtherDiffers, judgeShared, judgeUnstable } from './contradictions.ts'
import { judgeListed, judgeStored } from './fetched.ts'
import {
  judgeMissing,
  judgeShort,
  missingRequirements,
  shortRequirements,
  type LackingList,
  type Short,
} from './lists.ts'
import { judgeStray } from './strays.ts'

/** What each kind of claim is about. */
interface Subjects {
  stored: Created
  listed: Sighting
  missing: LackingList
  short: Short
  ownDiffers: readonly [own: Created, Sighting, Sighting]
  otherDiffers: readonly [Sighting, Sighting]
  shared: readonly PetList[]
  unstable: readonly [Sighting, Sighting]
  repeated: RepeatedId
  /** Pets that have changed, or are gone. */
  experiment: undefined
  /** The first category of those that only rejected creations have. */
  stray: number
}

interface Row<Subject> {
  /** What is about the same is one claim: an id, a path, or one word for all. */
  about(subject: Subject): string
  requirements(subject: Subject, log: Log): readonly RequirementId[]
  /** The violation, if this look shows it. */
  judge(subject: Subject, look: Look): Judging<Violation | undefined>
}

/**
 * What may be a violation, unless a lagging replica or a concurrent writer explains it: each kind, and what judges it by the
 * log and by further questions. `suite/recheck.ts` poses them.
 */
const rows: { readonly [Kind in keyof Subjects]: Row<Subjects[Kind]> } = {
  stored: {
    about: ({ pet }) => String(pet.id),
    requirements: () => ['create.stored'],
    judge: judgeStored,
  },
  listed: {
    about: ({ pet }) => String(pet.id),
    requirements: () => ['get.by-id'],
    judge: judgeListed,
  },
  missing: {
    about: ({ list, whose }) => `${list.exchange.plan.path} ${whose}`,
    requirements: ({ list, whose }) => missingRequirements(list, whose),
    judge: judgeMissing,
  },
  short: {
    about: ({ list }) => list.exchange.plan.path,
    requirements: ({ list }, log) => shortRequirements(list, log.lists),
    judge: judgeShort,
  },
  ownDiffers: {
    about: ([{ pet }]) => String(pet.id),
    requirements: () => ['service.catalog', 'state.reads-change-nothing'],
    judge: judgeOwnDiffers,
  },
  otherDiffers: {
    about: ([{ pet }]) => String(pet.id),
    requirements: () => ['state.reads-change-nothing'],
    judge: judgeOtherDiffers,
  },
  shared: {
    about: () => 'lists',
    requirements: () => ['list.status.filter'],
    judge: judgeShared,
  },
  unstable: {
    about: ([{ pet }]) => String(pet.id),
    requirements: () => ['state.reads-change-nothing'],
    judge: judgeUnstable,
  },
  repeated: {
    about: ({ first, second }) => (first.pet.name === second.pet.name ? 'ids of one name' : 'ids'),
    requirements: () => ['pet.id.unique'],
    // The log shows it: nothing is open.
    judge: (repeated, { log }) => {
      const { first, second } = repeated
      const claim = log.wasNeverStored(repeated) ? neverStored : repeatedId
      return concluded(claim(second.pet.id, first.exchange, second.exchange))
    },
  },
  experiment: {
    about: () => 'pets',
    requirements: () => ['state.reads-change-nothing'],
    judge: judgeExperiment,
  },
  stray: {
    about: () => 'pets',
    requirements: () => ['create.rejected-leaves-nothing'],
    judge: judgeStray,
  },
}

/** A claim of a check. */
export interface Claim {
  kind: keyof Subjects
  about: string
  check: string
  requirements: readonly RequirementId[]
  /** Whether a replica that lags may explain it. */
  mayLag: boolean
  /** The time of the run from which on it is looked at. */
  recheckAt: number
  /** The looks so far. */
  looks: Look['earlier'][number][]
  judge(look: Look): Judging<Violation | undefined>
}
export type ClaimKind = keyof Subjects
export type Subject<Kind extends ClaimKind> = Subjects[Kind]

/** What a check claims. */
export function claimOf<Kind extends ClaimKind>(
  kind: Kind,
  subject: Subjects[Kind],
  log: Log,
): Omit<Claim, 'check' | 'mayLag' | 'recheckAt'> {
  const row = rows[kind]
  return {
    kind,
    about: row.about(subject),
    requirements: row.requirements(subject, log),
    looks: [],
    judge: (look) => row.judge(subject, look),
  }
}
