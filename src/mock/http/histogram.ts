/** Upper bounds of latency histograms in seconds. */
const bounds = [
  0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
]

/** A histogram of latencies, as Prometheus reads it. */
export class Histogram {
  readonly #counts = new Float64Array(bounds.length + 1)
  #seconds = 0

  observe(seconds: number): void {
    let bucket = 0
    while (seconds > (bounds[bucket] ?? Infinity)) bucket += 1
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1
    this.#seconds += seconds
  }

  /** The lines without their common name. `labels`: `operation="getPet"`, or empty. */
  lines(labels = ''): string[] {
    let total = 0
    const buckets = Array.from(this.#counts, (count, at) => {
      total += count
      const le = `le="${bounds[at] ?? '+Inf'}"`
      return `_bucket{${[labels, le].filter(Boolean).join(',')}} ${total}`
    })
    const own = labels === '' ? '' : `{${labels}}`
    return [...buckets, `_sum${own} ${this.#seconds}`, `_count${own} ${total}`]
  }
}
