/** `npm run fuzz`: sends hostile bytes to a mock in a process of its own, and judges what comes back. */
import { connect } from 'node:net'
import { parseArgs } from 'node:util'

import fc from 'fast-check'

import { anyCase } from './fuzz/arbitraries.ts'
import { type Case, cases, lastExpected, lastRequest } from './fuzz/cases.ts'
import { type MockProcess, startMockProcess } from './fuzz/mock-process.ts'
import { createLedger, judge, type Known, requestPets } from './fuzz/oracle.ts'
import { converse, fuzzKey, pause } from './fuzz/wire.ts'

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
  /** Starts a mock with options that are drawn from the seed, and judges only what holds for all of them. */
  vary?: boolean
  /** The command to start; the one in dist/ by default. */
  cli?: string
  flags?: readonly string[]
  onFailure?: (failure: string) => void
}

const seededPets = 100
const together = 6
const mebibyte = 1024 * 1024
/** Bytes that may stay in use besides the pets, after the first round. */
const memoryAllowance = 48 * mebibyte
/** Bytes that the bodies under way may take in a storm. */
const stormAllowance = 160 * mebibyte
const slowSeconds = 45
/** How long the mock may keep a connection that its client has left: it lingers for two seconds. */
const lingerMs = 6_000
const mostShrinks = 200

/** A mock under fire. */
interface Session extends Known {
  mock: MockProcess
  idleSockets: number
  warmBytes?: number
}

/** Fuzzes a mock of its own, and returns the failures as text. */
export async function fuzz(options: FuzzOptions): Promise<{ played: number; failures: string[] }> {
  const { seed, seconds = Infinity, only, path, rounds = path === undefined ? Infinity : 1, vary = false } = options
  const flags = [...(options.flags ?? []), ...(vary ? ['--vary', String(Math.abs(seed))] : [])]
  const chosen = cases.filter(({ name }) => only === undefined || name === only || name.startsWith(`${only}/`))
  if (chosen.length === 0) throw new RangeError(`There is no case ${JSON.stringify(only)}; --list shows them.`)
  const withSlow = seconds >= 2 * slowSeconds && seconds !== Infinity
  const endsAt = performance.now() + (seconds - (withSlow ? slowSeconds : 0)) * 1000
  const failures: string[] = []
  const failed = new Set<string>()
  let played = 0
  let broken = false
  let session = await startSession(vary, flags, options.cli)
  const add = (failure: string): void => {
    failures.push(failure)
    options.onFailure?.(failure)
  }

  /** Plays some cases at a time on a mock that is alive. Throws what was wrong. */
  async function playTogether(batch: readonly Case[]): Promise<void> {
    if (session.mock.ended() !== undefined || broken) {
      await session.mock.stop()
      session = await startSession(vary, flags, options.cli)
      broken = false
    }
    const known = batch.filter(({ name }) => !failed.has(name))
    played += known.length
    const faults = (await Promise.all(known.map((one) => playCase(session, one)))).flat()
    if (!(await responds(session))) {
      for (let look = 0; look < 20 && session.mock.ended() === undefined; look += 1) await pause(50)
      faults.unshift(
        `The mock did not survive: ${session.mock.ended() ?? 'it no longer responds'}. ${session.mock.stderr()}`,
      )
    } else {
      if (vary) await pause(400)
      faults.push(...(await session.ledger.audit('new')))
    }
    if (faults.length === 0) return
    broken = true
    throw new Error(faults.join('\n'))
  }

  try {
    for (let round = 0; round < rounds && performance.now() < endsAt; round += 1) {
      const roundSeed = path === undefined ? seed + round : seed
      let shrinks = 0
      const property = fc.asyncProperty(fc.array(anyCase, { minLength: 1, maxLength: together }), async (batch) => {
        if (shrinks === 0 && performance.now() > endsAt) return
        if (shrinks > 0 && (shrinks += 1) > mostShrinks) return
        try {
          await playTogether(batch)
        } catch (error) {
          shrinks += 1
          throw error
        }
      })
      const examples = inBatches(chosen, roundSeed)
      const details = await fc.check(property, {
        seed: roundSeed,
        examples: examples.map((batch): [Case[]] => [batch]),
        numRuns: path === undefined ? examples.length * (only === undefined ? 2 : 1) : 1,
        ...(path !== undefined && { path }),
      })
      if (details.failed && details.counterexample !== null) {
        const [batch] = details.counterexample
        // An array shrinks from its front: one of its cases may have nothing to do with the failure.
        let [guilty, message] = [batch, (details.errorInstance as Error).message]
        if (batch.length > 1)
          for (const one of batch)
            await playTogether([one]).catch((error: Error) => ([guilty, message] = [[one], error.message]))
        for (const { name } of guilty) failed.add(name)
        const replay = `npm run fuzz -- --seed ${roundSeed} --path ${details.counterexamplePath}`
        const more = `${only === undefined ? '' : ` --only '${only}'`}${vary ? ' --vary' : ''}`
        add([`FAILED ${guilty.map(({ name }) => name).join(' and ')}`, message, `Replay: ${replay}${more}`].join('\n'))
      } else if (path === undefined) {
        for (const fault of await checkpoint(session))
          add(`FAILED after round ${round + 1}, seed ${roundSeed}\n${fault}`)
      }
    }
    const slow = withSlow && only === undefined ? cases.filter((one) => one.slow) : []
    if (slow.length > 0 && session.mock.ended() === undefined) {
      played += slow.length
      const faults = (await Promise.all(slow.map((one) => playCase(session, one)))).flat()
      for (const fault of [...faults, ...(await checkpoint(session))]) add(`FAILED slow cases\n${fault}`)
    }
    if (!broken) for (const fault of await session.ledger.audit('all')) add(`FAILED audit\n${fault}`)
  } finally {
    await session.mock.stop()
  }
  return { played, failures }
}

