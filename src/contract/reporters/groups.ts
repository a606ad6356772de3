import type { ClauseId } from '../../spec/clauses.ts'
import { parseJson, type JsonValue } from '../../json.ts'
import { count } from '../../report/text.ts'
import { errorDefects, petDefects } from '../shapes.ts'
import type { Finding, Report, ReportedExchange } from '../report.ts'
import { command, knownWords, quoteOf, sentence, value } from './words.ts'

const pet = ['pet.fields', 'pet.id', 'pet.name', 'pet.category-id', 'pet.status'] as const
const form = ['http.media-type', 'http.json-body'] as const
const ofLists = ['list.limit.default', 'list.status.filter', 'list.status.complete', 'pet.id.unique'] as const
const error = ['error.body', 'error.code', 'error.message', 'error.status'] as const

/** What each requirement depends on. If both are violated, reports show the requirement below its probable cause. */
export const dependsOn: Readonly<Partial<Record<ClauseId, readonly ClauseId[]>>> = {
  'http.media-type': ['service.base-path'],
  'http.json-body': ['service.base-path'],
  'error.body': form,
  'error.code': ['error.body'],
  'error.message': ['error.body'],
  'error.status': ['error.body'],
  'error.status-repeats-http': ['error.body', 'error.status'],
  'create.401': ['list.401'],
  'get.401': ['list.401', 'create.401'],
  // Where no key is required, a wrong one is accepted, too.
  'auth.invalid-key': ['list.401', 'create.401', 'get.401'],
  'pet.fields': form,
  'pet.name': ['create.invalid-values'],
  'pet.category-id': ['create.invalid-values', 'create.exact'],
  'pet.status': ['create.invalid-values'],
  'pet.id.unique': ['create.id-assigned'],
  'list.success': [...form, ...pet, 'auth.bearer', 'service.base-path'],
  'list.parameters-optional': ['list.success'],
  'list.limit.honoured': ['list.success'],
  'list.limit.min': ['list.success', 'list.limit.honoured', 'list.page-full'],
  'list.limit.max': ['list.success', 'list.limit.honoured', 'list.page-full'],
  'list.limit.default': ['list.success', 'list.limit.honoured', 'list.page-full'],
  'list.status.filter': ['list.success', 'pet.fields', 'pet.status'],
  'list.status.default': ['list.success', 'list.limit.honoured', 'list.status.filter'],
  'list.page-full': ['list.limit.honoured', 'list.status.filter', 'list.status.default', 'pet.id.unique'],
  'list.status.complete': ['list.status.filter', 'list.page-full'],
  'create.success': [...form, ...pet, 'auth.bearer', 'http.json-request', 'create.exact', 'create.id-assigned'],
  'create.status-optional': ['create.success'],
  'create.status': ['create.success', 'list.status.filter'],
  'create.stored': ['create.success', 'pet.id.unique', 'get.by-id'],
  'create.listed': ['create.stored', 'list.page-full', ...ofLists],
  'get.until-removal': [...form, 'auth.bearer'],
  'get.success': [...form, ...pet, 'auth.bearer', 'get.until-removal'],
  'get.not-found': ['get.by-id', 'get.success', 'auth.bearer'],
  'get.by-id': ['pet.id.unique'],
  'state.reads-change-nothing': ['create.stored', 'get.by-id'],
  'create.invalid-values': ['create.exact'],
  'service.catalogue': ['create.listed', 'list.page-full', 'list.limit.min', ...ofLists, 'state.reads-change-nothing'],
}

/** A violated requirement with its findings, and the violated requirements that are its probable consequences. */
export interface Group {
  clause: ClauseId
  section: string
  /** The words of the specification; table rows as sentences. */
  quote: string
  cases: readonly [Finding, ...Finding[]]
  /** How many responses show it. */
  times: number
  consequences: readonly Consequence[]
}

export interface Consequence {
  clause: ClauseId
  /** Empty if the findings of the cause show it as well. */
  cases: readonly Finding[]
}

