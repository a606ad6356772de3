declare module 'parse-prometheus-text-format' {
  /** Metric families, in the order of the text. */
  export default function parse(text: string): unknown[]
}
