/** Runs conversations against a mock in a separate process, and returns faults. */
import { connect } from 'node:net'

import { mebibytes, MockProcess, pause } from '../../support/machines.ts'
import { type Case, lastExpected, lastRequest } from './cases.ts'
import { createLedger, faultsOfConversation, requestPets } from './oracle.ts'
import { converse, fuzzKey } from './wire.ts'

const seededPets = 100
/** Allowed growth besides the pets after the first check, in bytes; 32 MiB of it are for the journal. */
const memoryAllowance = 80 * 1024 * 1024
/** Allowed bytes for pending bodies in a storm. */
const stormAllowance = 160 * 1024 * 1024
/** Time in which the mock must close a connection that its client has left; it lingers for two seconds. */
const lingerMs = 6_000

interface SessionOptions {
  cli?: string
  flags?: readonly string[]
}

/** @param options of the mock: another command than the one in dist/, and additional flags. */
export async function startSession({ cli, flags = [] }: SessionOptions = {}) {
  const fixed = [
    '--key',
    fuzzKey,
    '--pets',
    String(seededPets),
    '--behavior',
    'list.order=oldest-first',
  ]
  const mock = new MockProcess('the mock', [...fixed, ...flags], { cli, isProbed: true })
  await mock.start()
  const { port } = mock
  await fetch(`http://127.0.0.1:${port}/_petstore/sandboxes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: '{"name":"fuzz"}',
  })
  const texts = (await requestPets(port, fuzzKey, 1, seededPets)).filter(
    (text) => text !== undefined,
  )
  if (texts.length !== seededPets) throw new Error(`The mock does not show its ${seededPets} pets.`)
  const seeded = texts.map((text) => ({ text, ...(JSON.parse(text) as { status?: string }) }))
  const ledger = createLedger(port, fuzzKey, texts)
  const known = { port, key: fuzzKey, seeded, ledger }
  const { sockets: idleSockets } = await mock.footprint()
  let warmBytes: number | undefined

  /** Runs a case, checks the pets that it should have created, and returns faults. */
  async function play(one: Case): Promise<string[]> {
    const faults = await playCase(one)
    // The exit of a crashed process is reported after a moment.
    if ((await ledger.audit('new', faults)) === 'no response')
      for (let look = 0; look < 20 && mock.ended === undefined; look += 1) await pause(50)
    if (mock.ended !== undefined) faults.unshift(`The mock did not survive: ${mock.ended}`)
    return faults.length === 0 ? [] : [...faults, `${one.name} sent:\n${shown(sentOf(one))}`]
  }

  async function playCase(one: Case): Promise<string[]> {
    const ordinary: Case = {
      name: one.name,
      steps: [{ send: lastRequest }],
      expected: [lastExpected],
    }
    if (one.times !== undefined) {
      const faults = await Promise.all(
        Array.from({ length: one.times }, () => converseAndCheck(one)),
      )
      return [...new Set(faults.flat()), ...(await converseAndCheck(ordinary))]
    }
    if (one.hold === undefined) return converseAndCheck(one)
    const before = (await mock.footprint()).bytes
    const sockets = await Promise.all(
      Array.from({ length: one.hold }, () => hold(port, sentOf(one))),
    )
    const held = await settledBytes()
    const faults = await converseAndCheck(ordinary)
    for (const [index, socket] of sockets.entries()) {
      if (index % 3 === 0) socket.resetAndDestroy()
      else socket.destroy()
    }
    if (held - before > stormAllowance)
      faults.push(`${one.name} takes ${mebibytes(held - before)}.`)
    return [...faults, ...(await converseAndCheck(ordinary))]
  }

  /** The bytes in use as soon as they no longer grow. */
  async function settledBytes(): Promise<number> {
    let [earlier, now] = [0, (await mock.footprint()).bytes]
    while (now > earlier + 1024 * 1024) {
      await pause(200)
      ;[earlier, now] = [now, (await mock.footprint()).bytes]
    }
    return now
  }

  async function converseAndCheck({
    name,
    steps,
    expected,
    limitMs = 10_000,
  }: Case): Promise<string[]> {
    const methods = expected.map(({ method = 'GET' }) => method)
    const received = await converse(port, steps, { methods, limitMs })
    const faults = faultsOfConversation(steps, expected, received, known)
    if (faults.length === 0) return []
    return [`${name}: ${faults.join(' ')}\n  Received:\n${shown(received.bytes)}`]
  }

  return {
    play,
    stop: () => mock.end('SIGKILL'),
    /** Checks the pets, memory, connections and output of the mock. The first check sets the baseline of the memory. */
    async check(): Promise<string[]> {
      const until = performance.now() + lingerMs
      let { sockets, faults, bytes } = await mock.footprint()
      const wrong = [...faults]
      while (sockets > idleSockets && performance.now() < until) {
        await pause(50)
        ;({ sockets, faults, bytes } = await mock.footprint())
        wrong.push(...faults)
      }
      if (sockets > idleSockets)
        wrong.push(`${sockets - idleSockets} connections are still open without a client.`)
      warmBytes ??= bytes
      const allowed = warmBytes + memoryAllowance + 3 * ledger.bytes()
      if (bytes > allowed)
        wrong.push(`${mebibytes(bytes)} are in use; the limit is ${mebibytes(allowed)}.`)
      // A journal that is full is no fault.
      const errors = mock.errors.replaceAll(/^.*all journals together took more than.*\n/gm, '')
      if (errors !== '') wrong.push(`It printed: ${errors}`)
      await ledger.audit('all', wrong)
      return wrong
    },
  }
}

/** Opens a connection, sends, and reads nothing. Resolves when all is sent, or no more is accepted. */
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

const sentOf = ({ steps }: Case): Buffer =>
  Buffer.concat(steps.flatMap((step) => ('send' in step ? [step.send] : [])))

/** Formats bytes as escaped, indented text without the middle of a long one. */
function shown(bytes: Buffer, longest = 1_500): string {
  const text = JSON.stringify(bytes.toString('latin1'))
    .slice(1, -1)
    .replaceAll('\\r\\n', '\\r\\n\n')
  const cut = `${text.slice(0, longest / 2)}\n[${text.length - longest} characters left out]\n${text.slice(-longest / 2)}`
  return (text.length <= longest ? text : cut).replaceAll(/^/gm, '    ')
}