/** Groups findings by probable cause, in the order of the specification. */
export function groupsOf({ clauses }: Report, findings: readonly Finding[]): Group[] {
  const own = new Map<ClauseId, [Finding, ...Finding[]]>()
  for (const finding of findings) {
    const cases = own.get(finding.clause)
    if (cases) cases.push(finding)
    else own.set(finding.clause, [finding])
  }
  const rootOf = rootFinder(own)
  const claimed = new Set<ClauseId>(own.keys())
  return clauses.flatMap(({ id, section, quote }): Group[] => {
    const cases = own.get(id)
    if (cases === undefined || rootOf(id) !== id) return []
    const shown = clauses.filter((other) => other.id !== id && own.has(other.id) && rootOf(other.id) === id)
    const consequences = shown.map((other): Consequence => ({ clause: other.id, cases: own.get(other.id) ?? [] }))
    const named = [...cases, ...consequences.flatMap((one) => one.cases)].flatMap(({ alsoBreaks }) => alsoBreaks)
    for (const clause of named) {
      if (claimed.has(clause)) continue
      claimed.add(clause)
      consequences.push({ clause, cases: [] })
    }
    const times = cases.reduce((sum, { more }) => sum + 1 + more, 0)
    return [{ clause: id, section, quote: quoteOf(quote), cases, times, consequences }]
  })
}

const isStatus = /^status \d{3}$|^no response$/
const includes = (ids: readonly ClauseId[], id: ClauseId): boolean => ids.includes(id)
const isAccepted = ({ actual }: Finding): boolean => actual.startsWith('status 2')
/** The request passed authentication, even if it is wrong or its pet does not exist. */
const isServed = ({ actual }: Finding): boolean => /^status (2|40[04]|415|422)/.test(actual)
const isTooMany = ({ expected }: Finding): boolean => expected.startsWith('at most ')
const lastOf = ({ exchanges }: Finding): Partial<ReportedExchange> => exchanges.at(-1) ?? {}
const fieldOf = ({ pointer }: Finding): string | undefined => /\/(name|categoryId|status)$/.exec(pointer)?.[1]

/** Whether one finding may be the reason of another. The responses of the other finding must show it, too. */
function explains(cause: Finding, found: Finding): boolean {
  const { clause, actual, exchanges } = found
  if (clause === cause.clause) return false
  const isSame = actual === cause.actual
  // One wrong key is served because another one, or none, is.
  if (clause === 'auth.invalid-key' && !found.alsoBreaks.includes(cause.clause)) return false
  if (/401$|^auth/.test(clause)) return isSame || (isServed(found) && isServed(cause))
  if (includes([...form, ...pet, ...error], cause.clause)) return explainsByBody(cause, found)
  if (isStatus.test(actual)) return isSame
  // The length of a list says nothing about its pets.
  if (isTooMany(found)) return isTooMany(cause)
  // A wrong field comes from an invalid value that was accepted, or from the same field of the created Pet.
  const field = fieldOf(found)
  if (cause.clause === 'create.invalid-values')
    return isAccepted(cause) && lastOf(cause).request?.body?.includes(`"${field}":${actual}`) !== false
  const created = cause.clause.startsWith('create.') ? fieldOf(cause) : undefined
  if (created !== undefined && field !== created && !actual.includes(`${created} `)) return false
  // An integer beyond int64 comes from rounding, another value does not.
  if (clause === 'pet.category-id' && !/^-?\d+$/.test(actual)) return false
  return !exchanges.every(({ request }) => request.method === 'POST') || cause.pointer === found.pointer
}

/** Whether a defect of a body may be the reason of another finding: never of its status. */
function explainsByBody(cause: Finding, found: Finding): boolean {
  if (isStatus.test(found.actual)) return false
  // What several responses show is compared without invalid values.
  if (includes(pet, cause.clause) && found.exchanges.length > 1) return false
  // A list is too long for pets beyond its limit alone.
  const limit = /limit=(\d+)/.exec(lastOf(cause).request?.url ?? '')?.[1] ?? 20
  return isTooMany(found) ? Number(cause.pointer.split('/')[1]) >= Number(limit) : breaks(found, cause.clause)
}

