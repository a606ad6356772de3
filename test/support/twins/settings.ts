import { plainSpelling, type Spelling } from './exact-json.ts'
import type { PetStatus } from './new-pet.ts'
import { twinKey } from './running-twin.ts'

/**
 * Every point at which one twin may differ from another. Each option of each of them is lawful, alone and with all
 * others: where the specification speaks, a twin has no choice.
 */
export interface Settings extends Spelling {
  /** The key that is accepted: any text that a bearer token can be. */
  key: string
  /** What stands before `/v1` in the base URL. */
  prefix: '' | `/${string}`

  // The catalogue.
  /** How many ordinary pets it holds at the start. */
  pets: number
  /** Whether unusual but lawful pets stand before them. */
  oddPets: boolean
  statuses: 'mixed' | 'some-absent' | 'none' | PetStatus
  ids: 'sequential' | 'beyond-2^53' | 'negative' | 'around-zero' | 'random' | 'gaps' | 'descending' | 'extremes'

  // listPets.
  order: 'oldest' | 'newest' | 'name' | 'id-descending' | 'random' | 'status'
  limitOutside: 400 | 404 | 422 | 'clamp' | 'default' | 'empty-or-clamp'
  limitNotInteger: 400 | 422 | 'default' | 'leading-digits'
  limitRepeated: 400 | 422 | 'first' | 'last' | 'default'
  unknownStatus: 400 | 422 | 'ignored' | 'empty'
  statusRepeated: 400 | 422 | 'first' | 'last' | 'any-of'
  unknownParameters: 400 | 422 | 'ignored'
  pagingHeaders: 'none' | 'link' | 'total'

  // createPet.
  /** `varies`: another one for each pet. */
  defaultStatus: PetStatus | 'absent' | 'varies'
  names: 'kept' | 'trimmed' | 'end-trimmed' | 'nfc' | 'nfd'
  emptyNames: 400 | 422 | 'accepted'
  /** The longest name in code points, and what a longer one gets. */
  longNames: { longest: number; status: 400 | 413 | 422 } | 'accepted'
  /** What a name gets that has other characters than letters, digits, spaces and hyphens. */
  unusualNames: 400 | 422 | 'accepted'
  /** The letters of all names; others are refused with 400. */
  script: 'any' | 'cyrillic'
  duplicateNames: 400 | 409 | 422 | 'accepted'
  unknownCategories: 400 | 404 | 409 | 422 | 'accepted'
  /** A category that takes no more pets; 0n is none. */
  closedCategory: bigint
  extraMembers: 400 | 422 | 'ignored' | 'stored'
  sentId: 400 | 409 | 422 | 'ignored'
  otherMediaType: 400 | 415 | 422 | 'accepted'
  /** Whether bodies are read by a parser that takes more than JSON. */
  isLenient: boolean
  noMediaType: 400 | 415 | 422 | 'accepted'
  location: 'absent' | 'relative' | 'absolute'
  /** A creation is refused with 409 for so long after the one before; 0 is never. */
  creationPauseMs: number
  /** Whether it holds for each request, whatever its body. */
  pausesRequests: boolean
  /** When a pet that was created without a status gets one; 0 is never. */
  statusAfterMs: number
  /** When an available pet of the client is sold; 0 is never. */
  soldAfterMs: number
  /** A key that may only read gets 403 for each creation. */
  mayWrite: boolean
  /** After so many requests the key is valid no more; 0 is never. */
  keyEndsAfter: number

  // getPet.
  petIdNotInteger: 400 | 404 | 422
  petIdBeyondInt64: 400 | 404 | 422
  /** Whether `007`, `+7` and `7.0` are the integer 7 in a path. */
  loosePetIds: boolean
  /** What the id next to a known one gets: the pet of another user, or none. */
  nextId: 403 | 404
  deprecationHeaders: 'none' | 'rfc' | 'draft'
  /** What the operation answers once it is removed; until then it works. */
  getPet: 'works' | 404 | 405 | 410 | 501

  // Authentication.
  schemeCase: 'any' | 'exact'
  challenge: 'absent' | 'bearer' | 'bearer-with-error' | 'other-header'

  // Members beyond the specification, and the words of errors.
  petExtras: 'none' | 'flat' | 'nested'
  errorExtras: 'none' | 'flat' | 'nested'
  errorCodes: 'snake' | 'upper' | 'numeric' | 'uri'
  errorMessages: 'english' | 'empty' | 'other-language'

  // Methods and paths outside the three operations.
  head: 'answered' | 404 | 405 | 501
  options: 200 | 204 | 404 | 405 | 501
  otherMethods: 404 | 405 | 501
  unknownPaths: 'error' | 'html'
  unknownPathsNeedKey: boolean
  trailingSlash: 'same' | 404 | 308
  pathCase: 'exact' | 'any'
  accept: 'ignored' | 406
  cors: 'none' | 'full'

  // HTTP.
  contentType: string
  encoding: 'identity' | 'gzip' | 'br' | 'deflate'
  /** `always` also compresses for a client that did not ask for it. */
  encodingWhen: 'asked' | 'always'
  framing: 'content-length' | 'chunked' | 'dribbled' | 'close' | 'close-delimited'
  headerCase: 'lower' | 'upper'
  reasonPhrase: 'standard' | 'own'
  caching: 'none' | 'etag' | 'no-store'
  /** `echo` sends the Authorization header of the request back. */
  chatter: 'none' | 'headers' | 'early-hints' | 'echo'
  /** How long an idle connection is kept. */
  keepAliveMs: number

