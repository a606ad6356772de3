/**
 * Loaded into the mock process by `--import`. Reports over the IPC channel: memory in use after a garbage collection,
 * open sockets, and errors that did not end the process.
 */
const faults = []
process.on('unhandledRejection', (reason) =>
  faults.push(`unhandled rejection: ${reason?.stack ?? reason}`),
)
process.on('warning', (warning) => faults.push(`warning: ${warning.stack ?? warning}`))

process.on('message', () => {
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  const sockets = process
    .getActiveResourcesInfo()
    .filter((resource) => resource === 'TCPSocketWrap').length
  process.send?.({ bytes: heapUsed + external, sockets, faults: faults.splice(0) })
})
// End with the parent process, even if it was killed.
process.on('disconnect', () => process.exit())
// The listener does not keep the process alive.
process.channel?.unref()