/** Whether the response of a finding breaks a requirement on its body, as far as the report shows it. */
function breaks(found: Finding, id: ClauseId): boolean {
  const { status = 0, body = '', bodyCut = false } = lastOf(found).response ?? {}
  const { pointer, actual } = found
  let value: JsonValue | undefined
  try {
    value = parseJson(bodyCut ? actual : body)
  } catch {
    if (!includes(form, id)) return bodyCut
  }
  if (includes(form, id)) return value === undefined && body !== ''
  const values = Array.isArray(value) ? value : [value as JsonValue]
  const all = values.flatMap((one) => (includes(error, id) ? errorDefects(one, status) : petDefects(one, '')))
  const defects = all.filter(({ clause }) => clause === id)
  // Without several fields, it is no Error at all.
  const isOther = includes(error, id) && defects.length > 1
  return isOther || defects.some((one) => bodyCut || pointer.includes(one.pointer ?? ''))
}

/** Finds the probable cause of a violated requirement that has findings of its own: itself if there is no other. */
function rootFinder(own: ReadonlyMap<ClauseId, readonly Finding[]>): (id: ClauseId) => ClauseId {
  const findings = [...own.values()].flat()
  const shows = (id: ClauseId): Finding[] => findings.filter((one) => [one.clause, ...one.alsoBreaks].includes(id))
  const hasActual = (id: ClauseId, pattern: RegExp): boolean =>
    own.get(id)?.some(({ actual }) => pattern.test(actual)) === true
  const isForm = (id: ClauseId): boolean => includes([...form, ...error], id)
  // If a lost pet's id is reused, the loss is the cause.
  const isLost = hasActual('create.stored', /^status 404$|^it is not there$/)
  const isEach = (id: ClauseId, test: (finding: Finding) => boolean): boolean => own.get(id)?.every(test) === true
  // A status that no operation has, or no response, has no Error body because the server failed.
  const isFailure = /^no response$|^status (?!40[014]$)[45]\d\d$/
  const failures = findings.filter(({ clause, actual }) => !isForm(clause) && isFailure.test(actual))
  const hasFailed = (one: Finding): boolean => {
    const status = lastOf(one).response?.status ?? 0
    return failures.some(({ actual }) => actual === (status === 0 ? 'no response' : `status ${status}`))
  }
  const isError = (id: ClauseId): boolean => isEach(id, ({ actual }) => actual.startsWith('status 5'))
  // An error with status 200 is no Pet.
  const unknown = own.get('get.not-found')?.find(({ actual }) => actual === 'status 200')
  const isOtherPet = unknown && lastOf(unknown).response?.body?.includes('"id"')
  const isNoPet = (one: Finding): boolean =>
    unknown !== undefined && lastOf(one).response?.body === lastOf(unknown).response?.body
  const lists = findings.filter(({ clause, actual }) => /^list\.(?!401)/.test(clause) && actual.startsWith('status 4'))
  /** The parameters of a list that is refused. */
  const refused = (id: ClauseId): string[] | undefined => {
    const list = lists.find(({ clause }) => clause === id)
    // One check sends another limit between the ends, which is refused for the same reason.
    return list && lastOf(list).request?.url.replace('limit=99', 'limit=2').split(/[?&]/)
  }
  /** What is the cause without a look at single findings. */
  const certainOf = (id: ClauseId): readonly ClauseId[] | undefined => {
    const parameters = refused(id)
    // A server that fails in all reads fails everywhere.
    if (isError('list.success') && isError('get.success') && isError(id)) return ['list.success']
    if (isForm(id) && shows(id).every(hasFailed)) return failures.map(({ clause }) => clause)
    if ([...pet, 'get.success'].includes(id) && isEach(id, isNoPet)) return ['get.not-found']
    if (id === 'get.not-found' && isOtherPet) return ['get.by-id']
    // A client without preference; the request with the fewest parameters shows why.
    const notAcceptable = [...own.keys()].filter((other) => isEach(other, ({ actual }) => actual === 'status 406'))
    if (notAcceptable.includes(id)) return notAcceptable.slice(0, 1).filter((other) => other !== id)
    if (parameters)
      return [...own.keys()].filter((other) => isSubset(refused(other), parameters, id === 'list.success'))
    // A created Pet without the status that was sent differs from the stored one.
    return id === 'create.stored' && hasActual('create.status', /^absent$/) ? ['create.status'] : undefined
  }
  const causesOf = (id: ClauseId): readonly ClauseId[] => {
    const causes = dependsOn[id] ?? []
    if (!isLost) return causes
    return id === 'pet.id.unique' ? ['create.stored'] : causes.filter((cause) => cause !== 'pet.id.unique')
  }
  const rootOf = (id: ClauseId, cases = own.get(id) ?? [], path: readonly ClauseId[] = []): ClauseId => {
    const certain = certainOf(id)
    const isReason = (cause: ClauseId, one: Finding): boolean =>
      certain !== undefined || shows(cause).some((other) => explains(other, one))
    const likely = (certain ?? causesOf(id)).filter(
      (cause) => !path.includes(cause) && shows(cause).length > 0 && cases.some((one) => isReason(cause, one)),
    )
    if (!cases.every((one) => likely.some((cause) => isReason(cause, one)))) return id
    const roots = likely.map((one) => rootOf(one, own.get(one) ?? cases, [...path, id]))
    return roots.find((cause) => own.has(cause)) ?? id
  }
  return (id) => rootOf(id)
}

