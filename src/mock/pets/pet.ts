import { expectNone, fail, type Issue } from '../../errors.ts'
import { JsonNumber, type JsonValue, parseJson, printJson } from '../../json.ts'
import type { ExactPet, Int64, PetStatus } from '../../spec/types.ts'
import { definedIn } from '../../option-checks.ts'
import { issuesOf, maxIssues, toSentence } from '../../validate.ts'
import { normalizeInt64 } from './int64.ts'
import type { PetPatch } from '../schemas/schemas.gen.ts'
import { validators } from '../schemas/validators.gen.ts'

export interface StoredPet {
  id: Int64
  name: string
  categoryId: Int64
  status: PetStatus | undefined
  /** Fields beyond those of the specification. */
  others?: Record<string, JsonValue>
}

/** Adds a field `href` with the path of the pet. */
export const printWithLink = (basePath: string) => (pet: StoredPet) =>
  printPet({ ...pet, others: { href: `${basePath}/pets/${pet.id}`, ...pet.others } })

/** Prints a pet as JSON: the fields of the specification in its order, then any others. */
export function printPet(pet: StoredPet): string {
  const { id, name, categoryId, status, others } = pet
  // Fast path for nearly all pets: a third of the time of JSON.stringify.
  return others === undefined && typeof id === 'number' && typeof categoryId === 'number'
    ? `{"id":${id},"name":${quoted(name)},"categoryId":${categoryId}${status === undefined ? '' : `,"status":"${status}"`}}`
    : printJson({ id, name, categoryId, status, ...others })
}

/** A JSON array with one pet per line. */
export const printPets = (pets: readonly ExactPet[]): string =>
  pets.length === 0
    ? '[]\n'
    : `[\n${pets.map((pet) => printPet(toStoredPet(pet))).join(',\n')}\n]\n`

/** `JSON.stringify` with a fast path for strings that need no escapes. */
function quoted(text: string): string {
  return /[^\x20-\x21\x23-\x5b\x5d-\ud7ff\ue000-\uffff]/.test(text)
    ? JSON.stringify(text)
    : `"${text}"`
}

export const parsePet = (text: string): StoredPet =>
  toStoredPet(parseJson(text) as unknown as StoredPet)

/** The inverse of `printPet`, for parsed JSON. */
export function toStoredPet({
  id,
  name,
  categoryId,
  status,
  ...others
}: ExactPet | StoredPet): StoredPet {
  const pet = { id, name, categoryId, status }
  for (const _ in others) return { ...pet, others }
  return pet
}

/** A new pet of the collection: without an id, it gets the next one. */
export type PetInput = Omit<ExactPet, 'id'> & { id?: Int64 }

/** A Standard Schema (https://standardschema.dev) of Pet. */
export interface PetSchema {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: 'petstore-kit'
    readonly types?: { readonly input: PetInput; readonly output: ExactPet }
    readonly validate: (
      value: unknown,
    ) => { value: ExactPet } | { issues: readonly { message: string; path: readonly string[] }[] }
  }
}

/** Validates a pet. Fields beyond those of the specification are kept. */
export const petSchema: PetSchema = {
  '~standard': {
    version: 1,
    vendor: 'petstore-kit',
    validate(value) {
      const issues = issuesOf(validators.Pet, value)
      if (issues.length > 0) {
        return {
          issues: issues.map((issue) => ({
            message: toSentence(issue, 'The pet') + hintFor(value, issue.path),
            path: issue.path ? [issue.path] : [],
          })),
        }
      }
      const { id, name, categoryId, status, ...others } = value as ExactPet
      const pet: ExactPet = {
        ...others,
        id: normalizeInt64(id),
        name,
        categoryId: normalizeInt64(categoryId),
      }
      return { value: status === undefined ? pet : { ...pet, status } }
    },
  },
}

/** For an integer that JavaScript has rounded. */
function hintFor(pet: unknown, field: string): string {
  const value = (pet as Readonly<Record<string, unknown>> | null)?.[field]
  return Number.isInteger(value) && !Number.isSafeInteger(value)
    ? ' Beyond 2^53, JavaScript rounds numbers: use a bigint, such as 9007199254740993n.'
    : ''
}

/** A pet to add. Without an id, it gets the next one. */
type AddedPet = Omit<StoredPet, 'id'> & { id: Int64 | undefined }
type IsTaken = (id: Int64) => boolean

/**
 * Validates a list of pets at the path `at`, and adds mistakes to `issues`, about twenty at most. With `isTaken`, which says
 * whether another pet has an id, pets may lack one.
 */
