/**
 * Calls back whoever wants to know. What they throw is theirs: it shows as an uncaught error, and the request that they
 * were told of is answered all the same.
 */
export function tell<Value>(listener: (value: Value) => void, value: Value): void {
  try {
    listener(value)
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
