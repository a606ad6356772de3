/** Numbers that a client has changed since the mock has shown them. */
import { detach } from '../../errors.ts'
import { operations } from '../../spec/operations.ts'
import { readInteger } from '../pets/int64.ts'
import { extractBody } from '../journal/entry.ts'
import type { MockReply } from '../service/message.ts'
import type { Step } from './request.ts'

/** Responses that are searched for the number that a client has rounded. */
const maxBefore = 50
/** Their numbers: fifty lists of 100 pets have as many. */
const maxNumbers = 5_000
/** Changed numbers that are remembered. */
const maxChanged = 100
/** A smaller number may be one that a client has chosen. */
const minUnchosen = 10_000

/** Where clients send numbers that the mock has shown. */
const sources = {
  path: {
    id: 'pet-id.rounded',
    name: 'petId',
    field: 'id',
    part: 'target',
    number: /\/(-?\d{1,19})\/?(?:\?|$)/,
  },
  body: {
    id: 'category-id.shown-rounded',
    name: 'categoryId',
    field: 'categoryId',
    part: 'body',
    number: /"categoryId"\s*:\s*(-?\d{1,19})(?![\d.eE])/,
  },
} as const

type Shown = Readonly<Record<'id' | 'categoryId', readonly string[]>>

/** The approximate size of a number that is remembered. */
const numberBytes = 40
const countOf = ({ id, categoryId }: Shown = nothing): number => id.length + categoryId.length

const nothing: Shown = { id: [], categoryId: [] }
const none = { large: nothing }

/** Adds an issue to a request whose number is one that was shown, in fewer bits. For all clients of a key: they may share ids. */
export class Rounding {
  #era = 0
  /** The large numbers of the latest responses, from the first that has any. */
  #shown: Shown[] = []
  /** How many these are. */
  #numbers = 0
  /** Numbers that were changed, by what they had been. A creation echoes them. */
  readonly #changed = new Map<string, string>()
  /** Small numbers that may have been cut to 32 bits: a second one is no chance. */
  readonly #small = new Set<string>()
  /** The latest reply whose numbers were read: requests for the same page often share one. */
  #read: { reply: WeakRef<MockReply>; large: Shown } | undefined

  /** The approximate size of all that is remembered. */
  get bytes(): number {
    return numberBytes * this.#numbers
  }

  add({ assessment, entry, issues }: Step): void {
    const { operation } = assessment
    if (entry.era > this.#era) {
      this.#era = entry.era
      this.#shown = []
      this.#numbers = 0
      this.#changed.clear()
      this.#small.clear()
    }
    if (operation === undefined || entry.era < this.#era) return
    const { id, name, field, part, number } = sources[operations[operation].body ? 'body' : 'path']
    // Most of the time, the mock has shown no such number, and the request need not be searched.
    const hasNumbers = this.#numbers > 0 || this.#changed.size > 0
    const [, sent = ''] = (hasNumbers ? number.exec(entry[part]) : undefined) ?? []
    const meant = sent === '' ? undefined : this.#meant(field, sent)
    if (meant !== undefined) {
      issues.push({ id, message: `${name} was ${sent}, and the mock had shown ${meant}.` })
      if (this.#changed.size < maxChanged) this.#changed.set(detach(sent), meant)
    }
    if (entry.reply.status >= 300) return
    const large = this.#largeIn(entry)
    if (large === nothing && this.#numbers === 0) return
    // What a creation echoes was not shown before it.
    const shown = part === 'body' ? { ...large, categoryId: [] } : large
    this.#numbers += countOf(shown)
    this.#shown.push(shown)
    while (this.#shown.length > maxBefore || this.#numbers > maxNumbers)
      this.#numbers -= countOf(this.#shown.shift())
  }

  #largeIn({ extract, reply }: Step['entry']): Shown {
    if (this.#read?.reply.deref() !== reply) {
      const { large } = extract ?? (/\d{16}/.test(reply.body) ? extractBody(reply.body) : none)
      const isAny = large.id.length > 0 || large.categoryId.length > 0
      this.#read = { reply: new WeakRef(reply), large: isAny ? large : nothing }
    }
    return this.#read.large
  }

  #meant(field: keyof Shown, sent: string): string | undefined {
    const known = this.#changed.get(sent)
    if (known !== undefined) return known
    if (this.#numbers === 0) return undefined
    const shown = this.#shown.flatMap((one) => one[field])
    // A number that was shown itself was not changed.
    if (shown.length === 0 || shown.includes(sent)) return undefined
    const value = readInteger(sent)
    if (typeof value === 'bigint' && isDouble(sent)) {
      const double = Number(sent)
      return shown.find((text) => [Number(text), Math.fround(Number(text))].includes(double))
    }
    if (typeof value !== 'number') return undefined
    const cut = shown.find((text) => {
      const bits = BigInt(text)
      return [BigInt.asIntN(32, bits), BigInt.asUintN(32, bits)].includes(BigInt(sent))
    })
    if (cut === undefined || Math.abs(value) >= minUnchosen) return cut
    this.#small.add(sent)
    return this.#small.size > 1 ? cut : undefined
  }
}

/** Whether a program that stores integers in doubles may have printed a number. */
const isDouble = (text: string): boolean =>
  String(Number(text)) === text || BigInt(Number(text)) === BigInt(text)
