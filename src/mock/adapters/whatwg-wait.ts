/** Timers take no more: about 25 days. */
const longestMs = 2 ** 31 - 1

/**
 * Waits so many milliseconds, for ever when they are infinite. Rejects with the reason of the first signal that is, or
 * has been, aborted.
 */
export function wait(ms: number, ...signals: AbortSignal[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const aborted = signals.find((signal) => signal.aborted)
    if (aborted !== undefined) {
      reject(reasonOf(aborted))
      return
    }
    const stop = (event: Event): void => {
      end()
      reject(reasonOf(event.target as AbortSignal))
    }
    // A timer for ever, too: as a connection does, it keeps a process alive that waits for nothing else, since neither
    // `AbortSignal.timeout` nor a promise would.
    const timer = setTimeout(Number.isFinite(ms) ? finish : () => {}, Math.min(ms, longestMs))
    for (const signal of signals) signal.addEventListener('abort', stop)

    function finish(): void {
      end()
      resolve()
    }
    function end(): void {
      clearTimeout(timer)
      for (const signal of signals) signal.removeEventListener('abort', stop)
    }
  })
}

/** What comes of a promise, unless the signal is aborted first: then it rejects with the reason. */
export async function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const settled = new AbortController()
  const aborted = wait(Number.POSITIVE_INFINITY, signal, settled.signal)
  try {
    return (await Promise.race([promise, aborted])) as Value
  } finally {
    aborted.catch(() => {})
    settled.abort()
  }
}

/** An abort may have any reason; as an error it is kept as it is. */
function reasonOf(signal: AbortSignal): Error {
  return signal.reason as Error
}
