import { plainSpelling, type Spelling } from './exact-json.ts'
import type { PetStatus } from './new-pet.ts'
import { variantKey } from './running-variant.ts'

/**
 * All unspecified behaviors in which variants may differ. Every option of every setting conforms, alone and in any
 * combination.
 */
export interface Settings extends Spelling {
  /** The accepted key: any valid bearer token. */
  key: string
  /** The path before `/v1` in the base URL. */
  prefix: '' | `/${string}`

  // The catalog.
  /** Number of ordinary pets at the start. */
  pets: number
  /** Whether unusual but conforming pets precede them. */
  oddPets: boolean
  statuses: 'mixed' | 'some-absent' | 'none' | PetStatus
  ids:
    | 'sequential'
    | 'beyond-2^53'
    | 'negative'
    | 'around-zero'
    | 'random'
    | 'gaps'
    | 'descending'
    | 'extremes'

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
  /** `varies`: depends on the name. */
  defaultStatus: PetStatus | 'absent' | 'varies'
  names: 'kept' | 'trimmed' | 'end-trimmed' | 'nfc' | 'nfd' | 'nfd-no-controls' | 'spaces'
  emptyNames: 400 | 422 | 'accepted'
  /** Maximum length of a name in code points, and the status for longer names. */
  longNames: { longest: number; status: 400 | 413 | 422 } | 'accepted'
  /** The status for names with characters other than letters, digits, spaces and hyphens. */
  unusualNames: 400 | 422 | 'accepted'
  /** The form of all names; others are rejected with 400. */
  script: 'any' | 'cyrillic' | 'numbered'
  duplicateNames: 400 | 409 | 422 | 'accepted'
  unknownCategories: 400 | 404 | 409 | 422 | 'accepted'
  /** The categories from 1 to `upTo` accept no more pets; the status of the response. */
  closedCategories: { upTo: bigint; status: 404 | 422 } | null
  extraFields: 400 | 422 | 'ignored' | 'stored'
  sentId: 400 | 409 | 422 | 'ignored'
  otherMediaType: 400 | 415 | 422 | 'accepted'
  /** Whether the body parser accepts more than JSON. */
  isLenient: boolean
  noMediaType: 400 | 415 | 422 | 'accepted'
  location: 'absent' | 'relative' | 'absolute'
  /** Time after a creation in which further creations are rejected with 409; 0 is never. */
  creationPauseMs: number
  /** Whether this pause applies before the body is read. */
  pausesRequests: boolean
  /** Time after which a pet that was created without a status gets one; 0 is never. */
  statusAfterMs: number
  /** Time after which an available pet of the client is sold; 0 is never. */
  soldAfterMs: number
  /** Whether the key permits creations; otherwise they get 403. */
  mayWrite: boolean
  /** Number of requests after which the key expires; 0 is never. */
  keyEndsAfter: number

  // getPet.
  petIdNotInteger: 400 | 404 | 422
  petIdBeyondInt64: 400 | 404 | 422
  /** Whether a path may contain 7 as `007`, `+7` or `7.0`. */
  loosePetIds: boolean
  /** The status of the id after a known one: the pet of another user, or no pet. */
  nextId: 403 | 404
  deprecationHeaders: 'none' | 'rfc' | 'draft'
  /** The status of the operation after its removal. */
  getPet: 'works' | 404 | 405 | 410 | 501

  // Authentication.
  schemeCase: 'any' | 'exact'
  challenge: 'absent' | 'bearer' | 'bearer-with-error' | 'other-header'

  // Additional fields, and the texts of errors.
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
  /** `always` ignores Accept-Encoding. */
  encodingWhen: 'asked' | 'always'
  framing: 'content-length' | 'chunked' | 'dribbled' | 'close' | 'close-delimited'
  headerCase: 'lower' | 'upper'
  reasonPhrase: 'standard' | 'own'
  caching: 'none' | 'etag' | 'no-store'
  /** `echo` returns the Authorization header of the request. */
  chatter: 'none' | 'headers' | 'early-hints' | 'echo'
  /** Keep-alive timeout of idle connections. */
  keepAliveMs: number

  // Weather: effects of gateways, networks, replicas and other clients.
  latencyMs: readonly [number, number]
  coldStart: { rejections: number; firstResponseMs: number } | null
  rateLimit: RateLimit | null
  /** Whether a firewall rejects creations with another media type before they reach the service. */
  firewall: boolean
  outage: Outage | null
  /** The connection of every n-th request is reset before the request reaches the service; 0 is never. */
  resetEvery: number
  /** Delay until a new pet is visible: for which reads, on all replicas or every other one, or until the next step. */
  lag: {
    ms: number
    lists: boolean | 'filtered'
    fetches: boolean
    replicas: 'all' | 'every-other'
    inSteps?: true
  } | null
  /** Time for which lists show the old status after a change by others. */
  changesListedAfterMs: number
  /** Interval at which other clients add a pet; 0 is never. */
  writerEveryMs: number
  /** Whether all pets of other clients have one name and the most common category; otherwise each has a name of its own. */
  writersAlike: boolean
  /** Interval at which an administrator removes a pet that is not of the client; 0 is never. */
  removalEveryMs: number
  /** Interval at which an administrator changes the status of such a pet; 0 is never. */
  changeEveryMs: number
  /** Interval at which orders change the status of a pet of the client; 0 is never. */
  orderEveryMs: number
  /** Interval at which an administrator renames a pet that is not of the client; 0 is never. */
  renameEveryMs: number
  /** Others remove the newest pet of the client, all of its pets, or all pets, once after this time; new pets of the client may reuse their ids. */
  removed: { which: 'newest' | 'own' | 'all'; afterMs: number; idsReused?: false } | null
  /** Interval at which a job removes all pets of the client, as pets of tests; 0 is never. */
  sweepEveryMs: number
  /** The access to the catalog before which a job removes the pets whose names begin with Petkit, once; 0 is never. */
  sweepAtAccess: number
  /** Seconds for which a cache in front of the service keeps successful reads, and the headers that it sends. */
  cacheSeconds: number
  cacheSays:
    | 'max-age'
    | 'max-age-of-fields'
    | 'stale-while-revalidate'
    | 'cdn-max-age'
    | 'expires'
    | 'hit'
    | 'nothing'
  /** Seed of the pseudorandom numbers. */
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
  /** The gateway responds to every n-th request, which does not reach the service. */
  every: number
  of: 'requests' | 'creations'
  status: 421 | 425 | 502 | 503 | 504 | 520 | 522 | 524 | 530
  page: 'html' | 'text' | 'json'
  /** Retry-After in seconds. */
  retryAfter?: number
}

export type VariantOptions = Partial<Settings>

/** The default settings; each variant changes at least one. */
export const ordinary: Settings = {
  key: variantKey,
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
  closedCategories: null,
  extraFields: 'ignored',
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
  writersAlike: false,
  removalEveryMs: 0,
  changeEveryMs: 0,
  orderEveryMs: 0,
  renameEveryMs: 0,
  removed: null,
  sweepEveryMs: 0,
  sweepAtAccess: 0,
  cacheSeconds: 0,
  cacheSays: 'max-age',
  seed: 1,
}
