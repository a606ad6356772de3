import { count } from '../../report/text.ts'
import { type Behavior, type BehaviorId, behaviors } from '../../spec/behaviors.ts'
import { requirements, type RequirementId } from '../../spec/requirements.ts'
import type { ExactPet, Int64 } from '../../spec/types.ts'
import { beginningOf } from '../http/response-body.ts'
import type { Created, PetList, Shown } from '../judge/catalog.ts'
import {
  compareWithSent,
  isWhole,
  repeatedId,
  sightingsIn,
  toList,
  toShown,
} from '../judge/catalog.ts'
import { changedOwn } from '../claims/contradictions.ts'
import { judgeResponse, looksLikeTheInterface } from '../judge/every-response.ts'
import { defaultKeyVariable } from '../http/curl.ts'
import { arrivalOf, isRedirect, type Exchange } from '../http/exchange.ts'
import { compareShown, petsOf } from '../judge/expect.ts'
import { Findings, type Option, type Violation } from '../judge/findings.ts'
import { ofConnection, rejectionBy } from '../http/failure.ts'
import { corsOption, observeOrder, observeResponse, optionShown } from '../judge/observe.ts'
import type { Report } from '../report/report.ts'
import type { Conforming } from '../judge/beside.ts'
import { withConforming } from '../suite/with-conforming.ts'
import { redactorOf, type ReportSource, toReport } from '../suite/to-report.ts'
import { errorMismatches } from '../judge/shapes.ts'
import {
  compareWithRequest,
  demandedFields,
  isGone,
  isServerError,
  type PassedExchange,
} from './demands.ts'

/** Whether a response was judged, or why not. */
type Outcome = 'judged' | 'gateway' | 'unread' | 'cut' | 'other'

/** Pets that are remembered, and characters of their names. */
const maxPets = 100_000
const maxCharacters = 16_000_000
/** Twice the characters of a body in a report. */
const maxTextLength = 4_000
const maxCreated = 10_000
const maxDurations = 10_000
/** Lists whose order is compared. */
const maxLists = 50
/** Milliseconds after a creation in which a change by another client is ruled out. */
const soonMs = 10_000

/**
 * Judges the responses of a proxy: what holds for each of them, and relations whose order is certain. It cannot re-check,
 * so what a lagging replica or another client may explain is no violation.
 */
