import type { Int64, PetStatus } from '../../spec/types.ts'
import { arrivalOf, keptSeconds, type Exchange } from '../http/exchange.ts'
import {
  hasOtherStatus,
  sameButStatus,
  samePet,
  sightingIn,
  longestLists,
  widePaths,
  type Created,
  type PetList,
  type Sighted,
} from './catalog.ts'
import { describe, petsOf } from './expect.ts'
import { NotVerified, type ExplanationName, type Violation } from './findings.ts'
import type { Log, RepeatedId } from './run-log.ts'
import {
  pose,
  concluded,
  type Assumptions,
  type Judging,
  type Question,
  type Read,
} from './questions.ts'
import type { SeenPet } from './shapes.ts'

/** Something innocent that may explain a claim. The texts are the documentation, too. */
export interface Explanation<Subject = Violation, Conclusion = string | undefined> {
  /** What is innocent about it, and the claims that it can explain. */
  what: string
  explains: string
  /** When the log refutes it, and the requests that decide. */
  refuted: string
  requests: string
  /** Why a requirement is not verified as long as it is possible; capital letters stand for values. */
  reason: string
  /** Reads the log, and yields the questions that decide. Returns the reason as long as it is possible; undefined once it is refuted. */
  judge(subject: Subject, log: Log, assumptions: Assumptions): Judging<Conclusion>
}

const changed = 'other clients change pets while the run looks at them'
const leftList = 'others change the statuses of pets while the run looks at them'
const unseen =
  'others may have changed a status, and no new pet could be created that would show it'
const taken = 'others seem to have removed or changed pet ID of the run'
const swept =
  'all pets of the run were removed at once, and later ones were not: a job that removes test pets, or a reset, seems to have run meanwhile; verify when none does'
const idReused = 'others may have removed the pet that had this id'
const cached =
  'REQUEST responded STATUS, by its headers from a cache: verify behind the cache, or set a longer time with --settle'
const late = 'may be late, after N s (--settle)'

/** A pet of the run, and how a response shows it. */
interface Moved {
  own: Created
  found: SeenPet
}

type OfClaims = Exclude<ExplanationName, 'moved'>

/**
 * What may be innocent about a claim, in the order in which the log is read. A claim says which of them could explain it;
 * `cached` may explain any. `moved` is judged before: whether there is a claim, and which, depends on it.
 */
export const explanations: Readonly<
  Record<OfClaims, Explanation> & { moved: Explanation<Moved, boolean | NotVerified> }
> = {
  changed: {
    what: 'Others change the statuses of their pets.',
    explains:
      'responses that show a pet of others with different statuses, or lists by status that differ',
    refuted:
      'In the whole run, no two lists without a filter that the same request got show a pet of others with different statuses.',
    requests: 'nothing: every response counts',
    reason: changed,
    judge: (_claim, log) => concluded(othersChange(log) ? changed : undefined),
  },
  leftList: {
    what: 'Others have moved the pet to another status.',
    explains: 'a pet that is missing from the list of its status',
    refuted: 'In the whole run, no pet was shown with one status and later with another one.',
    requests: 'nothing: every response counts',
    reason: leftList,
    judge: (_claim, log) => concluded(anyOtherMoved(log) ? leftList : undefined),
  },
  moved: {
    what: 'Others have changed the status of a pet of the run.',
    explains: 'a pet of the run with another status than it was created with',
    refuted:
      'Three reads in a row show other statuses each time: reads change it. Or no read has shown it with the status that was sent, and no other pet changes its status, not even a new one that is read at once, and again when it is older than this one was. Or other pets change theirs, but no read has shown a pet with the status that was sent, and two new ones have another one at once, the same for the same status, and keep it.',
    requests:
      'the pet, three times in a row; the other pets of the run; a new pet, twice; where others change statuses, two new pets, twice',
    reason: unseen,
    judge: othersMoved,
  },
  taken: {
    what: 'Others have removed or changed a pet of the run.',
    explains: 'a pet of the run that is gone, or has another name or category',
    refuted:
      'A further read shows the pet as it was created, or with another name of the run. Or no pet of others is gone, and either no response has ever shown the pet, or another pet of the run is gone or changed, too; but where all pets of the run are gone that were there at a moment, new ones must get lost as well, the older ones first, or a lost one must be there again: a job that removes test pets takes all at once, for good. In a smoke run, always: it sends few requests.',
    requests:
      'the pet, five times; the longest lists; the other pets of the run; pets that lists no longer show; where all earlier pets of the run are gone, two new ones, until they are older than the youngest lost one, and at last the lost ones',
    reason: taken,
    judge: othersTook,
  },
  idReused: {
    what: 'Others have removed a pet, and the next new pet got its id.',
    explains: 'a new pet with the id of an earlier one',
    refuted:
      'Creations side by side get one id again; where both pets have one name, creations with that name. Or it happened more than once, or within 10 ms of the creation of an earlier pet with another name, and no pet of others is gone.',
    requests:
      'four creations side by side, once in a run, or two with the name that both pets have; pets that lists no longer show',
    reason: idReused,
    judge: mayReuse,
  },
  cached: {
    what: 'A response comes from a cache.',
    explains: 'responses that disagree',
    refuted:
      'The headers of the responses allow no age (`Age`, `Cache-Control`, `Expires`, `X-Cache` and others like them).',
    requests: 'nothing: the headers count',
    reason: cached,
    judge: ({ exchanges }) => concluded(staleness(exchanges)),
  },
  late: {
    what: 'A new pet, a change or a removal is not visible everywhere yet.',
    explains: 'a pet that is missing, or is shown as it was before',
    refuted:
      'Of a list: the pet was shown before the run created any, and others add none that a list by status learns of later. Of getPet: it has shown this pet, or a later one of the run. Of a page: lists beside it show more such pets, or more pets are missing than there are new ones, or two pages end at the same length.',
    requests:
      'the same requests after the consistency window (`--settle`), until two agree; where nothing else is violated, again after 5 and after 7 more windows of at most 5 s',
    reason: late,
    // Whether it can be late was read when the claim was made: what comes later was late.
    judge: ({ unless }) => concluded(unless?.late ? late : undefined),
  },
}

