/** An engine, and mocks of this process that share it, each with its own wire. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Agent } from 'undici'
import { onTestFinished } from 'vitest'

import { send, type Target } from './clients.ts'
import { Engine, pause, Wire } from '../../support/machines.ts'
import { type RunningMock, startMock } from '../../../src/mock/start.ts'

type Member = Target & { wire: Wire; mock: RunningMock }

/** Starts the engine; everything ends with the test. */
export async function together(engineOptions: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-shared-'))
  const dispatcher = new Agent({ connections: null })
  const ends: (() => Promise<unknown>)[] = []
  onTestFinished(async () => {
    for (const end of ends.toReversed()) await end()
    await dispatcher.destroy()
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  })
  let engines = 0

  async function startEngine(options: readonly string[]): Promise<Engine> {
    const engine = new Engine(join(folder, String((engines += 1))), options)
    ends.push(() => engine.kill())
    await engine.start()
    return engine
  }
  async function startWire(to: Engine): Promise<Wire> {
    const wire = new Wire(to.socket)
    ends.push(() => wire.stop())
    await wire.start()
    return wire
  }
  const engine = await startEngine(engineOptions)

  async function join_(name: string): Promise<Member> {
    const wire = await startWire(engine)
    const mock = await startMock({ pets: 3, shared: { url: wire.url } }, [])
    ends.push(() => mock.close())
    return { name, wire, mock, origin: () => new URL(mock.url).origin }
  }

  /** Exports the pets of a sandbox through one mock as soon as it responds. */
  async function exported(member: Target, sandbox: string): Promise<string> {
    for (let turn = 0; turn < 300; turn += 1) {
      const origin = member.origin() ?? ''
      await send(dispatcher, origin, sandbox, { kind: 'list', limit: 1 })
      const outcome = await send(dispatcher, origin, sandbox, { kind: 'export' })
      if ('result' in outcome && outcome.result.startsWith('200 ')) return outcome.result.slice(4)
      await pause(50)
    }
    throw new Error(`${member.name} does not respond.`)
  }

  return { engine, dispatcher, startEngine, startWire, join: join_, exported }
}
