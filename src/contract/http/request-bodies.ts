import type { RequirementId } from '../../spec/requirements.ts'
import type { Int64, PetStatus } from '../../spec/types.ts'

export interface Valid {
  name: string
  categoryId: Int64
  status: PetStatus | undefined
}

/** The fields of a NewPet as JSON texts; undefined leaves one out. */
type Fields = Partial<Record<'name' | 'categoryId' | 'status', string | undefined>>

const toFields = ({ name, categoryId, status }: Valid): Fields => ({
  name: JSON.stringify(name),
  categoryId: String(categoryId),
  status: JSON.stringify(status),
})
const pairsOf = (fields: Fields): [string, string][] =>
  Object.entries(fields).filter((pair): pair is [string, string] => pair[1] !== undefined)
const join = (pairs: readonly (readonly [string, string])[], comma = ',', colon = ':'): string =>
  `{${pairs.map(([name, value]) => `"${name}"${colon}${value}`).join(comma)}}`

const print = (fields: Fields): string => join(pairsOf(fields))

export const plainBody = (valid: Valid): string => print(toFields(valid))

/** An invalid body, or how its fields differ from valid ones, made from those and a unique number. */
export type InvalidFields =
  | Fields
  | ((valid: Fields, number: string) => Fields | string | undefined)

export function makeInvalid(
  body: InvalidFields,
  valid: Valid,
  number = '90210',
): string | undefined {
  const fields = toFields(valid)
  const made = typeof body === 'function' ? body(fields, number) : body
  return typeof made === 'object' ? print({ ...fields, ...made }) : made
}

type InvalidBodies = Readonly<
  Partial<Record<RequirementId, Readonly<Record<string, InvalidFields>>>>
>

/** The invalid bodies that each run sends, by the requirement that they violate. */
export const invalidBodies = {
  'create.required-fields': {
    'no name': { name: undefined },
    'no categoryId': { categoryId: undefined },
    'an empty object': () => '{}',
    // For decoders that ignore letter case, as those of Go do, and for those that take several styles.
    'fields in capitals': ({ name, categoryId }) => `{"NAME":${name},"CATEGORYID":${categoryId}}`,
    'category_id for categoryId': ({ name, categoryId }) =>
      `{"name":${name},"category_id":${categoryId}}`,
  },
  'create.invalid-values': {
    'name null': { name: 'null' },
    'name a number': (_, number) => ({ name: number }),
    'name a boolean': { name: 'true' },
    'name an array': { name: '["Rex"]' },
    'name an object': { name: '{"first":"Rex"}' },
    'categoryId a string': ({ categoryId }) => ({ categoryId: `"${categoryId}"` }),
    'categoryId an empty string': { categoryId: '""' },
    'categoryId a word': { categoryId: '"dogs"' },
    'categoryId a fraction': { categoryId: '1.5' },
    'categoryId null': { categoryId: 'null' },
    'categoryId a boolean': { categoryId: 'true' },
    'categoryId an array': ({ categoryId }) => ({ categoryId: `[${categoryId}]` }),
    'categoryId an object': { categoryId: '{}' },
    'categoryId 2^63': { categoryId: '9223372036854775808' },
    'categoryId below -2^63': { categoryId: '-9223372036854775809' },
    // Its beginning is a valid status.
    'status of another word': { status: '"soldout"' },
    // A valid status after trimming, and for a pattern whose $ matches before a line break.
    'status with a line break': { status: '"available\\n"' },
    'status in capitals': { status: '"SOLD"' },
    'status null': { status: 'null' },
    'status a number': { status: '1' },
    // For a loose comparison, and for a lookup in an object, each equals a valid status.
    'status a boolean': { status: 'true' },
    'status a property of objects': { status: '"constructor"' },
    'status a string of digits': { status: '"1"' },
    'status empty': { status: '""' },
    'status an array': { status: '["sold"]' },
  },
  'create.body-required': {
    'no body': () => undefined,
    'JSON cut short': ({ name, categoryId }) => `{"name":${name},"categoryId":${categoryId}`,
    'text after the JSON': (valid) => `${print(valid)} x`,
    'a comma too many': ({ name, categoryId }) => `{"name":${name},"categoryId":${categoryId},}`,
    'an array': (valid) => `[${print(valid)}]`,
    'a string of JSON': (valid) => JSON.stringify(print(valid)),
    null: () => 'null',
  },
} satisfies InvalidBodies