/** The further waits for what may be late, in consistency windows of at most 5 s: lists are often cached for a minute. */
export const patience = { windows: [5, 7], longestWindowMs: 5_000 } as const

/** What is innocent about a claim, or may be; undefined where nothing is. */
export function* explain(
  claim: Violation,
  log: Log,
  assumptions: Assumptions,
): Judging<{ name: OfClaims; reason: string } | undefined> {
  const { moved: _, ...ofClaims } = explanations
  for (const name of Object.keys(ofClaims) as OfClaims[]) {
    const mayExplain = claim.unless?.[name] ?? name === 'cached'
    if (mayExplain === false) continue
    const reason = yield* ofClaims[name].judge(claim, log, assumptions)
    if (reason !== undefined) return { name, reason }
  }
  return undefined
}

/** The pet that the responses to a question show: by getPet whatever its id. */
function shownIn(responses: readonly Exchange[], id: Int64): SeenPet | undefined {
  const pets = responses.map((one) =>
    one.operation === 'getPet' ? petsOf(one)[0] : sightingIn(one, id)?.pet,
  )
  return pets.findLast((pet) => pet !== undefined)
}

// --- Others change the status of pets ---

/** Whether two responses to the same request show a pet that others change with different statuses. */
function othersChange(log: Log): boolean {
  const own = new Set(
    log.created.flatMap((one) => (movedBy(one, log) === 'others' ? [] : [one.pet.id])),
  )
  const known = new Map<string, PetStatus | undefined>()
  for (const { exchange, pets } of log.lists.filter(({ filter }) => filter === '')) {
    for (const { id, status } of pets.filter((pet) => !own.has(pet.id))) {
      if (status === null) continue
      const key = `${id} ${exchange.plan.path}`
      if (known.has(key) && known.get(key) !== status) return true
      known.set(key, status)
    }
  }
  return false
}

/** Whether reads have shown another pet with one status and then with another one. */
function anyOtherMoved(log: Log, except?: Int64): boolean {
  const read = new Set(
    log.created.filter((one) => log.wasShownAsCreated(one)).map(({ pet }) => pet.id),
  )
  return log.catalog.all().some((sightings) => {
    const [first, ...others] = sightings.filter(
      ({ pet, exchange }) =>
        pet.id !== except && (exchange.operation !== 'createPet' || read.has(pet.id)),
    )
    return first !== undefined && others.some(({ pet }) => hasOtherStatus(first.pet, pet))
  })
}

/** Reads of a pet in a row, and the changes between them: others may sell a pet once between two reads, hardly before each of two. */
const readsInARow = 3
const changesByReading = 2
/** How much older a pet must be than one that has changed: at 1, the time of a request would decide; more only takes longer. */
const longer = 1.2
/** Pets that are fetched to see whether others change or remove them: a run sends about 190 requests, and each such question takes a ninth more. */
const mostFetched = 20

/**
 * Whether others have changed the status of a pet of the run: "Transitions: not shown", and store orders exist. A status
 * that changes with each read is changed by reads; one that no read has shown as sent was not stored.
 */