  // Weather: what a gateway, a network, a replica or another client does.
  latencyMs: readonly [number, number]
  coldStart: { refusals: number; firstAnswerMs: number } | null
  rateLimit: RateLimit | null
  /** Whether a firewall refuses creations of another media type before the service has seen them. */
  firewall: boolean
  outage: Outage | null
  /** Each n-th request finds its connection reset, before the service has seen it; 0 is never. */
  resetEvery: number
  /** How long a new pet stays unseen: by which reads, by all replicas or every other one, or until the next step. */
  lag: {
    ms: number
    lists: boolean | 'filtered'
    fetches: boolean
    replicas: 'all' | 'every-other'
    inSteps?: true
  } | null
  /** How long lists show the old status of a pet that others have changed. */
  changesListedAfterMs: number
  /** Other clients add a pet at this interval; 0 is never. */
  writerEveryMs: number
  /** An administrator removes an old pet at this interval, never one that the client made; 0 is never. */
  removalEveryMs: number
  /** An administrator changes the status of an old pet at this interval; 0 is never. */
  changeEveryMs: number
  /** Orders give a pet of the client another status at this interval; 0 is never. */
  orderEveryMs: number
  /** An administrator renames an old pet at this interval; 0 is never. */
  renameEveryMs: number
  /** Others remove the newest pet of the client, or all pets, once after so long, and the next ones get their ids. */
  removed: { which: 'newest' | 'all'; afterMs: number } | null
  /** A cache before the service keeps each successful read for so many seconds, and says so by these headers. */
  cacheSeconds: number
  cacheSays: 'max-age' | 'max-age-of-fields' | 'stale-while-revalidate' | 'cdn-max-age' | 'expires' | 'hit' | 'nothing'
  /** Start of all that looks random. */
  seed: number
}

interface RateLimit {
  perSecond: number
  of: 'requests' | 'creations'
  retryAfter: 'seconds' | 'date' | 'absent' | 'counted'
  speaker: 'service' | 'gateway' | 'connection'
  status?: 403 | 429
}

interface Outage {
  /** Each n-th one is answered by the gateway, and does not reach the service. */
  every: number
  of: 'requests' | 'creations'
  status: 421 | 425 | 502 | 503 | 504 | 520 | 522 | 524 | 530
  page: 'html' | 'text' | 'json'
  /** Seconds that a client is told to wait. */
  retryAfter?: number
}

export type TwinOptions = Partial<Settings>

/** An ordinary deployment; each twin leaves it at one point or at many. */
export const ordinary: Settings = {
  key: twinKey,
  prefix: '',
  ...plainSpelling,
  pets: 150,
  oddPets: false,
  statuses: 'mixed',
  ids: 'sequential',
  order: 'oldest',
  limitOutside: 400,
  limitNotInteger: 400,
  limitRepeated: 400,
  unknownStatus: 400,
  statusRepeated: 400,
  unknownParameters: 'ignored',
  pagingHeaders: 'none',
  defaultStatus: 'available',
  names: 'kept',
  emptyNames: 'accepted',
  longNames: 'accepted',
  unusualNames: 'accepted',
  script: 'any',
  duplicateNames: 'accepted',
  unknownCategories: 'accepted',
  closedCategory: 0n,
  extraMembers: 'ignored',
  sentId: 'ignored',
  otherMediaType: 415,
  isLenient: false,
  noMediaType: 'accepted',
  location: 'relative',
  creationPauseMs: 0,
  pausesRequests: false,
  statusAfterMs: 0,
  soldAfterMs: 0,
  mayWrite: true,
  keyEndsAfter: 0,
  petIdNotInteger: 400,
  petIdBeyondInt64: 400,
  loosePetIds: false,
  nextId: 404,
  deprecationHeaders: 'none',
  getPet: 'works',
  schemeCase: 'any',
  challenge: 'bearer',
  petExtras: 'none',
  errorExtras: 'none',
  errorCodes: 'snake',
  errorMessages: 'english',
  head: 'answered',
  options: 204,
  otherMethods: 405,
  unknownPaths: 'error',
  unknownPathsNeedKey: false,
  trailingSlash: 404,
  pathCase: 'exact',
  accept: 'ignored',
  cors: 'none',
  contentType: 'application/json',
  encoding: 'identity',
  encodingWhen: 'asked',
  framing: 'content-length',
  headerCase: 'lower',
  reasonPhrase: 'standard',
  caching: 'none',
  chatter: 'none',
  keepAliveMs: 5000,
  latencyMs: [0, 0],
  coldStart: null,
  rateLimit: null,
  firewall: false,
  outage: null,
  resetEvery: 0,
  lag: null,
  changesListedAfterMs: 0,
  writerEveryMs: 0,
  removalEveryMs: 0,
  changeEveryMs: 0,
  orderEveryMs: 0,
  renameEveryMs: 0,
  removed: null,
  cacheSeconds: 0,
  cacheSays: 'max-age',
  seed: 1,
}