export class Traffic {
  readonly #findings = new Findings()
  readonly #baseUrl: string
  readonly #startedAt = new Date()
  readonly #since = performance.now()
  readonly #created = new Map<Int64, Created & { pet: ExactPet; wasRead: boolean }>()
  readonly #pets = new Map<Int64, ExactPet>()
  readonly #lists: PetList[] = []
  readonly counts: Record<Outcome, number> = { judged: 0, gateway: 0, unread: 0, cut: 0, other: 0 }
  /** Judged responses by status, and how many of them did not carry out their operation. */
  readonly statuses = new Map<number, { judged: number; failed: number }>()
  /** Whether any response is one of the service. */
  isService = false
  readonly #durations: number[] = []
  /** When the first creation responded that got the id of an earlier pet. */
  #repeatedAt: number | undefined
  #writes = 0
  #characters = 0
  /** Pets that were shown but not remembered. */
  missed = 0

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl
  }

  /** Milliseconds since the start; the unit of `sentAt`. */
  elapsed(): number {
    return performance.now() - this.#since
  }

  judge(passed: PassedExchange): { outcome: Outcome; violations: Violation[] } {
    const { exchange } = passed
    const outcome = outcomeOf(passed)
    this.counts[outcome] += 1
    // A method of its own may change or delete pets.
    if (outcome === 'other' && !/^(GET|HEAD|OPTIONS)$/.test(exchange.plan.method))
      this.#created.clear()
    if (outcome !== 'judged' && outcome !== 'unread') return { outcome, violations: [] }
    const { status } = exchange
    if (outcome === 'judged') {
      const { judged, failed } = this.statuses.get(status) ?? { judged: 0, failed: 0 }
      const isFailed = !isCarriedOut(passed)
      this.statuses.set(status, { judged: judged + 1, failed: failed + Number(isFailed) })
    }
    this.isService ||= isOfService(exchange)
    if (this.#durations.length < maxDurations) this.#durations.push(exchange.durationMs)
    const { requirements, mismatches } = isGone(exchange)
      ? { requirements: [], mismatches: [] }
      : judgeResponse(exchange)
    for (const requirement of requirements) this.#findings.judged.add(requirement)
    const found = [
      ...mismatches.map(
        (mismatch) => ['every-response', { ...mismatch, exchanges: [exchange] }] as const,
      ),
      ...this.#relate(passed).map((violation) => ['traffic', violation] as const),
    ]
    for (const [check, violation] of found) {
      // A report needs only the text of a response.
      const exchanges = violation.exchanges.map(withoutValue)
      this.#findings.report(check, { ...violation, exchanges }, 'traffic')
    }
    for (const [behavior, value] of [
      ...observeResponse(exchange),
      ...optionsIn(passed, this.#pets.size),
    ]) {
      this.#findings.observe(behavior, value, withoutValue(exchange))
    }
    this.#remember(passed)
    return { outcome, violations: found.map(([, violation]) => violation) }
  }

  /** Whether a judged response of the service shows a working operation, or violates a requirement. */
  get hasTested(): boolean {
    const works = [...this.statuses.values()].some(({ judged, failed }) => judged > failed)
    return this.isService && (works || this.#findings.violations.length > 0)
  }

  /** Compares a response with its request, and with earlier responses. */
  #relate(passed: PassedExchange): Violation[] {
    const { exchange } = passed
    const violations = compareShown(exchange, comparablePath(exchange)).map(
      (mismatch): Violation => ({
        ...mismatch,
        exchanges: [exchange],
      }),
    )
    const violation = compareWithRequest(passed)
    if (violation) violations.push(violation)
    if (exchange.operation === 'createPet') violations.push(...this.#create(passed))
    else violations.push(...this.#compareWithCreated(exchange))
    return violations
  }

  #create({ exchange, sent }: PassedExchange): Violation[] {
    if (exchange.status >= 200 && exchange.status < 300) this.#writes += 1
    const pet = petsOf(exchange).find(isWhole)
    if (pet === undefined) return []
    const known = this.#created.get(pet.id)
    this.#created.set(pet.id, {
      pet,
      exchange: withoutValue(exchange),
      pointer: '',
      wasRead: false,
    })
    const most = Math.min(maxCreated, maxCharacters / (pet.name + exchange.plan.body).length)
    for (const oldest of this.#created.keys()) {
      if (this.#created.size <= most) break
      this.#created.delete(oldest)
    }
    const demanded = sent.kind === 'json' ? demandedFields(sent.value, pet) : {}
    const violations = compareWithSent(exchange, pet, demanded)
    // A repeated request may return the same pet.
    if (known === undefined || known.pet.name === pet.name) return violations
    // Others may once have removed the latest pets or all of them, whose ids are given again.
    this.#repeatedAt ??= arrivalOf(exchange)
    if (known.exchange.sentAt < this.#repeatedAt) return violations
    return [...violations, repeatedId(pet.id, known.exchange, exchange)]
  }

  /** The first read of a pet soon after its creation shows the same name and category; the status may have changed. */
  #compareWithCreated(exchange: Exchange): Violation[] {
    return sightingsIn(exchange).flatMap((sighting): Violation[] => {
      const { pet } = sighting
      const created = this.#created.get(pet.id)
      if (created === undefined || !isWhole(pet) || created.wasRead) return []
      const createdAt = arrivalOf(created.exchange)
      if (exchange.sentAt < createdAt) return []
      created.wasRead = true
      const isSame =
        created.pet.name.normalize() === pet.name.normalize() &&
        created.pet.categoryId === pet.categoryId
      if (isSame || exchange.sentAt > createdAt + soonMs) return []
      return [changedOwn(created, sighting)]
    })
  }

  #remember({ exchange }: PassedExchange): void {
    const pets = petsOf(exchange).filter(isWhole)
    for (const pet of pets) {
      const known = this.#pets.get(pet.id)
      const characters = this.#characters + pet.name.length - (known?.name.length ?? 0)
      if (characters > maxCharacters || (known === undefined && this.#pets.size === maxPets))
        this.missed += 1
      else {
        this.#pets.set(pet.id, pet)
        this.#characters = characters
      }
    }
    const list = toList(exchange, pets)
    if (list === undefined) return
    this.#lists.push({ ...list, exchange: withoutValue(exchange) })
    // The longest lists show most of the order.
    if (this.#lists.length > maxLists) {
      const narrow = this.#lists.findIndex(({ pets: { length } }) => length <= pets.length)
      this.#lists.splice(Math.max(0, narrow), 1)
    }
  }

  shown(): Shown {
    return toShown(this.#pets.values(), this.#lists, this.#created.values())
  }

  /** Adds to a report what a conforming service says beside each violation. */
  withConforming(report: Report, conforming: Conforming): Promise<Report> {
    const { violations } = this.#findings
    const source = this.#source()
    const listed = this.#lists.flatMap(({ pets, exchange }) =>
      pets.filter(isWhole).map((pet) => ({ pet, exchange })),
    )
    const known = [...this.#created.values(), ...listed]
    return withConforming(
      report,
      { conforming, options: source.options, violations, known, now: new Date() },
      redactorOf(source),
    )
  }

  /** The report of all traffic so far. Only what holds for every response can be verified. */
  report(reason: string | undefined, notes: readonly string[]): Report {
    // What another service responds violates, verifies and shows nothing.
    if (!this.isService) {
      this.#findings.violations.splice(0)
      this.#findings.judged.clear()
      this.#findings.observed.clear()
    }
    const [longest] = this.#lists.toSorted((a, b) => b.pets.length - a.pets.length)
    const shown = { lists: this.#lists, created: this.#created.values() }
    observeOrder(this.#findings, longest?.exchange.plan.path, shown)
    const { judged, gateway, unread, cut, other } = this.counts
    const passed = judged + gateway + unread + cut + other
    const ignored = [
      [gateway, 'from a gateway or a rate limit'],
      [unread, 'too large, not recorded or in another coding'],
      [cut, 'that ended early'],
      [other, 'for no operation'],
    ] as const
    const left = ignored.filter(([number]) => number > 0).map((words) => words.join(' '))
    const rest = left.length > 0 ? `; not checked: ${left.join(', ')}` : ''
    this.#findings.note(`${count(passed, 'response')} seen, ${judged} checked${rest}.`)
    for (const note of notes) this.#findings.note(note)
    return toReport(
      this.#source(passed),
      { scheduled: [], writes: 0, isSelected: () => true, leftOut },
      this.#startedAt,
      reason,
    )
  }

  #source(requests = 0): ReportSource {
    return {
      findings: this.#findings,
      options: {
        baseUrl: this.#baseUrl,
        depth: 'standard',
        headers: {},
        headerVariables: {},
        keyVariable: defaultKeyVariable,
        minVerified: undefined,
        observations: true,
        only: [],
        readOnly: true,
        skip: [],
        strict: false,
      },
      // No key is known here; what clients present is redacted before.
      keys: { all: [] },
      transport: { requests, durations: this.#durations, elapsed: () => this.elapsed() },
      log: { writes: this.#writes },
      getRemoved: false,
    }
  }
}

/** The options that a request shows, if its response has no other reason. */
function optionsIn(
  { exchange, isAccepted }: PassedExchange,
  known: number,
): [BehaviorId, Option][] {
  const { operation, plan, status } = exchange
  const shown: [BehaviorId, Option][] = []
  if (plan.headers?.['origin'] !== undefined) shown.push(['http.cors', corsOption(exchange)])
  if (status === 401 || status === 403 || status >= 500) return shown
  const unusual = isAccepted || operation === 'createPet' ? optionShown(exchange, known) : undefined
  const { options = [] }: Partial<Behavior> = behaviors.find(({ id }) => id === unusual?.[0]) ?? {}
  if (unusual && options.some(({ value }) => value === unusual[1])) shown.push(unusual)
  return shown
}

const leftOut = new Map<RequirementId, string>(
  requirements.map(({ id }) => [id, 'traffic alone cannot prove it; run petstore verify']),
)

function outcomeOf({
  exchange: { operation, status, headers, content, plan },
  isCut,
}: PassedExchange): Outcome {
  if (rejectionBy(status, headers) !== undefined || ofConnection.includes(status)) return 'gateway'
  const isPart = status === 206 && plan.headers?.['range'] !== undefined
  if (operation === undefined || isRedirect(status) || isPart) return 'other'
  if (isCut) return 'cut'
  return content.kind === 'unjudged' ? 'unread' : 'judged'
}

/** Whether a response may be one of the service: its server errors have any form, and a 404 may be that of an unknown pet. */
const isOfService = (exchange: Exchange): boolean => {
  const { operation, status, content } = exchange
  if (isServerError(status)) return true
  const isError = content.kind === 'json' && errorMismatches(content.value, status).length === 0
  return (operation === 'getPet' && status === 404 && isError) || looksLikeTheInterface(exchange)
}

/** Whether an operation did its work: a success, or the right rejection of an invalid request or an unknown pet. */
function isCarriedOut({ exchange: { operation, status }, isAccepted }: PassedExchange): boolean {
  const isRejection = status === 400 || (status === 404 && operation === 'getPet')
  return (status >= 200 && status < 300) || (isAccepted && isRejection)
}

/** Ignores digits in the query of getPet. */
const comparablePath = ({ plan, operation }: Exchange): string =>
  operation === 'getPet' ? (plan.path.split('?')[0] as string) : plan.path

function withoutValue(exchange: Exchange): Exchange {
  const { content } = exchange
  if (content.kind !== 'json') return exchange
  // A copy: a slice would keep the whole string in memory.
  const text =
    content.text.length > maxTextLength
      ? beginningOf(Buffer.from(content.text.slice(0, maxTextLength)))
      : content.text
  return { ...exchange, content: { ...content, text, value: null } }
}