function* othersMoved({ own, found }: Moved, log: Log): Judging<boolean | NotVerified> {
  const { pet } = own
  if (!found.status || !sameButStatus(found, pet)) return false
  const isOverwritten = pet.name === log.names.repeated
  const isUnshown = (): boolean =>
    isOverwritten || (pet.status !== undefined && !log.wasShownAsCreated(own))
  // Whether nothing shows others at work, which any response may do: then a new pet decides.
  const isFirst = (): boolean => pet.status === undefined && !hasShownNone(log)
  const isAlone = (): boolean => isUnshown() && !anyOtherMoved(log, pet.id)
  if (!isFirst() && isAlone()) {
    const some = log.created.slice(-mostFetched).map((one) => ({ get: one.pet.id }))
    // Lists may learn late of changes.
    const reads = [{ list: '/pets?limit=100' }, ...some]
    yield* pose(log, { purpose: `the statuses of other pets than ${pet.id}`, reads })
  }
  const conclusion = yield* watchNew(own, log, () => isFirst() || isAlone())
  if (conclusion !== undefined) return conclusion
  if (isUnshown() && !isOverwritten && (yield* storesOther(own, log))) return false
  for (const purpose of inARow(own)) yield* pose(log, { purpose, reads: [{ find: own }] })
  return !changesByReads(own, log)
}

/**
 * Whether others have changed the status of a pet of the run.
 *
 * @throws {NotVerified} when that cannot be decided
 */
export function* haveOthersMoved(own: Created, found: SeenPet, log: Log): Judging<boolean> {
  const conclusion = yield* othersMoved({ own, found }, log)
  if (typeof conclusion === 'object') throw conclusion
  return conclusion
}

/** Whether a response shows a pet of the run otherwise than it was created, and others have not changed its status. */
export function* isChanged(own: Created, shown: SeenPet, log: Log): Judging<boolean> {
  return !samePet(own.pet, shown) && !(yield* haveOthersMoved(own, shown, log))
}

const inARow = ({ pet }: Created): string[] =>
  Array.from({ length: readsInARow }, (_, read) => `pet ${pet.id} in a row, read ${read + 1}`)

/** Whether consecutive reads show other statuses each time. */
function changesByReads(own: Created, log: Log): boolean {
  const purposes = inARow(own)
  if (!purposes.every((purpose) => log.wasPosed(purpose))) return false
  const seen = purposes.map((purpose) => shownIn(log.responses(purpose), own.pet.id)?.status)
  const changes = seen.filter((one, place) => place > 0 && one !== seen[place - 1])
  return changes.length >= changesByReading
}

/** Who changes the status of a pet of the run, as far as the log shows. */
export function movedBy(own: Created, log: Log): 'others' | 'reads' | undefined {
  if (changesByReads(own, log)) return 'reads'
  const other = log.catalog
    .of(own.pet.id)
    .find(({ pet }) => pet.status && pet.status !== own.pet.status && sameButStatus(pet, own.pet))
  // The conclusion, if no question is open.
  return other && othersMoved({ own, found: other.pet }, log).next().value === true
    ? 'others'
    : undefined
}

/** Whether a pet without a status may get one later: a read has shown one without. */
const hasShownNone = (log: Log): boolean =>
  log.created.some((one) => one.pet.status === undefined && log.wasShownAsCreated(one))

/** The status that a creation sent, if any. */
const sentStatus = ({ pet, exchange }: Created): PetStatus | undefined =>
  (exchange.plan.body?.includes('"status"') === true && pet.status) || undefined

/** Reads a new pet with the status of a changed one as soon as it is created. */
function* readNew(own: Created, nth: string, log: Log): Judging<Created | NotVerified> {
  const status = sentStatus(own)
  const purpose = `${nth} new pet with the status ${status}`
  const creation = (yield* pose(log, { purpose, create: { status, times: 1 } })).at(-1)
  const watched = log.created.find((one) => one.exchange === creation)
  // The run may create no more, or the target takes no more.
  if (watched === undefined)
    return new NotVerified(creation ? `${unseen}: ${describe(creation)}` : unseen)
  yield* pose(log, { purpose: `the first read of ${purpose}`, reads: [{ find: watched }] })
  return watched
}

/**
 * Reads one more pet with the status of a changed one as soon as it is created, and again when it is older than that one
 * was: where it is shown as sent first and changes, too, others move new pets. Ends once it is not `needed`.
 */
function* watchNew(
  own: Created,
  log: Log,
  isNeeded: () => boolean,
): Judging<false | NotVerified | undefined> {
  if (!isNeeded()) return undefined
  const { pet, exchange } = own
  const watched = yield* readNew(own, 'a', log)
  if (!isNeeded()) return undefined
  if (watched instanceof NotVerified) return watched
  if (!log.wasShownAsCreated(watched)) return false
  const changed = log.catalog.of(pet.id).filter((one) => !samePet(one.pet, pet))
  const age = Math.min(...changed.map((one) => arrivalOf(one.exchange))) - arrivalOf(exchange)
  const purpose = `a new pet when it is older than pet ${pet.id}`
  const notBefore = arrivalOf(watched.exchange) + longer * age
  yield* pose(log, { purpose, notBefore, reads: [{ find: watched }] })
  return isNeeded() ? false : undefined
}

