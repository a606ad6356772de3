/** Milliseconds of processor time that a task takes, whatever else the machine does. */
export async function cpuOf(task: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await task()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
