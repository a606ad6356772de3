import type { ClauseId } from '../../spec/clauses.ts'
import type { Int64, PetStatus } from '../../spec/types.ts'
import { invalidBodies } from '../checks/refusals.ts'
import { escapeAll, nameAcrossCuts } from '../letters.ts'

/** The fields of a valid creation. */
interface Valid {
  name: string
  categoryId: Int64
  status: PetStatus | undefined
}

/**
 * A kind of creation, and what the specification says about it: it requires 201 (`ordinary`), allows any response
 * (`open`), or requires 400 (`invalid`).
 */
export interface BodyKind {
  kind: 'ordinary' | 'open' | 'invalid'
  clause: ClauseId
  /** Makes the name from a unique one. */
  name?: (unique: string) => string
  categoryId?: Int64
  /** Makes the body. Default: a plain NewPet object. */
  body?: (valid: Valid) => string | undefined
  headers?: Record<string, string>
  /** Whether the target may store another name. */
  mayChangeName?: (sent: string, created: string) => boolean
}

const text = (value: string): string => JSON.stringify(value)
const fields = ({ name, categoryId, status }: Valid): [string, string][] => [
  ['name', text(name)],
  ['categoryId', String(categoryId)],
  ...(status === undefined ? [] : [['status', text(status)] as [string, string]]),
]
const join = (pairs: readonly (readonly [string, string])[], comma = ',', colon = ':'): string =>
  `{${pairs.map(([name, value]) => `"${name}"${colon}${value}`).join(comma)}}`
export const plainBody = (valid: Valid): string => join(fields(valid))

const ordinary = (kind: Partial<BodyKind> = {}): BodyKind => ({
  kind: 'ordinary',
  clause: 'http.json-request',
  ...kind,
})
const open = (kind: Partial<BodyKind>): BodyKind => ({ kind: 'open', clause: 'create.success', ...kind })

/** Equivalent requests that are written differently. */
const spellings: Record<string, BodyKind> = {
  plain: ordinary({ clause: 'create.success' }),
  'fields in the reverse order': ordinary({ body: (valid) => join(fields(valid).toReversed()) }),
  'categoryId first': ordinary({
    body: (valid) => join(fields(valid).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))),
  }),
  'white space between tokens': ordinary({ body: (valid) => ` \r\n${join(fields(valid), '\n\t, ', ' :\t')}\n ` }),
  'names of fields as \\u escapes': ordinary({
    body: (valid) => join(fields(valid).map(([name, value]) => [escapeAll(name), value])),
  }),
  'a charset in other letter case': ordinary({ headers: { 'content-type': 'application/json; Charset="UTF-8"' } }),
  'the media type in other letter case': ordinary({ headers: { 'content-type': 'Application/JSON' } }),
}

const control = (sent: string, created: string): boolean => created === sent.replaceAll(/[\p{Cc}\p{Cs}]|\ufffd/gu, '')

/** Creations that a target may refuse. */
const openBodies: Record<string, BodyKind> = {
  'a name of decomposed letters': open({ name: (unique) => `${unique} Zoe\u0308 A\u030angstro\u0308m` }),
  'a name of letters of two to four bytes': open({ name: (unique) => nameAcrossCuts(unique, 64) }),
  'a long name of letters of all widths': open({ name: (unique) => nameAcrossCuts(unique, 300) }),
  'a name with NUL': open({
    name: (unique) => `${unique}\0b`,
    mayChangeName: (sent, created) => [sent.replace('\0', ''), sent.replace('\0', '\ufffd')].includes(created),
  }),
  'a name with control characters': open({
    name: (unique) => `${unique}\u0001\t\n\u007f\u0085b`,
    mayChangeName: control,
  }),
  'a name with line separators': open({ name: (unique) => `${unique}\u2028\u2029 \u200d\ufeffb` }),
  'a name from right to left': open({ name: (unique) => `${unique} \u202eשלום\u202c` }),
  'a name of markup': open({ name: (unique) => `${unique} </script><b>&amp;'"\\` }),
  'a name like a placeholder': open({ name: (unique) => `${unique} {{7*7}} \${7*7} %s %00 #{1} $1 \\u0041` }),
  'a name like SQL': open({ name: (unique) => `${unique}'; --` }),
  'an empty name': open({ name: () => '' }),
  'a name like a number': open({ name: (unique) => `1${String(unique.length)}e5` }),
  'a name like null': open({ name: () => 'null' }),
  'the least categoryId': open({ categoryId: -9223372036854775808n }),
  'the greatest categoryId': open({ categoryId: 9223372036854775807n }),
  'categoryId 2^31': open({ categoryId: 2147483648 }),
  'categoryId 2^32 + 1': open({ categoryId: 4294967297 }),
  'categoryId 2^53 + 1': open({ categoryId: 9007199254740993n }),
  'categoryId -1': open({ categoryId: -1 }),
  'categoryId 0': open({ categoryId: 0 }),
  'categoryId as 7.0': open({ categoryId: 7, body: (valid) => join(fields(valid)).replace(':7', ':7.0') }),
  'categoryId as 1e2': open({ categoryId: 100, body: (valid) => join(fields(valid)).replace(':100', ':1e2') }),
  'an extra field': open({
    clause: 'error.body',
    body: (valid) => join([...fields(valid), ['petkitExtra', '{"a":[1,null]}']]),
  }),
  'an id of its own': open({ clause: 'error.body', body: (valid) => join([['id', '77001234'], ...fields(valid)]) }),
  'another media type': open({ clause: 'error.body', headers: { 'content-type': 'text/plain' } }),
}

