/** What other programs take of the processors: without it, nobody can say whether a number may be trusted. */
import { cpus } from 'node:os'

const sampleMs = 300
const samples = []

/** Looks at the processors while nothing is measured. */
export async function sampleOtherLoad() {
  const before = times()
  await new Promise((resolve) => setTimeout(resolve, sampleMs))
  const after = times()
  samples.push((after.busy - before.busy) / (after.all - before.all))
}

/** The share that was busy in each sample: 0 to 1. */
export function otherLoad() {
  return samples
}

function times() {
  let busy = 0
  let all = 0
  for (const { times: spent } of cpus()) {
    const sum = Object.values(spent).reduce((total, ms) => total + ms, 0)
    all += sum
    busy += sum - spent.idle
  }
  return { busy, all }
}
