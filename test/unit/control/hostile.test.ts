/** For any request, the control API responds according to its document, and never with 500. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { printJson } from '../../../src/json.ts'
import { checkReply, controlInProcess } from './control.ts'
import { operations } from './document.ts'
import { runs } from '../../support/level.ts'

const oddMethods = ['HEAD', 'OPTIONS', 'get', 'BREW', 'POST', 'DELETE']
const names = [
  '',
  ...'team-a 1 rule-1 before list.order .. % %2f __proto__ constructor %00 %F0%9F%90%95'.split(' '),
]

const segment = fc.oneof(
  { weight: 2, arbitrary: fc.constant('team-a') },
  fc.constantFrom(...names),
  fc.string({ maxLength: 5 }).map(encodeURIComponent),
)
const query = fc.oneof(
  { weight: 5, arbitrary: fc.constant('') },
  fc.webQueryParameters().map((text) => `?${text}`),
)

/** Fields of bodies, for values of all kinds, including integers beyond double precision. */
const fields =
  `status name profile defects overrides explain now ms when reply delayMs times fault rateLimit id
  categoryId __proto__ constructor`.split(/\s+/)
const value: fc.Arbitrary<any> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, true, 0, -1, 1.5, 503, 10n ** 30n, 9_007_199_254_740_993n),
    fc.constantFrom('sold', '2030-12-06', 'list.order', 'x'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...fields), tie('value'), { maxKeys: 4 }),
  ),
})).value
/** The example of an operation, the example with a changed field, or any other text. */
const bodyFor = (example: any): fc.Arbitrary<string> => {
  const isObject = typeof example === 'object' && !Array.isArray(example)
  const changed = fc
    .tuple(fc.constantFrom(...fields, ...Object.keys(isObject ? example : {})), value)
    .map(([name, json]) =>
      printJson(isObject ? { ...example, [name]: json } : [{ ...example?.[0], [name]: json }]),
    )
  const any = value.map((json) => printJson(json))
  return example === undefined
    ? fc.oneof({ weight: 5, arbitrary: fc.constant('') }, any)
    : fc.oneof(fc.constant(printJson(example)), changed, any, fc.string())
}
const type = fc.oneof(
  { weight: 5, arbitrary: fc.constant('application/json') },
  fc.constantFrom('text/plain', undefined, ['application/json', 'x']),
)

const request = fc
  .tuple(fc.constantFrom(...operations), fc.array(segment, { minLength: 3, maxLength: 3 }), query)
  .chain(([{ method, path, operation }, values, query]) => {
    const example = operation.requestBody?.content['application/json'].example
    let next = 0
    const target = `${path.replaceAll(/\{\w+\}/g, () => values[next++] ?? '')}${query}`
    const methods = fc.oneof(
      { weight: 9, arbitrary: fc.constant(method) },
      fc.constantFrom(...oddMethods),
    )
    return fc.record({ method: methods, target: fc.constant(target), body: bodyFor(example), type })
  })

test('any request gets a response described in the document', async () => {
  const { mock, control } = controlInProcess()
  const statuses = new Set<number>()
  await fc.assert(
    fc.asyncProperty(request, async ({ method, target, body, type }) => {
      mock.sandboxes.get('team-a')
      const headers = { host: 'localhost', 'content-type': type }
      const reply = await control.respond({ method, target, headers, body })
      statuses.add(reply.status)
      expect(reply.status, `${method} ${target} ${body}`).not.toBe(500)
      if (!('body' in reply)) return
      const isJson = reply.headers['content-type'] === 'application/json' && reply.body !== ''
      checkReply(method.toUpperCase(), target, {
        status: reply.status,
        headers: reply.headers,
        text: reply.body,
        json: isJson ? JSON.parse(reply.body) : undefined,
      })
    }),
    { numRuns: runs(1_500) },
  )
  expect([...statuses]).toEqual(expect.arrayContaining([200, 204, 400, 404, 405, 415]))
})