export function checkPets(pets: unknown, at: string, issues: Issue[]): StoredPet[]
export function checkPets(pets: unknown, at: string, issues: Issue[], isTaken?: IsTaken): AddedPet[]
export function checkPets(
  pets: unknown,
  at: string,
  issues: Issue[],
  isTaken?: IsTaken,
): AddedPet[] {
  const add = (pointer: string, message: string): void =>
    void issues.push({ path: at + pointer || 'data', message })
  if (!Array.isArray(pets)) add('', 'The pets must be an array.')
  const read: AddedPet[] = []
  const seen = new Map<Int64, number>()
  for (const [index, value] of Array.isArray(pets) ? pets.entries() : []) {
    if (issues.length >= maxIssues) {
      add('', `The pets from /${index} on were not checked.`)
      break
    }
    const lacksId =
      isTaken !== undefined && typeof value === 'object' && value !== null && !('id' in value)
    const pet = checkPet(lacksId ? { ...value, id: 0 } : value, `${at}/${index}`, issues)
    if (pet === undefined) continue
    read.push(lacksId ? { ...pet, id: undefined } : pet)
    if (lacksId) continue
    const earlier = seen.get(pet.id)
    if (earlier !== undefined)
      add(`/${index}/id`, `The id ${pet.id} is also the id of pet /${earlier}.`)
    if (isTaken?.(pet.id)) add(`/${index}/id`, `A pet with the id ${pet.id} already exists.`)
    seen.set(pet.id, index)
  }
  return read
}

/** As `checkPets`, for one pet; undefined when it has a mistake. */
export function checkPet(value: unknown, at: string, issues: Issue[]): StoredPet | undefined {
  const result = petSchema['~standard'].validate(value)
  if ('issues' in result) {
    issues.push(
      ...result.issues.map(({ message, path }) => ({ path: [at, ...path].join('/'), message })),
    )
    return undefined
  }
  const pet = copyPet(result.value)
  if (pet === undefined)
    issues.push({ path: at, message: 'Further fields must be JSON, of at most 100 levels.' })
  return pet
}

/** As `checkPets`. Throws a UsageError that lists every mistake. */
export function readPets(pets: unknown): StoredPet[]
export function readPets(pets: unknown, isTaken: IsTaken): AddedPet[]
export function readPets(pets: unknown, isTaken?: IsTaken): AddedPet[] {
  const issues: Issue[] = []
  const read = checkPets(pets, '', issues, isTaken)
  expectNone(issues)
  return read
}

export function readPet(pet: unknown): StoredPet {
  const issues: Issue[] = []
  const [read] = checkPets([pet], '', issues)
  return read ?? fail(issues.map(({ message }) => message).join(' '))
}

export function patchPet(pet: StoredPet, { status = pet.status, ...patch }: PetPatch): StoredPet {
  const changed = { ...toPet(pet), ...definedIn(patch) }
  return readPet({ ...changed, status: status ?? undefined, id: pet.id })
}

export function toPet({ others, status, ...fields }: StoredPet): ExactPet {
  return { ...fields, ...(status !== undefined && { status }), ...others }
}

/** A copy with frozen other fields; undefined when they are not JSON. */
function copyPet({ id, name, categoryId, status, ...others }: ExactPet): StoredPet | undefined {
  const pet: StoredPet = { id, name, categoryId, status }
  const copy = copyJson(others)
  if (copy === undefined) return undefined
  if (Object.keys(copy as object).length > 0) pet.others = copy as Record<string, JsonValue>
  return pet
}

/** The approximate size of the texts and the other fields of a pet. */
export const bytesOfTexts = ({ name, others }: StoredPet): number =>
  name.length + (others === undefined ? 0 : bytesOfJson(others))

/** The approximate size of one JSON value. An empty object takes thirty times as much as its text. */
const valueBytes = 64

export function bytesOfJson(value: unknown): number {
  if (typeof value === 'string') return valueBytes + value.length
  if (typeof value !== 'object' || value === null) return valueBytes
  if (Array.isArray(value))
    return value.reduce<number>((sum, item) => sum + bytesOfJson(item), valueBytes)
  return Object.entries(value).reduce(
    (sum, [name, field]) => sum + name.length + bytesOfJson(field),
    valueBytes,
  )
}

/** Levels of JSON that a mock stores: some clients cannot parse more. */
const maxDepth = 100

/** A deep-frozen copy; undefined for a function, NaN, a Date, a circular reference, more than 100 levels: no JSON. */
export function copyJson(value: unknown, level = 0): JsonValue | undefined {
  if (
    value === null ||
    typeof value === 'boolean' ||
    typeof value === 'string' ||
    typeof value === 'bigint'
  )
    return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (typeof value !== 'object' || level > maxDepth) return undefined
  if (value instanceof JsonNumber) return value
  if (Array.isArray(value)) {
    const items = value.map((item) => copyJson(item, level + 1))
    return items.includes(undefined) ? undefined : (Object.freeze(items) as JsonValue[])
  }
  if (Object.prototype.toString.call(value) !== '[object Object]') return undefined
  const copies: [string, JsonValue][] = []
  for (const [name, field] of Object.entries(value)) {
    // As JSON.stringify does.
    if (field === undefined) continue
    const copy = copyJson(field, level + 1)
    if (copy === undefined) return undefined
    copies.push([name, copy])
  }
  return Object.freeze(Object.fromEntries(copies))
}
