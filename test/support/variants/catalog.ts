import { createVariants, getVariants } from './create-variants.ts'
import { startExpressVariant } from './express-variant.ts'
import { startFastifyVariant } from './fastify-variant.ts'
import { startHonoVariant } from './hono-variant.ts'
import { bodyVariants, httpVariants } from './http-variants.ts'
import { toVariants, type ConformingVariant } from './conforming-variant.ts'
import type { VariantOptions } from './settings.ts'
import { listVariants, storeVariants } from './list-variants.ts'
import { weatherVariants } from './weather-variants.ts'

export type { ConformingVariant } from './conforming-variant.ts'
export { randomVariant } from './random-variant.ts'

/** Servers written with other frameworks, each with the defaults of its framework. */
const frameworkVariants: ConformingVariant[] = Object.entries({
  fastify: startFastifyVariant,
  hono: startHonoVariant,
  express: startExpressVariant,
}).map(([id, start]) => ({ id, silence: 'the software of the service is not specified', start }))

const combined: Record<string, VariantOptions> = {
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
    extraFields: 422,
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
    extraFields: 'stored',
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
    fieldOrder: 'reversed',
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
export const conformingVariants: readonly ConformingVariant[] = [
  ...toVariants(
    'each of these behaviors is unspecified, and so is their combination',
    Object.entries(combined),
  ),
  ...listVariants,
  ...storeVariants,
  ...createVariants,
  ...getVariants,
  ...bodyVariants,
  ...httpVariants,
  ...weatherVariants,
  ...frameworkVariants,
]
