/** `npm run fuzz`: sends hostile bytes to a mock in a process of its own, and checks each response. */
import { connect } from 'node:net'
import { parseArgs } from 'node:util'

import fc from 'fast-check'

import { anyCase } from './fuzz/arbitraries.ts'
import { type Case, cases, lastExpected, lastRequest } from './fuzz/cases.ts'
import { createLedger, faultsOfConversation, requestPets } from './fuzz/oracle.ts'
import { converse, fuzzKey, pause } from './fuzz/wire.ts'
import { startMockProcess } from './mock-process.ts'

export interface FuzzOptions {
  /** An integer: the same seed, the same cases. */
  seed: number
  /** Ends after so many rounds. Round n has the seed `seed + n`; each plays the corpus, and as many drawn cases. */
  rounds?: number
  /** Ends after so many seconds. Cases that wait for the time limits of the mock are played from 90 s on. */
  seconds?: number
  /** `group`, or `group/name`: plays this part of the corpus alone. */
  only?: string
  /** Plays the failure alone that a run printed with this path. */
  path?: string
  /** The command to start; the one in dist/ by default. */
  cli?: string
  flags?: readonly string[]
  onFailure?: (failure: string) => void
}

const seededPets = 100
const mebibyte = 1024 * 1024
/** Bytes that may stay in use besides the pets, after the first round. */
const memoryAllowance = 48 * mebibyte
/** Bytes that the bodies under way may take in a storm. */
const stormAllowance = 160 * mebibyte
const slowSeconds = 45
/** How long the mock may keep a connection that its client has left: it lingers for two seconds. */
const lingerMs = 6_000
const mostShrinks = 200

type Session = Awaited<ReturnType<typeof startSession>>

/** Fuzzes a mock of its own, and returns the failures as text. */
export async function fuzz(options: FuzzOptions): Promise<{ played: number; failures: string[] }> {
  const { seed, seconds = Infinity, only, path, flags = [], cli } = options
  const chosen = cases.filter(({ name }) => only === undefined || name === only || name.startsWith(`${only}/`))
  if (chosen.length === 0) throw new RangeError(`There is no case ${JSON.stringify(only)} in scripts/fuzz/corpus.txt.`)
  const quick = chosen.filter((one) => one.slow !== true)
  const withSlow = seconds >= 2 * slowSeconds && seconds !== Infinity && only === undefined
  const endsAt = performance.now() + (seconds - (withSlow ? slowSeconds : 0)) * 1000
  const rounds = path === undefined ? (options.rounds ?? Infinity) : 1
  const failures: string[] = []
  const failed = new Set<string>()
  let [played, broken] = [0, false]
  let session = await startSession(flags, cli)
  const add = (failure: string): void => {
    failures.push(failure)
    options.onFailure?.(failure)
  }

  /** Plays a case on a mock that is alive. Throws what was wrong. */
  async function play(one: Case): Promise<void> {
    if (session.mock.ended() !== undefined || broken) {
      await session.mock.stop()
      session = await startSession(flags, cli)
      broken = false
    }
    played += 1
    const faults = await playCase(session, one)
    // A new process of its own needs a moment to be seen to end.
    if ((await session.ledger.audit('new', faults)) === 'no response')
      for (let look = 0; look < 20 && session.mock.ended() === undefined; look += 1) await pause(50)
    const ended = session.mock.ended()
    if (ended !== undefined) faults.unshift(`The mock did not survive: ${ended}. ${session.mock.stderr()}`)
    if (faults.length === 0) return
    broken = true
    throw new Error(faults.join('\n'))
  }

  try {
    for (let round = 0; round < rounds && performance.now() < endsAt; round += 1) {
      const roundSeed = path === undefined ? seed + round : seed
      const examples = fc.sample(fc.shuffledSubarray(quick, { minLength: quick.length }), {
        seed: roundSeed,
        numRuns: 1,
      })
      let shrinks = 0
      const property = fc.asyncProperty(anyCase, async (one) => {
        if (failed.has(one.name) || shrinks > mostShrinks || (shrinks === 0 && performance.now() > endsAt)) return
        if (shrinks > 0) shrinks += 1
        await play(one).catch((error: unknown) => {
          shrinks += 1
          throw error
        })
      })
      const details = await fc.check(property, {
        seed: roundSeed,
        examples: examples.flat().map((one): [Case] => [one]),
        numRuns: path === undefined ? quick.length * (only === undefined ? 2 : 1) : 1,
        ...(path !== undefined && { path }),
      })
      if (details.failed && details.counterexample !== null) {
        const [{ name }] = details.counterexample
        failed.add(name)
        const replay = `npm run fuzz -- --seed ${roundSeed} --path ${details.counterexamplePath}`
        const message = (details.errorInstance as Error).message
        add(`FAILED ${name}\n${message}\nReplay: ${replay}${only === undefined ? '' : ` --only '${only}'`}`)
      } else if (path === undefined) {
        for (const fault of await checkpoint(session))
          add(`FAILED after round ${round + 1}, seed ${roundSeed}\n${fault}`)
      }
    }
    if (withSlow && session.mock.ended() === undefined) {
      const slow = chosen.filter((one) => one.slow)
      played += slow.length
      const faults = (await Promise.all(slow.map((one) => playCase(session, one)))).flat()
      for (const fault of [...faults, ...(await checkpoint(session))]) add(`FAILED slow cases\n${fault}`)
    }
    const faults: string[] = []
    if (!broken) await session.ledger.audit('all', faults)
    for (const fault of faults) add(`FAILED audit\n${fault}`)
  } finally {
    await session.mock.stop()
  }
  return { played, failures }
}