/** Invalid bodies that only random sequences send. */
const moreInvalidBodies: InvalidBodies = {
  'create.invalid-values': {
    'name an empty array': { name: '[]' },
    'name an empty object': { name: '{}' },
    'name false': { name: 'false' },
    'name 0': { name: '0' },
    'categoryId an object with an id': { categoryId: '{"id":1}' },
    'categoryId an empty array': { categoryId: '[]' },
    'categoryId false': { categoryId: 'false' },
    'categoryId 1e400': { categoryId: '1e400' },
    'categoryId 0.5': { categoryId: '0.5' },
    'categoryId 2^64 + 1': { categoryId: '18446744073709551617' },
    'categoryId a text in hexadecimal': { categoryId: '"0x10"' },
    'status an object': { status: '{}' },
    'status false': { status: 'false' },
    'status in other letter case': { status: '"Available"' },
    'status with a space behind': { status: '"sold "' },
    'status of two words': { status: '"sold,pending"' },
    'status cut short': { status: '"avail"' },
  },
  'create.body-required': {
    'white space alone': () => ' \n',
    'two objects': (valid) => print(valid).repeat(2),
    'NaN for categoryId': (valid) => print(valid).replace(/("categoryId":)-?\d+/, '$1NaN'),
    'a leading zero': (valid) => print(valid).replace(/("categoryId":)-?\d+/, '$107'),
    'a plus sign': (valid) => print(valid).replace(/("categoryId":)-?\d+/, '$1+7'),
    'a number': () => '7',
    true: () => 'true',
    'an empty array': () => '[]',
    'a form': ({ name = '' }) =>
      `name=${encodeURIComponent(JSON.parse(name) as string)}&categoryId=1`,
  },
}

export interface CreateRequest {
  /** Makes the name from a unique one. Default: the unique one. */
  name?: (unique: string) => string
  /** Default: a category that the catalog shows. */
  categoryId?: Int64 | undefined
  /** Default: none is sent. */
  status?: PetStatus | undefined
  /** Makes the body. Default: a plain NewPet object. */
  body?: (valid: Valid) => string | undefined
  headers?: Record<string, string>
  /** Whether the target may store another name. Default: no. */
  mayChangeName?: (sent: string, created: string) => boolean
}

/**
 * A kind of creation, and what the specification says about it: it requires 201 (`ordinary`), allows any response
 * (`open`), or requires 400 (`invalid`).
 */
interface BodyKind extends CreateRequest {
  kind: 'ordinary' | 'open' | 'invalid'
  requirement: RequirementId
}

const ordinary = (kind: Partial<BodyKind> = {}): BodyKind => ({
  kind: 'ordinary',
  requirement: 'http.json-request',
  ...kind,
})
const open = (kind: Partial<BodyKind>): BodyKind => ({
  kind: 'open',
  requirement: 'create.success',
  ...kind,
})
const invalid = (requirement: RequirementId, body: InvalidFields): BodyKind => ({
  kind: 'invalid',
  requirement,
  body: (valid) => makeInvalid(body, { ...valid, status: valid.status ?? 'sold' }),
})

/** Equivalent requests that are written differently. */
const spellings: Record<string, BodyKind> = {
  plain: ordinary({ requirement: 'create.success' }),
  'fields in the reverse order': ordinary({
    body: (valid) => join(pairsOf(toFields(valid)).toReversed()),
  }),
  'categoryId first': ordinary({
    body: (valid) => {
      const { categoryId, ...others } = toFields(valid)
      return print({ categoryId, ...others })
    },
  }),
  'white space between tokens': ordinary({
    body: (valid) => ` \r\n${join(pairsOf(toFields(valid)), '\n\t, ', ' :\t')}\n `,
  }),
  'names of fields as \\u escapes': ordinary({
    body: (valid) =>
      join(pairsOf(toFields(valid)).map(([name, value]) => [escapeAll(name), value])),
  }),
  'a charset in other letter case': ordinary({
    headers: { 'content-type': 'application/json; Charset="UTF-8"' },
  }),
  'the media type in other letter case': ordinary({
    headers: { 'content-type': 'Application/JSON' },
  }),
}

/** Whether only the control characters of a name are removed, or replaced by spaces or U+FFFD. */
export function mayLoseControls(sent: string, created: string): boolean {
  const [a, b] = [sent, created].map((name) => name.replaceAll(/[\p{Cc}\ufffd ]/gu, ''))
  return a === b
}