/**
 * How soon a pet is read at once: so many milliseconds after its creation, or as many as that took. A job of others comes
 * later; with less, no read over a slow network would count.
 */
const atOnceMs = 100
/** The age of a pet at a further read, as a multiple of the age at the first one: who moved it before that moves it on by then. */
const muchLonger = 4

/** A pet that the first read, at once, showed with another status, and the first read when it was much older. */
interface OtherAtOnce {
  own: Created
  other: PetStatus
  olderFrom: number
  older: PetStatus | null | undefined
}

function otherAtOnce(own: Created, log: Log): OtherAtOnce[] {
  const { pet, exchange } = own
  const bornAt = arrivalOf(exchange)
  const reads = log.fetched(pet.id).filter(({ sentAt }) => sentAt >= bornAt)
  const [first] = reads
  if (!first || first.sentAt > bornAt + Math.max(atOnceMs, exchange.durationMs)) return []
  const other = sightingIn(first, pet.id)?.pet
  if (!other?.status || !hasOtherStatus(pet, other)) return []
  const olderFrom = exchange.sentAt + muchLonger * (arrivalOf(first) - exchange.sentAt)
  const again = reads.find(({ sentAt }) => sentAt >= olderFrom)
  const older = again && (sightingIn(again, pet.id)?.pet.status ?? null)
  return [{ own, other: other.status, olderFrom, older }]
}

/** The pets that reads at once showed with another status, the same for each that was sent; undefined where that is no rule. */
function movedAtOnce(own: Created, log: Log): OtherAtOnce[] | undefined {
  const isAlike = (one: Created): boolean =>
    one.pet.status === own.pet.status && sentStatus(one) === sentStatus(own)
  if (!log.getWorks || log.created.some((one) => isAlike(one) && log.wasShownAsCreated(one)))
    return undefined
  const found = log.created.flatMap((one) => otherAtOnce(one, log))
  const statuses = new Set(found.map((one) => `${one.own.pet.status} ${one.other}`))
  return statuses.size > new Set(found.map((one) => one.own.pet.status)).size ? undefined : found
}

/**
 * Where others change statuses, too: whether no read has shown a pet with this status, and two new pets have another one
 * at once, the same for each status that was sent, and keep it. Who moves every pet before its first read moves it on soon.
 */
function* storesOther(own: Created, log: Log): Judging<boolean> {
  for (const [known, nth] of ['a', 'another'].entries())
    if (movedAtOnce(own, log)?.length === known) yield* readNew(own, nth, log)
  const two = (): OtherAtOnce[] => movedAtOnce(own, log)?.slice(0, 2) ?? []
  if (two().length < 2) return false
  for (const {
    own: { pet },
    olderFrom: notBefore,
    older,
  } of two())
    if (older === undefined) {
      const purpose = `pet ${pet.id}, much older`
      yield* pose(log, { purpose, notBefore, reads: [{ get: pet.id }] })
    }
  return two().length === 2 && two().every(({ other, older }) => older === other)
}

// --- Others remove pets ---

/** Reads of a pet that others may have removed: of two servers, of which one has lost it, all reach that one in 1 of 32 cases. */
const readsOfTaken = 5

/** Whether others may have removed or changed a pet of the run: it alone, once reads have shown it, or pets of others, too. */
function* othersTook(
  { unless, exchanges }: Violation,
  log: Log,
  assumptions: Assumptions,
): Judging<string | undefined> {
  const { created, lists, names } = log
  const id = unless?.taken
  const own = created.find(({ pet }) => pet.id === id)
  if (!own || id === undefined || assumptions.getRemoved || assumptions.isSmoke) return undefined
  // Only what is sent after the claim decides.
  const since = `since ${Math.round(Math.max(...exchanges.map(arrivalOf)))}`
  const key = `pet ${id} ${since}`
  const isIn = ({ pets }: PetList): boolean => pets.some((pet) => sameButStatus(pet, own.pet))
  const wasShown = (): boolean =>
    (log.wasShownAsCreated(own) || lists.some(isIn)) && own.pet.name !== names.repeated
  // The reads for an earlier claim show that it is not alone.
  if (readingWithout(own, log) !== undefined) return yield* wereSwept(own, since, log)
  // A target that loses each new pet would take many reads.
  const isLost = !wasShown() && !(yield* othersRemove(`${key}, first`, log, assumptions))
  if (isLost && !wasShown()) return yield* wereSwept(own, since, log)
  for (let read = 1; read <= readsOfTaken; read += 1) {
    // The lists are read once, below.
    const reads = [log.getWorks ? { get: id } : { find: own }]
    const shown = shownIn(yield* pose(log, { purpose: `${key}, read ${read}`, reads }), id)
    // Others do not change it back, and do not know the names of the run.
    if (shown && sameButStatus(shown, own.pet)) return undefined
    if (shown && shown.name !== own.pet.name && names.owns(shown.name)) return undefined
  }
  const reads = longestLists.map((list) => ({ list }))
  const latest = new Set(yield* pose(log, { purpose: rereadOf(key), reads }))
  if (lists.some((list) => latest.has(list.exchange) && isIn(list))) return undefined
  const possible = taken.replace('ID', String(id))
  if (!wasShown()) return possible
  for (const { pet } of created) {
    if (pet.id === id) continue
    const other = { purpose: `${key}, pet ${pet.id}`, reads: [{ get: pet.id }] }
    const shown = shownIn(yield* pose(log, other), pet.id)
    if (shown && sameButStatus(shown, pet)) continue
    const others = yield* othersRemove(key, log, assumptions)
    return others ? possible : yield* wereSwept(own, since, log)
  }
  return possible
}

