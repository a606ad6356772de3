/** CPU time of a task in milliseconds, independent of the load of the machine. */
export async function cpuOf(task: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await task()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
