import { createTwins, getTwins } from './create-twins.ts'
import { startExpressTwin } from './express-twin.ts'
import { startFastifyTwin } from './fastify-twin.ts'
import { startHonoTwin } from './hono-twin.ts'
import { bodyTwins, httpTwins } from './http-twins.ts'
import { toTwins, type LawfulTwin } from './lawful-twin.ts'
import type { TwinOptions } from './settings.ts'
import { listTwins, storeTwins } from './list-twins.ts'
import { weatherTwins } from './weather-twins.ts'

export type { LawfulTwin } from './lawful-twin.ts'
export { randomTwin } from './random-twin.ts'

/** Servers written with other frameworks, each with the defaults of its framework. */
const frameworkTwins: LawfulTwin[] = Object.entries({
  fastify: startFastifyTwin,
  hono: startHonoTwin,
  express: startExpressTwin,
}).map(([id, start]) => ({ id, silence: 'the software of the service is not specified', start }))

const combined: Record<string, TwinOptions> = {
  ordinary: {},
  strict: {
    limitOutside: 422,
    limitNotInteger: 422,
    limitRepeated: 422,
    unknownStatus: 422,
    statusRepeated: 422,
    unknownParameters: 400,
    emptyNames: 400,
    longNames: { longest: 40, status: 400 },
    unusualNames: 400,
    duplicateNames: 409,
    unknownCategories: 422,
    extraMembers: 422,
    sentId: 422,
    otherMediaType: 415,
    noMediaType: 415,
    petIdNotInteger: 422,
    petIdBeyondInt64: 422,
    schemeCase: 'exact',
    head: 405,
    options: 405,
    unknownPathsNeedKey: true,
    accept: 406,
    errorMessages: 'empty',
    location: 'absent',
    challenge: 'absent',
  },
  lax: {
    limitOutside: 'clamp',
    limitNotInteger: 'leading-digits',
    limitRepeated: 'last',
    unknownStatus: 'ignored',
    statusRepeated: 'any-of',
    extraMembers: 'stored',
    otherMediaType: 'accepted',
    petIdNotInteger: 404,
    petIdBeyondInt64: 404,
    loosePetIds: true,
    trailingSlash: 'same',
    pathCase: 'any',
    cors: 'full',
    options: 200,
    petExtras: 'nested',
    errorExtras: 'nested',
    names: 'trimmed',
  },
  baroque: {
    integers: 'scientific',
    layout: 'tabs',
    memberOrder: 'reversed',
    escapes: 'everything',
    padding: 'outer-whitespace',
    contentType: 'APPLICATION/JSON;Charset="UTF-8"',
    encoding: 'br',
    encodingWhen: 'always',
    framing: 'dribbled',
    headerCase: 'upper',
    reasonPhrase: 'own',
    chatter: 'early-hints',
    ids: 'extremes',
    order: 'random',
    oddPets: true,
    petExtras: 'nested',
    errorExtras: 'nested',
    errorCodes: 'uri',
    errorMessages: 'other-language',
  },
  busy: {
    outage: { every: 13, of: 'requests', status: 503, page: 'html' },
    writerEveryMs: 25,
    changeEveryMs: 30,
    latencyMs: [0, 15],
    order: 'newest',
    ids: 'random',
  },
}

/** All conforming variants: servers that differ only where the specification is silent. */
export const lawfulTwins: readonly LawfulTwin[] = [
  ...toTwins('each of these behaviors is unspecified, and so is their combination', Object.entries(combined)),
  ...listTwins,
  ...storeTwins,
  ...createTwins,
  ...getTwins,
  ...bodyTwins,
  ...httpTwins,
  ...weatherTwins,
  ...frameworkTwins,
]