/**
 * Looks at two new pets after a loss, until they are older than the youngest lost one; and pairs that are not there together.
 * Fewer looks miss the time in which a service has lost the first pet alone; one pair may be parted by a job.
 */
const [looksAfterLoss, pairsApart] = [12, 2]
/**
 * The age of a new pet when the next one is created, as a share of that age, within limits; and the longest watch. With
 * less between them, a look finds both or none; what takes longer to be lost than the watch looks like a job.
 */
const [apart, leastApartMs, mostApartMs, longestWatchMs] = [0.15, 50, 500, 15_000]
/** Requests beside the looks, for what gets lost after so many: what takes more looks like a job, and more would be a quarter of a run. */
const mostRequests = 40

/**
 * Whether a job has removed all pets of the run that were there at a moment, once or at intervals. A service that loses its
 * pets loses the next ones, too: of two that are created one after the other, the first one earlier, so that both are
 * never there, or the second one alone. A job takes both at once, or leaves them.
 */
function* wereSwept(own: Created, since: string, log: Log): Judging<string | undefined> {
  if (!log.created.some((one) => log.wasShownAsCreated(one))) return undefined
  const all = readingWithout(own, log) ?? `${petsOfRun} ${since}`
  const found = yield* looksSwept(own, all, log)
  if (found === undefined) return undefined
  // What a job has removed does not return; what one of several servers lacks does.
  const last = `at last, ${all}`
  yield* pose(log, readEach(last, sortOut(all, log).gone))
  return sortOut(last, log).there.length > 0 ? undefined : found
}

function* looksSwept(own: Created, all: string, log: Log): Judging<string | undefined> {
  yield* pose(log, readEach(all, log.created))
  if (readings(log).some((purpose) => areReadAway(purpose, log))) return undefined
  if (!wereEldest(own, all, log)) {
    // The job may have come between these reads.
    const again = `again, ${all}`
    yield* pose(log, readEach(again, log.created))
    if (!wereEldest(own, again, log)) return undefined
  }
  const pets: Created[] = []
  for (let missed = 0; missed < pairsApart;) {
    const before = pets.at(-1)
    const create = `after a loss, pet ${pets.length + 1}`
    const age = pets[0] && leastAgeOfLost(pets[0], log)
    if (before && age) {
      const apartMs = Math.min(mostApartMs, Math.max(leastApartMs, apart * age.ms))
      const notBefore = arrivalOf(before.exchange) + apartMs
      // A service that removes what was read so often removes the older one first, too.
      const reads = readEach(`before ${create}`, [before, before], readOthers(0.2 * age.requests))
      yield* pose(log, { ...reads, notBefore })
    }
    const creation = { purpose: create, create: { status: undefined, times: 1 } }
    const responses = yield* pose(log, creation)
    const next = log.created.find(({ exchange }) => responses.includes(exchange))
    // The run may create no more.
    if (!next) return swept
    pets.push(next)
    if (!before || !age) continue
    const pair = `after it, ${pets.length - 1} and ${pets.length}`
    yield* pose(log, readEach(pair, [before, next]))
    const { gone } = sortOut(pair, log)
    if (gone.length === 0) return yield* watchPair(pair, [before, next], age, log)
    // A service that loses pets at an age has just shown an older one: a job has come again.
    if (gone.includes(next) && sortOut(`before ${create}`, log).there.includes(before)) return swept
    missed += 1
  }
  return undefined
}

