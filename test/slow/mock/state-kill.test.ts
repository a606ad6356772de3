/** A mock with --state that is killed at any moment continues from its folder. */
import { existsSync, readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { defaultKey } from '../../../src/mock/index.ts'
import { byLevel } from '../../support/level.ts'
import { makeFolder } from '../../support/folder.ts'
import { startProcess } from '../../io/cli/command.ts'

const headers = { authorization: `Bearer ${defaultKey}`, 'content-type': 'application/json' }

const idsIn = (text: string): number[] =>
  Array.from(text.matchAll(/"id":(\d+),"name":"Rex"/g), ([, id]) => Number(id))

/** Pets that a mock has confirmed, and until when they are saved, as it says: milliseconds since 1970. */
interface Seen {
  confirmed: { id: number; at: number }[]
  savedAt: number
}

/** Creates pets and reads the metric until the mock is gone. */
async function watchUntilGone(url: string, isGone: () => boolean): Promise<Seen> {
  const seen: Seen = { confirmed: [], savedAt: 0 }
  // Another server may get the same port immediately.
  const repeat = async (act: (signal: AbortSignal) => Promise<void>): Promise<void> => {
    try {
      while (!isGone()) await act(AbortSignal.timeout(10_000))
    } catch {}
  }
  const create = async (signal: AbortSignal): Promise<void> => {
    const body = '{"name":"Rex","categoryId":1}'
    const reply = await fetch(`${url}/pets`, { method: 'POST', headers, body, signal })
    seen.confirmed.push({ id: ((await reply.json()) as { id: number }).id, at: Date.now() })
  }
  const readMetric = async (signal: AbortSignal): Promise<void> => {
    const sentAt = Date.now()
    const reply = await fetch(url.replace(/v1$/, '_petstore/metrics'), { signal })
    const [, seconds] = /^petstore_state_unsaved_seconds (\S+)$/m.exec(await reply.text()) ?? []
    seen.savedAt = sentAt - Number(seconds) * 1_000
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  await Promise.all([repeat(create), repeat(readMetric)])
  return seen
}

test('continues after SIGKILL at any moment', async () => {
  const folder = join(makeFolder(), 'state')
  const ids = new Set<number>()
  let checked = 0
  const rounds = byLevel({ usual: 4, slow: 6, all: 60 })
  for (let round = 0; round < rounds; round += 1) {
    const args = ['mock', '--port', '0', '--quiet', '--pets', '5000', '--state', folder]
    const { child, says, stderr, ended } = startProcess(args)
    const failed = ended.then((end) => Promise.reject(new Error(`it ended: ${end.stderr}`)))
    const url = (await Promise.race([says(/^http:\S+\n/), failed])).trim()
    // The pets of the previous round exist, and nothing was damaged.
    const before = await (await fetch(url.replace(/v1$/, '_petstore/pets'))).text()
    expect(new Set(idsIn(before))).toEqual(ids)
    expect(stderr()).toBe('')
    const watching = watchUntilGone(url, () => child.signalCode !== null)
    // Moments from 0 ms to 2.5 s, evenly.
    await new Promise((resolve) => setTimeout(resolve, (round * 2_500) / rounds))
    child.kill('SIGKILL')
    await ended
    // Ten seconds later, as far as the next start knows.
    utimesSync(join(folder, '.lock'), 0, 0)
    const { confirmed, savedAt } = await watching
    // When it is due depends on the disk, and on what else the machine does: what came later may be lost.
    const due = confirmed.filter(({ at }) => at < savedAt)
    checked += due.length
    const file = join(folder, 'own.json')
    const text = existsSync(file) ? readFileSync(file, 'utf8') : undefined
    if (text === undefined) {
      expect([ids.size, due]).toEqual([0, []])
      continue
    }
    expect(text).toMatch(/\n\{"sha256":"\w{64}"\}\n$/)
    for (const id of idsIn(text)) ids.add(id)
    expect(due.filter(({ id }) => !ids.has(id))).toEqual([])
  }
  expect(checked).toBeGreaterThan(0)
})
