import { delayMistake } from '../mock/delay.ts'
import type { Delay, Rule } from '../mock/rule.ts'

/** The rule of `--delay`: `200`, `100-300` or `median=80,p99=900`. */
export function toDelayRule(text: string, mistakes: string[]): Rule[] {
  const delayMs = readDelay(text)
  if (delayMs !== undefined && delayMistake(delayMs) === undefined) return [{ delayMs }]
  mistakes.push(
    `--delay takes milliseconds up to 600000: 200, 100-300 or median=80,p99=900, not ${JSON.stringify(text)}`,
  )
  return []
}

function readDelay(text: string): Delay | undefined {
  const number = String.raw`(\d{1,9}(?:\.\d{1,3})?)`
  const [, from, to] = new RegExp(`^${number}(?:-${number})?$`).exec(text) ?? []
  if (from !== undefined) return to === undefined ? Number(from) : { from: Number(from), to: Number(to) }
  const [, median, p99] = new RegExp(`^median=${number}, *p99=${number}$`).exec(text) ?? []
  return median === undefined ? undefined : { median: Number(median), p99: Number(p99) }
}

/** The rule of `--rate-limit`: `10/1`, ten requests in one second. */
export function toRateLimitRule(text: string, mistakes: string[]): Rule[] {
  const [, requests, seconds] = /^(\d{1,9})\/(\d{1,9}(?:\.\d{1,3})?)$/.exec(text) ?? []
  const windowMs = Math.round(Number(seconds) * 1000)
  if (requests !== undefined && windowMs > 0) return [{ rateLimit: { requests: Number(requests), windowMs } }]
  mistakes.push(`--rate-limit takes N/SECONDS, such as 10/1 or 100/60, not ${JSON.stringify(text)}`)
  return []
}