/** The cases in an order of chance, some at a time; storms each by itself. */
function inBatches(chosen: readonly Case[], seed: number): Case[][] {
  const quick = chosen.filter((one) => one.slow !== true)
  const [shuffled = []] = fc.sample(fc.shuffledSubarray(quick, { minLength: quick.length }), { seed, numRuns: 1 })
  const storms = shuffled.filter(isStorm)
  const others = shuffled.filter((one) => !isStorm(one))
  const batches = Array.from({ length: Math.ceil(others.length / together) }, (_, index) =>
    others.slice(index * together, (index + 1) * together),
  )
  return [...batches, ...storms.map((one) => [one])]
}
const isStorm = ({ times, hold }: Case): boolean => times !== undefined || hold !== undefined

async function startSession(anyOption: boolean, flags: readonly string[], cli?: string): Promise<Session> {
  const mock = await startMockProcess(['--pets', String(seededPets), ...flags], cli)
  const made = JSON.stringify({ name: 'fuzz' })
  await fetch(`http://127.0.0.1:${mock.port}/_petstore/sandboxes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: made,
  })
  const texts = await requestPets(mock.port, fuzzKey, 1, seededPets)
  const seeded = texts
    .filter((text) => text !== undefined)
    .map((text) => ({ text, ...(JSON.parse(text) as { status?: string }) }))
  if (seeded.length !== seededPets) throw new Error(`The mock does not show its ${seededPets} pets.`)
  const ledger = createLedger(mock.port, fuzzKey, texts as string[])
  const { sockets } = await mock.footprint()
  return { mock, port: mock.port, key: fuzzKey, anyOption, seeded, ledger, idleSockets: sockets }
}

/** Plays a case, or its storm, and says what was wrong. */
async function playCase(session: Session, one: Case): Promise<string[]> {
  const ordinary: Case = { name: one.name, steps: [{ send: lastRequest }], expected: [lastExpected] }
  if (one.times !== undefined) {
    const faults = await Promise.all(Array.from({ length: one.times }, () => converseAndJudge(session, one)))
    return [...new Set(faults.flat()), ...(await converseAndJudge(session, ordinary))]
  }
  if (one.hold === undefined) return converseAndJudge(session, one)
  const before = (await session.mock.footprint()).bytes
  const bytes = Buffer.concat(one.steps.flatMap((step) => ('send' in step ? [step.send] : [])))
  const sockets = await Promise.all(Array.from({ length: one.hold }, () => hold(session.port, bytes)))
  let [earlier, now] = [0, (await session.mock.footprint()).bytes]
  while (now > earlier + mebibyte) {
    await pause(200)
    ;[earlier, now] = [now, (await session.mock.footprint()).bytes]
  }
  const faults = await converseAndJudge(session, ordinary)
  for (const [index, socket] of sockets.entries()) {
    if (index % 3 === 0) socket.resetAndDestroy()
    else socket.destroy()
  }
  if (now - before > stormAllowance) faults.push(`${one.name} takes ${mebibytes(now - before)}.`)
  return [...faults, ...(await converseAndJudge(session, ordinary))]
}

/** Opens a connection, sends, and reads nothing. Resolves when all is sent, or no more is taken. */
async function hold(port: number, bytes: Buffer): Promise<ReturnType<typeof connect>> {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.on('error', () => {})
  const sent = new Promise((resolve) => {
    socket.once('close', resolve)
    socket.once('connect', () => socket.write(bytes, resolve))
  })
  await Promise.race([sent, pause(2_000)])
  return socket
}

async function converseAndJudge(
  session: Session,
  { name, steps, expected, limitMs = 10_000 }: Case,
): Promise<string[]> {
  const received = await converse(session.port, steps, {
    methods: expected.map(({ method = 'GET' }) => method),
    limitMs,
  })
  const faults = judge(steps, expected, received, session)
  if (faults.length === 0) return []
  const sent = Buffer.concat(steps.flatMap((step) => ('send' in step ? [step.send] : [])))
  return [`${name}: ${faults.join(' ')}\n  Sent:\n${shown(sent)}\n  Received:\n${shown(received.bytes)}`]
}

async function responds({ port }: Session): Promise<boolean> {
  return (await converse(port, [{ send: lastRequest }], { limitMs: 5_000 })).bytes.length > 0
}

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
  const allowed = session.warmBytes + memoryAllowance + 3 * ledger.bytes
  if (bytes > allowed) wrong.push(`${mebibytes(bytes)} are in use, and no more than ${mebibytes(allowed)} should be.`)
  const printed = mock.stderr()
  if (printed !== '' && faults.length === 0 && !printed.startsWith('Other machines'))
    wrong.push(`It printed: ${printed}`)
  return wrong
}

const mebibytes = (bytes: number): string => `${(bytes / mebibyte).toFixed(1)} MiB`

/** Bytes as escaped text, indented; the middle of a long one is left out. */
function shown(bytes: Buffer, longest = 1_500): string {
  const text = bytes
    .toString('latin1')
    .replaceAll('\\', '\\\\')
    .replaceAll('\r\n', '\\r\\n\n')
    .replaceAll(/[^\n\x20-\x7e]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`)
  const cut = `${text.slice(0, longest / 2)}\n[${text.length - longest} characters left out]\n${text.slice(-longest / 2)}`
  return (text.length <= longest ? text : cut).replaceAll(/^/gm, '    ')
}