const invalid = (clause: ClauseId, body: BodyKind['body']): BodyKind => ({
  kind: 'invalid',
  clause,
  ...(body && { body }),
})
const invalidField = (name: 'name' | 'categoryId' | 'status', value: string): BodyKind =>
  invalid('create.invalid-values', (valid) =>
    join([...fields(valid).filter(([other]) => other !== name), [name, value]]),
  )
const noObject = (body: (json: string, valid: Valid) => string): BodyKind =>
  invalid('create.body-required', (valid) => body(join(fields(valid)), valid))

/** Bodies that the checks of refusals do not send. */
const moreInvalid: Record<string, BodyKind> = {
  'name an empty array': invalidField('name', '[]'),
  'name an empty object': invalidField('name', '{}'),
  'name false': invalidField('name', 'false'),
  'name 0': invalidField('name', '0'),
  'categoryId an object': invalidField('categoryId', '{}'),
  'categoryId an object with an id': invalidField('categoryId', '{"id":1}'),
  'categoryId an empty array': invalidField('categoryId', '[]'),
  'categoryId false': invalidField('categoryId', 'false'),
  'categoryId 1e30': invalidField('categoryId', '1e30'),
  'categoryId 0.5': invalidField('categoryId', '0.5'),
  'categoryId 2^64 + 1': invalidField('categoryId', '18446744073709551617'),
  'categoryId a text in hexadecimal': invalidField('categoryId', '"0x10"'),
  'status an array': invalidField('status', '["sold"]'),
  'status an object': invalidField('status', '{}'),
  'status false': invalidField('status', 'false'),
  'status in capitals': invalidField('status', '"SOLD"'),
  'status with a space behind': invalidField('status', '"sold "'),
  'status of two words': invalidField('status', '"sold,pending"'),
  'status cut short': invalidField('status', '"avail"'),
  'white space alone': noObject(() => ' \n'),
  'two objects': noObject((json) => `${json}${json}`),
  'a comment': noObject((json) => json.replace('{', '{/* */')),
  'single quotes': noObject((json) => json.replaceAll('"', "'")),
  'names without quotes': noObject((json) => json.replaceAll(/"(\w+)":/g, '$1:')),
  'NaN for categoryId': noObject((json) => json.replace(/("categoryId":)-?\d+/, '$1NaN')),
  'a leading zero': noObject((json) => json.replace(/("categoryId":)-?\d+/, '$107')),
  'a plus sign': noObject((json) => json.replace(/("categoryId":)-?\d+/, '$1+7')),
  'a number': noObject(() => '7'),
  true: noObject(() => 'true'),
  'an empty array': noObject(() => '[]'),
  'a form': noObject((_, { name }) => `name=${encodeURIComponent(name)}&categoryId=1`),
}

/** All kinds by description. */
export const bodyKinds: Readonly<Record<string, BodyKind>> = {
  ...spellings,
  ...openBodies,
  ...Object.fromEntries(
    invalidBodies.map(({ what, clause, make }) => [
      what,
      invalid(clause, ({ name, categoryId, status = 'sold' }) =>
        make({ name: text(name), categoryId: String(categoryId), status: text(status) }),
      ),
    ]),
  ),
  ...moreInvalid,
}

const namesOf = (kind: BodyKind['kind']): string[] =>
  Object.entries(bodyKinds).flatMap(([name, body]) => (body.kind === kind ? [name] : []))

export const ordinaryKinds = namesOf('ordinary')
export const specialKinds = [...namesOf('invalid'), ...namesOf('open')]
