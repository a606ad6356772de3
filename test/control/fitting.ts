import fc from 'fast-check'
import { document, fits } from './document.ts'

/** What a schema says of no value, or what `arbitraryOf` leaves to a validator. */
const annotations = new Set(['description', 'title', 'format'])

/** Values that fit a schema of the document. A keyword that it does not know is an error, lest it overlook one. */
export function arbitraryOf(schema: any): fc.Arbitrary<unknown> {
  const { not, ...others } = resolved(schema)
  if (not !== undefined) {
    return arbitraryOf(others).filter((value) => !fits(not, value))
  }
  const { oneOf, anyOf, ...rest } = others
  const parts = oneOf ?? anyOf
  if (parts !== undefined) return fc.oneof(...parts.map((part: any) => arbitraryOf(merged(rest, resolved(part)))))
  const { type, ...keywords } = Object.fromEntries(Object.entries<any>(rest).filter(([name]) => !annotations.has(name)))
  if ('const' in keywords) return fc.constant(keywords['const'])
  if (keywords['enum'] !== undefined) return fc.constantFrom(...keywords['enum'])
  const make = makers[type ?? 'undefined']
  if (make === undefined) throw new Error(`There is no way to make ${JSON.stringify(schema)}.`)
  return make(keywords)
}

const makers: Record<string, (keywords: any) => fc.Arbitrary<unknown>> = {
  undefined: (keywords) => none(keywords, fc.jsonValue({ maxDepth: 2 })),
  boolean: (keywords) => none(keywords, fc.boolean()),
  string({ pattern, ...others }) {
    return none(others, pattern === undefined ? anyText : fc.stringMatching(new RegExp(pattern)))
  },
  integer({ minimum, maximum, ...others }) {
    return none(others, fc.bigInt({ min: BigInt(minimum), max: inward(maximum) }))
  },
  number({ minimum, exclusiveMinimum, maximum, ...others }) {
    const min = exclusiveMinimum ?? minimum
    const isOpen = exclusiveMinimum !== undefined
    return none(others, fc.double({ min, max: maximum, minExcluded: isOpen, noNaN: true }))
  },
  array({ items, minItems = 0, maxItems = 4, ...others }) {
    return none(others, fc.array(arbitraryOf(items), { minLength: minItems, maxLength: Math.min(maxItems, 4) }))
  },
  object({ properties = {}, required = [], additionalProperties = {}, propertyNames = {}, ...others }) {
    const own = fc.record(
      Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, arbitraryOf(schema)])),
      { requiredKeys: required },
    )
    if (additionalProperties === false) return none(others, own)
    const { pattern, not, ...rest } = propertyNames
    const names = (pattern === undefined ? anyText : fc.stringMatching(new RegExp(pattern))).filter(
      (name) => (not === undefined || !new RegExp(not.pattern).test(name)) && !Object.hasOwn(properties, name),
    )
    const more = fc.dictionary(names, arbitraryOf(additionalProperties), { maxKeys: 3 })
    return none(
      { ...others, ...rest },
      fc.tuple(more, own).map(([some, all]) => Object.assign(some, all)),
    )
  },
}

const anyText = fc.string({ unit: 'binary', maxLength: 8 })

function none(keywords: object, arbitrary: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  if (Object.keys(keywords).length > 0) throw new Error(`Nobody knows ${Object.keys(keywords).join(', ')}.`)
  return arbitrary
}

/** The document as a double has it may say 2^63 for the highest int64. */
function inward(maximum: number): bigint {
  return Number.isSafeInteger(maximum) ? BigInt(maximum) : BigInt(maximum) - 1n
}

/** A schema with what it refers to. */
function resolved({ $ref, ...schema }: any): any {
  return $ref === undefined ? schema : merged(document.components.schemas[$ref.split('/').at(-1)], schema)
}

/** Both schemas as one. */
function merged(one: any, other: any): any {
  const properties = Object.entries<any>(other.properties ?? {}).map(([name, schema]) => [
    name,
    merged(one.properties?.[name] ?? {}, schema),
  ])
  const isEither = one.properties !== undefined || other.properties !== undefined
  return {
    ...one,
    ...other,
    ...(isEither && { properties: { ...one.properties, ...Object.fromEntries(properties) } }),
    ...((one.required ?? other.required) && { required: [...(one.required ?? []), ...(other.required ?? [])] }),
  }
}

/** Some of them just beyond what some schema takes. */
const texts =
  '|x|X|a\nb|€|-a|a-|400|4000|500|accept|sold|reset|getPet|list.limit-ignored|7|2030-12-06|2030-13-06|2030-12-06T25:00Z'
const numbers = [
  0, -1, 0.5, 1, 199, 200, 204, 299, 300, 599, 600, 600_000, 600_001, 1_000_000_000_000, 1_000_000_000_001,
  9_007_199_254_740_992, -9_007_199_254_740_992,
]
const containers = [[], [[]], {}, { from: 2, to: 1 }, { median: 2, p99: 1 }, { slowBodyMs: 1 }, [{ delayMs: 1 }]]
const others = [null, true, false, 2n ** 64n, 'x'.repeat(41)]
const odd: fc.Arbitrary<unknown> = fc.constantFrom(...texts.split('|'), ...numbers, ...containers, ...others)

/** Names of members that some schema has, and some that none has. */
const known =
  'id|body|status|code|now|ms|name|when|from|to|p99|median|skip|times|afterMs|profile|seed|keys|content-length|x-a'
const names = fc.constantFrom(...known.split('|'), 'x', 'X', 'a b', '', '__proto__', 'constructor')

/** Values that were changed in one place: another value there, a member less, or one more. */
export function mutated(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc
    .tuple(values, fc.nat(), fc.constantFrom('replace', 'remove', 'add'), names, odd)
    .map(([value, at, how, name, other]) => {
      const places = placesIn(value)
      return changed(value, places[at % places.length] ?? [], (found) => {
        if (how === 'replace' || typeof found !== 'object' || found === null) return other
        if (how === 'add') return Array.isArray(found) ? [...found, other] : withMember(found, name, other)
        const entries = Object.entries(found)
        const rest = entries.toSpliced(at % Math.max(1, entries.length), 1)
        return Array.isArray(found) ? rest.map(([, item]) => item as unknown) : Object.fromEntries(rest)
      })
    })
}

type Place = readonly string[]

function placesIn(value: unknown, place: Place = []): Place[] {
  const isContainer = typeof value === 'object' && value !== null
  const members = isContainer ? Object.entries(value) : []
  return [place, ...members.flatMap(([name, member]) => placesIn(member, [...place, name]))]
}

function changed(value: any, [name, ...rest]: Place, change: (found: unknown) => unknown): unknown {
  if (name === undefined) return change(value)
  const inner = changed(value[name], rest, change)
  return Array.isArray(value) ? value.with(Number(name), inner) : withMember(value, name, inner)
}

/** An own member, also when it is called `__proto__`. */
function withMember(value: object, name: string, member: unknown): object {
  return Object.fromEntries([...Object.entries(value), [name, member]])
}