/** Whether a pet is gone, and with it only pets that are older than those that are there, as far as a job knows their names. */
function wereEldest(own: Created, purpose: string, log: Log): boolean {
  const { gone, there } = sortOut(purpose, log)
  const lastGone = Math.max(...gone.map(({ exchange }) => exchange.sentAt))
  const known = there.filter((one) => isNamedAsOwn(one, log))
  return gone.includes(own) && known.every(({ exchange }) => arrivalOf(exchange) > lastGone)
}

/** Whether the name begins as those of the run do: a job may find its pets by that. Some are only digits, or begin with a space. */
const isNamedAsOwn = ({ pet: { name } }: Created, { names }: Log): boolean =>
  names.owns(name) && /^\S/.test(name ?? '')

const petsOfRun = 'pets of the run'

const readings = ({ posed }: Log): string[] =>
  [...posed].filter((purpose) => purpose.startsWith(petsOfRun))

/** The reads of all pets of the run that have not found this one, as far as there are any. */
const readingWithout = (own: Created, log: Log): string | undefined =>
  readings(log).find((purpose) => sortOut(purpose, log).gone.includes(own))

/** Whether just the pets are gone that getPet had shown before, although some of them are newer than one that is there. */
function areReadAway(purpose: string, log: Log): boolean {
  const { gone, there: shown } = sortOut(purpose, log)
  const there = shown.filter((one) => isNamedAsOwn(one, log))
  const since = Math.min(...log.responses(purpose).map(({ sentAt }) => sentAt))
  const wasFetched = ({ pet }: Created): boolean =>
    log.fetched(pet.id).some(({ sentAt }) => sentAt < since)
  const isOlder = (one: Created): boolean =>
    gone.some(({ exchange }) => exchange.sentAt >= arrivalOf(one.exchange))
  return there.some(isOlder) && gone.every(wasFetched) && !there.some(wasFetched)
}

/** Whether two pets that were there together stay, or are gone together. */
function* watchPair(
  pair: string,
  pets: readonly [Created, Created],
  age: { ms: number; requests: number },
  log: Log,
): Judging<string | undefined> {
  const bornAt = arrivalOf(pets[1].exchange)
  for (let nth = 1; nth <= looksAfterLoss; nth += 1) {
    const purpose = `${pair}, look ${nth}`
    const notBefore = bornAt + (nth / looksAfterLoss) * longer * age.ms
    const others = readOthers(age.requests / looksAfterLoss)
    yield* pose(log, { ...readEach(purpose, pets, others), notBefore })
    if (sortOut(purpose, log).gone.length === 0) continue
    const again = `${purpose}, again`
    yield* pose(log, readEach(again, pets))
    return sortOut(again, log).there.length === 0 ? swept : undefined
  }
  return swept
}

const readOthers = (times: number): Read[] =>
  Array.from({ length: times }, () => ({ list: '/pets?limit=1' }))

const readEach = (
  purpose: string,
  pets: readonly Created[],
  others: readonly Read[] = [],
): Question => ({ purpose, reads: [...pets.map(({ pet }) => ({ get: pet.id })), ...others] })

/** The pets of the run that the responses to a question show as they were created, and those that they do not find. */
function sortOut(purpose: string, log: Log): { gone: Created[]; there: Created[] } {
  const shown = new Map(
    log.responses(purpose).map((response) => [response.plan.pet, petsOf(response)[0]]),
  )
  const read = log.created.filter(({ pet }) => shown.has(pet.id))
  const isThere = ({ pet }: Created): boolean => {
    const now = shown.get(pet.id)
    return now !== undefined && sameButStatus(now, pet)
  }
  return {
    gone: read.filter(({ pet }) => shown.get(pet.id) === undefined),
    there: read.filter(isThere),
  }
}

/** The least age at which a pet of the run was found to be lost before a creation, and the least number of requests. */
function leastAgeOfLost(
  { exchange: until }: Created,
  { created, exchanges }: Log,
): { ms: number; requests: number } {
  const before = exchanges.slice(0, exchanges.indexOf(until))
  const ages = created.flatMap(({ pet, exchange }) => {
    const born = before.indexOf(exchange)
    const reads = before.flatMap((one, place) => (one.plan.pet === pet.id ? [{ one, place }] : []))
    const isFound = ({ one }: { one: Exchange }): boolean => one.status === 200
    const lost = reads[reads.findLastIndex(isFound) + 1]
    return lost && born >= 0
      ? [{ ms: arrivalOf(lost.one) - arrivalOf(exchange), requests: lost.place - born }]
      : []
  })
  return {
    ms: Math.min(longestWatchMs, ...ages.map((age) => age.ms)),
    requests: Math.min(mostRequests, ...ages.map((age) => age.requests)),
  }
}

const rereadOf = (key: string): string => `${key}, lists`

/**
 * Whether a pet of others is gone by now that lists have shown, but getPet has not: reading it has not removed it.
 *
 * @param key of the question about the longest lists
 */
