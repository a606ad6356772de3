import { Buffer } from 'node:buffer'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import type { Dispatcher } from 'undici'
import type { RequirementId } from '../../../src/spec/requirements.ts'
import { sample } from '../../support/level.ts'
import { conformingVariants } from '../../support/variants/catalog.ts'
import type { ConformingVariant } from '../../support/variants/conforming-variant.ts'
import { idsOf } from '../../support/verdicts.ts'
import { verifyVariant } from '../../support/verify-variant.ts'

interface Response {
  statusCode: number
  body: string
}

/** A mistake in the responses with a matching method, path and status, and the requirements that it violates. */
type Mistake = readonly [
  of: RegExp,
  change: (response: Response) => Partial<Response>,
  ...breaks: RequirementId[],
]

const list = /^GET \S*\/pets\/?(\?\S*)? 200$/
const get = /^GET \S*\/pets\/-?\d+(\?\S*)? 200$/
const create = /^POST \S+ 201$/
const error = JSON.stringify({ code: 'failure', message: 'It failed.', status: 500 })
const failing = (): Partial<Response> => ({ statusCode: 500, body: error })

const mistakes: Readonly<Record<string, Mistake>> = {
  'a list in an object': [list, ({ body }) => ({ body: `{"data":${body}}` }), 'list.success'],
  'a list that is cut': [list, ({ body }) => ({ body: body.slice(0, -1) }), 'http.json-body'],
  'an empty list': [
    list,
    () => ({ body: '[]' }),
    'create.listed',
    'create.status',
    'service.catalog',
  ],
  'no pet by its id': [get, failing, 'get.success'],
  'a pet in an object': [
    get,
    ({ body }) => ({ body: `{"pet":${body}}` }),
    'get.success',
    'pet.fields',
  ],
  'a created pet in an object': [
    create,
    ({ body }) => ({ body: `{"pet":${body}}` }),
    'create.success',
    'pet.fields',
  ],
  'no created pet': [create, () => ({ body: '' }), 'create.success', 'http.json-body'],
  'no creation': [create, failing, 'create.success'],
  'status 200 for creations': [create, () => ({ statusCode: 200 }), 'create.success'],
  'status 400 for unknown pets': [
    /^GET \S*\/pets\/-?\d+(\?\S*)? 404$/,
    ({ body }) => ({ statusCode: 400, body: body.replaceAll('404', '400') }),
    'get.not-found',
  ],
}

/** Adds a mistake to the responses of a variant, except those that are always encoded. */
function withMistake(variant: ConformingVariant, [of, change]: Mistake): ConformingVariant {
  const start: ConformingVariant['start'] = async (time) => {
    const { dispatcher, ...running } = await variant.start(time)
    const request = async (options: Dispatcher.RequestOptions) => {
      const sent = { ...(options.headers as Record<string, string>), 'accept-encoding': 'identity' }
      const response = await (dispatcher as Dispatcher).request({ ...options, headers: sent })
      const { statusCode, headers } = response
      if (
        !of.test(`${options.method} ${options.path} ${statusCode}`) ||
        'content-encoding' in headers
      )
        return response
      const whole = { statusCode, body: await text(response.body) }
      const { body, ...status } = { ...whole, ...change(whole) }
      const bytes = Buffer.from(body)
      const length = headers['content-length'] !== undefined && {
        'content-length': String(bytes.length),
      }
      const chunks = bytes.length === 0 ? [] : [bytes]
      return {
        ...status,
        headers: { ...headers, ...length },
        body: Object.assign(chunks, { destroy() {} }),
      }
    }
    return { ...running, dispatcher: { request } as unknown as Dispatcher }
  }
  return { ...variant, start }
}

/** Variants whose behavior is visible only with a working getPet or createPet. */
const others =
  /^(default-status-comes-later|get-removed-.*|ids-(around-zero|extremes.*)|json-scientific|lag-.*|orders-sell-soon)$/
const variants = conformingVariants.filter(
  ({ id, options }) => options && !options.keyEndsAfter && !others.test(id),
)
/** The variants whose behavior a mistake hides: what excuses them is in the responses that it changes. */
const hiddenBy: Readonly<Record<string, RegExp>> = {
  'an empty list': /-gone-after-/,
  'status 400 for unknown pets': /-gone-after-/,
  'a created pet in an object': /^cache-60-s-silent$/,
  'no created pet': /^cache-60-s-silent$/,
  'no creation': /^cache-60-s-silent$/,
}
const pairs = sample(
  Object.entries(mistakes).flatMap(([what, mistake]) =>
    variants
      .filter(({ id }) => hiddenBy[what]?.test(id) !== true)
      .map(
        (variant) => [what, variant.id, withMistake(variant, mistake), mistake.slice(2)] as const,
      ),
  ),
  { usual: 320, slow: 40, all: 1 },
)

describe('one mistake in a conforming variant violates no other requirement', () => {
  test.concurrent.each(pairs)('%s: %s', async (_what, _id, variant, breaks) => {
    const [report] = await verifyVariant(variant)
    expect(report && idsOf(report, 'violated').filter((id) => !breaks.includes(id))).toEqual([])
  })
})
