import { createChance } from './chance.ts'
import { converse, pause } from './conversation.ts'
import { type Footprint, fuzzKey, type MockProcess, startMockProcess } from './mock-process.ts'
import { judge } from './oracle.ts'
import { createPetLedger, type PetLedger } from './pet-ledger.ts'
import { petsPath, toRequest } from './requests.ts'
import { readReplies } from './responses.ts'
import type { Context, FuzzCase, Scenario, SeededPet } from './scenario.ts'

/** What went wrong in one case. */
export interface Failure {
  /** `group/name#round`: with it and the seed the case can be repeated alone. */
  name: string
  faults: string[]
  /** The bytes of the conversation that failed. */
  sent: Buffer
  received: Buffer
}

/** A mock under fire, with what is known of it. */
export interface Session {
  mock: MockProcess
  ledger: PetLedger
  /** Plays one case and returns what was wrong. */
  run: (fuzzCase: FuzzCase, round: number) => Promise<Failure | undefined>
  /** Looks for pets that nobody confirmed, and for confirmed ones that are missing. */
  audit: (which: 'new' | 'all') => Promise<Failure[]>
  /** Waits until the connections of the mock are gone, and tells what it has in use. */
  settle: () => Promise<Footprint>
  /** Whether it answers an ordinary request. */
  answers: () => Promise<boolean>
}

const seededPets = 100
/** How long the mock may keep a connection that its client has left: it lingers for two seconds. */
const lingerMs = 6_000

/** Starts a mock and learns which pets it has. */
export async function startSession(
  seed: string,
  flags: readonly string[],
  anyChoice: boolean,
  cli?: string,
): Promise<Session> {
  const mock = await startMockProcess(['--pets', String(seededPets), ...flags], cli)
  const sandboxKey = await makeSandbox(mock.port)
  const contextOf = (name: string): Context => {
    let named = 0
    const chance = createChance(`${seed} ${name}`)
    return { chance, key: fuzzKey, sandboxKey, seeded, petName: () => `${name}@${(named += 1)}` }
  }
  const seeded: SeededPet[] = []
  seeded.push(...(await learn(mock.port, contextOf('learn'))))
  const ledger = createPetLedger(seeded)
  const judgement = { key: fuzzKey, anyChoice, ledger }
  const idle = await mock.footprint()

  /** Plays one conversation of a case. */
  async function play(scenario: Scenario): Promise<Omit<Failure, 'name'>> {
    for (const name of scenario.inDoubt ?? []) ledger.doubt(name)
    const heard = await converse(mock.port, scenario)
    const sent = Buffer.concat(scenario.steps.flatMap((step) => ('send' in step ? [step.send] : [])))
    return { faults: judge(scenario, heard, judgement), sent, received: heard.bytes }
  }

  return {
    mock,
    ledger,
    async run(fuzzCase, round) {
      const name = `${fuzzCase.id}#${round}`
      const context = contextOf(name)
      const failure: Failure = { name, faults: [], sent: Buffer.alloc(0), received: Buffer.alloc(0) }
      const take = (played: Omit<Failure, 'name'>): string[] => {
        if (played.faults.length > 0) Object.assign(failure, { sent: played.sent, received: played.received })
        return played.faults
      }
      failure.faults =
        'make' in fuzzCase
          ? take(await play(fuzzCase.make(context)))
          : await fuzzCase.storm(context, {
              port: mock.port,
              memory: async () => (await mock.footprint()).bytes,
              play: async (scenario) => take(await play(scenario)),
            })
      return failure.faults.length > 0 ? failure : undefined
    },
    async audit(which) {
      // A mock that makes other choices may show new pets a little later.
      if (anyChoice) await pause(400)
      const faults = await ledger.audit(mock.port, contextOf('audit'), which)
      return faults.map((fault) => ({
        name: 'audit',
        faults: [fault],
        sent: Buffer.alloc(0),
        received: Buffer.alloc(0),
      }))
    },
    async settle() {
      const until = performance.now() + lingerMs
      let footprint = await mock.footprint()
      const { faults } = footprint
      while (footprint.sockets > idle.sockets && performance.now() < until) {
        await pause(50)
        footprint = await mock.footprint()
        faults.push(...footprint.faults)
      }
      return { ...footprint, sockets: footprint.sockets - idle.sockets, faults }
    },
    async answers() {
      const request = toRequest(contextOf('answers'), { headers: [['Connection', 'close']] })
      const heard = await converse(mock.port, { steps: [{ send: request }], replies: [], limitMs: 5_000 })
      return readReplies(heard.bytes, []).replies.length === 1
    },
  }
}

/** The key of a sandbox, which the control API tells. */
async function makeSandbox(port: number): Promise<string> {
  const body = '{"name":"fuzz"}'
  const head = `POST /_petstore/sandboxes HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`
  const heard = await converse(port, { steps: [{ send: Buffer.from(head + body) }], replies: [] })
  const [reply] = readReplies(heard.bytes, []).replies
  const { key } = JSON.parse(reply?.body ?? '{}') as { key?: unknown }
  if (typeof key !== 'string') throw new Error('The control API of the mock makes no sandbox.')
  return key
}

/** The pets from the start, by their ids. */
async function learn(port: number, context: Context): Promise<SeededPet[]> {
  const requests = Array.from({ length: seededPets }, (_, index) =>
    toRequest(context, {
      target: `${petsPath}/${index + 1}`,
      headers: index === seededPets - 1 ? [['Connection', 'close']] : [],
    }),
  )
  const heard = await converse(port, { steps: [{ send: Buffer.concat(requests) }], replies: [] })
  const { replies } = readReplies(heard.bytes, [])
  if (replies.length !== seededPets || replies.some(({ status }) => status !== 200)) {
    throw new Error(`The mock does not show the ${seededPets} pets that it was started with.`)
  }
  return replies.map(({ body }) => ({ text: body, status: (JSON.parse(body) as { status?: string }).status }))
}