/** A mock under fire, and what is known of it. */
async function startSession(flags: readonly string[], cli?: string) {
  const mock = await startMockProcess(
    ['--pets', String(seededPets), '--choose', 'list.order=oldest-first', ...flags],
    cli,
  )
  const { port } = mock
  await fetch(`http://127.0.0.1:${port}/_petstore/sandboxes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: '{"name":"fuzz"}',
  })
  const texts = (await requestPets(port, fuzzKey, 1, seededPets)).filter((text) => text !== undefined)
  if (texts.length !== seededPets) throw new Error(`The mock does not show its ${seededPets} pets.`)
  const seeded = texts.map((text) => ({ text, ...(JSON.parse(text) as { status?: string }) }))
  const { sockets } = await mock.footprint()
  const session = { mock, port, key: fuzzKey, seeded, ledger: createLedger(port, fuzzKey, texts), idleSockets: sockets }
  return session as typeof session & { warmBytes?: number }
}

/** Plays a case, or its storm, and returns what was wrong. */
async function playCase(session: Session, one: Case): Promise<string[]> {
  const ordinary: Case = { name: one.name, steps: [{ send: lastRequest }], expected: [lastExpected] }
  if (one.times !== undefined) {
    const faults = await Promise.all(Array.from({ length: one.times }, () => converseAndCheck(session, one)))
    return [...new Set(faults.flat()), ...(await converseAndCheck(session, ordinary))]
  }
  if (one.hold === undefined) return converseAndCheck(session, one)
  const before = (await session.mock.footprint()).bytes
  const bytes = sentOf(one)
  const sockets = await Promise.all(Array.from({ length: one.hold }, () => hold(session.port, bytes)))
  let [earlier, now] = [0, (await session.mock.footprint()).bytes]
  while (now > earlier + mebibyte) {
    await pause(200)
    ;[earlier, now] = [now, (await session.mock.footprint()).bytes]
  }
  const faults = await converseAndCheck(session, ordinary)
  for (const [index, socket] of sockets.entries()) {
    if (index % 3 === 0) socket.resetAndDestroy()
    else socket.destroy()
  }
  if (now - before > stormAllowance) faults.push(`${one.name} takes ${mebibytes(now - before)}.`)
  return [...faults, ...(await converseAndCheck(session, ordinary))]
}

/** Opens a connection, sends, and reads nothing. Resolves when all is sent, or no more is taken. */
async function hold(port: number, bytes: Buffer) {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.on('error', () => {})
  const sent = new Promise((resolve) => {
    socket.once('close', resolve)
    socket.once('connect', () => socket.write(bytes, resolve))
  })
  await Promise.race([sent, pause(2_000)])
  return socket
}

async function converseAndCheck(session: Session, one: Case): Promise<string[]> {
  const { name, steps, expected, limitMs = 10_000 } = one
  const methods = expected.map(({ method = 'GET' }) => method)
  const received = await converse(session.port, steps, { methods, limitMs })
  const faults = faultsOfConversation(steps, expected, received, session)
  if (faults.length === 0) return []
  return [`${name}: ${faults.join(' ')}\n  Sent:\n${shown(sentOf(one))}\n  Received:\n${shown(received.bytes)}`]
}

const sentOf = ({ steps }: Case): Buffer => Buffer.concat(steps.flatMap((step) => ('send' in step ? [step.send] : [])))

/** Looks at the memory, the connections and the output of the mock between two rounds. */
async function checkpoint(session: Session): Promise<string[]> {
  const { mock, ledger, idleSockets } = session
  const until = performance.now() + lingerMs
  let { sockets, faults, bytes } = await mock.footprint()
  const wrong = [...faults]
  while (sockets > idleSockets && performance.now() < until) {
    await pause(50)
    ;({ sockets, faults, bytes } = await mock.footprint())
    wrong.push(...faults)
  }
  if (sockets > idleSockets) wrong.push(`${sockets - idleSockets} connections are still open though nobody holds them.`)
  session.warmBytes ??= bytes
  const allowed = session.warmBytes + memoryAllowance + 3 * ledger.bytes()
  if (bytes > allowed) wrong.push(`${mebibytes(bytes)} are in use, and no more than ${mebibytes(allowed)} should be.`)
  const printed = mock.stderr()
  if (printed !== '' && wrong.length === 0) wrong.push(`It printed: ${printed}`)
  return wrong
}

const mebibytes = (bytes: number): string => `${(bytes / mebibyte).toFixed(1)} MiB`

/** Bytes as escaped text, indented; the middle of a long one is left out. */
function shown(bytes: Buffer, longest = 1_500): string {
  const text = JSON.stringify(bytes.toString('latin1')).slice(1, -1).replaceAll('\\r\\n', '\\r\\n\n')
  const cut = `${text.slice(0, longest / 2)}\n[${text.length - longest} characters left out]\n${text.slice(-longest / 2)}`
  return (text.length <= longest ? text : cut).replaceAll(/^/gm, '    ')
}

const usage = `Usage: npm run fuzz -- [options]

Starts a mock in a process of its own, sends it hostile bytes over raw sockets, and checks what comes back.

  --seconds N   for how long; 60 by default. From 90 on, cases that wait for time limits are played, too
  --seed N      an integer: the same seed, the same cases. Drawn by default
  --path PATH   plays the one failure that a run printed with this path and its seed
  --only CASE   group, or group/name, of scripts/fuzz/corpus.txt

Exit code: 0 when all is well, 1 when anything failed, 2 for a mistake in the options.
`

/** Runs the fuzzer from the command line. Returns the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const string = { type: 'string' } as const
  try {
    const options = { seconds: string, seed: string, path: string, only: string, help: { type: 'boolean' } } as const
    const {
      seed = Math.floor(Math.random() * 1e9),
      seconds = 60,
      help,
      ...rest
    } = parseArgs({ args: [...args], options }).values
    if (help) process.stdout.write(usage)
    if (help) return 0
    if (!Number.isInteger(Number(seed)) || !(Number(seconds) > 0))
      throw new RangeError('--seconds and --seed take integers.')
    process.stdout.write(`fuzz: seed ${seed}, ${cases.length} cases in the corpus\n`)
    const onFailure = (failure: string): boolean => process.stdout.write(`\n${failure}\n`)
    const { played, failures } = await fuzz({ ...rest, seed: Number(seed), seconds: Number(seconds), onFailure })
    const verdict = failures.length === 0 ? 'nothing failed' : `${failures.length} FAILED`
    process.stdout.write(`fuzz: ${played} cases, seed ${seed}: ${verdict}\n`)
    return failures.length === 0 ? 0 : 1
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof TypeError)) throw error
    process.stderr.write(`${error.message}\n\n${usage}`)
    return 2
  }
}
