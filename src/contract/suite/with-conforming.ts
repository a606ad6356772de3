import { type JsonValue, printJson } from '../../json.ts'
import { behaviors, type Behavior } from '../../spec/behaviors.ts'
import type { HttpReply } from '../../spec/http.ts'
import type { Int64 } from '../../spec/types.ts'
import type { Exchange } from '../http/exchange.ts'
import {
  conforms,
  differenceIn,
  isAboutStatus,
  petsBeside,
  type Conforming,
  type KnownPet,
} from '../judge/beside.ts'
import type { Violation } from '../judge/findings.ts'
import { field, isInt64, isObject, tryParse } from '../judge/shapes.ts'
import type { Redact } from '../../report/redact.ts'
import type { ConformingResponse, Finding, Report } from '../report/report.ts'
import { exchangePrinter, maxBodyLength, type ReportSource } from './to-report.ts'

/** More findings than a reader looks at. */
const maxFindings = 50
/** More pets than lists show. */
const maxPets = 1_000

/** What a run or traffic knows, beside its report. */
interface ReportedRun extends Pick<ReportSource, 'options'> {
  conforming: Conforming
  /** Those of the report, in its order. */
  violations: readonly Violation[]
  known: readonly KnownPet[]
  now: Date
}

/** Adds to each finding what a conforming service says to its last request, where that is certain and differs. */
export async function withConforming(
  report: Report,
  observed: ReportedRun,
  clean: Redact,
): Promise<Report> {
  const { conforming, violations } = observed
  const findings: Finding[] = []
  for (const [index, finding] of report.findings.entries()) {
    const violation = index < maxFindings ? violations[index] : undefined
    const whole = violation && withValues(violation)
    // No failure of that service may take the report.
    const beside =
      whole && (await respondTo(whole, conforming, observed, report).catch(() => undefined))
    const reported = beside && toReported(beside, whole, clean)
    findings.push({ ...finding, ...(reported && { conforming: reported }) })
  }
  return { ...report, findings }
}

/** The judge of traffic keeps the texts of bodies only. */
function withValues(violation: Violation): Violation {
  const exchanges = violation.exchanges.map((exchange): Exchange => {
    const { content } = exchange
    if (content.kind !== 'json' || content.value !== null) return exchange
    const value = tryParse(content.text)
    if (value !== undefined) return { ...exchange, content: { ...content, value } }
    return { ...exchange, content: { ...content, kind: 'unjudged', problem: 'it was cut' } }
  })
  return { ...violation, exchanges }
}

function toReported(
  { status, headers, content }: Exchange,
  violation: Violation,
  clean: Redact,
): ConformingResponse | undefined {
  const difference = differenceIn({ status, headers, content }, violation)
  if (content.kind !== 'json' || !difference) return undefined
  const body = clean(content.text)
  return {
    response: {
      status,
      headers: { 'content-type': headers['content-type'] ?? '' },
      body: body.slice(0, maxBodyLength),
      ...(body.length > maxBodyLength && { bodyCut: true }),
    },
    differences: [
      {
        ...difference,
        ...(difference.pointer !== undefined && { pointer: clean(difference.pointer) }),
        conforming: clean(difference.conforming),
        actual: clean(difference.actual),
      },
    ],
  }
}

/** What a conforming service says to the last request of a violation; undefined where that is not certain. */
async function respondTo(
  violation: Violation,
  conforming: Conforming,
  { known, now, options }: ReportedRun,
  { profile, candidates }: Report,
): Promise<Exchange | undefined> {
  const exchange = violation.exchanges.at(-1)
  if (exchange?.operation === undefined) return undefined
  const { pets, areEnough } = petsBeside(violation, known)
  const { baseUrl, keyVariable } = options
  // With placeholders for the key and for other secret headers.
  const { request } = exchangePrinter(options, (text) => text)(exchange, 0)
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
  const send = async (
    chosen: Readonly<Record<string, string>> = {},
    prefer?: string,
  ): ReturnType<Conforming> =>
    conforming({
      method: request.method,
      target: request.url.slice(baseUrl.length),
      headers: { ...headers, ...(prefer !== undefined && { prefer }) },
      body: request.body ?? '',
      key: `$${keyVariable}`,
      pets: pets.slice(0, maxPets),
      // Its one code may be that of another reason.
      profile: {
        ...(candidates && { candidates }),
        profile: { ...profile, 'error.code.400': 'unknown', ...chosen },
      },
      now,
    })
  let reply = await send()
  const [behavior, option] = reply.reason?.split('=') ?? []
  if (reply.status !== exchange.status && option !== undefined) {
    // The deployment may have taken another option than the observed or the default one.
    const { options: all = [] }: Partial<Behavior> =
      (behaviors as readonly Behavior[]).find(({ id }) => id === behavior) ?? {}
    for (const { value } of all) {
      if (reply.status !== exchange.status) reply = await send({ [String(behavior)]: value })
    }
    if (reply.status !== exchange.status) return undefined
  } else if (reply.status !== exchange.status && !isAboutStatus(violation)) {
    if (exchange.status < 400) return undefined
    reply = await send({}, `code=${exchange.status}`)
    if (reply.status !== exchange.status) return undefined
  }
  const isAboutPets = reply.status === 200 || (reply.status === 404 && exchange.status !== 404)
  if (isAboutPets && !areEnough) return undefined
  return toExchange(reply, exchange, violation, known)
}

/** The reply as a response to the same request; undefined when the suite would report it. */
function toExchange(
  { status, headers, body }: HttpReply,
  exchange: Exchange,
  violation: Violation,
  known: readonly KnownPet[],
): Exchange | undefined {
  const value = tryParse(body)
  if (value === undefined) return undefined
  const isCreated = exchange.operation === 'createPet' && isObject(value) && status === 201
  // Further fields may name the id that the mock has chosen.
  const { name = null, categoryId = null, status: state } = isCreated ? value : {}
  const created = {
    id: idFor(exchange, violation, known),
    name,
    categoryId,
    ...(state && { status: state }),
  }
  const shown: JsonValue = isCreated ? created : value
  const text = printJson(shown)
  const content = { kind: 'json', text, value: shown, size: text.length } as const
  const response = { ...exchange, status, headers, content }
  return conforms(response) ? response : undefined
}

/** The id that the deployment chose, unless the violation is about that; else one that no pet has. */
function idFor({ content }: Exchange, { pointer }: Violation, known: readonly KnownPet[]): Int64 {
  const chosen = content.kind === 'json' ? field(content.value, 'id') : undefined
  if (isInt64(chosen) && pointer !== '/id') return chosen
  const ids = [...known.map(({ pet }) => pet.id), ...(isInt64(chosen) ? [chosen] : [])]
  const greatest = ids.reduce((a, b) => (b > a ? b : a), 0)
  return typeof greatest === 'bigint' ? greatest + 1n : greatest + 1
}
