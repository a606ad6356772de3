/** A mock with --state that is killed at any moment leaves a complete file, and continues from it. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { defaultKey } from '../../../src/mock/index.ts'
import { byLevel } from '../../support/level.ts'
import { makeFolder } from '../../support/folder.ts'
import { startProcess } from '../../io/cli/command.ts'

const headers = { authorization: `Bearer ${defaultKey}`, 'content-type': 'application/json' }

/** Creates pets until the mock is gone; returns the ids and times of confirmed creations. */
async function createUntilGone(
  url: string,
  isGone: () => boolean,
): Promise<{ id: number; at: number }[]> {
  const confirmed: { id: number; at: number }[] = []
  try {
    // Another server may get the same port immediately.
    while (!isGone()) {
      const signal = AbortSignal.timeout(10_000)
      const body = '{"name":"Rex","categoryId":1}'
      const reply = await fetch(`${url}/pets`, { method: 'POST', headers, body, signal })
      confirmed.push({ id: ((await reply.json()) as { id: number }).id, at: performance.now() })
    }
  } catch {}
  return confirmed
}

test('continues after SIGKILL at any moment', async () => {
  const file = join(makeFolder(), 'mock.state')
  const ids = new Set<number>()
  const rounds = byLevel({ usual: 2, slow: 12, all: 60 })
  for (let round = 0; round < rounds; round += 1) {
    const args = ['mock', '--port', '0', '--quiet', '--pets', '5000', '--state', file]
    const { child, says, ended } = startProcess(args)
    const failed = ended.then(({ stderr }) => Promise.reject(new Error(`it ended: ${stderr}`)))
    const url = (await Promise.race([says(/^http:\S+\n/), failed])).trim()
    // The pets of the previous round exist.
    for (const id of ids)
      expect((await fetch(`${url}/pets/${id}`, { headers })).status, `pet ${id}`).toBe(200)
    const creating = createUntilGone(url, () => child.signalCode !== null)
    // Moments from 0 ms to 1.5 s, evenly.
    await new Promise((resolve) => setTimeout(resolve, (round * 1_500) / rounds))
    const killedAt = performance.now()
    child.kill('SIGKILL')
    await ended
    // The state is written within a second, even on a busy machine; later creations may be lost.
    const confirmed = (await creating).filter(({ at }) => at < killedAt - 1_000)
    const text = existsSync(file) ? readFileSync(file, 'utf8') : undefined
    if (text === undefined) {
      expect([ids.size, confirmed]).toEqual([0, []])
      continue
    }
    expect(text).toMatch(/\n\{"sha256":"\w{64}"\}\n$/)
    for (const { id } of confirmed) expect(text, `pet ${id}`).toContain(`{"id":${id},`)
    ids.clear()
    for (const [, id] of text.matchAll(/\{"id":(5\d{3}),"name":"Rex"/g)) ids.add(Number(id))
  }
  expect(ids.size).toBeGreaterThan(0)
})
