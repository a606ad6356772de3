declare module 'parse-prometheus-text-format' {
  /** Families of metrics, in the order of the text. */
  export default function parse(text: string): unknown[]
}