function* othersRemove(
  key: string,
  log: Log,
  { getRemoved, isSmoke }: Assumptions,
): Judging<boolean> {
  if (getRemoved) return false
  const reads = widePaths(isSmoke).map((list) => ({ list }))
  const responses = yield* pose(log, { purpose: rereadOf(key), reads })
  const known = new Set(
    [...log.created.map(({ pet }) => pet), ...responses.flatMap((one) => petsOf(one))].map(
      ({ id }) => id,
    ),
  )
  const listedAt = Math.max(...responses.map(arrivalOf))
  const isKnown = (id: Int64): boolean =>
    known.has(id) || log.fetched(id).some(({ sentAt }) => sentAt < listedAt)
  const missing = log.catalog.first().filter(({ pet }) => !isKnown(pet.id))
  for (const one of missing.slice(0, mostFetched)) {
    const { id } = one.pet
    const purpose = `${key}, pet ${id} of others`
    const search = yield* pose(log, { purpose, reads: [{ find: one }] })
    if (search.every((response) => sightingIn(response, id) === undefined)) return true
  }
  return false
}

/** Milliseconds between two creations in which others hardly remove the pet of the first one alone. With more, one that clears a catalog does. */
const tooSoonMs = 10
/** Creations at once, which show whether an id that was seen twice is one of many. */
const burst = { purpose: 'creations at once', create: { status: undefined, times: 4 } }

/** Whether a new pet may have the id of one that others have removed. */
function* mayReuse(
  { exchanges }: Violation,
  log: Log,
  assumptions: Assumptions,
): Judging<string | undefined> {
  const [first, second] = exchanges
  const repeated = log.repeatedIds.find((one) => one.second.exchange === second)
  const alike = repeated && createAlike(repeated)
  const question = alike ?? burst
  const areCreations = first?.operation === 'createPet' && second?.operation === 'createPet'
  // Others may remove the first of two with one name at any moment: further ones decide.
  const isTooSoon =
    !alike && areCreations && Math.abs(arrivalOf(first) - arrivalOf(second)) < tooSoonMs
  const mayRemove = function* (): Judging<boolean> {
    if (!isTooSoon && log.repeatedIds.length < 2) return true
    if (log.repeatedIds.some((one) => wasGone(one, log))) return true
    return yield* othersRemove('an id that was given twice', log, assumptions)
  }
  if (!log.wasPosed(question.purpose)) {
    if (!(yield* mayRemove())) return undefined
    if (assumptions.isSmoke) return idReused
    yield* pose(log, question)
  }
  return haveOneId(question, log) || !(yield* mayRemove()) ? undefined : idReused
}

/** Where two pets have one name: further creations with it, for a lookup by name would return their id again. */
function createAlike({ first, second }: RepeatedId): (Question & { id: Int64 }) | undefined {
  const { pet, exchange } = second
  if (first.pet.name !== pet.name || pet.name === null) return undefined
  const like = { name: pet.name, body: exchange.plan.body }
  const create = { status: pet.status ?? undefined, times: 2, like }
  return { purpose: `creations with the name of pet ${pet.id}`, create, id: pet.id }
}

/**
 * Whether creations side by side got one id, or several ids twice, the `id` of the question among them: others do not remove
 * pets that often between creations at the same moment.
 */
function haveOneId({ purpose, id }: Question & { id?: Int64 }, log: Log): boolean {
  const given = log.responses(purpose).flatMap((response) => petsOf(response))
  const ids = [...(id === undefined ? [] : [id]), ...given.map((pet) => pet.id)]
  const repetitions = ids.length - new Set(ids).size
  return repetitions > 0 && (repetitions > 1 || ids.length === 2)
}

/** Whether a complete list lacked the pet of others before its id was given to another one. */
const wasGone = ({ first, second }: RepeatedId, { names, lists }: Log): boolean =>
  !names.owns(first.pet.name) &&
  lists.some(
    ({ exchange, pets, filter, complete }) =>
      complete &&
      filter === '' &&
      exchange.sentAt > arrivalOf(first.exchange) &&
      arrivalOf(exchange) < second.exchange.sentAt &&
      pets.every(({ id }) => id !== first.pet.id),
  )

/** Whether the ids of all pets of the run that were there at a moment are given to later ones, as after a reset. */
export function looksReset({ repeatedIds }: Log): boolean {
  const lastFirst = Math.max(...repeatedIds.map(({ first }) => first.exchange.sentAt))
  return (
    repeatedIds.length > 1 &&
    repeatedIds.every(
      ({ first, second }) =>
        first.exchange.operation === 'createPet' && lastFirst < arrivalOf(second.exchange),
    )
  )
}

// --- Caches ---