const isSubset = (some: readonly string[] | undefined, all: readonly string[], mayBeAll: boolean): boolean =>
  some?.every((one) => all.includes(one)) === true && (mayBeAll || some.length < all.length)

/** The groups that fail a run, and those that the baseline excuses. */
export function splitGroups(report: Report): { fresh: Group[]; known: Group[] } {
  const groupsWhere = (isKnown: boolean): Group[] =>
    groupsOf(
      report,
      report.findings.filter(({ known }) => (known !== undefined) === isKnown),
    )
  return { fresh: groupsWhere(false), known: groupsWhere(true) }
}

/** The group of a violated requirement, as its cause or as a consequence. */
export const groupWith = (groups: readonly Group[], id: ClauseId): Group | undefined =>
  groups.find(({ clause }) => clause === id) ??
  groups.find(({ consequences }) => consequences.some(({ clause }) => clause === id))

/** `Probably also breaks list.page-full and create.listed.` */
export function consequenceWords({ consequences }: Group): string {
  return consequences.length === 0 ? '' : `Probably also breaks ${consequences.map(({ clause }) => clause).join(', ')}.`
}

/** Plain text: the first finding in detail, one line for each of the others. */
export function groupLines(
  group: Group,
  { most = 20, dim = (line: string): string => line }: { most?: number; dim?: (line: string) => string } = {},
): string[] {
  const { cases, quote } = group
  const [first, ...others] = cases
  const shown = others.slice(0, most)
  return [
    `"${quote}"`,
    ...caseLines(first, dim),
    ...shown.map((one) => `Also: ${sentence(one.message)}`),
    ...(others.length > shown.length ? [`And ${count(others.length - shown.length, 'more case')}.`] : []),
    ...[consequenceWords(group)].filter((words) => words !== ''),
    ...(first.known ? [`It is ${knownWords(first.known)}.`] : []),
  ]
}

export function caseLines(
  { message, expected, actual, pointer, exchanges, more }: Finding,
  dim = (line: string): string => line,
): string[] {
  const response = exchanges.at(-1)?.response
  return [
    sentence(message),
    `  expected  ${value(expected)}`,
    `  actual    ${value(actual)}${pointer === '' ? '' : `  at ${sentence(pointer)}`}`,
    ...(/^status [45]/.test(actual) && response?.body ? [`  response  ${value(response.body)}`] : []),
    ...exchanges.map(({ curl }) => `  ${dim(command(curl))}`),
    ...(more > 0 ? [`The same in ${count(more, 'more response')}.`] : []),
  ]
}
