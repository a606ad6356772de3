/** The lock of --state: of several mocks, one responds, whatever the numbers of their processes are. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { defaultKey } from '../../../src/mock/index.ts'
import { makeFolder } from '../../support/folder.ts'
import { pause } from '../../support/machines.ts'
import { runProcess, startProcess } from '../../io/cli/command.ts'

const headers = { authorization: `Bearer ${defaultKey}`, 'content-type': 'application/json' }
const create = async (url: string, name: string): Promise<number> => {
  const body = JSON.stringify({ name, categoryId: 1 })
  return (await fetch(`${url}/pets`, { method: 'POST', headers, body })).status
}
const namesAt = async (url: string): Promise<string> =>
  (await fetch(`${url}/pets`, { headers })).text()

const isolated = ['--user', '--map-root-user', '--pid', '--fork', '--mount-proc', '--kill-child']
const canIsolate = spawnSync('unshare', [...isolated, 'true']).status === 0

test.runIf(canIsolate)(
  'in containers with one host name, the second one does not start',
  async () => {
    const args = ['mock', '--port', '0', '--quiet', '--state', join(makeFolder(), 'state')]
    const cli = fileURLToPath(new URL('../../../dist/bin/petstore.js', import.meta.url))
    const start = () => spawn('unshare', [...isolated, process.execPath, cli, ...args])
    const one = start()
    onTestFinished(() => void one.kill('SIGKILL'))
    const [line] = (await once(one.stdout, 'data')) as [Buffer]
    const url = line.toString().trim()
    expect(await create(url, 'Rex')).toBe(201)
    const other = start()
    let said = ''
    other.stderr.on('data', (text: Buffer) => (said += text.toString()))
    expect(await once(other, 'close')).toEqual([2, null])
    expect(said).toContain('is in use by process 1 on ')
    expect(await create(url, 'Tom')).toBe(201)
  },
)

test('a start after a kill waits until the lock is old, and says so', async () => {
  const args = ['mock', '--port', '0', '--quiet', '--state', join(makeFolder(), 'state')]
  const one = startProcess(args)
  expect(await create((await one.says(/^http:\S+\n/)).trim(), 'Rex')).toBe(201)
  await pause(1_500)
  one.child.kill('SIGKILL')
  await one.ended
  const since = performance.now()
  const other = startProcess(args)
  const url = (await other.says(/^http:\S+\n/)).trim()
  expect(performance.now() - since).toBeGreaterThan(9_000)
  expect(other.stderr()).toMatch(/was last used by process \d+ on .+: waiting ten seconds/)
  expect(await namesAt(url)).toContain('Rex')
})

test('a mock that was stopped, and whose state another one took over, responds no more', async () => {
  const args = ['mock', '--port', '0', '--quiet', '--state', join(makeFolder(), 'state')]
  const one = startProcess(args)
  const url = (await one.says(/^http:\S+\n/)).trim()
  expect(await create(url, 'Rex')).toBe(201)
  await pause(1_500)
  one.child.kill('SIGSTOP')
  const other = startProcess(args)
  const otherUrl = (await other.says(/^http:\S+\n/)).trim()
  // It waits for the first one, which sees it before anything else.
  const late = create(url, 'Late')
  await pause(500)
  one.child.kill('SIGCONT')
  expect(await late).toBe(503)
  await one.says(/has taken over/, 'stderr')
  expect(await create(url, 'Later')).toBe(503)
  expect(await create(otherUrl, 'Tom')).toBe(201)
  expect(await namesAt(otherUrl)).toMatch(/Tom.*Rex/)
  one.child.kill('SIGTERM')
  await one.ended
  expect((await runProcess(args)).stderr).toContain('is in use')
})

test('a mock that was stopped, and whose state nobody took over, responds as before', async () => {
  const args = ['mock', '--port', '0', '--quiet', '--state', join(makeFolder(), 'state')]
  const one = startProcess(args)
  const url = (await one.says(/^http:\S+\n/)).trim()
  one.child.kill('SIGSTOP')
  const late = create(url, 'Late')
  await pause(12_000)
  one.child.kill('SIGCONT')
  expect(await late).toBe(201)
  expect(one.stderr()).toBe('')
})
