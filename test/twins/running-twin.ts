/** A twin that listens. */
export interface RunningTwin {
  /** The base URL, `/v1` included. */
  url: string
  /** The key that it accepts. */
  key: string
  /** Stops it and destroys its connections. */
  close(): Promise<void>
}

/** The key of every twin, unless another is asked for. */
export const twinKey = 'Twin-Key_42.abcDEF'
