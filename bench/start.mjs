/** From the start of the process to its first answer, and the memory that it has then and after much load. */
import { floorOf, mock, requestOf } from './contestants.mjs'
import { load } from './load.mjs'
import { operations } from './operations.mjs'
import { startServer } from './server-process.mjs'

const [list] = operations
const floor = floorOf(list.status, '[]')

/**
 * Starts everyone again and again, in turns.
 *
 * @returns by `contestant pets`: milliseconds to the first answer, and bytes that are resident then, one of each a round.
 */
export async function measureStart({ contestants, ends, rounds, folder, tell }) {
  const starts = [{ contestant: floor, pets: 0 }]
  for (const contestant of contestants) {
    for (const pets of ends) {
      if (contestant === mock || pets === ends[0]) starts.push({ contestant, pets })
    }
  }
  const results = Object.fromEntries(starts.map((start) => [nameOf(start), { ms: [], memory: [] }]))
  // The first round fills the caches of the file system. Twice as many as elsewhere: a start is short.
  for (let round = 0; round <= rounds * 2; round += 1) {
    tell(`\rstart-up: round ${round} of ${rounds * 2} `)
    for (const start of round % 2 === 0 ? starts : starts.toReversed()) {
      const server = await startServer(start.contestant, { pets: start.pets, folder })
      if (server === undefined) continue
      if (round > 0) {
        results[nameOf(start)].ms.push(server.startMs)
        results[nameOf(start)].memory.push(server.memory())
      }
      await server.stop()
    }
  }
  tell('\n')
  return results
}

/**
 * The memory of the floor and of the mock, at first and after many requests that create nothing.
 *
 * @returns by contestant: bytes at the start, after half of the requests and after all of them.
 */
export async function measureMemory({ ends, seconds, folder, tell }, requests) {
  const pets = ends.at(-1)
  const results = { requests, pets }
  const reads = operations.filter(({ method }) => method === 'GET')
  for (const contestant of [floor, mock]) {
    tell(`memory of the ${contestant.id} after ${requests} requests\n`)
    const server = await startServer(contestant, { pets, folder })
    const [start, after] = [server.memory(), []]
    for (const part of [requests / 2, requests]) {
      for (let done = part - requests / 2, turn = 0; done < part; turn += 1) {
        const operation = reads[turn % reads.length]
        done += (await load(server, requestOf(contestant, operation), { seconds, folder })).requests
      }
      after.push(server.memory())
    }
    results[contestant.id] = { start, half: after[0], all: after[1] }
    await server.stop()
  }
  return results
}

function nameOf({ contestant, pets }) {
  return `${contestant.id} ${pets}`
}
