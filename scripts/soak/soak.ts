import { createChance } from '../fuzz/chance.ts'
import { pause } from '../fuzz/conversation.ts'
import { fuzzKey, type MockProcess, startMockProcess } from '../fuzz/mock-process.ts'
import { createKnownPets } from './catalogue.ts'
import { createClient } from './client.ts'
import { playEpisode } from './episode.ts'
import { learn, type Tally, type World } from './world.ts'

/** How to soak. */
export interface SoakOptions {
  seed: string
  /** Ends after so many minutes. */
  minutes?: number
  /** Ends after so many requests. */
  requests?: number
  /** Bytes of memory by which the mock may grow after it has warmed up; 16 MiB by default. */
  growth?: number
  /** The command to start; the one in dist/ by default. */
  cli?: string
  /** Further options of it. */
  flags?: readonly string[]
  /** Told now and then how far it is. */
  onProgress?: (line: string) => void
}

export interface SoakReport extends Tally {
  seconds: number
  /** What was wrong; the first of them when there are many. */
  faults: string[]
  /** Bytes in use after a garbage collection, from the end of the warm-up on. */
  memory: number[]
}

/** Worlds at the same time, the one of the mock's own key among them. */
const worldCount = 5
/** What each world does between two looks at its pets. */
const actionsPerEpisode = 250
/** Rounds until all that is kept for speed is as full as it gets. */
const warmUpRounds = 4
const mostFaults = 50
const defaultGrowth = 16 * 1024 * 1024

/** Puts a mixed load on a mock of its own, with faults, sandboxes and resets, and tells what went wrong. */
export async function soak(options: SoakOptions): Promise<SoakReport> {
  const { seed, minutes, requests = Infinity, growth = defaultGrowth, cli, flags = [], onProgress } = options
  const startedAt = performance.now()
  const endsAt = minutes === undefined ? Infinity : startedAt + minutes * 60_000
  const tally: Tally = { requests: 0, created: 0, spoilt: 0, resets: 0, audits: 0 }
  const faults: string[] = []
  const memory: number[] = []
  const fault = (what: string): void => {
    if (faults.length < mostFaults) faults.push(what)
  }
  const mock = await startMockProcess(flags, cli)
  const worlds = await Promise.all(
    Array.from({ length: worldCount }, (_, index) => openWorld(mock, { index, seed, tally, fault })),
  )
  const idle = await mock.footprint()
  const actions = Math.min(actionsPerEpisode, Math.ceil(requests / (worldCount * (warmUpRounds + 4) * 2)))

  for (let round = 1; mock.ended() === undefined; round += 1) {
    await Promise.all(worlds.map((world) => playEpisode(world, actions)))
    if (mock.ended() !== undefined) break
    const footprint = await mock.footprint()
    faults.push(...footprint.faults)
    if (round >= warmUpRounds) memory.push(footprint.bytes)
    onProgress?.(progress(tally, faults, footprint.bytes))
    const isOver = performance.now() > endsAt || tally.requests >= requests
    if (isOver && round >= warmUpRounds + 3) break
  }

  await Promise.all(worlds.map(({ client }) => client.close()))
  if (mock.ended() === undefined) {
    const left = await socketsLeft(mock, idle.sockets)
    if (left > 0) fault(`${left} connections are still open though nobody holds them.`)
  } else fault(`The mock ended: ${mock.ended()}`)
  const grown = growthOf(memory)
  if (grown > growth) fault(`The memory in use grew by ${mebibytes(grown)}: ${memory.map(mebibytes).join(', ')}`)
  if (mock.stderr() !== '') fault(`The mock printed: ${mock.stderr()}`)
  await mock.stop()
  return { ...tally, seconds: (performance.now() - startedAt) / 1000, faults, memory }
}

/** How much more is in use in the last third of the time than in the first: medians, so that one look proves nothing. */
export function growthOf(memory: readonly number[]): number {
  const third = Math.max(1, Math.floor(memory.length / 3))
  return median(memory.slice(-third)) - median(memory.slice(0, third))
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0
}

/** Opens the world of the mock's own key, or a sandbox. */
async function openWorld(
  { port }: MockProcess,
  { index, seed, tally, fault }: { index: number; seed: string; tally: Tally; fault: (what: string) => void },
): Promise<World> {
  const name = index === 0 ? undefined : `soak-${index}`
  const client = createClient(port, 3)
  const made =
    name === undefined
      ? undefined
      : await client.ask({ method: 'POST', path: '/_petstore/sandboxes', body: JSON.stringify({ name }) })
  const key = made === undefined || !('text' in made) ? fuzzKey : (JSON.parse(made.text) as { key: string }).key
  let named = 0
  const world: World = {
    name,
    key,
    port,
    client,
    chance: createChance(`${seed} ${index}`),
    known: createKnownPets([]),
    troubled: false,
    removed: false,
    tally,
    fault: (what) => fault(`${name ?? 'the own world'}: ${what}`),
    petName: () => `${name ?? 'own'} ${(named += 1)}`,
  }
  await learn(world)
  return world
}

/** Connections beyond those at the start. The mock lingers for a while on those that were aborted. */
async function socketsLeft(mock: MockProcess, atStart: number): Promise<number> {
  let { sockets } = await mock.footprint()
  for (let look = 0; look < 100 && sockets > 1; look += 1) {
    await pause(50)
    sockets = (await mock.footprint()).sockets
  }
  return sockets - Math.min(atStart, 1)
}

function progress({ requests, created, spoilt, resets }: Tally, faults: readonly string[], bytes: number): string {
  return `${requests} requests, ${created} creations, ${spoilt} spoilt on purpose, ${resets} resets, ${mebibytes(bytes)}, ${faults.length} faults`
}

export function mebibytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`
}
