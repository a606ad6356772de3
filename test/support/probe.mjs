/**
 * Loaded into the process of the mock by `--import`: tells the fuzzer, over a channel of its own, how much memory is in
 * use after a garbage collection, how many sockets are open, and what went wrong without ending the process.
 */
const faults = []
process.on('unhandledRejection', (reason) => faults.push(`unhandled rejection: ${reason?.stack ?? reason}`))
process.on('warning', (warning) => faults.push(`warning: ${warning.stack ?? warning}`))

process.on('message', () => {
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  const sockets = process.getActiveResourcesInfo().filter((resource) => resource === 'TCPSocketWrap').length
  process.send?.({ bytes: heapUsed + external, sockets, faults: faults.splice(0) })
})
// A fuzzer that was killed leaves no mock behind.
process.on('disconnect', () => process.exit())
// The mock ends as it would without a listener.
process.channel?.unref()
