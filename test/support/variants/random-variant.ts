import { createChance, pick, type Chance } from './chance.ts'
import type { ConformingVariant, VerifyHints } from './conforming-variant.ts'
import { startVariant, type VariantOptions } from './server.ts'
import type { Settings } from './settings.ts'

type Behaviors = { [Name in keyof Settings]?: readonly Settings[Name][] }

/** The random options. Network effects are drawn separately; getPet stays, because its removal needs another date. */
const behaviors: Behaviors = {
  key: ['4711', 'aZ09-._~+/aZ09==', 'all-lower-case'],
  prefix: ['/shops/42'],
  integers: ['fraction', 'exponent', 'scientific'],
  layout: ['indented', 'tabs', 'spread'],
  fieldOrder: ['reversed', 'alphabetical'],
  escapes: ['non-ascii', 'slash', 'everything'],
  padding: ['outer-whitespace'],
  pets: [0, 1, 2, 19, 20, 21, 40, 99, 100, 101, 300],
  oddPets: [true],
  statuses: ['some-absent', 'none', 'available', 'pending', 'sold'],
  ids: ['beyond-2^53', 'negative', 'around-zero', 'random', 'gaps', 'descending', 'extremes'],
  order: ['newest', 'name', 'id-descending', 'random', 'status'],
  limitOutside: [404, 422, 'clamp', 'default', 'empty-or-clamp'],
  limitNotInteger: [422, 'default', 'leading-digits'],
  limitRepeated: [422, 'first', 'last', 'default'],
  unknownStatus: [422, 'ignored', 'empty'],
  statusRepeated: [422, 'first', 'last', 'any-of'],
  unknownParameters: [400, 422],
  pagingHeaders: ['link', 'total'],
  defaultStatus: ['pending', 'sold', 'absent', 'varies'],
  names: ['trimmed'],
  emptyNames: [400, 422],
  longNames: [
    { longest: 30, status: 400 },
    { longest: 60, status: 413 },
    { longest: 255, status: 422 },
  ],
  unusualNames: [400, 422],
  duplicateNames: [400, 409, 422],
  unknownCategories: [400, 404, 409, 422],
  extraFields: [400, 422, 'stored'],
  sentId: [400, 409, 422],
  otherMediaType: [400, 422, 'accepted'],
  noMediaType: [400, 415, 422],
  location: ['absent', 'absolute'],
  petIdNotInteger: [404, 422],
  petIdBeyondInt64: [404, 422],
  loosePetIds: [true],
  deprecationHeaders: ['rfc', 'draft'],
  schemeCase: ['exact'],
  challenge: ['absent', 'bearer-with-error', 'other-header'],
  petExtras: ['flat', 'nested'],
  errorExtras: ['flat', 'nested'],
  errorCodes: ['upper', 'numeric', 'uri'],
  errorMessages: ['empty', 'other-language'],
  head: [404, 405, 501],
  options: [200, 404, 405, 501],
  otherMethods: [404, 501],
  unknownPathsNeedKey: [true],
  trailingSlash: ['same', 308],
  pathCase: ['any'],
  accept: [406],
  cors: ['full'],
  contentType: ['Application/JSON; charset=UTF-8', 'application/json;charset=utf-8;foo=bar'],
  encoding: ['gzip', 'br', 'deflate'],
  encodingWhen: ['always'],
  framing: ['chunked', 'dribbled', 'close', 'close-delimited'],
  headerCase: ['upper'],
  reasonPhrase: ['own'],
  caching: ['etag', 'no-store'],
  chatter: ['headers', 'early-hints', 'echo'],
}

const weathers: readonly VariantOptions[] = [
  {},
  { latencyMs: [0, 10] },
  { coldStart: { rejections: 3, firstResponseMs: 0 } },
  { outage: { every: 9, of: 'requests', status: 503, page: 'html' } },
  { outage: { every: 7, of: 'creations', status: 502, page: 'text' } },
  { resetEvery: 11 },
  { keepAliveMs: 1 },
  { rateLimit: { perSecond: 20, of: 'requests', retryAfter: 'absent', speaker: 'gateway' } },
  { rateLimit: { perSecond: 10, of: 'requests', retryAfter: 'absent', speaker: 'connection' } },
  { writerEveryMs: 15 },
  { changeEveryMs: 20 },
  { orderEveryMs: 200 },
  { orderEveryMs: 1000 },
  { renameEveryMs: 50 },
  { cacheSeconds: 30 },
  { creationPauseMs: 30 },
  { lag: { ms: 300, lists: true, fetches: true, replicas: 'all' } },
  { lag: { ms: 300, lists: true, fetches: true, replicas: 'every-other' } },
  { lag: { ms: 1000, lists: true, fetches: true, replicas: 'all' } },
  { mayWrite: false },
]

/** Draws a conforming combination of options; deterministic for a seed. */
export function drawOptions(seed: number): VariantOptions {
  const chance = createChance(seed)
  // The share of unusual options is random, too: from a few to all.
  const boldness = chance()
  const drawn: Record<string, unknown> = {}
  for (const [name, values] of Object.entries(behaviors) as [string, readonly unknown[]][]) {
    if (chance() < boldness) drawn[name] = pick(values, chance)
  }
  return { ...drawn, ...drawWeather(chance), seed }
}

/** Up to three at a time: what each of them explains alone may be accused where they meet. */
const drawWeather = (chance: Chance): VariantOptions =>
  Object.assign(
    {},
    ...Array.from({ length: Math.floor(4 * chance()) }, () => pick(weathers, chance)),
  )

/** Creates a variant with many unusual options; deterministic for a seed. */
export function randomVariant(seed: number): ConformingVariant {
  const options = drawOptions(seed)
  const hints: VerifyHints = {}
  if (options.unknownCategories !== undefined) hints.categoryId = 3
  if (options.lag != null) hints.settleMs = 3000
  if (options.mayWrite === false) hints.expectNotVerified = true
  return {
    id: `random-${seed}`,
    silence: `${JSON.stringify(options)}: each of these is unspecified, and so is their combination`,
    start: (time) => startVariant(options, time),
    options,
    ...(Object.keys(hints).length > 0 && { verifyOptions: hints }),
  }
}

/** Whether others write, but no order moves a pet before each of several reads over a slow network: reads would seem to move it. */
export const suitsSlowNetwork = (options: VariantOptions = {}): boolean =>
  (options.changeEveryMs ?? options.writerEveryMs) !== undefined &&
  options.orderEveryMs === undefined