/** Creations that a target may reject. */
const openBodies: Record<string, BodyKind> = {
  'a name of decomposed letters': open({
    name: (unique) => `${unique} Zoe\u0308 A\u030angstro\u0308m`,
  }),
  'a name of letters of two to four bytes': open({ name: (unique) => nameAcrossCuts(unique, 64) }),
  'a long name of letters of all widths': open({ name: (unique) => nameAcrossCuts(unique, 300) }),
  'a name with NUL': open({ name: (unique) => `${unique}\0b`, mayChangeName: mayLoseControls }),
  'a name of markup': open({ name: (unique) => `${unique} </script><b>&amp;'"\\` }),
  'a name like SQL': open({ name: (unique) => `${unique}'; --` }),
  'an empty name': open({ name: () => '' }),
  'a name like a number': open({ name: (unique) => `1${String(unique.length)}e5` }),
  'a name like a truth value': open({ name: () => 'true' }),
  'a name like nothing': open({ name: () => 'undefined' }),
  'a name like a date': open({ name: () => '2024-02-29' }),
  'categoryId 2^31': open({ categoryId: 2147483648 }),
  'categoryId 2^32 + 1': open({ categoryId: 4294967297 }),
  'categoryId 2^53 + 1': open({ categoryId: 9007199254740993n }),
  'categoryId -1': open({ categoryId: -1 }),
  'categoryId 0': open({ categoryId: 0 }),
  'categoryId as 7.0': open({
    categoryId: 7,
    body: (valid) => plainBody(valid).replace(':7', ':7.0'),
  }),
  'categoryId as 1e2': open({
    categoryId: 100,
    body: (valid) => plainBody(valid).replace(':100', ':1e2'),
  }),
  // What parsers take that are lenient by default: those of Ruby and of Gson.
  'a comment': open({
    requirement: 'error.body',
    body: (valid) => plainBody(valid).replace('{', '{/* */'),
  }),
  'single quotes': open({
    requirement: 'error.body',
    body: (valid) => plainBody(valid).replaceAll('"', "'"),
  }),
  'names without quotes': open({
    requirement: 'error.body',
    body: (valid) => plainBody(valid).replaceAll(/"(\w+)":/g, '$1:'),
  }),
  'another media type': open({
    requirement: 'error.body',
    headers: { 'content-type': 'text/plain' },
  }),
}

export const bodyKinds: Readonly<Record<string, BodyKind>> = {
  ...spellings,
  ...openBodies,
  ...Object.fromEntries(
    [invalidBodies, moreInvalidBodies].flatMap((table: InvalidBodies) =>
      Object.entries(table).flatMap(([requirement, bodies]) =>
        Object.entries(bodies).map(
          ([what, body]) => [what, invalid(requirement as RequirementId, body)] as const,
        ),
      ),
    ),
  ),
}

const namesOf = (kind: BodyKind['kind']): string[] =>
  Object.entries(bodyKinds).flatMap(([name, body]) => (body.kind === kind ? [name] : []))

export const ordinaryKinds = namesOf('ordinary')
export const specialKinds = [...namesOf('invalid'), ...namesOf('open')]

/** Common maximum lengths of names, in bytes or UTF-16 units. */
const cuts = [20, 30, 32, 50, 60, 64, 100, 128, 255]
const letters = { 2: 'éßΩшłñ', 3: '名前€अ犬猫', 4: '🐾𝒵🐕𐍈' } as const

/** A name of multibyte letters, of so many bytes or more, in which every common limit falls inside a letter. */
export function nameAcrossCuts(beginning: string, bytes: number): string {
  let text = `${beginning} `
  const used = { 2: 0, 3: 0, 4: 0 }
  const append = (width: 2 | 3 | 4): void => {
    const all = [...letters[width]]
    text += all[used[width] % all.length] ?? ''
    used[width] += 1
  }
  const toCut = (length: number): number => (cuts.find((cut) => cut > length) ?? Infinity) - length
  for (;;) {
    const length = Buffer.byteLength(text)
    if (length >= bytes && !cuts.includes(length)) return text
    const left = toCut(length)
    if (left <= 3) append((left + 1) as 2 | 3 | 4)
    else if (left === 4) append(2)
    else if (toCut(text.length) === 1 && left !== 8) append(4)
    else append(left % 2 === 0 ? 2 : 3)
  }
}

/** Writes every UTF-16 unit as a \u escape of JSON. */
export const escapeAll = (text: string): string =>
  text.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
