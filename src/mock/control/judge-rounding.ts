import { readInteger } from '../int64.ts'
import type { Exchange } from './exchange.ts'
import type { Mark } from './marks.ts'
import type { Reading } from './judge.ts'

const shownIds = /"id":(-?\d{16,19})(?=[,}])/g
const shownCategories = /"categoryId":(-?\d{16,19})(?=[,}])/g

/**
 * Whether a client sent the double of an id or categoryId that it was shown right before, in place of the number itself.
 *
 * @param before exchanges before this one, the latest first. They are asked for when a number is large.
 */
export function judgeRounding(
  { operation }: Pick<Reading, 'operation'>,
  exchange: Exchange,
  before: () => readonly Exchange[],
): Mark | undefined {
  if (operation !== 'getPet' && operation !== 'createPet') return undefined
  const sent = operation === 'getPet' ? petIdIn(exchange.target) : categoryIn(exchange.body)
  if (sent === undefined || typeof readInteger(sent) !== 'bigint' || !isDouble(sent)) return undefined
  const { authorization } = exchange.headers
  const shown = new Set<string>()
  for (const { headers, reply } of before()) {
    if (headers['authorization'] !== authorization || reply.status >= 300) continue
    for (const [, integer = ''] of reply.body.matchAll(operation === 'getPet' ? shownIds : shownCategories))
      shown.add(integer)
  }
  // A number that was shown itself is no other one's double.
  if (shown.has(sent)) return undefined
  const meant = [...shown].find((integer) => Number(integer) === Number(sent))
  if (meant === undefined) return undefined
  return operation === 'getPet'
    ? { kind: 'pet-id.rounded', message: `petId was ${sent}, and the mock had shown ${meant}.` }
    : { kind: 'category-id.shown-rounded', message: `categoryId was ${sent}, and the mock had shown ${meant}.` }
}

/** Whether a program that holds integers in doubles may have written a number. */
function isDouble(text: string): boolean {
  return String(Number(text)) === text || BigInt(Number(text)) === BigInt(text)
}

function petIdIn(target: string): string | undefined {
  return /\/(-?\d{16,19})\/?(?:\?|$)/.exec(target)?.[1]
}

function categoryIn(body: string): string | undefined {
  return /"categoryId"\s*:\s*(-?\d{16,19})(?![\d.eE])/.exec(body)?.[1]
}