const usage = `Usage: npm run fuzz -- [options]

Starts a mock in a process of its own, sends it hostile bytes over raw sockets, and judges what comes back.

  --seconds N   for how long; 60 by default. From 90 on, cases that wait for time limits are played, too
  --rounds N    for so many rounds instead; each plays the corpus and as many drawn cases
  --seed N      an integer: the same seed, the same cases. Drawn by default
  --path PATH   plays the one failure that a run printed with this path and its seed
  --only CASE   group, or group/name of the corpus
  --vary        against a mock with other options, drawn from the seed
  --cli FILE    the command to start, in place of dist/bin/petstore.js
  --list        lists the corpus

Exit code: 0 when all is well, 1 when anything failed, 2 for a mistake in the options.
`

/** Runs the fuzzer from the command line. Returns the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  try {
    const string = { type: 'string' } as const
    const boolean = { type: 'boolean' } as const
    const { values } = parseArgs({
      args: [...args],
      options: {
        seconds: string,
        rounds: string,
        seed: string,
        path: string,
        only: string,
        cli: string,
        vary: boolean,
        list: boolean,
        help: boolean,
      },
    })
    const { seed = String(Math.floor(Math.random() * 1e9)), seconds, rounds, list, help, ...rest } = values
    if (help) process.stdout.write(usage)
    else if (list) for (const { name } of cases) process.stdout.write(`${name}\n`)
    if (help || list) return 0
    for (const [name, value] of Object.entries({ seed, seconds, rounds })) {
      if (value !== undefined && !/^-?\d{1,10}$/.test(value))
        throw new RangeError(`--${name} takes an integer, not ${value}.`)
    }
    process.stdout.write(`fuzz: seed ${seed}, ${cases.length} cases in the corpus\n`)
    const { played, failures } = await fuzz({
      ...rest,
      seed: Number(seed),
      ...(rounds === undefined
        ? rest.path === undefined && { seconds: Number(seconds ?? 60) }
        : { rounds: Number(rounds) }),
      onFailure: (failure) => process.stdout.write(`\n${failure}\n`),
    })
    const verdict = failures.length === 0 ? 'nothing failed' : `${failures.length} FAILED`
    process.stdout.write(`fuzz: ${played} cases, seed ${seed}: ${verdict}\n`)
    return failures.length === 0 ? 0 : 1
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof TypeError)) throw error
    process.stderr.write(`${error.message}\n\n${usage}`)
    return 2
  }
}