/** Why a comparison of several responses shows nothing, where one of them may come from a cache. */
function staleness(exchanges: readonly Exchange[]): string | undefined {
  const kept = exchanges.find((exchange) => keptSeconds(exchange) > 0)
  if (kept === undefined || exchanges.length === 1) return undefined
  const seconds = keptSeconds(kept)
  const age = seconds === Infinity ? '' : ` and up to ${seconds} s old`
  return cached
    .replace('REQUEST responded STATUS', () => describe(kept))
    .replace(' from a cache', `$&${age}`)
}

// --- What is late ---

/** Whether a list has shown a pet of others that the first response to the same request lacked. */
function othersAdd({ names, created, lists }: Log): boolean {
  const own = new Set(created.map(({ pet }) => pet.id))
  return lists.some(({ exchange, pets }) => {
    const first = lists.find((one) => one.exchange.plan.path === exchange.plan.path)
    const known = new Set(first?.pets.map(({ id }) => id))
    return pets.some(({ id, name }) => !known.has(id) && !own.has(id) && !names.owns(name))
  })
}

/**
 * Whether a list possibly has not learned of a pet yet. One that was known before the run created any is not late, unless others
 * are seen to add pets, which the index of a status learns later; neither is one that the list shows with another id.
 */
export function mayListLater(list: PetList, pet: SeenPet, log: Log): boolean {
  if (log.isOld(pet.id)) return list.filter !== '' && othersAdd(log)
  const isUnique = log.names.owns(pet.name) && pet.name !== log.names.repeated
  return !(isUnique && list.pets.some(({ id, name }) => name === pet.name && id !== pet.id))
}

/**
 * Whether a page may lack pets that are late: it is short by no more new pets than no list with the same filter has shown
 * yet. The index of a status may also learn late of pets that others add, but then ends elsewhere than another list.
 */
export function mayFillLater(
  list: PetList,
  there: number,
  others: readonly PetList[],
  log: Log,
): boolean {
  const alike = others.filter(({ filter }) => filter === list.filter)
  const shown = new Set(alike.flatMap(({ pets }) => pets.map(({ id }) => id)))
  const isHidden = ({ pet: { id } }: Sighted): boolean => !log.isOld(id) && !shown.has(id)
  const hidden = log.catalog.first(list.matches).filter(isHidden).length
  if (list.length + hidden >= Math.min(list.atMost, there)) return true
  return list.filter !== '' && othersAdd(log) && !isCut(list, others)
}

/**
 * Whether a page lacks pets from before the run, which no delay explains: a list beside it that should not show more shows
 * more of them; or they would fill it, and no list beside it hides a new pet.
 *
 * @param there the pets that lists beside it have shown before and after it
 */
export function lacksOld(
  list: PetList,
  there: readonly Int64[],
  beside: readonly PetList[],
  log: Log,
): boolean {
  if (othersAdd(log)) return false
  const old = new Set(there.filter((id) => log.isOld(id)))
  const isNarrower = (one: PetList): boolean =>
    one.atMost <= list.atMost && (list.filter === '' || one.filter === list.filter)
  const countOld = ({ pets }: PetList): number => pets.filter(({ id }) => old.has(id)).length
  if (beside.some((one) => isNarrower(one) && countOld(one) > list.length)) return true
  const hidesNew = ({ complete, filter, matches, pets }: PetList): boolean =>
    complete &&
    filter === list.filter &&
    log.catalog
      .first(matches)
      .some(({ pet: { id } }) => !log.isOld(id) && pets.every((pet) => pet.id !== id))
  return list.length < Math.min(list.atMost, old.size) && !beside.some(hidesNew)
}

/** Whether a list ends too early: a delay does not explain more pets with the same filter, nor as many with a filter as without. */
const isCut = (list: PetList, others: readonly PetList[]): boolean =>
  others.some(({ filter, length }) =>
    filter === list.filter
      ? length > list.length
      : length === list.length && (filter === '' || list.filter === ''),
  )

/**
 * Whether getPet possibly has not learned of a pet yet. Within the consistency window, it may show any pet before another; after
 * it, one that it has shown, or one that is older than a pet that it shows, is not late.
 */
export function mayFindLater(
  { pet: { id }, exchange }: Sighted,
  by: 'createPet' | 'listPets',
  response: Exchange,
  log: Log,
  { windowMs }: Assumptions,
): boolean {
  if (log.isOld(id)) return false
  const shownAt = arrivalOf(exchange)
  if (response.sentAt < shownAt + windowMs) return true
  const isShown = (one: Int64): boolean => log.fetched(one).length > 0
  const isLater = (created: Created): boolean =>
    isShown(created.pet.id) && created.exchange.sentAt >= shownAt
  return !isShown(id) && !(by === 'createPet' && log.created.some(isLater))
}
